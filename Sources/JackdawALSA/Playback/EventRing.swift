import Synchronization

/// Small values on their way from one thread to another; neither ever waits, locks or allocates.
@safe final class EventRing<Event: BitwiseCopyable & Sendable>: Sendable {
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

    deinit { unsafe events.deallocate() }

    /// Writes an event; for the writing thread alone.
    /// - Returns: false where there is no room for it.
    func write(_ event: Event) -> Bool {
        let place = written.load(ordering: .relaxed)
        guard place - read.load(ordering: .acquiring) <= mask else { return false }
        unsafe events.initializeElement(at: place & mask, to: event)
        written.store(place + 1, ordering: .releasing)
        return true
    }

    /// The oldest event; for the reading thread alone.
    func next() -> Event? {
        let place = read.load(ordering: .relaxed)
        guard place < written.load(ordering: .acquiring) else { return nil }
        let event = unsafe events[place & mask]
        read.store(place + 1, ordering: .releasing)
        return event
    }
}
