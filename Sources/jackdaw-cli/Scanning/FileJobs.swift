import Dispatch
import Glibc
import JackdawSystem
import JackdawTransport
import Synchronization

/// Works on files one after the other. Each thread has a worker of its own.
protocol FileWorker: SendableMetatype, ~Copyable {
    associatedtype Outcome: Sendable

    /// Works on a file, and prints its results and faults.
    /// - Parameters:
    ///   - file: the path.
    ///   - index: its place among the files, from 0.
    ///   - console: prints the output, which other threads' output does not interrupt.
    /// - Returns: what the verb needs of the file after that.
    /// - Throws: `CommandError` to end the verb.
    mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> Outcome
}

/// Works on many files in several threads. The output is that of one thread, in the order of the files.
struct FileJobs {
    /// The threads that work, 1 or more.
    let count: Int
    /// The threads that may decode the segments of each file, 1 or more.
    let segmentJobs: Int

    /// Jobs for some files.
    /// - Parameters:
    ///   - count: the most threads; nil for one on each core.
    ///   - files: the paths. Standard input (`-`) is read by one thread, because its sound may be live.
    init(_ count: Int?, for files: [String]) {
        let most = files.contains("-") ? 1 : count ?? Self.cores
        self.count = max(1, min(most, files.count))
        segmentJobs = max(1, most / self.count)
    }

    /// Cores that are in use.
    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Works on the files.
    /// - Parameters:
    ///   - files: the paths.
    ///   - console: prints the output of all of them.
    ///   - makeWorker: makes the worker of a thread.
    ///   - finish: receives the outcomes in the order of the files.
    /// - Throws: `CommandError` of the first worker that throws one; later files have no outcome.
    func run<Worker: FileWorker & ~Copyable>(
        _ files: [String], on console: Console, makeWorker: @escaping @Sendable () -> Worker,
        finish: (Worker.Outcome) -> Void
    ) throws(CommandError) {
        guard count > 1 else {
            var worker = makeWorker()
            for (index, file) in files.enumerated() { finish(try worker.work(on: file, index: index, console)) }
            return
        }
        let queue = FileQueue<Worker.Outcome>(files, jobs: count)
        let showsResults = console.showsResults
        var threads: [WorkerThread] = []
        defer {
            queue.abandon(jobs: threads.count)
            for thread in threads { thread.join() }
        }
        for _ in 0..<count {
            do throws(SystemFailure) {
                threads.append(
                    try WorkerThread(name: "jackdaw-job") {
                        var worker = makeWorker()
                        while let (file, index, place) = queue.next() {
                            let console = Console(showsResults: showsResults, relay: place.put)
                            let outcome = Result { () throws(CommandError) in
                                try worker.work(on: file, index: index, console)
                            }
                            console.flush()
                            place.finish(outcome)
                        }
                    })
            } catch {
                guard threads.isEmpty else { break }
                throw CommandError(.unavailable, "no thread can be created (\(error.message)); try --jobs 1")
            }
        }
        var progress = Progress(console)
        for index in files.indices {
            let place = queue.place(of: index)
            while true {
                progress.update("file \(index + 1) of \(files.count)", fraction: Double(index) / Double(files.count))
                var (output, outcome) = place.take()
                output.reverse()
                // Each array of bytes is wiped after it is printed, and must not be shared.
                while let next = output.popLast() { console.print(next) }
                guard let outcome else { continue }
                finish(try outcome.get())
                break
            }
            queue.leave()
        }
    }
}

/// Files for several threads, and places for their output.
private final class FileQueue<Outcome: Sendable>: Sendable {
    /// Files for each thread that may be done before the output of an earlier one is printed.
    private static var filesAhead: Int { 8 }

    private let files: [String]
    /// The places are used in turn.
    private let places: [FilePlace<Outcome>]
    private let taken = Atomic<Int>(0)
    private let isAbandoned = Atomic<Bool>(false)
    /// Counts the free places.
    private let free = DispatchSemaphore(value: 0)

    init(_ files: [String], jobs: Int) {
        self.files = files
        places = (0..<jobs * Self.filesAhead).map { _ in FilePlace() }
        for _ in places { free.signal() }
    }

    /// Waits for a free place.
    /// - Returns: the next file with its place; nil after the last one.
    func next() -> (file: String, index: Int, place: FilePlace<Outcome>)? {
        free.wait()
        guard !isAbandoned.load(ordering: .acquiring) else { return nil }
        let index = taken.add(1, ordering: .relaxed).oldValue
        guard index < files.count else {
            free.signal()
            return nil
        }
        return (files[index], index, place(of: index))
    }

    func place(of index: Int) -> FilePlace<Outcome> { places[index % places.count] }

    /// Frees the place of the file whose output has been printed.
    func leave() { free.signal() }

    /// Lets the threads end: no output will be printed.
    func abandon(jobs: Int) {
        isAbandoned.store(true, ordering: .releasing)
        for place in places { place.abandon() }
        for _ in 0..<jobs { free.signal() }
    }
}

/// The output and the outcome of a file, until they are printed.
private final class FilePlace<Outcome: Sendable>: Sendable {
    private struct State {
        var output: [Console.Output] = []
        var size = 0
        var outcome: Result<Outcome, CommandError>?
        /// Whether the file's thread waits for room.
        var isFull = false
        var isAbandoned = false
    }

    /// The output from which on the file's thread waits (bytes).
    private static var mostOutput: Int { 256 << 10 }

    private let state = Lock(State())
    private let change = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)

    /// Adds output; waits if there is much already.
    func put(_ output: Console.Output) {
        let isFull = state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.output.append(output)
            state.size += output.size
            state.isFull = state.size >= Self.mostOutput
            return state.isFull
        }
        change.signal()
        if isFull { room.wait() }
    }

    func finish(_ outcome: Result<Outcome, CommandError>) {
        state.withLock { $0.outcome = outcome }
        change.signal()
    }

    /// Waits for output or the outcome, after which the place is empty.
    func take() -> (output: [Console.Output], outcome: Result<Outcome, CommandError>?) {
        change.wait()
        let (output, outcome, wasFull) = state.withLock { state in
            let taken = (state.output, state.outcome, state.isFull)
            state = State()
            return taken
        }
        if wasFull { room.signal() }
        return (output, outcome)
    }

    func abandon() {
        let wasFull = state.withLock { state in
            let wasFull = state.isFull
            state = State()
            state.isAbandoned = true
            return wasFull
        }
        if wasFull { room.signal() }
    }
}
