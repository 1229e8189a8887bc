import JackdawSystem
import JackdawTransport

/// Watches the readers from a thread of its own until its stream ends.
final class ReaderWatch: Sendable {
    private struct State {
        /// The context of the thread, while it has one.
        var context: ServiceContext?
        var isOver = false
    }

    private let calls: any PCSCCalls
    private let state = Lock(State())

    init(_ calls: any PCSCCalls) { self.calls = calls }

    /// Begins the watch. Call once.
    func lists() -> AsyncThrowingStream<[CardReader], any Error> {
        let (lists, continuation) = AsyncThrowingStream<[CardReader], any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        do throws(SystemFailure) {
            let ended = try WakeUp()
            continuation.onTermination = { [self] _ in stop(ended) }
            try WorkerThread(name: "jackdaw-readers") { [self] in
                continuation.finish(throwing: run { continuation.yield($0) })
                ended.ring()
            }.detach()
        } catch {
            continuation.finish(throwing: LinkError.system(error, link: "pcsc", "no thread can be created"))
        }
        return lists
    }

    /// - Returns: the error that ended the watch; nil if ``stop(_:)`` did.
    private func run(_ report: ([CardReader]) -> Void) -> LinkError? {
        do throws(PCSCFailure) {
            let context = try calls.establish()
            state.withLock { $0.context = context }
            defer {
                state.withLock { state in
                    state.context = nil
                    calls.release(context)
                }
            }
            var known: [ReaderStatus]?
            while !state.withLock({ $0.isOver }) {
                var states = try calls.readerNames(context).map { name in
                    known?.first { $0.name == name } ?? ReaderStatus(name: name)
                }
                let isSameList = known?.map(\.name) == states.map(\.name)
                // Its state is the number of readers, in the bits of the counter.
                states.append(ReaderStatus(name: ReaderStatus.newReaders, state: UInt32(states.count) << 16))
                try wait(context, &states, milliseconds: isSameList ? nil : 0)
                states.removeLast()
                known = states
                report(states.enumerated().map { CardReader(number: $0, $1) })
            }
            return nil
        } catch {
            return error == .cancelled ? nil : LinkError(error, link: "pcsc")
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

    /// Ends the wait of the thread, which rings `ended` when it is over.
    private func stop(_ ended: WakeUp) {
        let isWaiting = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver && state.context != nil
        }
        guard isWaiting else { return }
        let cancel: @Sendable () -> Void = { [self] in
            // A cancellation just before the wait begins has no effect, so it is repeated until the thread has ended.
            repeat {
                state.withLock { if let context = $0.context { calls.cancel(context) } }
            } while !ended.wait(milliseconds: 20)
        }
        do throws(SystemFailure) { try WorkerThread(name: "jackdaw-cancel", cancel).detach() } catch { cancel() }
    }
}
