import Glibc
import JackdawSystem

/// The jacks of a card by its control elements.
final class ElementJacks: JackSource {
    private let calls: any ControlCalls
    private var jacks: [UInt32: Jack] = [:]
    let initialStates: [JackState]
    let descriptors: [PollDescriptor]

    /// Events that are read at once: whatever a card says without end, the others get their turn.
    private static let longestRun = 256

    /// Finds the jacks, and nothing else where there are none.
    init(_ calls: any ControlCalls) throws(SystemFailure) {
        self.calls = calls
        var found: [Jack] = []
        for number in try calls.elements() {
            // It may have been removed since.
            guard let element = try orGone({ () throws(SystemFailure) in try calls.element(number) }) else { continue }
            if let jack = element.jack { found.append(jack) }
        }
        guard !found.isEmpty else {
            initialStates = []
            descriptors = []
            return
        }
        // Before the first look: no change is missed in between.
        try calls.subscribe()
        descriptors = try calls.descriptors()
        var states: [JackState] = []
        for jack in found {
            guard case .element(let number) = jack.origin,
                let isPlugged = try orGone({ () throws(SystemFailure) in try calls.isOn(number) })
            else { continue }
            jacks[number] = jack
            states.append(JackState(jack: jack, isPlugged: isPlugged))
        }
        initialStates = states
    }

    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading] {
        let condition = try calls.condition(answered)
        guard !condition.isEnd else { throw SystemFailure(code: ENODEV) }
        guard condition.contains(.readable) else { return [] }
        var readings: [JackReading] = []
        for _ in 0..<Self.longestRun {
            do throws(SystemFailure) {
                switch try calls.nextEvent() {
                case .changed(let number):
                    guard let jack = jacks[number] else { continue }
                    guard let isPlugged = try orGone({ () throws(SystemFailure) in try calls.isOn(number) })
                    else { continue }  // that it was removed is told by the next event
                    readings.append(.state(jack, isPlugged: isPlugged))
                case .removed(let number):
                    if let jack = jacks.removeValue(forKey: number) { readings.append(.removed(jack)) }
                case nil: break
                }
            } catch {
                // Nothing more, or a signal came: what is left is still there at the next look.
                guard error.code == EAGAIN || error.code == EINTR else { throw error }
                break
            }
        }
        return readings
    }
}

/// What a call gives, or nil where the element that it is about is not there.
private func orGone<Result>(
    _ body: () throws(SystemFailure) -> Result
) throws(SystemFailure) -> Result? {
    do throws(SystemFailure) {
        return try body()
    } catch {
        guard error.code == ENOENT else { throw error }
        return nil
    }
}
