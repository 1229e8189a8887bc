import JackdawSystem

/// What jacks are sensed by: the control elements of a card, or the switches of an input device.
protocol JackSource: AnyObject {
    /// The jacks as they were when the source was opened.
    var initialStates: [JackState] { get }
    /// What to wait for.
    var descriptors: [PollDescriptor] { get }
    /// Reads what has come, without waiting.
    /// - Parameter answered: the source's descriptors with what came at them.
    /// - Returns: what was read, in its order.
    /// - Throws: ``SystemFailure``, with `ENODEV` where the device has gone.
    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading]
}

/// What a source has read.
enum JackReading: Hashable {
    /// What a jack says, changed or not.
    case state(Jack, isPlugged: Bool)
    /// A jack that is no longer there.
    case removed(Jack)
}
