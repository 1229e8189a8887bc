import JackdawTransport
import Synchronization

/// The state that the thread that plays and its owner share.
final class PlaybackReport: Sendable {
    /// The events, in order, for the owner.
    let events = EventRing<PlaybackEvent>(capacity: 256)

    private let written = Atomic<Int64>(0)
    private let played = Atomic<Int64>(0)
    private let interruptions = Atomic<Int>(0)
    private let silence = Atomic<Int64>(0)
    private let connected = Atomic(true)
    private let finishing = Atomic(false)

    /// Whether the owner wants the sound to end with its source.
    var isFinishing: Bool { finishing.load(ordering: .acquiring) }
    /// Frames that were written to the device.
    var framesWritten: Int64 { written.load(ordering: .relaxed) }

    /// The progress of the sound so far.
    var status: PlaybackStatus {
        PlaybackStatus(
            framesWritten: framesWritten, framesPlayed: played.load(ordering: .relaxed),
            interruptions: interruptions.load(ordering: .relaxed), silence: silence.load(ordering: .relaxed),
            isConnected: connected.load(ordering: .relaxed))
    }

    /// Asks the thread to end the sound with its source.
    func askToFinish() { finishing.store(true, ordering: .releasing) }

    /// Records the numbers of frames that were written and played.
    func set(written frames: Int64, played playedFrames: Int64) {
        written.store(frames, ordering: .relaxed)
        played.store(playedFrames, ordering: .relaxed)
    }

    /// Counts an interruption of the sound.
    func count(_ gap: PlaybackGap) {
        interruptions.wrappingAdd(1, ordering: .relaxed)
        silence.wrappingAdd(gap.silence, ordering: .relaxed)
    }

    /// Records whether the device is connected.
    func set(isConnected: Bool) { connected.store(isConnected, ordering: .relaxed) }
}

/// A ring of values from one thread to another; neither waits, locks or allocates, and the reading thread frees the
/// values' memory.
@safe final class EventRing<Event: Sendable>: Sendable {
    private let mask: Int
    nonisolated(unsafe) private let events: UnsafeMutableBufferPointer<Event>
    /// Events that were written and read since the start; each counter is changed by one thread alone.
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)

    /// - Parameter capacity: number of events that fit, a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity must be a power of two")
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
    /// - Returns: false if there is no room for it.
    @discardableResult
    func write(_ event: consuming Event) -> Bool {
        guard hasRoom else { return false }
        let place = written.load(ordering: .relaxed)
        unsafe events.initializeElement(at: place & mask, to: consume event)
        written.store(place + 1, ordering: .releasing)
        return true
    }

    /// Takes the oldest event; for the reading thread alone.
    func next() -> Event? {
        let place = read.load(ordering: .relaxed)
        guard place < written.load(ordering: .acquiring) else { return nil }
        let event = unsafe events.moveElement(from: place & mask)
        read.store(place + 1, ordering: .releasing)
        return event
    }
}

/// Reports events of the sound to the owner of a stream. If the owner reads so late that there is no room, gaps are
/// added up, and a disconnect and a reconnect cancel out.
struct EventWriter {
    let report: PlaybackReport
    private var isDisconnectPending = false
    private var isReconnectPending = false
    private var owedGap: PlaybackGap?
    private var hasNews = false

    init(_ report: PlaybackReport) { self.report = report }

    /// Whether an event was written since the last call.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Reports an interruption after which the sound has resumed.
    mutating func interrupt(_ gap: PlaybackGap) {
        report.count(gap)
        owedGap =
            owedGap.map { owed in
                // The sum spans from the oldest frame that was not played to the newest that was late.
                let first = min(owed.position - owed.unheard, gap.position - gap.unheard)
                return PlaybackGap(
                    position: gap.position, silence: owed.silence + gap.silence, unheard: gap.position - first)
            } ?? gap
        tell()
    }

    /// Reports that the device was disconnected.
    mutating func disconnect() {
        report.set(isConnected: false)
        if isReconnectPending { isReconnectPending = false } else { isDisconnectPending = true }
        tell()
    }

    /// Reports that the device is back.
    mutating func reconnect() {
        report.set(isConnected: true)
        isReconnectPending = true
        tell()
    }

    /// Writes the pending events, as far as there is room.
    mutating func tell() {
        if isDisconnectPending { isDisconnectPending = !write(.disconnected) }
        if isReconnectPending, !isDisconnectPending { isReconnectPending = !write(.reconnected) }
        if let gap = owedGap, !isDisconnectPending, !isReconnectPending, write(.interrupted(gap)) { owedGap = nil }
    }

    private mutating func write(_ event: PlaybackEvent) -> Bool {
        guard report.events.write(event) else { return false }
        hasNews = true
        return true
    }
}
