#if Command
import ArgumentParser
import JackdawDSP

struct Synth: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Make the sound of a card swipe.",
        discussion: """
            Track text is ASCII with or without its sentinels; several tracks give one channel each. The word \
            test stands for a test card, which is also what is written to track 2 if no track is named.

            Other users see a command line, for instance in ps: give card data as @FILE, which reads the text \
            from a file, or @- for standard input.

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
        help: ArgumentHelp("Speed at the end over speed at the start; real swipes reach 6.", valueName: "ratio"))
    var acceleration = 1.0

    @Flag(help: "Swipe the card the wrong way round.")
    var reverse = false

    // Levels may be negative: a value that begins with a dash is no option here.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add white noise for this signal to noise ratio.", valueName: "db"))
    var noise: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add 50 Hz mains hum this far over the signal.", valueName: "db"))
    var hum: Double?

    @Option(
        help: ArgumentHelp("Overdrive: the clean signal reaches this many times full scale.", valueName: "factor"))
    var clip: Double?

    @Option(help: ArgumentHelp("Which noise: the same seed gives the same file.", valueName: "number"))
    var seed: UInt64 = 0

    @Flag(help: "Print one JSON object that says what was written.")
    var json = false

    func validate() throws {
        guard output != "-" || !json else {
            throw ValidationError("The sound and the JSON object cannot both go to standard output.")
        }
    }

    func run(on console: Console) throws(CommandError) -> ExitStatus {
        var texts: [(TrackNumber, String?)] = [(.one, track1), (.two, track2), (.three, track3)]
        if texts.allSatisfy({ $0.1 == nil }) { texts[1].1 = TestCard.name }
        var tracks: [Int] = []
        var channels: [[Float]] = []
        for case (let track, let argument?) in texts {
            try Interruption.check()
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

    /// The swipe on one channel; channels differ in their noise alone.
    private func configuration(channel: Int) -> SwipeSynthesizer.Configuration {
        SwipeSynthesizer.Configuration(
            sampleRate: rate, speed: speed, motion: .exponential(ratio: acceleration),
            direction: reverse ? .reverse : .forward, clipping: clip, signalToNoise: noise, humLevel: hum,
            seed: seed &+ UInt64(channel))
    }
}
#endif
