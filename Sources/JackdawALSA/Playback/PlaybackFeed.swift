public import JackdawTransport
import Synchronization

/// Feeds a device: a source, the changes that were requested of it, and the frames on their way. It outlives the
/// device, and renders each frame exactly once.
struct PlaybackFeed<Source: SoundSource> {
    private var source: Source
    private let changes: ChangeQueue<Source>
    private let map: ChannelMap?
    private let deviceChannels: Int
    /// Rendered frames before they are mapped to the device's channels; empty if the map changes nothing.
    private var unmapped: [Float]
    /// Frames for the device, of which those in `waiting` are not yet written.
    private var block: [Float]
    private var waiting = 0..<0
    private let framesPerBlock: Int

    /// Frames that the source has rendered.
    private var made: Int64 = 0
    /// Frames that were written to the device.
    private(set) var written: Int64 = 0
    /// Frames that the device holds.
    private(set) var held: Int64 = 0
    /// The first frame of the silence at the end of the sound; nil before it.
    private var silentFrom: Int64?

    private var events: EventWriter
    /// Frames that were silent (`silence`) or discarded (`unheard`) since the sound was interrupted.
    private var silence: Int64 = 0
    private var unheard: Int64 = 0
    private var isConnected = true

    /// - Parameters:
    ///   - source: renders the sound.
    ///   - changes: the changes that are requested of it.
    ///   - map: maps the source's channels to the device's.
    ///   - framesPerBlock: frames that are rendered at a time.
    ///   - report: receives the events and the status for the owner.
    init(
        _ source: Source, _ changes: ChangeQueue<Source>, _ map: ChannelMap, framesPerBlock: Int,
        report: PlaybackReport
    ) {
        precondition(source.channelCount == map.sourceChannels, "the map must have the source's channels")
        self.source = source
        self.changes = changes
        self.map = map.isIdentity ? nil : map
        self.framesPerBlock = framesPerBlock
        deviceChannels = map.deviceChannels
        unmapped = map.isIdentity ? [] : Array(repeating: 0, count: framesPerBlock * map.sourceChannels)
        block = Array(repeating: 0, count: framesPerBlock * map.deviceChannels)
        events = EventWriter(report)
    }

    /// Frames that were rendered and not written.
    var count: Int { waiting.count }

    /// Applies the pending changes, then renders the next block.
    /// - Parameter time: when its first frame will be played, in nanoseconds of the monotonic clock.
    mutating func make(heardAt time: Int64) {
        // Read first: changes that were requested before the end are then in the queue.
        let isFinishing = events.report.isFinishing
        changes.run(on: &source, at: PlaybackMoment(position: made, time: time))
        if let map {
            Self.render(&source, into: &unmapped)
            Self.apply(map, to: unmapped, into: &block)
        } else {
            Self.render(&source, into: &block)
        }
        changes.takeFinished(from: &source)
        made += Int64(framesPerBlock)
        waiting = 0..<framesPerBlock
        silentFrom = isFinishing && source.isSilent ? silentFrom ?? made : nil
    }

    private static func render(_ source: inout Source, into samples: inout [Float]) {
        var span = samples.mutableSpan
        source.render(into: &span)
    }

    private static func apply(_ map: ChannelMap, to source: [Float], into samples: inout [Float]) {
        var span = samples.mutableSpan
        map.apply(source.span, to: &span)
    }

    /// Encodes the samples of the next frames.
    /// - Parameters:
    ///   - frames: number of frames, at most ``count``.
    ///   - encoding: the encoding of the device.
    ///   - bytes: room for the encoded frames.
    func encode(frames: Int, _ encoding: PCMEncoding, into bytes: UnsafeMutableRawBufferPointer) {
        let start = waiting.lowerBound * deviceChannels
        let samples = block.span.extracting(start..<start + frames * deviceChannels)
        unsafe encoding.encode(samples, into: bytes)
    }

    /// Records that the device has accepted frames.
    mutating func take(_ frames: Int) {
        waiting = waiting.lowerBound + frames..<waiting.upperBound
        written += Int64(frames)
        held += Int64(frames)
        tellProgress()
    }

    /// Records how many frames the device holds now.
    mutating func hold(_ frames: Int64) {
        held = frames
        tellProgress()
        events.tell()
    }

    /// Records that the device has discarded the frames that it held.
    mutating func drop() {
        unheard += held
        hold(0)
    }

