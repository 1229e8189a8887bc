/// Events that nobody has taken yet, up to a number. Beyond it the oldest go, but for the session that is open, and they
/// are counted.
struct EventQueue: Sendable {
    private let capacity: Int
    private var events: [KeptLink.Event] = []
    private var missed = 0

    init(capacity: Int) {
        precondition(capacity >= 2, "an event has room beside the session that is open")
        self.capacity = capacity
    }

    mutating func append(_ event: KeptLink.Event) {
        if events.count == capacity {
            events.remove(at: oldest)
            missed += 1
        }
        events.append(event)
    }

    mutating func next() -> KeptLink.Event? {
        if missed > 0 {
            defer { missed = 0 }
            return .missed(missed)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }

    /// The oldest event that is not the session that is open.
    private var oldest: Int {
        guard case .connected? = events.first else { return 0 }
        let isOver = events.contains {
            if case .lost = $0 { true } else { false }
        }
        return isOver ? 0 : 1
    }
}
