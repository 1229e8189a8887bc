import Dispatch
import JackdawDSP
import JackdawSystem
import JackdawTransport

/// Decodes the segments of a recording in several threads, before its reader needs their findings.
///
/// One recording is decoded at a time. Its sound waits in ``SwipeScanner`` until the threads have had time to decode the
/// segments in it.
final class SegmentJobs: Sendable {
    private let queue = SegmentQueue()
    private let threads: [WorkerThread]

    /// Starts the threads.
    /// - Returns: nil if the system has none to spare.
    init?(threads count: Int) {
        var threads: [WorkerThread] = []
        while threads.count < count, let thread = Self.thread(queue) { threads.append(thread) }
        guard !threads.isEmpty else { return nil }
        self.threads = threads
    }

    deinit {
        queue.end(threads: threads.count)
        for thread in threads { thread.join() }
    }

    private static func thread(_ queue: SegmentQueue) -> WorkerThread? {
        do throws(SystemFailure) {
            return try WorkerThread(name: "jackdaw-segment") {
                while let place = queue.next() { place.decode(queue) }
            }
        } catch {
            return nil
        }
    }

    /// Forgets the recording; its findings were taken or are not needed.
    func forget() { queue.forget() }

    /// Sets the outlook for the first segment of a channel.
    func begin(_ outlook: SegmentWorker.Outlook, channel: Int) { queue.begin(outlook, channel: channel) }

    /// Adds a segment to decode, at a sample rate in Hz. Those of a channel come in the order of time.
    func add(_ segment: FoundSegment, channel: Int, sampleRate: Double) {
        queue.add(segment, channel: channel, sampleRate: sampleRate)
    }

    /// Waits for the findings of a look at a channel's sound.
    /// - Returns: the findings; nil if the look is in no segment that was added.
    func findings(of look: SegmentLook, channel: Int) -> DecodedLook? {
        queue.place(of: look, channel: channel)?.findings(of: look)
    }
}

/// The segments of a recording that are not decoded yet, or whose findings were not taken yet.
private final class SegmentQueue: Sendable {
    private struct Channel {
        var places: [SegmentPlace] = []
        var count = 0
        /// The last segment that was decoded, and the outlook after it.
        var lastDecoded = -1
        var outlook = SegmentWorker.Outlook()
    }

    private struct State {
        var recording = 0
        var channels: [Int: Channel] = [:]
        var waiting: [SegmentPlace] = []
        var isEnded = false
    }

    private let state = Lock(State())
    /// Counts the waiting segments.
    private let work = DispatchSemaphore(value: 0)

    func forget() {
        state.withLock { $0 = State(recording: $0.recording + 1) }
    }

    func begin(_ outlook: SegmentWorker.Outlook, channel: Int) {
        state.withLock { $0.channels[channel] = Channel(outlook: outlook) }
    }

    func add(_ segment: FoundSegment, channel: Int, sampleRate: Double) {
        state.withLock { state in
            let index = state.channels[channel]?.count ?? 0
            let place = SegmentPlace(
                segment, channel: channel, index: index, recording: state.recording, sampleRate: sampleRate)
            state.channels[channel, default: Channel()].places.append(place)
            state.channels[channel]?.count += 1
            state.waiting.append(place)
        }
        work.signal()
    }

    /// Waits for a segment; nil at the end.
    func next() -> SegmentPlace? {
        while true {
            work.wait()
            let (place, isEnded) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isEnded)
            }
            if isEnded { return nil }
            // A segment of an earlier recording is no longer in the list.
            if let place { return place }
        }
    }

    func outlook(before place: SegmentPlace) -> SegmentWorker.Outlook {
        state.withLock { state in
            guard place.recording == state.recording, let channel = state.channels[place.channel] else {
                return .init()
            }
            return channel.outlook.expected(after: max(0, place.index - channel.lastDecoded - 1))
        }
    }

    func note(_ outlook: SegmentWorker.Outlook, after place: SegmentPlace) {
        state.withLock { state in
            guard place.recording == state.recording, var channel = state.channels[place.channel],
                place.index > channel.lastDecoded
            else { return }
            channel.lastDecoded = place.index
            channel.outlook = outlook
            state.channels[place.channel] = channel
        }
    }

    /// The place of the segment with a look. Those before it are forgotten: looks come in the order of time.
    func place(of look: SegmentLook, channel: Int) -> SegmentPlace? {
        state.withLock { state in
            guard let places = state.channels[channel]?.places else { return nil }
            let past = places.prefix { $0.segment.start < look.start }.count
            state.channels[channel]?.places.removeFirst(past)
            return past < places.count && places[past].segment.start == look.start ? places[past] : nil
        }
    }

    func end(threads: Int) {
        state.withLock { $0.isEnded = true }
        for _ in 0..<threads { work.signal() }
    }
}

/// A segment and the findings in it.
private final class SegmentPlace: Sendable {
    let segment: FoundSegment
    let channel: Int
    /// Its number among the segments of the channel, from 0.
    let index: Int
    /// The number of its recording.
    let recording: Int
    private let sampleRate: Double
    private let looks = Lock<[SegmentLook: DecodedLook]>([:])
    private let isDecoded = DispatchSemaphore(value: 0)

    init(_ segment: FoundSegment, channel: Int, index: Int, recording: Int, sampleRate: Double) {
        self.segment = segment
        self.channel = channel
        self.index = index
        self.recording = recording
        self.sampleRate = sampleRate
    }

    func decode(_ queue: SegmentQueue) {
        var outlook = queue.outlook(before: self)
        var worker = SegmentWorker(sampleRate: sampleRate)
        let found = worker.decode(segment, outlook: &outlook)
        looks.withLock { $0 = found }
        queue.note(outlook, after: self)
        isDecoded.signal()
    }

    /// Waits for the findings of a look.
    func findings(of look: SegmentLook) -> DecodedLook? {
        isDecoded.wait()
        isDecoded.signal()
        return looks.withLock { $0.removeValue(forKey: look) }
    }
}
