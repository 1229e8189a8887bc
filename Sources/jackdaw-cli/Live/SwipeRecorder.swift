import Glibc
import JackdawAudioFile
import JackdawDSP

/// Keeps the sound of swipes, and nothing else of what is heard, in a file with a manifest beside it that says where each is.
///
/// Both appear when listening ends.
struct SwipeRecorder: ~Copyable {
    /// Seconds kept before and behind a swipe: what a decoder needs to see that it begins and ends there.
    private static let margin = 0.25
    /// Swipes that are no further apart than this (s) share their sound.
    private static let gap = 0.5

    /// What became of a swipe on a channel.
    private struct Entry {
        let span: SwipeSpan
        var object: JSONObject
    }

    private var writer: AudioFileWriter
    private let manifestPath: String
    private var manifest = ""
    private let sampleRate: Double
    private let channels: Range<Int>
    /// Swipes whose sound is still to come, or to be written.
    private var pending: [Entry] = []

    /// Begins a recording.
    /// - Parameters:
    ///   - path: of the sound file, `.wav` or `.flac`; the manifest's name is the same with `.json` behind it.
    ///   - sampleRate: frames per second (Hz).
    ///   - channels: the channels that are listened to.
    /// - Throws: ``CommandError``.
    init(path: String, sampleRate: Double, channels: Range<Int>) throws(CommandError) {
        writer = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try AudioFileWriter(path: path, encoding: .int24, sampleRate: sampleRate, channels: channels.count)
        }
        manifestPath = path + ".json"
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Takes a track that was read, or a swipe that was not.
    /// - Parameters:
    ///   - span: where it was.
    ///   - object: what `--json` says of it.
    mutating func add(_ span: SwipeSpan, _ object: JSONObject) { pending.append(Entry(span: span, object: object)) }

    /// Writes the swipes whose sound has all been heard.
    /// - Parameters:
    ///   - frame: how far the sound has been heard; nil at its end.
    ///   - meters: hold the last seconds of each channel.
    /// - Throws: ``CommandError``.
    mutating func advance(to frame: Int?, _ meters: [SignalMeter]) throws(CommandError) {
        let last = pending.map(\.span.endSample).max() ?? 0
        guard !pending.isEmpty, frame.map({ $0 > last + Int(Self.gap * sampleRate) }) ?? true else { return }
        let margin = Int(Self.margin * sampleRate)
        let first = pending.map(\.span.startSample).min() ?? 0
        let histories = meters.map { $0.history.samples(in: max(0, first - margin)..<last + margin) }
        let start = histories.map(\.first).max() ?? 0
        let end = histories.map { $0.first + $0.samples.count }.min() ?? 0
        guard end > start else { return pending = [] }
        let offset = writer.framesWritten
        var frames: [Float] = []
        frames.reserveCapacity((end - start) * histories.count)
        defer { frames.removeWiping() }
        for frame in start..<end {
            for history in histories {
                frames.append(history.samples.withElements { $0[frame - history.first] })
            }
        }
        try asCommand(isOutput: true) { () throws(AudioFileError) in try writer.write(frames.span) }
        for entry in pending {
            var object = entry.object
            object.add("recorded_start", Double(offset + entry.span.startSample - start) / sampleRate, decimals: 6)
            object.add("recorded_end", Double(offset + entry.span.endSample - start) / sampleRate, decimals: 6)
            manifest += object.text + "\n"
        }
        pending = []
    }

    /// Completes sound and manifest.
    /// - Throws: ``CommandError``; there is no new file then.
    consuming func finish() throws(CommandError) {
        let path = manifestPath
        let text = manifest
        do throws(AudioFileError) {
            try writer.finish()
        } catch {
            throw CommandError(error, isOutput: true)
        }
        // Readable by this user alone, like the sound.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.inputOutput, "\(path): cannot be written") }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw CommandError(.inputOutput, "\(path): cannot be written") }
            rest = rest.dropFirst(count)
        }
    }
}
