import JackdawSystem
import JackdawTransport

/// One wait for a change of the readers, which the task that waits can cancel. No call of libpcsclite runs after its end:
/// the library frees its memory when the program exits, and a call of another thread would use it then.
final class ReaderWait: Sendable {
    private struct State {
        /// The context of the thread that waits.
        var context: ServiceContext?
        var isCancelled = false
    }

    private let calls: any PCSCCalls
    private let state = Lock(State())

    init(_ calls: any PCSCCalls) { self.calls = calls }

    /// Waits until the readers differ from the known ones. Call once.
    /// - Parameter known: the states that the caller knows; nil returns the present ones at once.
    /// - Returns: the present states; nil if the task was cancelled.
    /// - Throws: `LinkError` if pcscd does not run or ends.
    func states(after known: [ReaderStatus]?) async throws(LinkError) -> [ReaderStatus]? {
        let result: Result<Result<[ReaderStatus], PCSCFailure>, SystemFailure>
        do throws(SystemFailure) {
            let ended = try WakeUp()
            result = await withTaskCancellationHandler {
                do throws(SystemFailure) {
                    let states = try await WorkerThread.run(name: "jackdaw-readers") { [self] in
                        defer { ended.ring() }
                        return Result { () throws(PCSCFailure) in try run(known) }
                    }
                    return .success(states)
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                cancel(until: ended)
            }
        } catch {
            result = .failure(error)
        }
        switch result {
        case .success(.success(let states)): return states
        case .success(.failure(.cancelled)): return nil
        case .success(.failure(let failure)): throw LinkError(failure, link: "pcsc")
        case .failure(let failure): throw .system(failure, link: "pcsc", "no thread can be created")
        }
    }

    private func run(_ known: [ReaderStatus]?) throws(PCSCFailure) -> [ReaderStatus] {
        let context = try calls.establish()
        let isCancelled = state.withLock { state in
            state.context = context
            return state.isCancelled
        }
        defer {
            state.withLock { state in
                state.context = nil
                calls.release(context)
            }
        }
        if isCancelled { throw .cancelled }
        var known = known
        while true {
            var states = try calls.readerNames(context).map { name in
                known?.first { $0.name == name } ?? ReaderStatus(name: name)
            }
            let isSameList = known.map { $0.map(\.name) == states.map(\.name) } ?? false
            // Its state is the number of readers, in the bits of the counter.
            states.append(ReaderStatus(name: ReaderStatus.newReaders, state: UInt32(states.count) << 16))
            try wait(context, &states, milliseconds: isSameList ? nil : 0)
            states.removeLast()
            // After a reader was plugged in or out, the list is made again.
            guard isSameList, try calls.readerNames(context) != states.map(\.name) else { return states }
            known = states
        }
    }

    private func wait(
        _ context: ServiceContext, _ states: inout [ReaderStatus], milliseconds: UInt32?
    ) throws(PCSCFailure) {
        do throws(PCSCFailure) {
            try calls.waitForChange(context, &states, milliseconds: milliseconds)
        } catch {
            // A reader was unplugged after the list was made: the next list does not have it.
            guard [.timeout, .unknownReader, .readerUnavailable].contains(error) else { throw error }
        }
    }

    /// Ends the wait of the thread, which rings `ended` when it is over. Does not block.
    private func cancel(until ended: WakeUp) {
        let isWaiting = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled && state.context != nil
        }
        guard isWaiting else { return }
        let repeatCancellation: @Sendable () -> Void = { [self] in
            // A cancellation just before the wait begins has no effect, so it is repeated until the thread has ended.
            repeat {
                state.withLock { if let context = $0.context { calls.cancel(context) } }
            } while !ended.wait(milliseconds: 20)
        }
        do throws(SystemFailure) {
            try WorkerThread(name: "jackdaw-cancel", repeatCancellation).detach()
        } catch {
            repeatCancellation()
        }
    }
}
