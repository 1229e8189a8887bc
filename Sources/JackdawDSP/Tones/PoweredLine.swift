/// A power tone with commands in it: a tone that runs for ever, and the sound of commands when there are any, without a gap.
///
/// Blocks of any size give the same samples, and no block allocates.
///
/// ```swift
/// var line = try PoweredLine(PowerToneProfile.uniMag.holding, sampleRate: 48_000)
/// var encoder = try FourToneEncoder(sampleRate: 48_000, level: 0)
/// var command: [Float] = []
/// encoder.encodeCommand(UniMagCommand.version.bytes.span, into: &command)
/// try line.enqueue(PoweredLine.spread(command.span, gains: [1, -1]), .inserted)
/// ```
public struct PoweredLine: Sendable {
    /// How a command and the tone go together.
    public enum Join: Sendable, Hashable {
        /// The command is added to the tone, which goes on; for a channel of its own, or one without a tone.
        case added
        /// The tone fades out before the command and in after it; its phase runs on meanwhile.
        case replacing(ToneRamp)
        /// The command begins with a period of the tone, and after it the tone goes on with its next period. Nothing jumps
        /// where a command is made of whole periods and those of the tone are whole frames.
        case inserted
    }

    /// Commands that can wait without taking memory for it when they are put there.
    public static let commandsHeld = 16

    private struct Command: Sendable {
        let samples: [Float]
        let join: Join
    }

    private enum State: Sendable {
        case tone
        case fadingOut(RampClock)
        case command(position: Int)
        case fadingIn(RampClock)
    }

    private var generator: ToneGenerator
    private var commands: [Command] = []
    /// The sound of commands that have ended.
    private var finished: [[Float]] = []
    private var state = State.tone

    /// A line whose tone comes with a ramp.
    /// - Parameters:
    ///   - tone: the tone between commands.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    ///   - ramp: how it comes.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ tone: Tone, sampleRate: Double, ramp: ToneRamp = .soft) throws(LineCodeError) {
        generator = try ToneGenerator(tone, sampleRate: sampleRate, ramp: ramp)
        commands.reserveCapacity(Self.commandsHeld)
        finished.reserveCapacity(Self.commandsHeld)
    }

    /// Samples of a frame.
    public var channelCount: Int { generator.channelCount }

    /// Frames per second (Hz).
    public var sampleRate: Double { generator.sampleRate }

    /// Frequency of the tone in Hz.
    public var frequency: Double { generator.frequency }

    /// Whether nothing is heard or about to be heard.
    public var isSilent: Bool { commands.isEmpty && generator.isSilent }

    /// Commands that wait or sound.
    public var commandCount: Int { commands.count }

    /// Puts a command behind those that wait.
    ///
    /// It begins when a ramp of the tone that is under way has ended. Up to ``commandsHeld`` of them wait without taking
    /// memory.
    /// - Parameters:
    ///   - samples: its sound, full scale -1 to 1, channels interleaved as in the tone.
    ///   - join: how it goes together with the tone.
    /// - Throws: ``LineCodeError`` with code `outOfRange` for half frames and samples that are beyond full scale.
    public mutating func enqueue(_ samples: [Float], _ join: Join) throws(LineCodeError) {
        let odd = samples.count % channelCount
        try LineCodeError.check("number of samples behind the last frame", Double(odd), 0...0, "")
        if case .replacing(let ramp) = join { try ramp.validate() }
        for sample in samples { try LineCodeError.check("sample", Double(sample), -1...1, "") }
        guard !samples.isEmpty else { return }
        commands.append(Command(samples: samples, join: join))
    }

    /// Goes over to another tone, as ``ToneGenerator/change(to:ramp:silence:)`` does; after a command that is inserted just
    /// then. Commands wait until it has come.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func change(to tone: Tone, ramp: ToneRamp = .soft, silence: Double = 0) throws(LineCodeError) {
        try generator.change(to: tone, ramp: ramp, silence: silence)
    }

    /// Ends the tone, as ``ToneGenerator/stop(ramp:)`` does; commands go on.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func stop(ramp: ToneRamp = .soft) throws(LineCodeError) { try generator.stop(ramp: ramp) }

    /// Fills a block with the next frames, channels interleaved; full scale is -1 to 1, and a command that is added to a
    /// loud tone goes beyond.
    /// - Parameter block: room for a whole number of frames.
    public mutating func render(into block: inout MutableSpan<Float>) { fill(&block) }

    /// Appends the next frames, channels interleaved.
    /// - Parameters:
    ///   - count: frames, 0 or more.
    ///   - samples: what is appended to.
    public mutating func append(frames count: Int, to samples: inout [Float]) {
        extend(&samples, frames: count)
    }

    /// Forgets all commands and starts anew with the first tone and its ramp.
    public mutating func reset() {
        for command in commands { keep(command) }
        commands.removeAll(keepingCapacity: true)
        state = .tone
        generator.reset()
    }

    /// The sound of a command that has ended or was forgotten, so that another thread than the one that plays gives its memory
    /// back. Up to ``commandsHeld`` are kept until they are taken.
    /// - Returns: nil where there is none.
    public mutating func takeFinished() -> [Float]? { finished.popLast() }

    private mutating func keep(_ command: Command) {
        if finished.count < Self.commandsHeld { finished.append(command.samples) }
    }

    /// The same sound on several channels.
    /// - Parameters:
    ///   - samples: one channel.
    ///   - gains: what each channel's samples are multiplied by: 1, -1 for upside down, 0 for silence.
    /// - Returns: as many channels as there are gains, interleaved.
    public static func spread(_ samples: Span<Float>, gains: [Float]) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(samples.count * gains.count)
        for index in samples.indices {
            for gain in gains { result.append(samples[index] * gain) }
        }
        return result
    }
}

