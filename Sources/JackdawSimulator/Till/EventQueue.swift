/// Events with their times. Those of one time are in the order in which they were added.
package struct EventQueue<Event: Sendable>: Sendable {
    private var entries: [(due: Duration, event: Event)] = []

    /// A queue without events.
    package init() {}

    /// The time of the first event; nil if there is none.
    package var nextDeadline: Duration? { entries.first?.due }

    /// Adds an event after those of the same time.
    package mutating func add(_ event: Event, at due: Duration) {
        let place = entries.firstIndex { $0.due > due } ?? entries.count
        entries.insert((due, event), at: place)
    }

    /// Removes the first event. There must be one.
    package mutating func removeFirst() -> Event { entries.removeFirst().event }
}
