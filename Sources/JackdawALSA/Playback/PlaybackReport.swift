import JackdawTransport
import Synchronization

/// What the thread that plays and its owner know of each other.
final class PlaybackReport: Sendable {
    /// What happened, in its order.
    let events = EventRing<PlaybackEvent>(capacity: 256)

    private let written = Atomic<Int64>(0)
    private let played = Atomic<Int64>(0)
    private let interruptions = Atomic<Int>(0)
    private let silence = Atomic<Int64>(0)
    private let connected = Atomic(true)
    private let finishing = Atomic(false)

    /// Whether the owner wants the sound to end with its source.
    var isFinishing: Bool { finishing.load(ordering: .acquiring) }
    /// Frames that were handed over to the device.
    var framesWritten: Int64 { written.load(ordering: .relaxed) }

    /// How it gets on.
    var status: PlaybackStatus {
        PlaybackStatus(
            framesWritten: framesWritten, framesPlayed: played.load(ordering: .relaxed),
            interruptions: interruptions.load(ordering: .relaxed), silence: silence.load(ordering: .relaxed),
            isConnected: connected.load(ordering: .relaxed))
    }

    /// The sound is to end with its source.
    func askToFinish() { finishing.store(true, ordering: .releasing) }

    /// The device has taken or played frames.
    func set(written frames: Int64, played playedFrames: Int64) {
        written.store(frames, ordering: .relaxed)
        played.store(playedFrames, ordering: .relaxed)
    }

    /// The sound broke off.
    func count(_ gap: PlaybackGap) {
        interruptions.wrappingAdd(1, ordering: .relaxed)
        silence.wrappingAdd(gap.silence, ordering: .relaxed)
    }

    /// The device has gone, or is back.
    func set(isConnected: Bool) { connected.store(isConnected, ordering: .relaxed) }
}

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

/// Tells the owner of a stream what happens to its sound. Where nobody asks for so long that there is no room, gaps are added
/// up, and a device that has gone and come back meanwhile was never away.
struct EventWriter {
    let report: PlaybackReport
    private var owesDisconnected = false
    private var owesReconnected = false
    private var owedGap: PlaybackGap?
    private var hasNews = false

    init(_ report: PlaybackReport) { self.report = report }

    /// Whether something was told since this was asked last.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// The sound broke off and goes on.
    mutating func interrupt(_ gap: PlaybackGap) {
        report.count(gap)
        owedGap =
            owedGap.map { owed in
                // The oldest frame that was not heard and the newest that was late are what counts.
                let first = min(owed.position - owed.unheard, gap.position - gap.unheard)
                return PlaybackGap(
                    position: gap.position, silence: owed.silence + gap.silence, unheard: gap.position - first)
            } ?? gap
        tell()
    }

    /// The device has gone.
    mutating func disconnect() {
        report.set(isConnected: false)
        if owesReconnected { owesReconnected = false } else { owesDisconnected = true }
        tell()
    }

    /// The device is back.
    mutating func reconnect() {
        report.set(isConnected: true)
        owesReconnected = true
        tell()
    }

    /// Tells what is owed, as far as there is room.
    mutating func tell() {
        if owesDisconnected { owesDisconnected = !write(.disconnected) }
        if owesReconnected, !owesDisconnected { owesReconnected = !write(.reconnected) }
        if let gap = owedGap, !owesDisconnected, !owesReconnected, write(.interrupted(gap)) { owedGap = nil }
    }

    private mutating func write(_ event: PlaybackEvent) -> Bool {
        guard report.events.write(event) else { return false }
        hasNews = true
        return true
    }
}