extension PoweredLine: FrameSource {
    /// Whether the tone stands still at this frame.
    private var isInserting: Bool {
        if case .command = state { commands[0].join == .inserted } else { false }
    }

    mutating func beginFrame() {
        if !isInserting { generator.beginFrame() }
        // The end of one state may be the beginning of the next at the same frame.
        while let following = stateAtThisFrame() { state = following }
    }

    private func stateAtThisFrame() -> State? {
        switch state {
        case .tone:
            guard let command = commands.first, generator.isSteady else { return nil }
            switch command.join {
            case .added: return .command(position: 0)
            case .replacing(let ramp): return .fadingOut(RampClock(ramp, sampleRate: sampleRate))
            case .inserted: return generator.isAtPeriodStart ? .command(position: 0) : nil
            }
        case .fadingOut(let clock): return clock.isOver ? .command(position: 0) : nil
        case .command: return nil
        case .fadingIn(let clock): return clock.isOver ? .tone : nil
        }
    }

    @inline(__always)
    func sample(_ channel: Int) -> Float {
        switch state {
        case .tone: return generator.sample(channel)
        case .fadingOut(let clock): return generator.sample(channel) * Float(1 - clock.weight)
        case .fadingIn(let clock): return generator.sample(channel) * Float(clock.weight)
        case .command(let position):
            let sample = commands[0].samples[position + channel]
            return commands[0].join == .added ? generator.sample(channel) + sample : sample
        }
    }

    @inline(__always)
    mutating func advance() {
        if !isInserting { generator.advance() }
        switch state {
        case .tone: break
        case .fadingOut(var clock):
            clock.advance()
            state = .fadingOut(clock)
        case .fadingIn(var clock):
            clock.advance()
            state = .fadingIn(clock)
        case .command(let position):
            state = .command(position: position + channelCount)
            if position + channelCount == commands[0].samples.count { finishCommand() }
        }
    }

    private mutating func finishCommand() {
        let command = commands.removeFirst()
        keep(command)
        guard case .replacing(let ramp) = command.join else { return state = .tone }
        // A tone between two commands that take its place would only be heard as a click.
        if case .replacing = commands.first?.join { return state = .command(position: 0) }
        state = .fadingIn(RampClock(ramp, sampleRate: sampleRate))
    }
}

/// Something that sounds frame by frame, on any number of channels.
protocol FrameSource {
    /// Samples of a frame.
    var channelCount: Int { get }

    /// Before the samples of a frame.
    mutating func beginFrame()
    /// A channel's sample of this frame.
    func sample(_ channel: Int) -> Float
    /// Goes on to the next frame.
    mutating func advance()
}

extension FrameSource {
    /// Fills a block with the next frames, channels interleaved.
    @inline(__always)
    mutating func fill(_ block: inout MutableSpan<Float>) {
        precondition(block.count.isMultiple(of: channelCount), "a block holds whole frames")
        for start in stride(from: 0, to: block.count, by: channelCount) {
            beginFrame()
            for channel in 0..<channelCount { block[start + channel] = sample(channel) }
            advance()
        }
    }

    /// Appends the next frames, channels interleaved.
    @inline(__always)
    mutating func extend(_ samples: inout [Float], frames count: Int) {
        for _ in 0..<count {
            beginFrame()
            for channel in 0..<channelCount { samples.append(sample(channel)) }
            advance()
        }
    }
}
