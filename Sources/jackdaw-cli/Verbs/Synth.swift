#if Command
import ArgumentParser
import JackdawDSP

struct Synth: Verb {
    static let configuration = CommandConfiguration(
        commandName: "synth",
        abstract: "Make the sound of a card swipe.",
        discussion: """
            The text of a track is ASCII, with or without its sentinels; each track gets a channel of its own. The \
            word test stands for a test card. Without any track, synth writes track 2 of the test card.

            Other users can see command lines, for example with ps: give card data as @FILE, which reads the text from \
            a file, or as @- for standard input.

            EXAMPLES
              jackdaw synth -o swipe.wav
              jackdaw synth -o worn.flac --track1 test --noise 8 --acceleration 4
              jackdaw synth -o card.wav --track2 @card.txt
              jackdaw synth -o - --reverse | jackdaw decode -
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Sound file to write: .wav or .flac; - is WAV on standard output.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var output: String

    @Option(help: ArgumentHelp("Text of track 1, @FILE or test.", valueName: "text"), completion: .list(["test"]))
    var track1: String?

    @Option(help: ArgumentHelp("Text of track 2, @FILE or test.", valueName: "text"), completion: .list(["test"]))
    var track2: String?

    @Option(help: ArgumentHelp("Text of track 3, @FILE or test.", valueName: "text"), completion: .list(["test"]))
    var track3: String?

    @Option(help: ArgumentHelp("Samples per second, 8000 to 192000.", valueName: "hz"))
    var rate = 44_100.0

    @Option(help: ArgumentHelp("Card speed in inches per second.", valueName: "in/s"))
    var speed = 15.0

    @Option(
        help: ArgumentHelp("Speed at the end divided by speed at the start; real swipes reach 6.", valueName: "ratio"))
    var acceleration = 1.0

    @Flag(help: "Swipe the card in the reverse direction.")
    var reverse = false

    // A negative level begins with a dash and must not be parsed as an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add white noise at this signal-to-noise ratio.", valueName: "db"))
    var noise: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add 50 Hz mains hum at this level over the signal.", valueName: "db"))
    var hum: Double?

    @Option(
        help: ArgumentHelp("Overdrive: the clean signal reaches this many times full scale.", valueName: "factor"))
    var clip: Double?

    @Option(help: ArgumentHelp("Seed of the noise; the same seed gives the same file.", valueName: "number"))
    var seed: UInt64 = 0

    @Flag(help: "Print one JSON object that describes the written file.")
    var json = false

    func validate() throws {
        guard output != "-" || !json else {
            throw ValidationError("The sound and the JSON object cannot both go to standard output.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        var texts: [(TrackNumber, String?)] = [(.one, track1), (.two, track2), (.three, track3)]
        if texts.allSatisfy({ $0.1 == nil }) { texts[1].1 = TestCard.name }
        var tracks: [Int] = []
        var channels: [[Float]] = []
        for case (let track, let argument?) in texts {
            try environment.checkInterruption()
            let text = try TestCard.resolve(argument, track)
            channels.append(try SwipeSound.render(text, track, configuration(channel: channels.count)))
            tracks.append(track.rawValue)
        }
        try SwipeSound.write(channels, to: output, sampleRate: rate)

        let frames = channels.map(\.count).max() ?? 0
        let seconds = Double(frames) / rate
        guard json else {
            let names = tracks.map { "track \($0)" }.joined(separator: ", ")
            console.message("\(output): \(names), \(fixed(seconds, 3)) s at \(fixed(rate, 0)) Hz")
            return .done
        }
        var object = JSONObject()
        object.add("file", output)
        object.add("tracks", tracks)
        object.add("channels", channels.count)
        object.add("sample_rate", rate, decimals: 0)
        object.add("frames", frames)
        object.add("seconds", seconds, decimals: 6)
        console.result(object)
        return .done
    }

    /// The swipe on one channel; channels differ only in their noise.
    private func configuration(channel: Int) -> SwipeSynthesizer.Configuration {
        SwipeSynthesizer.Configuration(
            sampleRate: rate, speed: speed, motion: .exponential(ratio: acceleration),
            direction: reverse ? .reverse : .forward, clipping: clip, signalToNoise: noise, humLevel: hum,
            seed: seed &+ UInt64(channel))
    }
}
#endif
