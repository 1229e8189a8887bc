internal import Glibc
internal import JackdawALSA
internal import JackdawSystem
internal import JackdawTransport

/// The way to determine whether something is in the audio jack.
public enum JackSensing: Sendable, Hashable {
    /// By the sound card's jack detection: something is attached while a plug is in a socket for headphones or
    /// headsets, or, if the card does not detect those, in one for a microphone. Without any jack detection it works
    /// like `manual`. A simulated reader is always attached.
    case automatic
    /// Something is always attached, whatever the card detects.
    case always
    /// As the program reports it (``LinuxSwipeEnvironment/setAttached(_:)``); initially nothing is attached.
    case manual
}

/// The state of an audio jack, with a stream of its changes.
final class JackAttachment: Sendable {
    private struct State {
        /// The state that the program has reported last.
        var isAttached = false
    }

    private let sensing: JackSensing
    private let jacks: @Sendable () throws(LinkError) -> JackMonitor?
    private let pause: @Sendable () -> Void
    private let state = Lock(State())
    /// The listeners to what the program reports.
    private let reports = Broadcast<Bool>()

    /// - Parameters:
    ///   - sensing: the way to determine the state.
    ///   - pause: waits before the next attempt to open a disconnected card.
    ///   - jacks: opens the jacks of the card; nil for a card without jack detection.
    init(
        _ sensing: JackSensing, pause: @escaping @Sendable () -> Void = { _ = poll(nil, 0, 1_000) },
        jacks: @escaping @Sendable () throws(LinkError) -> JackMonitor?
    ) {
        self.sensing = sensing
        self.pause = pause
        self.jacks = jacks
    }

    /// Stores the state that the program reports.
    func set(_ isAttached: Bool) {
        state.withLock { state in
            guard isAttached != state.isAttached else { return }
            state.isAttached = isAttached
            reports.send(isAttached)
        }
    }

    /// A stream of the present state and each change.
    func changes() -> AsyncStream<Bool> {
        let (stream, listener) = AsyncStream<Bool>.makeStream()
        switch sensing {
        case .always: listener.yield(true)
        case .manual: addListener(listener)
        case .automatic:
            let isOver = Lock(false)
            listener.onTermination = { _ in isOver.withLock { $0 = true } }
            do throws(SystemFailure) {
                try WorkerThread(name: "jackdaw-jack") { [self] in sense(listener) { isOver.withLock { $0 } } }.detach()
            } catch {
                addListener(listener)
            }
        }
        return stream
    }

    /// Whether the card has a microphone socket that is empty while a plug is in the headphone socket: no reader can be
    /// captured then. Opens the card's jacks.
    func isDeaf() -> Bool {
        guard sensing == .automatic, let monitor = try? jacks() else { return false }
        let states = monitor.states
        func isPlugged(_ kind: Jack.Kind) -> Bool { states.contains { $0.jack.kind == kind && $0.isPlugged } }
        return states.contains { $0.jack.kind == .microphone } && isPlugged(.headphone) && !isPlugged(.microphone)
            && !isPlugged(.headset)
    }

    /// Whether something is attached; nil if the jacks do not report it.
    static func isAttached(_ states: [JackState]) -> Bool? {
        let sockets = states.filter { $0.jack.kind == .headset || $0.jack.kind == .headphone }
        let reporting = sockets.isEmpty ? states.filter { $0.jack.kind == .microphone } : sockets
        return reporting.isEmpty ? nil : reporting.contains(where: \.isPlugged)
    }

    /// Sends the program's reports to a listener.
    private func addListener(_ listener: AsyncStream<Bool>.Continuation) {
        state.withLock { state in reports.add(listener, beginning: [state.isAttached]) }
    }

    /// Sends the card's reports to a listener.
    private func sense(_ listener: AsyncStream<Bool>.Continuation, isOver: () -> Bool) {
        var reported: Bool?
        func report(_ isAttached: Bool) {
            if isAttached != reported { listener.yield(isAttached) }
            reported = isAttached
        }
        while !isOver() {
            guard let monitor = try? jacks(), let isAttached = Self.isAttached(monitor.states) else {
                // Waits only for a card that has reported a state before.
                if reported == nil { return addListener(listener) }
                pause()
                continue
            }
            report(isAttached)
            do throws(LinkError) {
                while !isOver() {
                    guard try monitor.receive(within: .milliseconds(500), { _ in }) else { continue }
                    report(Self.isAttached(monitor.states) ?? false)
                }
            } catch {
                report(false)
                pause()
            }
        }
    }
}
