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
        help: ArgumentHelp("Sound files; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac", "aiff", "au", "w64", "caf", "ogg", "raw"]))
    var files: [String] = []

    @Option(help: "Channel to decode: a number from 1, or all, which needs --json.")
    var channel = ChannelChoice.first

    @OptionGroup var headerless: HeaderlessOptions

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
        var scanner = SoundScanner(channel: channel.index, raw: headerless.raw)
        let files = Operands.unpack(files)
        var listener = ModemListener(modem.candidates, isJSON: json, console, environment)
        var worst = ExitStatus.done
        for file in files {
            listener.begin(file)
            do throws(CommandError) {
                let outcome = try scanner.scan(file, &listener)
                outcome.complaints(about: file).forEach(console.message)
                if outcome.isTruncated && listener.burstsOfFile == 0 { worst = max(worst, .badData) }
            } catch {
                guard error.status != .interrupted else { throw error }
                console.message(error.message)
                worst = max(worst, error.status)
            }
        }
        guard worst == .done else { return worst }
        guard listener.bursts > 0 else {
            console.message("nothing decoded in \(counted(files.count, "file"))")
            return .nothingFound
        }
        return .done
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
    private var progress: Progress

    private var file = ""
    private var channels = 0..<0
    /// One receiver for each channel.
    private var receivers: [any ModemReceiver] = []
    private var printers: [BurstPrinter] = []
    /// Number of bursts in the files before the current one.
    private var earlierBursts = 0

    /// Creates a listener.
    /// - Parameters:
    ///   - candidates: the mode, or all possible modes.
    ///   - isJSON: whether to print bursts as objects.
    ///   - console: prints the bursts.
    ///   - environment: whether the user has interrupted the command.
    init(_ candidates: [LineMode], isJSON: Bool, _ console: Console, _ environment: CommandEnvironment) {
        self.candidates = candidates
        self.isJSON = isJSON
        self.console = console
        self.environment = environment
        progress = Progress(console)
    }

    /// Number of bursts in the current file.
    var burstsOfFile: Int { printers.map(\.bursts).reduce(0, +) }
    /// Number of bursts in all files.
    var bursts: Int { earlierBursts + burstsOfFile }

    mutating func begin(_ file: String) {
        earlierBursts = bursts
        printers = []
        receivers = []
        self.file = file
    }

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
