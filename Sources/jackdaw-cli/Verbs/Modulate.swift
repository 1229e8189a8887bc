#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawBytes
import JackdawDSP

struct Modulate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "modulate",
        abstract: "Make the sound of a modem from bytes.",
        discussion: """
            The bytes come from standard input, up to its end. With --framing raw, the bits are sent without start and \
            stop bits, most significant bit first, and the line is silent before and after them, because a held tone \
            would add bits.

            EXIT CODES
              0   the sound was written
              64  usage; no such mode, or a sample rate that does not support it
              74  standard input cannot be read, or the sound cannot be written

            EXAMPLES
              jackdaw modulate --mode bell202 -o hello.wav <<< hello
              jackdaw modulate --baud 2400 --mark 1800 --space 3800 -o t.flac < t.txt
              date | jackdaw modulate --mode v23 -o - | jackdaw demodulate --mode v23 -
            """)

    @OptionGroup var modem: ModemOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Sound file to write: .wav or .flac; - is WAV on standard output.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var output: String

    @Option(help: ArgumentHelp("Samples per second, 8000 to 192000.", valueName: "hz"))
    var rate = 48_000.0

    // A negative level begins with a dash and must not be parsed as an option.
    @Option(parsing: .unconditional, help: ArgumentHelp("Level, -120 to 0; 0 is full scale.", valueName: "dbfs"))
    var level = -6.0

    @Option(
        help: ArgumentHelp("Length of the idle line before and after the bytes, 0 to 60.", valueName: "seconds"))
    var idle = 0.1

    @Flag(help: "Print one JSON object that describes the written file.")
    var json = false

    func validate() throws {
        guard output != "-" || !json else {
            throw ValidationError("The sound and the JSON object cannot both go to standard output.")
        }
        guard try modem.chosen() != nil else {
            throw ValidationError("Give --mode, or --baud, --mark and --space.")
        }
        guard (0...60).contains(idle) else { throw ValidationError("--idle must be 0 to 60 seconds.") }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let mode = modem.candidates[0]
        var encoder: LineModeEncoder
        do throws(LineCodeError) {
            encoder = try mode.encoder(sampleRate: rate, level: level)
        } catch {
            throw CommandError(.usage, error.message)
        }
        var input = StandardInput()
        var writer = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try AudioFileWriter(path: output, sampleRate: rate)
        }
        var samples: [Float] = []
        defer { samples.wipe() }
        encoder.idle(seconds: idle, into: &samples)
        repeat {
            try environment.checkInterruption()
            try asCommand(isOutput: true) { () throws(AudioFileError) in try writer.write(samples.span) }
            samples.wipe()
            try input.read()
            encoder.encode(input.bytes.span, into: &samples)
        } while !input.bytes.isEmpty
        encoder.idle(seconds: idle, into: &samples)
        let frames = writer.framesWritten + samples.count
        do throws(AudioFileError) {
            try writer.write(samples.span)
            try writer.finish()
        } catch {
            throw CommandError(error, isOutput: true)
        }
        report(mode, bytes: input.count, frames: frames, on: console)
        return .done
    }

    private func report(_ mode: LineMode, bytes: Int, frames: Int, on console: Console) {
        let seconds = Double(frames) / rate
        guard json else {
            let length = "\(fixed(seconds, 3)) s at \(fixed(rate, 0)) Hz"
            console.message("\(output): \(mode.name), \(counted(bytes, "byte")), \(length)")
            return
        }
        var object = JSONObject()
        object.add("file", output)
        object.add("mode", mode.name)
        object.add("bytes", bytes)
        object.add("sample_rate", rate, decimals: 0)
        object.add("frames", frames)
        object.add("seconds", seconds, decimals: 6)
        console.result(object)
    }
}
#endif
