import JackdawSystem
public import JackdawTransport
import Synchronization

/// What a device plays: a source, the changes that are asked of it, and the frames on their way. It outlives the device, and
/// no frame is made twice or left out.
struct PlaybackFeed<Source: SoundSource> {
    private var source: Source
    private let changes: ChangeQueue<Source>
    private let map: ChannelMap?
    private let deviceChannels: Int
    /// Frames as they come from the source, where they are mapped then.
    private var unmapped: [Float]
    /// Frames for the device, of which those in the range wait to be written.
    private var block: [Float]
    private var waiting = 0..<0
    private let framesPerBlock: Int

    /// Frames that were made.
    private var made: Int64 = 0
    /// Frames that the device was given.
    private(set) var written: Int64 = 0
    /// Frames that the device holds.
    private(set) var held: Int64 = 0
    /// The first frame of the silence that ends the sound.
    private var silentFrom: Int64?

    private var events: EventWriter
    /// Frames that were silent or have been thrown away since the sound broke off.
    private var silence: Int64 = 0
    private var unheard: Int64 = 0
    private var isConnected = true

    /// - Parameters:
    ///   - source: makes the sound.
    ///   - changes: what is asked of it.
    ///   - map: to the device's channels.
    ///   - framesPerBlock: frames that are made at a time.
    ///   - report: what the owner is told.
    init(
        _ source: Source, _ changes: ChangeQueue<Source>, _ map: ChannelMap, framesPerBlock: Int,
        report: PlaybackReport
    ) {
        precondition(source.channelCount == map.sourceChannels, "a map for this source")
        self.source = source
        self.changes = changes
        self.map = map.isIdentity ? nil : map
        self.framesPerBlock = framesPerBlock
        deviceChannels = map.deviceChannels
        unmapped = map.isIdentity ? [] : Array(repeating: 0, count: framesPerBlock * map.sourceChannels)
        block = Array(repeating: 0, count: framesPerBlock * map.deviceChannels)
        events = EventWriter(report)
    }

    /// Frames that were made and not written.
    var count: Int { waiting.count }

    /// Makes the next block, after the changes that were asked for.
    /// - Parameter time: when its first frame is heard, in nanoseconds of the monotonic clock.
    mutating func make(heardAt time: Int64) {
        // Asked first: what was changed before that is among the changes.
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

    /// Writes the samples of the next frames.
    /// - Parameters:
    ///   - frames: how many, at most ``count``.
    ///   - encoding: how the device wants them.
    ///   - bytes: room for them.
    func encode(frames: Int, _ encoding: PCMEncoding, into bytes: UnsafeMutableRawBufferPointer) {
        let start = waiting.lowerBound * deviceChannels
        let samples = block.span.extracting(start..<start + frames * deviceChannels)
        unsafe encoding.encode(samples, into: bytes)
    }

    /// The device has taken frames.
    mutating func take(_ frames: Int) {
        waiting = waiting.lowerBound + frames..<waiting.upperBound
        written += Int64(frames)
        held += Int64(frames)
        tellProgress()
    }

    /// The device holds so many frames now.
    mutating func hold(_ frames: Int64) {
        held = frames
        tellProgress()
        events.tell()
    }

    /// The device has thrown away what it held.
    mutating func drop() {
        unheard += held
        hold(0)
    }

    /// The sound goes on.
    mutating func goOn() {
        guard silence > 0 || unheard > 0 else { return }
        // What was given to the device since does not belong to the time before the gap.
        events.interrupt(PlaybackGap(position: written - held, silence: silence, unheard: unheard))
        (silence, unheard) = (0, 0)
    }

    private func tellProgress() {
        events.report.set(written: written, played: max(0, written - held))
    }
}

extension PlaybackFeed: PCMSound {
    var isOver: Bool {
        // Without a device nothing more is heard.
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

/// Changes of a source on their way to the thread that plays it, in their order, any number of them.
///
/// That thread neither locks nor allocates nor frees: who sends owns what is sent, and gives it back when it sends again,
/// with the sound that the source needs no longer.
/// Senders wait for each other.
@safe final class ChangeQueue<Source: SoundSource>: Sendable {
    @safe private final class Entry: Sendable {
        let body: @Sendable (inout Source) -> Void
        let change = PlaybackChange()
        let next = unsafe Atomic<Unmanaged<Entry>?>(nil)

        init(_ body: @escaping @Sendable (inout Source) -> Void) { self.body = body }
    }

    /// All that the thread may still touch, oldest first; the first one is behind it.
    private let entries: SystemLock<[Entry]>
    /// The last one that was made, which the thread alone knows.
    nonisolated(unsafe) private var last: Unmanaged<Entry>
    /// Sound that the source needs no longer.
    private let finished = EventRing<[Float]>(capacity: 32)

    init() {
        let start = Entry { _ in }
        entries = SystemLock([start])
        unsafe last = .passUnretained(start)
    }

    /// Sends a change; from any thread.
    /// - Parameters:
    ///   - position: what was made before this frame is given back.
    ///   - body: the change.
    /// - Returns: tells when it was made.
    @discardableResult
    func send(freeingBefore position: Int64, _ body: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        let entry = Entry(body)
        var sounds: [[Float]] = []
        let freed = entries.withLock { entries in
            entries.append(entry)
            unsafe entries[entries.count - 2].next.store(.passUnretained(entry), ordering: .releasing)
            // One whose successor was made is not touched again.
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
        // What is captured in there may run code of its own when it goes: not while others wait.
        _ = consume freed
        _ = consume sounds
        return entry.change
    }

    /// Makes all changes that wait; for the thread that plays.
    func run(on source: inout Source, at moment: PlaybackMoment) {
        while let next = unsafe last._withUnsafeGuaranteedRef({ unsafe $0.next.load(ordering: .acquiring) }) {
            unsafe next._withUnsafeGuaranteedRef { entry in
                entry.body(&source)
                entry.change.begin(at: moment)
            }
            unsafe last = next
        }
    }

    /// Takes what a source needs no longer, to be given back by who sends next; for the thread that plays.
    func takeFinished(from source: inout Source) {
        while finished.hasRoom, let sound = source.takeFinished() { finished.write(consume sound) }
    }
}

/// A change that was asked of the source of a stream.
public final class PlaybackChange: Sendable {
    private static let waiting: Int64 = -1

    private let position = Atomic<Int64>(waiting)
    private let time = Atomic<Int64>(0)

    init() {}

    /// The first frame that was made after it; nil as long as the change waits.
    public var beginning: PlaybackMoment? {
        let position = position.load(ordering: .acquiring)
        guard position != Self.waiting else { return nil }
        return PlaybackMoment(position: position, time: time.load(ordering: .relaxed))
    }

    /// It was made.
    func begin(at moment: PlaybackMoment) {
        time.store(moment.time, ordering: .relaxed)
        position.store(moment.position, ordering: .releasing)
    }
}
