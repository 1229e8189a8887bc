package import JackdawDSP
package import JackdawReaders
package import JackdawTransport

/// A simulated reader on an audio jack. It receives the played sound and returns the captured sound, one sample for
/// each frame. A state machine without a clock: the number of frames is its time.
///
/// It draws its power from the power tone, as a real one does: without the tone, at another frequency or too weak, it
/// sends nothing. A family without such a tone has its own power. The reader decodes commands from the sound, and
/// answers in the line code of its family, with the noise of its path.
///
/// ```swift
/// let family = ReaderFamily.named("unimag")
/// var reader = try SimulatedAudioReader(sound, sampleRate: 48_000) { SimulatedReader(UniMagModel()) }
/// reader.exchange(played.span, into: &captured)
/// ```
package struct SimulatedAudioReader: ~Copyable {
    /// Frames per second (Hz).
    package let sampleRate: Double
    /// Samples of a played frame.
    package let channelCount: Int
    /// Whether the power tone has woken it up, or it has its own power.
    package private(set) var hasPower: Bool

    /// Level at which a reader gets power, as a share of its profile's level. An assumed value: the real need is not
    /// known.
    private static let leastPower: Float = 0.5
    /// Attenuation of ``ReaderFault/volumeTooLow``, in dB.
    private static let faintness = 20.0
    /// The idle line after each message, in seconds.
    private static let gap = 0.02

    private let path: AudioPath
    private let gain: Float
    private let powerChannel: Int
    private let commandChannel: Int
    private var reader: SimulatedReader
    /// Nil for a reader with its own power.
    private var power: PowerSense?
    private var ear: CommandReceiver
    private var encoder: LineModeEncoder
    /// The time of the idle line before and after a message, in seconds.
    private let carrier: Double
    /// The samples of the message that is being sent.
    private var sending: [Float] = []
    private var sent = 0
    private var noise: GaussianNoise
    private let noiseLevel: Float
    private var hum: ToneGenerator?
    private var humSample: [Float] = []
    private var frames: Int64 = 0
    /// The frame count at which the reader has its next action.
    private var deadline: Int64?
    private var isUnplugged = false

    /// Creates a reader that is plugged in, and has no power unless it has its own.
    /// - Parameters:
    ///   - sound: the signals at its jack.
    ///   - sampleRate: frames per second, both ways (Hz).
    ///   - path: the path of the sound between reader and program.
    ///   - makeReader: makes the model of the reader; its times begin at zero.
    /// - Throws: `LineCodeError` with code `outOfRange` if the sample rate does not support its line codes.
    package init(
        _ sound: ReaderSound, sampleRate: Double, path: AudioPath = AudioPath(), _ makeReader: () -> SimulatedReader
    ) throws(LineCodeError) {
        // A faster clock sends fewer samples of each bit.
        let encoder = try sound.answers.encoder(sampleRate: sampleRate / (1 + path.clockError), level: path.level)
        let ear = try CommandReceiver(sound, sampleRate: sampleRate)
        var hum: ToneGenerator?
        if let humLevel = path.humLevel {
            let tone = Tone(path.humFrequency, channels: [Tone.Channel(level: humLevel)])
            hum = try ToneGenerator(tone, sampleRate: sampleRate, ramp: .none)
        }
        self.sampleRate = sampleRate
        self.path = path
        self.encoder = encoder
        carrier = sound.carrier
        self.ear = ear
        self.hum = hum
        let tone = sound.power.connecting
        channelCount = tone.channels.count
        let poweredChannel = tone.channels.firstIndex { $0.level != nil }
        powerChannel = poweredChannel ?? 0
        hasPower = poweredChannel == nil
        commandChannel = sound.commandGains.firstIndex { $0 != 0 } ?? 0
        if let usual = tone.channels[powerChannel].level {
            power = PowerSense(
                tone: tone.frequency, leastPeak: Self.leastPower * Self.amplitude(decibels: usual),
                sampleRate: sampleRate)
        }
        noise = GaussianNoise(seed: path.seed)
        var level = Self.amplitude(decibels: path.level)
        // RMS level: a sine's is its amplitude over the square root of 2.
        switch sound.answers.code {
        case .frequencyShift, .frequencyShiftBits, .serialManchester: level *= Float(0.5).squareRoot()
        case .nibbles, .dynamo: break
        }
        noiseLevel = path.signalToNoise.map { level * Self.amplitude(decibels: -$0) } ?? 0
        reader = makeReader()
        gain = Self.amplitude(decibels: -path.attenuation - (reader.isVolumeTooLow ? Self.faintness : 0))
        if hasPower { reader.setPower(true, at: .zero) }
        setDeadline()
    }

    /// The state of the reader.
    package var device: SimulatedDevice { reader.device }

    /// Time that has passed, by the number of frames.
    package var now: Duration { .nanoseconds(Int64(Double(frames) / sampleRate * 1e9)) }

    /// Advances the time by some frames.
    /// - Parameters:
    ///   - played: the sound that the program plays, full scale -1 to 1, channels interleaved; whole frames.
    ///   - captured: receives one sample for each frame.
    package mutating func exchange(_ played: Span<Float>, into captured: inout [Float]) {
        precondition(played.count.isMultiple(of: channelCount), "a block holds whole frames")
        captured.reserveCapacity(captured.count + played.count / channelCount)
        for start in stride(from: 0, to: played.count, by: channelCount) {
            pass(power: played[start + powerChannel], command: played[start + commandChannel])
            captured.append(nextSample())
        }
    }

    /// Advances the time by some frames. The caller plays the reader's messages itself, without the noise of the path.
    /// - Parameters:
    ///   - played: the sound that the program plays, full scale -1 to 1, channels interleaved; whole frames.
    ///   - channelCount: samples of a frame. If the reader uses more channels, it reads the last one for the missing
    ///     ones.
    ///   - say: receives the sound of each message, one channel.
    package mutating func hear(_ played: Span<Float>, of channelCount: Int, _ say: ([Float]) -> Void) {
        precondition(channelCount > 0 && played.count.isMultiple(of: channelCount), "a block holds whole frames")
        let (power, command) = (min(powerChannel, channelCount - 1), min(commandChannel, channelCount - 1))
        for start in stride(from: 0, to: played.count, by: channelCount) {
            pass(power: played[start + power], command: played[start + command])
            guard !sending.isEmpty else { continue }
            if !isUnplugged { say(path.isInverted ? sending.map { -$0 } : sending) }
            sending = []
        }
    }

    /// Presents a card immediately, independent of the deck. Does nothing if the reader has no power or does not wait
    /// for a card.
    /// - Parameter presentation: the card, and how it is presented; its delay is ignored.
    package mutating func present(_ presentation: Presentation) {
        reader.present(presentation, at: now)
        setDeadline()
    }

    /// Unplugs the reader, or plugs it in; while it is unplugged, no sound passes in either direction.
    /// - Parameter isUnplugged: whether it is unplugged.
    package mutating func unplug(_ isUnplugged: Bool = true) { self.isUnplugged = isUnplugged }

    /// Advances the time by one frame.
    private mutating func pass(power: Float, command: Float) {
        hear(power: gain * power, command: gain * command)
        frames += 1
        if let deadline, deadline <= frames { act() }
    }

    private mutating func hear(power sample: Float, command: Float) {
        power?.receive(isUnplugged ? 0 : sample)
        let isPowered = power?.hasPower ?? hasPower
        if isPowered != hasPower {
            hasPower = isPowered
            reader.setPower(hasPower, at: now)
            ear.reset()
            encoder.reset()
            sending = []
            sent = 0
            setDeadline()
        }
        guard hasPower else { return }
        guard let bytes = ear.receive(isUnplugged ? 0 : command), !bytes.isEmpty else { return }
        reader.receive(bytes.span, at: now)
        setDeadline()
    }

    private mutating func act() {
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes):
                if carrier > 0 { encoder.idle(seconds: carrier, into: &sending) }
                encoder.encode(bytes.span, into: &sending)
                encoder.finish(into: &sending)
                encoder.idle(seconds: max(carrier, Self.gap), into: &sending)
                encoder.reset()
            case .disconnect: isUnplugged = true
            }
        }
        setDeadline()
    }

    private mutating func setDeadline() {
        deadline = reader.nextDeadline.map { Int64(($0 / .seconds(1) * sampleRate).rounded(.up)) }
    }

    private mutating func nextSample() -> Float {
        var sample = noiseLevel > 0 ? noiseLevel * Float(noise.next()) : 0
        if hum != nil {
            hum?.append(frames: 1, to: &humSample)
            sample += humSample.popLast() ?? 0
        }
        if sent < sending.count {
            if !isUnplugged { sample += path.isInverted ? -sending[sent] : sending[sent] }
            sent += 1
            if sent == sending.count {
                sending.removeAll(keepingCapacity: true)
                sent = 0
            }
        }
        return min(max(sample, -1), 1)
    }

    private static func amplitude(decibels: Double) -> Float { Float(Numerics.amplitude(decibels: decibels)) }
}

