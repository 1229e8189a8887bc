import JackdawSystem
import JackdawTransport

/// One look at the readers, or one wait for their change, on a thread of its own, which the task that waits can cancel.
/// No call of libpcsclite runs after its end: the library frees its memory when the program exits, and a call of
/// another thread would use it then.
final class ReaderWait: Sendable {
    /// The result of the calls, or the reason why they have no thread.
    private typealias Outcome = Result<Result<[ReaderStatus], PCSCFailure>, SystemFailure>

    private struct State {
        /// The context of the thread that waits.
        var context: ServiceContext?
        var isCancelled = false
    }

    private let calls: any PCSCCalls
    private let threads: CallThreads
    private let limits: CallLimits
    private let state = Lock(State())
    /// Held by this object's own threads while they cancel the wait or release its context, and by no task.
    private let calling = Lock(())

    init(_ calls: any PCSCCalls, _ threads: CallThreads, _ limits: CallLimits) {
        self.calls = calls
        self.threads = threads
        self.limits = limits
    }

    /// Waits until the readers differ from the known ones. Call once.
    /// - Parameter known: the states that the caller knows, from an earlier call; nil returns the present ones at once.
    /// - Returns: the present states; nil if the task was cancelled.
    /// - Throws: `LinkError` if pcscd does not run or ends.
    func states(after known: [ReaderStatus]?) async throws(LinkError) -> [ReaderStatus]? {
        let result: Result<[ReaderStatus], PCSCFailure>
        do throws(SystemFailure) {
            let ended = try WakeUp()
            let cancelled = try WakeUp()
            let outcome: Outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    start(known, ended, cancelled) { continuation.resume(returning: $0) }
                }
            } onCancel: {
                cancel(cancelled, until: ended)
            }
            result = try outcome.get()
        } catch {
            throw .system(error, link: "pcsc", "no thread can be created")
        }
        do throws(PCSCFailure) { return try result.get() } catch {
            if error == .cancelled { return nil }
            throw LinkError(error, link: "pcsc")
        }
    }

    private func start(
        _ known: [ReaderStatus]?, _ ended: WakeUp, _ cancelled: WakeUp,
        _ finish: @escaping @Sendable (Outcome) -> Void
    ) {
        do throws(SystemFailure) {
            try threads.start("jackdaw-readers") { [self] in
                let result = Result { () throws(PCSCFailure) in try run(known, cancelled) }
                ended.ring()
                finish(.success(result))
            }
        } catch {
            finish(.failure(error))
        }
    }

    /// Ends the wait of the thread, or its pause by `cancelled`. The thread rings `ended` at its end. Does not block.
    private func cancel(_ cancelled: WakeUp, until ended: WakeUp) {
        let isWaiting = state.withLock { state in
            state.isCancelled = true
            return state.context != nil
        }
        // The thread looks at the state after the pause, so the state changes before.
        cancelled.ring()
        guard isWaiting else { return }
        // Without a thread to spare, the wait ends at its next look at the list of readers.
        try? threads.start("jackdaw-cancel") { [self] in
            // A cancellation just before the wait begins has no effect, so it is repeated until the thread has ended.
            repeat {
                calling.withLock { _ in
                    if let context = state.withLock({ $0.context }) { calls.cancel(context) }
                }
            } while !ended.wait(milliseconds: 20)
        }
    }

    // MARK: on the thread

    private func run(_ known: [ReaderStatus]?, _ cancelled: WakeUp) throws(PCSCFailure) -> [ReaderStatus] {
        let context = try calls.establish()
        state.withLock { $0.context = context }
        defer {
            calling.withLock { _ in
                state.withLock { $0.context = nil }
                calls.release(context)
            }
        }
        var list = known
        var failures = 0
        while true {
            if state.withLock({ $0.isCancelled }) { throw .cancelled }
            var states = try calls.currentReaderNames(context).map { name in
                list?.first { $0.name == name } ?? ReaderStatus(name: name)
            }
            let isSameList = list.map { $0.map(\.name) == states.map(\.name) } ?? false
            let hasChanged: Bool
            do throws(PCSCFailure) {
                hasChanged = try wait(context, &states, milliseconds: isSameList ? limits.change : 0)
                failures = 0
            } catch {
                // A reader was unplugged after the list was made: the next list does not have it.
                failures += 1
                guard [.unknownReader, .readerUnavailable].contains(error), failures < CallLimits.repeats else {
                    throw error
                }
                continue
            }
            // After a reader was plugged in or out, the list is made again.
            var isListed = true
            if isSameList { isListed = try calls.currentReaderNames(context) == states.map(\.name) }
            if isListed, states != known { return states }
            list = states
            // pcscd reports a change for as long as a reader is in some states, for example while it starts.
            if hasChanged, isListed { _ = cancelled.wait(milliseconds: limits.pause) }
        }
    }

    /// - Returns: whether the library has reported a change; false at the end of the time.
    private func wait(
        _ context: ServiceContext, _ states: inout [ReaderStatus], milliseconds: UInt32
    ) throws(PCSCFailure) -> Bool {
        // Its state is the number of readers, in the bits of the counter.
        states.append(ReaderStatus(name: ReaderStatus.newReaders, state: UInt32(states.count) << 16))
        defer { states.removeLast() }
        do throws(PCSCFailure) {
            try calls.waitForChange(context, &states, milliseconds: milliseconds)
        } catch {
            guard error == .timeout else { throw error }
            return false
        }
        // Without any bit, the library would take the state for one that is not known.
        for index in states.indices { states[index].state |= ReaderStatus.changed }
        return true
    }
}
