internal import Glibc
internal import JackdawALSA
internal import JackdawSystem
internal import JackdawTransport

/// How it is known whether something is in the audio jack.
public enum JackSensing: Sendable, Hashable {
    /// As the sound card senses it: something is attached while anything is in a socket for headphones or headsets, or where
    /// the card senses none of these, for a microphone. Where it senses nothing at all, as with `manual`. A simulated reader is
    /// always attached.
    case automatic
    /// Something is attached from the start, whatever the card senses.
    case always
    /// As the program says (``LinuxSwipeEnvironment/setAttached(_:)``), and nothing at the start.
    case manual
}

/// Whether something is in an audio jack, for whoever wants to know.
final class JackAttachment: Sendable {
    private struct State {
        /// What the program has said.
        var isAttached = false
        var listeners: [Int: AsyncStream<Bool>.Continuation] = [:]
        var listenerCount = 0
    }

    private let sensing: JackSensing
    private let jacks: @Sendable () throws(LinkError) -> JackMonitor?
    private let pause: @Sendable () -> Void
    private let state = SystemLock(State())

    /// - Parameters:
    ///   - sensing: how it is known.
    ///   - pause: waits before a card that has gone is looked for again.
    ///   - jacks: opens the jacks of the card; nil for one that senses nothing.
    init(
        _ sensing: JackSensing, pause: @escaping @Sendable () -> Void = { _ = poll(nil, 0, 1_000) },
        jacks: @escaping @Sendable () throws(LinkError) -> JackMonitor?
    ) {
        self.sensing = sensing
        self.pause = pause
        self.jacks = jacks
    }

    /// Takes what the program says.
    func set(_ isAttached: Bool) {
        state.withLock { state in
            guard isAttached != state.isAttached else { return }
            state.isAttached = isAttached
            for listener in state.listeners.values { listener.yield(isAttached) }
        }
    }

    /// What is true now, and each change.
    func changes() -> AsyncStream<Bool> {
        let (stream, listener) = AsyncStream<Bool>.makeStream()
        switch sensing {
        case .always: listener.yield(true)
        case .manual: tell(listener)
        case .automatic:
            let isOver = SystemLock(false)
            listener.onTermination = { _ in isOver.withLock { $0 = true } }
            do throws(SystemFailure) {
                try WorkerThread(name: "jackdaw-jack") { [self] in sense(listener) { isOver.withLock { $0 } } }.detach()
            } catch {
                tell(listener)
            }
        }
        return stream
    }

    /// Whether nothing is in the microphone's socket of a card that has one of its own, while headphones are in theirs: no reader
    /// can be heard there. Opens the card's jacks.
    func isDeaf() -> Bool {
        guard sensing == .automatic, let monitor = try? jacks() else { return false }
        let states = monitor.states
        func isPlugged(_ kind: Jack.Kind) -> Bool { states.contains { $0.jack.kind == kind && $0.isPlugged } }
        return states.contains { $0.jack.kind == .microphone } && isPlugged(.headphone) && !isPlugged(.microphone)
            && !isPlugged(.headset)
    }

    /// Whether something is attached; nil where the jacks do not tell.
    static func isAttached(_ states: [JackState]) -> Bool? {
        let sockets = states.filter { $0.jack.kind == .headset || $0.jack.kind == .headphone }
        let telling = sockets.isEmpty ? states.filter { $0.jack.kind == .microphone } : sockets
        return telling.isEmpty ? nil : telling.contains(where: \.isPlugged)
    }

    /// Tells what the program says.
    private func tell(_ listener: AsyncStream<Bool>.Continuation) {
        let number = state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = listener
            listener.yield(state.isAttached)
            return state.listenerCount
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
    }

    /// Tells what the card senses.
    private func sense(_ listener: AsyncStream<Bool>.Continuation, isOver: () -> Bool) {
        var told: Bool?
        func tell(_ isAttached: Bool) {
            if isAttached != told { listener.yield(isAttached) }
            told = isAttached
        }
        while !isOver() {
            guard let monitor = try? jacks(), let isAttached = Self.isAttached(monitor.states) else {
                // Only a card that did tell is waited for.
                if told == nil { return self.tell(listener) }
                pause()
                continue
            }
            tell(isAttached)
            do throws(LinkError) {
                while !isOver() {
                    guard try monitor.receive(within: .milliseconds(500), { _ in }) else { continue }
                    tell(Self.isAttached(monitor.states) ?? false)
                }
            } catch {
                tell(false)
                pause()
            }
        }
    }
}