    /// Reports the interruption after the sound has resumed.
    mutating func goOn() {
        guard silence > 0 || unheard > 0 else { return }
        // Frames that the device received since then do not belong to the time before the gap.
        events.interrupt(PlaybackGap(position: written - held, silence: silence, unheard: unheard))
        (silence, unheard) = (0, 0)
    }

    private func tellProgress() {
        events.report.set(written: written, played: max(0, written - held))
    }
}

extension PlaybackFeed: PCMSound {
    var isOver: Bool {
        // Without a device, no more sound is played.
        if !isConnected { return events.report.isFinishing }
        return silentFrom.map { written - held >= $0 } ?? false
    }

    mutating func takeNews() -> Bool { events.takeNews() }

    mutating func lose(_ frames: Int64) { silence += frames }

    mutating func disconnect(at time: Int64) {
        drop()
        isConnected = false
        events.disconnect()
    }

    mutating func reconnect(at time: Int64) {
        isConnected = true
        events.reconnect()
    }

    mutating func remind(at time: Int64) { events.tell() }
}

/// A queue of changes of a source, of any length, from other threads to the thread that plays it.
///
/// The playing thread neither locks nor allocates nor frees: the sender owns the changes that it sends, and frees them
/// at a later send, together with sound that the source no longer needs. Senders wait for each other.
@safe final class ChangeQueue<Source: SoundSource>: Sendable {
    @safe private final class Entry: Sendable {
        let body: @Sendable (inout Source) -> Void
        let change = PlaybackChange()
        let next = unsafe Atomic<Unmanaged<Entry>?>(nil)

        init(_ body: @escaping @Sendable (inout Source) -> Void) { self.body = body }
    }

    /// All entries that the playing thread may still use, oldest first; the first one was already run.
    private let entries: Lock<[Entry]>
    /// The last entry that was run; only the playing thread uses it.
    nonisolated(unsafe) private var last: Unmanaged<Entry>
    /// Sound that the source no longer needs.
    private let finished = EventRing<[Float]>(capacity: 32)

    init() {
        let start = Entry { _ in }
        entries = Lock([start])
        unsafe last = .passUnretained(start)
    }

    /// Sends a change; from any thread.
    /// - Parameters:
    ///   - position: changes that took effect before this frame are freed.
    ///   - body: the change.
    /// - Returns: the change, which shows when it took effect.
    @discardableResult
    func send(freeingBefore position: Int64, _ body: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        let entry = Entry(body)
        var sounds: [[Float]] = []
        let freed = entries.withLock { entries in
            entries.append(entry)
            unsafe entries[entries.count - 2].next.store(.passUnretained(entry), ordering: .releasing)
            // An entry whose successor was run is not used again.
            var count = 0
            while count + 1 < entries.count, let moment = entries[count + 1].change.beginning,
                moment.position < position
            {
                count += 1
            }
            defer { entries.removeFirst(count) }
            while let sound = finished.next() { sounds.append(sound) }
            return Array(entries[..<count])
        }
        // Values that the closures captured may run code when they are freed: not while other senders wait for the
        // lock.
        _ = consume freed
        _ = consume sounds
        return entry.change
    }

    /// Runs all pending changes; for the playing thread.
    func run(on source: inout Source, at moment: PlaybackMoment) {
        while let next = unsafe last._withUnsafeGuaranteedRef({ unsafe $0.next.load(ordering: .acquiring) }) {
            unsafe next._withUnsafeGuaranteedRef { entry in
                entry.body(&source)
                entry.change.begin(at: moment)
            }
            unsafe last = next
        }
    }

    /// Takes sound that the source no longer needs, for the next sender to free; for the playing thread.
    func takeFinished(from source: inout Source) {
        while finished.hasRoom, let sound = source.takeFinished() { finished.write(consume sound) }
    }
}

/// A requested change of a stream's source.
public final class PlaybackChange: Sendable {
    private static let waiting: Int64 = -1

    private let position = Atomic<Int64>(waiting)
    private let time = Atomic<Int64>(0)

    init() {}

    /// The first frame that was rendered after the change; nil while the change is pending.
    public var beginning: PlaybackMoment? {
        let position = position.load(ordering: .acquiring)
        guard position != Self.waiting else { return nil }
        return PlaybackMoment(position: position, time: time.load(ordering: .relaxed))
    }

    /// Records that the change took effect.
    func begin(at moment: PlaybackMoment) {
        time.store(moment.time, ordering: .relaxed)
        position.store(moment.position, ordering: .releasing)
    }
}
