// What the thread sanitizer reports of `Lock`, for .ci/thread-sanitizer, which compiles this file with the lock alone.
//   main ordered     Threads that pass objects to each other under a contended lock: no report.
//   main race        The same without the lock: a report.
//   main half        One thread holds the lock, and the other one does not: a report.
//   main resumed     A thread resumes a continuation before its task waits for it: no report, by .ci/thread-sanitizer.ignored.
//   main body        A race in the body of a continuation: a report, in spite of that file.
import Glibc

final class Cell: @unchecked Sendable { var number = 0 }

final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs bodies on threads of their own until all have ended.
func runThreads(_ bodies: [@Sendable () -> Void]) {
    var threads: [pthread_t] = []
    for body in bodies {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// A task's memory is used again after a continuation that another thread has resumed.
@Sendable func waitForThread() async -> Int {
    await withUnsafeContinuation { continuation in
        let context = Unmanaged.passRetained(Body { continuation.resume(returning: 1) }).toOpaque()
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
        pthread_detach(thread)
        usleep(2000)
    }
}

/// Runs a task to its end, on this thread and others.
func runTask(_ body: @escaping @Sendable () async -> Void) {
    let ended = Lock(false)
    Task.detached {
        await body()
        ended.withLock { $0 = true }
    }
    while !ended.withLock({ $0 }) { usleep(1000) }
}

let rounds = 20_000
switch CommandLine.arguments.dropFirst().first {
case "ordered":
    let cells = Lock<[Cell]>([])
    runThreads(
        (0..<4).map { _ in
            {
                for _ in 0..<rounds {
                    let cell = Cell()
                    cell.number += 1
                    cells.withLock { $0.append(cell) }
                    cells.withLock { $0.popLast() }?.number += 1
                }
            }
        })
case "race":
    let cell = Cell()
    let body = { @Sendable in for _ in 0..<rounds { cell.number += 1 } }
    runThreads([body, body])
case "half":
    let (cell, lock) = (Cell(), Lock(0))
    runThreads([
        { for _ in 0..<rounds { lock.withLock { $0 += 1; cell.number += 1 } } },
        { for _ in 0..<rounds { cell.number += 1 } },
    ])
case "resumed":
    runTask {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<60 { group.addTask { for _ in 0..<4 { _ = await waitForThread() } } }
        }
    }
case "body":
    let cell = Cell()
    let body = { @Sendable in for _ in 0..<rounds { cell.number += 1 } }
    runThreads([
        body,
        {
            runTask {
                await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                    body()
                    continuation.resume()
                }
            }
        },
    ])
default: exit(2)
}
