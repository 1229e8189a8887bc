import JackdawAudioFile
import JackdawDSP

/// Keeps the sound of swipes, and nothing else of what is heard, in a file with a manifest beside it that says where each is.
///
/// Both appear with the first swipe that is kept, and hold each swipe from then on: a process that is killed loses the last
/// seconds.
struct SwipeRecorder: ~Copyable {
    /// Seconds kept before and behind a swipe: what a decoder needs to see that it begins and ends there.
    private static let margin = 0.25
    /// Swipes that are no further apart than this (s) share their sound.
    private static let gap = 0.5
    /// Swipes that follow each other without a gap are written when the first of them is so old (s): a decoder may still
    /// take a while until what it reads is told, and no more than ``SignalMeter/secondsKept`` is there.
    private static let patience = SignalMeter.secondsKept - 2

    /// What became of a swipe on a channel.
    private struct Entry {
        let span: SwipeSpan
        var object: JSONObject
    }

    private var writer: AudioFileWriter
    private let manifest: SwipeManifest
    private let sampleRate: Double
    /// Swipes whose sound is still to come, or to be written.
    private var pending: [Entry] = []

    /// Begins a recording.
    /// - Parameters:
    ///   - path: of the sound file, `.wav` or `.flac`; the manifest's name is the same with `.json` behind it.
    ///   - sampleRate: frames per second (Hz).
    ///   - channels: the channels that are listened to.
    /// - Throws: ``CommandError``.
    init(path: String, sampleRate: Double, channels: Range<Int>) throws(CommandError) {
        let manifest = try SwipeManifest(path: path + ".json")
        writer = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try AudioFileWriter(
                path: path, encoding: .int24, sampleRate: sampleRate, channels: channels.count,
                predecessor: .isPrivateSound)
        }
        self.manifest = manifest
        self.sampleRate = sampleRate
    }

    /// Takes a track that was read, or a swipe that was not.
    /// - Parameters:
    ///   - span: where it was.
    ///   - object: what `--json` says of it.
    mutating func add(_ span: SwipeSpan, _ object: JSONObject) { pending.append(Entry(span: span, object: object)) }

    /// Writes the swipes whose sound has all been heard.
    /// - Parameters:
    ///   - frame: how far the sound has been heard.
    ///   - meters: hold the last seconds of each channel.
    /// - Throws: ``CommandError``.
    mutating func advance(to frame: Int, _ meters: [SignalMeter]) throws(CommandError) {
        let last = pending.map(\.span.endSample).max() ?? 0
        let first = pending.map(\.span.startSample).min() ?? 0
        let isThrough = frame > last + Int(Self.gap * sampleRate)
        if isThrough || frame - first > Int(Self.patience * sampleRate) { try flush(meters) }
    }

    /// Writes all swipes, with what has been heard of their sound.
    /// - Parameter meters: hold the last seconds of each channel.
    /// - Throws: ``CommandError``.
    mutating func flush(_ meters: [SignalMeter]) throws(CommandError) {
        let kept = meters.map(\.history.kept).reduce(0..<Int.max) { $0.clamped(to: $1) }
        // What is not there in full would be no swipe.
        let entries = pending.filter { kept.lowerBound <= $0.span.startSample && $0.span.endSample <= kept.upperBound }
        pending = []
        guard let first = entries.map(\.span.startSample).min(), let last = entries.map(\.span.endSample).max()
        else { return }
        let margin = Int(Self.margin * sampleRate)
        let (start, end) = (max(kept.lowerBound, first - margin), min(kept.upperBound, last + margin))
        let histories = meters.map { $0.history.samples(in: start..<end) }
        let offset = writer.framesWritten
        var frames: [Float] = []
        frames.reserveCapacity((end - start) * histories.count)
        defer { frames.removeWiping() }
        for frame in start..<end {
            for history in histories {
                frames.append(history.samples.withElements { $0[frame - history.first] })
            }
        }
        do throws(AudioFileError) {
            try writer.write(frames.span)
            try writer.save()
        } catch {
            throw CommandError(error, isOutput: true)
        }
        for entry in entries {
            var object = entry.object
            object.add("recorded_start", Double(offset + entry.span.startSample - start) / sampleRate, decimals: 6)
            object.add("recorded_end", Double(offset + entry.span.endSample - start) / sampleRate, decimals: 6)
            manifest.add(object)
        }
        // Never more than there is sound for.
        try manifest.save()
    }

    /// Writes what is left and completes sound and manifest; where nothing was heard that is to be kept, there are none.
    /// - Parameter meters: hold the last seconds of each channel.
    /// - Throws: ``CommandError``; what was written until then is kept as far as it can be.
    consuming func finish(_ meters: [SignalMeter]) throws(CommandError) {
        var failure: CommandError?
        do throws(CommandError) {
            try flush(meters)
        } catch {
            failure = error
        }
        if writer.framesWritten > 0 {
            do throws(AudioFileError) {
                try writer.finish()
            } catch {
                throw CommandError(error, isOutput: true)
            }
            try manifest.finish()
        }
        if let failure { throw failure }
    }
}

/// What says where each swipe is in a recording: an object a line, in a file for this user alone that is there once the first
/// line is.
final class SwipeManifest {
    private var output: OutputFile
    private var text: [UInt8] = []

    /// A manifest without a line; nothing is at its path yet.
    /// - Throws: ``CommandError``.
    init(path: String) throws(CommandError) {
        output = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try OutputFile(path: path, predecessor: .isReplaced)
        }
    }

    // Where it is asked for, card data in clear.
    deinit { text.removeWiping() }

    func add(_ object: JSONObject) {
        let line = object.text.utf8
        text.growWiping(by: line.count + 1)
        text.append(contentsOf: line)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes what was added.
    /// - Throws: ``CommandError``.
    func save() throws(CommandError) {
        guard !text.isEmpty else { return }
        defer { text.removeWiping() }
        do throws(AudioFileError) {
            try output.write(text)
            try output.place()
        } catch {
            throw CommandError(error, isOutput: true)
        }
    }

    /// Makes sure that what was written outlasts a loss of power.
    /// - Throws: ``CommandError``.
    func finish() throws(CommandError) {
        try save()
        try asCommand(isOutput: true) { () throws(AudioFileError) in try output.sync() }
    }
}
