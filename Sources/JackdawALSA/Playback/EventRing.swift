import Synchronization

/// Values on their way from one thread to another; neither ever waits, locks or allocates, and what memory they have is the
/// reading thread's to give back.
@safe final class EventRing<Event: Sendable>: Sendable {
    private let mask: Int
    nonisolated(unsafe) private let events: UnsafeMutableBufferPointer<Event>
    /// Events that were written and read since the beginning; either is changed by one thread alone.
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)

    /// - Parameter capacity: events that fit in, a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a power of two")
        mask = capacity - 1
        unsafe events = .allocate(capacity: capacity)
    }

    deinit {
        while next() != nil {}
        unsafe events.deallocate()
    }

    /// Whether there is room for an event; for the writing thread alone.
    var hasRoom: Bool { written.load(ordering: .relaxed) - read.load(ordering: .acquiring) <= mask }

    /// Writes an event; for the writing thread alone.
    /// - Returns: false where there is no room for it.
    @discardableResult
    func write(_ event: consuming Event) -> Bool {
        guard hasRoom else { return false }
        let place = written.load(ordering: .relaxed)
        unsafe events.initializeElement(at: place & mask, to: consume event)
        written.store(place + 1, ordering: .releasing)
        return true
    }

    /// The oldest event; for the reading thread alone.
    func next() -> Event? {
        let place = read.load(ordering: .relaxed)
        guard place < written.load(ordering: .acquiring) else { return nil }
        let event = unsafe events.moveElement(from: place & mask)
        read.store(place + 1, ordering: .releasing)
        return event
    }
}
