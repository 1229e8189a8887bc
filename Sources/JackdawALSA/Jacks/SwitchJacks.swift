internal import CLinux
import Glibc
import JackdawSystem

/// The jacks of an input device, by its switches.
final class SwitchJacks: JackSource {
    private let calls: any SwitchCalls
    private let jacks: [UInt16: Jack]
    /// Whether the kernel has dropped events: what follows in the same report is not to be trusted.
    private var isBehind = false
    let initialStates: [JackState]
    let descriptors: [PollDescriptor]

    /// Events are read in this many runs at most: whatever a device says without end, the others get their turn.
    private static let longestRun = 16

    init(_ device: InputDevice, _ calls: any SwitchCalls) throws(SystemFailure) {
        self.calls = calls
        let found = device.jacks
        jacks = Dictionary(uniqueKeysWithValues: found)
        let on = try calls.switchesOn()
        initialStates = found.map { JackState(jack: $0.1, isPlugged: on.contains($0.0)) }
        descriptors = [PollDescriptor(number: calls.descriptor, awaited: .readable)]
    }

    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading] {
        let condition = answered.first?.answer ?? []
        guard !condition.isEnd else { throw SystemFailure(code: ENODEV) }
        guard condition.contains(.readable) else { return [] }
        var readings: [JackReading] = []
        for _ in 0..<Self.longestRun {
            do throws(SystemFailure) {
                let events = try calls.events()
                guard !events.isEmpty else { throw SystemFailure(code: ENODEV) }
                for event in events { readings += try reading(of: event) }
            } catch {
                // Nothing more, or a signal came: what is left is still there at the next look.
                guard error.code == EAGAIN || error.code == EINTR else { throw error }
                break
            }
        }
        return readings
    }

    private func reading(of event: InputEvent) throws(SystemFailure) -> [JackReading] {
        switch (Int32(event.type), Int32(event.code)) {
        case (EV_SYN, SYN_DROPPED):
            isBehind = true
        case (EV_SYN, SYN_REPORT) where isBehind:
            let on = try calls.switchesOn()
            isBehind = false
            return jacks.sorted { $0.key < $1.key }.map { .state($0.value, isPlugged: on.contains($0.key)) }
        case (EV_SW, _) where !isBehind:
            if let jack = jacks[event.code] { return [.state(jack, isPlugged: event.value != 0)] }
        default: break
        }
        return []
    }
}
