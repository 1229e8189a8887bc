/// A power tone with commands in it: an endless tone, and the sound of commands if there are any, without a gap.
///
/// The samples do not depend on the block size, and rendering a block does not allocate.
///
/// ```swift
/// var line = try PoweredLine(PowerToneProfile.uniMag.holding, sampleRate: 48_000)
/// var encoder = try FSKEncoder(.bell202, sampleRate: 48_000)
/// var command: [Float] = []
/// encoder.encode(bytes.span, into: &command)
/// try line.enqueue(PoweredLine.spread(command.span, gains: [1, -1]), .inserted)
/// ```
public struct PoweredLine: Sendable {
    /// The way in which a command joins the tone.
    public enum Join: Sendable, Hashable {
        /// The command is added to the tone, which continues; for a command on its own channel, or on one without a
        /// tone.
        case added
        /// The tone fades out before the command and in after it; its phase continues during the command.
        case replacing(ToneRamp)
        /// The command begins with a period of the tone, and after it the tone continues with its next period. The
        /// signal has no jump if a command consists of whole periods and those of the tone are whole frames.
        case inserted
    }

    /// Commands that can wait without an allocation when they are enqueued.
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

    /// Creates a line whose tone starts with a ramp.
    /// - Parameters:
    ///   - tone: the tone between commands.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    ///   - ramp: the ramp of the tone's start.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ tone: Tone, sampleRate: Double, ramp: ToneRamp = .soft) throws(LineCodeError) {
        generator = try ToneGenerator(tone, sampleRate: sampleRate, ramp: ramp)
        commands.reserveCapacity(Self.commandsHeld)
        finished.reserveCapacity(Self.commandsHeld)
    }

    /// Samples per frame, one for each channel.
    public var channelCount: Int { generator.channelCount }

    /// Frames per second (Hz).
    public var sampleRate: Double { generator.sampleRate }

    /// Frequency of the tone in Hz.
    public var frequency: Double { generator.frequency }

    /// Whether the line is silent, with no sound pending.
    public var isSilent: Bool { commands.isEmpty && generator.isSilent }

    /// Commands that wait or are being played.
    public var commandCount: Int { commands.count }

    /// Enqueues a command after those that wait.
    ///
    /// The command starts when the ramp in progress, if any, has ended. Up to ``commandsHeld`` commands wait without an
    /// allocation.
    /// - Parameters:
    ///   - samples: its sound, full scale -1 to 1, with channels interleaved as in the tone.
    ///   - join: the way in which it joins the tone.
    /// - Throws: ``LineCodeError`` with code `outOfRange` for incomplete frames and samples beyond full scale.
    public mutating func enqueue(_ samples: [Float], _ join: Join) throws(LineCodeError) {
        let odd = samples.count % channelCount
        try LineCodeError.check("number of samples after the last frame", Double(odd), 0...0, "")
        if case .replacing(let ramp) = join { try ramp.validate() }
        for sample in samples { try LineCodeError.check("sample", Double(sample), -1...1, "") }
        guard !samples.isEmpty else { return }
        commands.append(Command(samples: samples, join: join))
    }

    /// Changes to another tone, as ``ToneGenerator/change(to:ramp:silence:)`` does; if a command is being inserted,
    /// after the command. Commands wait until the change is complete.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func change(to tone: Tone, ramp: ToneRamp = .soft, silence: Double = 0) throws(LineCodeError) {
        try generator.change(to: tone, ramp: ramp, silence: silence)
    }

    /// Ends the tone, as ``ToneGenerator/stop(ramp:)`` does; commands continue.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func stop(ramp: ToneRamp = .soft) throws(LineCodeError) { try generator.stop(ramp: ramp) }

    /// Fills a block with the next frames, channels interleaved. Full scale is -1 to 1; a command that is added to a
    /// loud tone exceeds it.
    /// - Parameter block: space for a whole number of frames.
    public mutating func render(into block: inout MutableSpan<Float>) { fill(&block) }

    /// Appends the next frames, channels interleaved.
    /// - Parameters:
    ///   - count: frames, 0 or more.
    ///   - samples: the array to append to.
    public mutating func append(frames count: Int, to samples: inout [Float]) {
        extend(&samples, frames: count)
    }

    /// Discards all commands and starts again with the first tone and its ramp.
    public mutating func reset() {
        for command in commands { keep(command) }
        commands.removeAll(keepingCapacity: true)
        state = .tone
        generator.reset()
    }

    /// Takes the sound of a command that has ended or was discarded, so that its memory can be freed on another thread
    /// than the one that plays. Up to ``commandsHeld`` are kept until they are taken.
    /// - Returns: the sound; nil if no command has ended.
    public mutating func takeFinished() -> [Float]? { finished.popLast() }

    private mutating func keep(_ command: Command) {
        if finished.count < Self.commandsHeld { finished.append(command.samples) }
    }

    /// Copies one channel to several channels.
    /// - Parameters:
    ///   - samples: one channel.
    ///   - gains: the factor of each channel: 1, -1 for inverted, 0 for silence.
    /// - Returns: one channel for each gain, interleaved.
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
    /// Whether the tone pauses at this frame for an inserted command.
    private var isInserting: Bool {
        if case .command = state { commands[0].join == .inserted } else { false }
    }

    mutating func beginFrame() {
        if !isInserting { generator.beginFrame() }
        // The end of one state may be the start of the next at the same frame.
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
        // Between two commands that both replace the tone, it would only sound like a click.
        if case .replacing = commands.first?.join { return state = .command(position: 0) }
        state = .fadingIn(RampClock(ramp, sampleRate: sampleRate))
    }
}

/// A source of sound, frame by frame, on any number of channels.
protocol FrameSource {
    /// Samples per frame, one for each channel.
    var channelCount: Int { get }

    /// Called before the samples of a frame.
    mutating func beginFrame()
    /// A channel's sample of this frame.
    func sample(_ channel: Int) -> Float
    /// Advances to the next frame.
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
