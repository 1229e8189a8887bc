#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawBytes
import JackdawDSP
import JackdawSpectrum

struct Demodulate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "demodulate",
        abstract: "Decode the sound of a modem to bytes.",
        discussion: """
            The bytes go to standard output unchanged, as soon as they are decoded; the measurements of each burst go \
            to standard error. Characters with wrong start, stop or parity bits are counted and left out. Without \
            --mode, all modes are tried, and the best result of a burst is written when the burst ends, or after some \
            seconds. The swipe of a card is reported on standard error: read it with jackdaw decode. The bytes of a \
            short or weak burst, which may be a swipe, are written when it ends.

            With --framing raw, all bits of a burst are written, from the start of its carrier to the end, eight to a \
            byte, most significant bit first. The last byte is padded with zeros; --json has the number of bits.

            The bytes may be card data. They are not masked.

            EXIT CODES
              0   at least one byte was decoded, and every file was read
              1   nothing was decoded
              64  usage; no such mode or channel
              65  not a sound file, a sample rate that does not support the mode, or
                  cut short and without a burst
              66  missing, or not readable
              74  I/O error
            If several files fail, the highest code counts.

            EXAMPLES
              jackdaw demodulate --mode bell202 call.wav
              arecord -t raw -f S16_LE -r 48000 | jackdaw demodulate --raw 48000,s16,1 -
              jackdaw demodulate --baud 2400 --mark 1800 --space 3800 --json tape.flac
              jackdaw demodulate --mode bell202 --framing raw --json frames.wav
            """)

    @OptionGroup var modem: ModemOptions

    @Argument(
        help: ArgumentHelp("Sound files, or folders of them; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac", "aiff", "au", "w64", "caf", "ogg", "raw"]))
    var files: [String] = []

    @Option(help: "Channel to decode: a number from 1, or all, which needs --json.")
    var channel = ChannelChoice.first

    @OptionGroup var headerless: HeaderlessOptions

    @OptionGroup var jobs: JobOptions

    @Flag(help: "Print one JSON object for each burst, or for each mode of --list.")
    var json = false

    @Flag(help: "List the modes.")
    var list = false

    func validate() throws {
        guard list || !files.isEmpty else { throw ValidationError("Missing expected argument '<file> ...'") }
        guard !list || files.isEmpty else { throw ValidationError("--list takes no files.") }
        guard json || channel.index != nil else {
            throw ValidationError("Choose one channel, or give --json: bytes of several channels would mix.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        guard !list else {
            if json { ModeTable.objects.forEach(console.result) } else { ModeTable.lines.forEach(console.result) }
            return .done
        }
        let (files, status) = jobs.files(files, isRaw: headerless.raw != nil, console)
        let candidates = modem.candidates
        var worst = status
        var bursts = 0
        try FileJobs(jobs.count, for: files).run(files, on: console) { [channel, headerless, json] in
            ModemWorker(
                SoundScanner(channel: channel.index, raw: headerless.raw), candidates, isJSON: json, environment)
        } finish: { outcome in
            worst = max(worst, outcome.status)
            bursts += outcome.bursts
        }
        guard worst == .done else { return worst }
        guard bursts > 0 else {
            console.message("nothing decoded in \(counted(files.count, "file"))")
            return .nothingFound
        }
        return .done
    }
}

/// The result of a file.
private struct DemodulatedFile: Sendable {
    let status: ExitStatus
    let bursts: Int
}

/// Decodes recordings of modems and prints their bursts.
private struct ModemWorker: FileWorker, ~Copyable {
    private var scanner: SoundScanner
    private let candidates: [LineMode]
    private let isJSON: Bool
    private let environment: CommandEnvironment
    private var progress: Progress?

    init(
        _ scanner: consuming SoundScanner, _ candidates: [LineMode], isJSON: Bool, _ environment: CommandEnvironment
    ) {
        self.scanner = scanner
        self.candidates = candidates
        self.isJSON = isJSON
        self.environment = environment
    }

    mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> DemodulatedFile {
        var listener = ModemListener(
            file, candidates, isJSON: isJSON, progress ?? Progress(console), console, environment)
        defer { progress = listener.progress }
        var status = ExitStatus.done
        do throws(CommandError) {
            let outcome = try scanner.scan(file, &listener)
            outcome.complaints(about: file).forEach(console.message)
            if outcome.isTruncated && listener.bursts == 0 { status = .badData }
        } catch {
            guard error.status != .interrupted else { throw error }
            console.message(error.message)
            status = error.status
        }
        return DemodulatedFile(status: status, bursts: listener.bursts)
    }
}

extension ChannelChoice {
    fileprivate static let first = ChannelChoice(argument: "1") ?? .all
}

