import JackdawAudioFile
import JackdawBytes
import JackdawDSP
import JackdawSwipe

/// Records the sound of swipes, and no other sound, in a file, with a manifest beside it that gives the place of each
/// swipe.
///
/// Both files appear with the first recorded swipe and are complete after each swipe. A process that is killed loses
/// only the last seconds.
struct SwipeRecorder: ~Copyable {
    /// Seconds recorded before and after a swipe: a decoder needs the silence to see its start and its end.
    private static let margin = 0.25
    /// Swipes at most this far apart (s) are recorded without a gap in the sound.
    private static let gap = 0.5
    /// Age (s) of the first of several swipes without a gap at which they are written: the decoder reports a swipe with
    /// a delay, and only ``SignalMeter/secondsKept`` of the sound are kept.
    private static let patience = SignalMeter.secondsKept - 2

    /// A swipe with the decoder's result.
    private struct Entry {
        let span: SwipeSpan
        var object: JSONObject
    }

    private var writer: AudioFileWriter
    private let manifest: SwipeManifest
    private let sampleRate: Double
    /// Swipes that are not written yet.
    private var pending: [Entry] = []

    /// Begins a recording.
    /// - Parameters:
    ///   - path: of the sound file, `.wav` or `.flac`; the manifest's path has `.json` appended.
    ///   - sampleRate: frames per second (Hz).
    ///   - channels: the channels that are captured.
    /// - Throws: `CommandError`.
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

    /// Adds a track, or a swipe that could not be read. Cards, whose tracks came before, and noise are not recorded.
    mutating func receive(_ event: LiveEvent) {
        guard !event.event.isNoise, let object = event.json else { return }
        switch event.event {
        case .track(let track): pending.append(Entry(span: track.decoded.span, object: object))
        case .failure(let failure, _): pending.append(Entry(span: failure.span, object: object))
        case .card: break
        }
    }

    /// Writes the swipes whose sound is complete.
    /// - Parameters:
    ///   - frame: the number of frames captured so far.
    ///   - meters: hold the last seconds of each channel.
    /// - Throws: `CommandError`.
    mutating func advance(to frame: Int, _ meters: [SignalMeter]) throws(CommandError) {
        let last = pending.map(\.span.endSample).max() ?? 0
        let first = pending.map(\.span.startSample).min() ?? 0
        let isThrough = frame > last + Int(Self.gap * sampleRate)
        if isThrough || frame - first > Int(Self.patience * sampleRate) { try flush(meters) }
    }

    /// Writes all swipes, with the part of their sound that has been captured.
    /// - Parameter meters: hold the last seconds of each channel.
    /// - Throws: `CommandError`.
    mutating func flush(_ meters: [SignalMeter]) throws(CommandError) {
        let kept = meters.map(\.history.kept).reduce(0..<Int.max) { $0.clamped(to: $1) }
        // A swipe without all of its sound could not be decoded again.
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
        defer { frames.wipe() }
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
        // After the sound, so that the manifest never lists a swipe without sound.
        try manifest.save()
    }

    /// Writes the remaining swipes and completes both files; without a recorded swipe there are no files.
    /// - Parameter meters: hold the last seconds of each channel.
    /// - Throws: `CommandError`; everything written before the error is kept if possible.
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

/// The manifest of a recording: one object a line, each with the place of a swipe. The file is readable by this user
/// alone, and appears with its first line.
final class SwipeManifest {
    private var output: OutputFile
    private var text: [UInt8] = []

    /// Creates an empty manifest. The file does not exist until ``save()``.
    /// - Throws: `CommandError`.
    init(path: String) throws(CommandError) {
        output = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try OutputFile(path: path, predecessor: .isReplaced)
        }
    }

    // With `--reveal` the text holds card data in clear.
    deinit { text.wipe() }

    func add(_ object: JSONObject) {
        let line = object.text.utf8
        text.growWiping(toHold: text.count + line.count + 1)
        text.append(contentsOf: line)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes the added lines.
    /// - Throws: `CommandError`.
    func save() throws(CommandError) {
        guard !text.isEmpty else { return }
        defer { text.wipe() }
        do throws(AudioFileError) {
            try output.write(text)
            try output.place()
        } catch {
            throw CommandError(error, isOutput: true)
        }
    }

    /// Writes the added lines and syncs the file to the disk.
    /// - Throws: `CommandError`.
    func finish() throws(CommandError) {
        try save()
        try asCommand(isOutput: true) { () throws(AudioFileError) in try output.sync() }
    }
}