/// Runs a simulated reader on a sound card: it captures the program's sound, and plays the reader's messages. It has no
/// thread of its own, and blocks while it waits for sound.
package struct SimulatedAudioHost: ~Copyable {
    private var reader: SimulatedAudioReader

    /// - Parameter reader: the reader that is simulated.
    package init(_ reader: consuming SimulatedAudioReader) { self.reader = reader }

    /// The line that plays the reader's messages, silent at first.
    /// - Parameter sampleRate: frames per second, 8,000 to 192,000 Hz.
    /// - Returns: a line of one channel.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    package static func makeLine(sampleRate: Double) throws(LineCodeError) -> PoweredLine {
        try PoweredLine(Tone(1_000, channels: [.silent]), sampleRate: sampleRate, ramp: .none)
    }

    /// Runs the reader until `goesOn` returns false, or the port has ended.
    /// - Parameters:
    ///   - port: captures the program's sound.
    ///   - playback: plays the reader's messages on a line of ``makeLine(sampleRate:)``.
    ///   - goesOn: whether to go on; called at least ten times a second.
    ///   - powerChanged: called each time that the reader gets power or loses it.
    /// - Throws: `LinkError` if the port is lost.
    package mutating func run(
        hearing port: some AudioPort, saying playback: some PlaybackPort<PoweredLine>, while goesOn: () -> Bool,
        _ powerChanged: (Bool) -> Void = { _ in }
    ) throws(LinkError) {
        var isOver = false
        while goesOn(), !isOver {
            _ = try port.receive(within: .milliseconds(100)) { event, samples in
                switch event {
                case .sound:
                    let hadPower = reader.hasPower
                    reader.hear(samples, of: port.channelCount) { message in
                        playback.change { line in try? line.enqueue(message, .added) }
                    }
                    if reader.hasPower != hadPower { powerChanged(reader.hasPower) }
                case .disconnected, .ended: isOver = true
                case .reconnected: break
                }
            }
        }
    }
}

/// The path of the sound between a simulated reader's jack and the program.
package struct AudioPath: Sendable, Hashable {
    /// Level of the reader's messages in dBFS, -120 to 0.
    package var level = -12.0
    /// Whether the signal is inverted, as by some cables and inputs.
    package var isInverted = false
    /// How much faster the reader's clock is, as a share of the sample rate, -0.05 to 0.05.
    package var clockError = 0.0
    /// Power of the reader's signal over that of white noise in the whole band, in dB; nil for no noise.
    package var signalToNoise: Double?
    /// Level of hum in dBFS; nil for no hum.
    package var humLevel: Double?
    /// Frequency of the hum in Hz.
    package var humFrequency = 50.0
    /// Attenuation of the played sound on its way to the reader, in dB, 0 or more: the volume.
    package var attenuation = 0.0
    /// The seed of the noise.
    package var seed: UInt64 = 1

    /// A quiet path without faults.
    package init() {}
}