/// Passes sound to receivers, and their events to printers.
private struct ModemListener: SoundListener {
    let takesSixteenBits = true
    private let candidates: [LineMode]
    private let isJSON: Bool
    private let console: Console
    private let environment: CommandEnvironment
    private(set) var progress: Progress

    private let file: String
    private var channels = 0..<0
    /// One receiver for each channel.
    private var receivers: [any ModemReceiver] = []
    private var printers: [BurstPrinter] = []

    /// Creates a listener.
    /// - Parameters:
    ///   - file: the name of the recording, for messages.
    ///   - candidates: the mode, or all possible modes.
    ///   - isJSON: whether to print bursts as objects.
    ///   - progress: shows the progress.
    ///   - console: prints the bursts.
    ///   - environment: whether the user has interrupted the command.
    init(
        _ file: String, _ candidates: [LineMode], isJSON: Bool, _ progress: Progress, _ console: Console,
        _ environment: CommandEnvironment
    ) {
        self.file = file
        self.candidates = candidates
        self.isJSON = isJSON
        self.progress = progress
        self.console = console
        self.environment = environment
    }

    /// Number of bursts so far.
    var bursts: Int { printers.map(\.bursts).reduce(0, +) }

    mutating func begin(_ format: AudioFormat, channels: Range<Int>) throws(CommandError) {
        self.channels = channels
        do {
            for channel in channels {
                receivers.append(try receiver(sampleRate: format.sampleRate))
                printers.append(BurstPrinter(file: file, channel: channel + 1, isJSON: isJSON, console))
            }
        } catch let error as SpectrumError {
            throw CommandError(error, file: file)
        } catch {
            throw CommandError(.badData, "\(file): \(error)")
        }
    }

    private func receiver(sampleRate: Double) throws -> any ModemReceiver {
        guard candidates.count == 1 else { return try ModeDetector(candidates, sampleRate: sampleRate) }
        return try KnownModeReceiver(candidates[0], sampleRate: sampleRate)
    }

    mutating func receive(_ samples: Span<Int16>, channel: Int) {
        let index = channel - channels.lowerBound
        receivers[index].receive(samples, printers[index].print)
        finishStep(index)
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) {
        let index = channel - channels.lowerBound
        receivers[index].receive(samples, printers[index].print)
        finishStep(index)
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        console.flush()
        try environment.checkInterruption()
        progress.update(file, fraction: total.map { Double(frame) / Double(max(1, $0)) })
    }

    mutating func finish() {
        for index in receivers.indices {
            receivers[index].finish(printers[index].print)
            finishStep(index)
        }
        console.flush()
    }

    /// Prints the bytes and the swipes of a channel that its last samples have completed.
    private mutating func finishStep(_ index: Int) {
        printers[index].flush()
        for span in receivers[index].takeSwipes() {
            let place = channels.count > 1 ? "channel \(channels.lowerBound + index + 1), " : ""
            console.message(
                "\(file): \(place)\(fixed(span.start, 3)) to \(fixed(span.end, 3)) s: a swipe of a card, not a modem; "
                    + "read it with jackdaw decode")
        }
    }
}

/// Prints the events of one channel of a file.
private final class BurstPrinter {
    private let file: String
    private let channel: Int
    private let isJSON: Bool
    private let console: Console
    /// Bytes of the open burst: all of them, for its object, or those that are not printed yet.
    private var bytes: [UInt8] = []
    /// Number of bytes of the open burst.
    private var count = 0
    /// Packs the bits of a mode without characters into bytes.
    private var packer = BitPacker()
    private(set) var bursts = 0

    init(file: String, channel: Int, isJSON: Bool, _ console: Console) {
        self.file = file
        self.channel = channel
        self.isJSON = isJSON
        self.console = console
    }

    deinit { bytes.wipe() }

    func print(_ event: LineEvent, _ mode: LineMode) {
        switch event {
        case .character(let character):
            guard character.isFramed else { return }
            let value = UInt8(truncatingIfNeeded: character.value)
            if let byte = mode.carriesBits ? packer.add(value) : value { take(byte) }
        case .burst(let burst):
            if let byte = packer.finish() { take(byte) }
            flush()
            bursts += 1
            let report = BurstReport(file: file, channel: channel, mode: mode, count: count, burst: burst)
            if isJSON { console.result(report.json(bytes)) } else { console.message(report.line) }
            bytes.wipe()
            count = 0
        }
    }

    /// Prints the bytes that are not printed yet, unless they belong to an object.
    func flush() {
        guard !isJSON else { return }
        console.result(bytes.span)
        bytes.wipe()
    }

    private func take(_ byte: UInt8) {
        count += 1
        bytes.appendWiping(byte)
    }
}
#endif
