import JackdawBytes
public import JackdawDSP
public import JackdawTransport

/// Turns commands and power into sound for an audio reader, as changes of a line that is silent at first. The modulator
/// makes the changes; the player of the line applies them.
package struct ReaderModulator: Sendable {
    /// A change of a line. Applying it allocates no memory while few commands wait.
    package struct Change: Sendable {
        enum Kind: Sendable {
            case command([Float], PoweredLine.Join)
            /// A tone after a silence in seconds, with a ramp for a tone that follows silence.
            case tone(Tone, ToneRamp, silence: Double)
            case stop
        }

        let kind: Kind

        /// Applies the change when the current activity of the line has ended.
        /// - Parameter line: a line from ``ReaderModulator/makeLine()``.
        package func apply(to line: inout PoweredLine) {
            // The modulator has already validated all that could throw here.
            switch kind {
            case .command(let samples, let join): try? line.enqueue(samples, join)
            case .tone(let tone, let ramp, let silence):
                try? line.change(to: tone, ramp: ramp, silence: silence)
            case .stop: try? line.stop()
            }
        }
    }

    /// The tones and line codes of the reader.
    package let sound: ReaderSound
    /// Sample frames per second (Hz).
    package let sampleRate: Double
    private var encoder: Encoder

    private enum Encoder: Sendable {
        case fourTones(FourToneEncoder)
        case line(LineModeEncoder)
    }

    /// Creates a modulator for a silent line.
    /// - Parameters:
    ///   - sound: the tones and line codes of the reader.
    ///   - sampleRate: sample frames per second, 8,000 to 192,000 Hz, and enough for the tones.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    package init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
        self.sound = sound
        self.sampleRate = sampleRate
        switch sound.commands {
        case .fourTones(let profile):
            encoder = .fourTones(
                try FourToneEncoder(profile: profile, sampleRate: sampleRate, level: sound.commandLevel))
        case .line(let mode):
            encoder = .line(try mode.encoder(sampleRate: sampleRate, level: sound.commandLevel))
        }
        // Reports tones that cannot be played here, rather than during playback.
        var line = try makeLine()
        try line.change(to: sound.power.connecting, ramp: sound.power.ramp)
        try line.change(to: sound.power.holding)
    }

    /// Creates a silent line with as many channels as the power tone has.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    package func makeLine() throws(LineCodeError) -> PoweredLine {
        var tone = sound.power.connecting
        tone.channels = tone.channels.map { _ in .silent }
        return try PoweredLine(tone, sampleRate: sampleRate, ramp: .none)
    }

    /// Returns the change that switches the reader's power.
    /// - Parameter power: the new state of the power.
    /// - Returns: the change to apply to the line.
    package func change(to power: ReaderPower) -> Change {
        switch power {
        case .off: Change(kind: .stop)
        case .connecting: Change(kind: .tone(sound.power.connecting, sound.power.ramp, silence: sound.pause))
        // Without a ramp the power is not interrupted, and a command can follow at once.
        case .connected: Change(kind: .tone(sound.power.holding, .none, silence: 0))
        }
    }

    /// Returns the change that sends a command.
    /// - Parameter bytes: the whole command.
    /// - Returns: the change to apply to the line.
    package mutating func change(sending bytes: Span<UInt8>) -> Change {
        var samples: [Float] = []
        switch encoder {
        case .fourTones(var encoder):
            encoder.encodeCommand(bytes, into: &samples)
            self.encoder = .fourTones(encoder)
        case .line(var encoder):
            if sound.carrier > 0 { encoder.idle(seconds: sound.carrier, into: &samples) }
            encoder.encode(bytes, into: &samples)
            encoder.finish(into: &samples)
            if sound.carrier > 0 { encoder.idle(seconds: sound.carrier, into: &samples) }
            // The next command begins after silence, as this one does.
            encoder.reset()
            self.encoder = .line(encoder)
        }
        return Change(kind: .command(PoweredLine.spread(samples.span, gains: sound.commandGains), sound.join))
    }
}

/// Decodes the messages of an audio reader from captured sound, independent of the block size.
///
/// Passes bytes on as their line code delivers them: a burst at once if the code checks or corrects it as a whole
/// (UniMag, uDynamo), otherwise each byte when it is received. The bytes stored of a burst are bounded, and are
/// overwritten after they have been passed on.
package struct ReaderDemodulator: ~Copyable {
    /// The longest burst in bytes: longer than any message. A longer burst is discarded.
    package static let greatestBurst = PacketFormat.greatestBurst

    private var decoder: LineModeDecoder
    private var events: [LineEvent] = []
    private var burst = FrameBuffer()
    private var isTooLong = false
    private let keepsBursts: Bool

    /// Creates a demodulator for the start of a recording.
    /// - Parameters:
    ///   - sound: the tones and line codes of the reader.
    ///   - sampleRate: samples per second (Hz).
    /// - Throws: `LineCodeError` with code `outOfRange` if the rate is too low for the line code.
    package init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
        decoder = try sound.answers.decoder(sampleRate: sampleRate)
        keepsBursts =
            switch sound.answers.code {
            case .nibbles, .dynamo: true
            case .frequencyShift, .frequencyShiftBits, .serialManchester: false
            }
    }

    /// Decodes the next samples of the reader's channel.
    /// - Parameters:
    ///   - samples: full scale -1 to 1.
    ///   - take: receives the bytes of each burst, or those decoded so far; they are overwritten after the call.
    package mutating func receive(_ samples: Span<Float>, _ take: (Span<UInt8>) -> Void) {
        decoder.receive(samples, into: &events)
        give(take)
    }

    /// Discards all state, for example after lost sound.
    package mutating func reset() {
        decoder.reset()
        burst.removeAll()
        isTooLong = false
    }

    private mutating func give(_ take: (Span<UInt8>) -> Void) {
        guard !events.isEmpty else { return }
        for event in events {
            switch event {
            // A UART character with a framing error is discarded.
            case .character(let character): if character.isFramed || keepsBursts { keep(character.value, take) }
            case .burst: handOver(take)
            }
        }
        events.wipe()
        if !keepsBursts { handOver(take) }
    }

    private mutating func keep(_ value: UInt16, _ take: (Span<UInt8>) -> Void) {
        if !keepsBursts, burst.count == Self.greatestBurst { handOver(take) }
        guard burst.count < Self.greatestBurst else { return isTooLong = true }
        var byte: InlineArray<1, UInt8> = [UInt8(truncatingIfNeeded: value)]
        burst.append(byte.span)
        byte[0] = 0
    }

    private mutating func handOver(_ take: (Span<UInt8>) -> Void) {
        if burst.count > 0, !isTooLong { burst.withBytes(take) }
        burst.removeAll()
        isTooLong = false
    }
}

/// A power tone with commands is a source of sound: `PlaybackStream` in JackdawALSA plays it, and inserts commands
/// during playback.
extension PoweredLine: SoundSource {}
