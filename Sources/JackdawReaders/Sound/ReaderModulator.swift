public import JackdawDSP
public import JackdawTransport

/// What an audio reader is sent, as sound: changes of a line that is silent at first. It makes them; who plays the line puts
/// them there.
///
/// ```swift
/// var modulator = try ReaderModulator(sound, sampleRate: 48_000)
/// var line = try modulator.makeLine()
/// modulator.change(to: .connecting).apply(to: &line)
/// modulator.change(sending: command.span).apply(to: &line)
/// ```
package struct ReaderModulator: Sendable {
    /// What is done to a line. It takes no memory where it is done, as long as few commands wait.
    package struct Change: Sendable {
        enum Kind: Sendable {
            case command([Float], PoweredLine.Join)
            /// Behind a silence (s); its ramp is for a tone that comes out of it.
            case tone(Tone, ToneRamp, silence: Double)
            case stop
        }

        let kind: Kind

        /// Does it, when what is under way on the line has ended.
        /// - Parameter line: one that ``ReaderModulator/makeLine()`` has made.
        package func apply(to line: inout PoweredLine) {
            // The modulator has looked at all that could be refused here.
            switch kind {
            case .command(let samples, let join): try? line.enqueue(samples, join)
            case .tone(let tone, let ramp, let silence):
                try? line.change(to: tone, ramp: ramp, silence: silence)
            case .stop: try? line.stop()
            }
        }
    }

    /// What goes through the jack.
    package let sound: ReaderSound
    /// Frames per second (Hz).
    package let sampleRate: Double
    private var encoder: Encoder

    private enum Encoder: Sendable {
        case fourTones(FourToneEncoder)
        case line(any LineEncoder)
    }

    /// A modulator for a line that is silent.
    /// - Parameters:
    ///   - sound: what goes through the jack.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz, and enough for the tones.
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
        // What cannot be played is told here, and not where it would be played.
        var line = try makeLine()
        try line.change(to: sound.power.connecting, ramp: sound.power.ramp)
        try line.change(to: sound.power.holding)
    }

    /// A line without a sound, with as many channels as the power has.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    package func makeLine() throws(LineCodeError) -> PoweredLine {
        var tone = sound.power.connecting
        tone.channels = tone.channels.map { _ in .silent }
        return try PoweredLine(tone, sampleRate: sampleRate, ramp: .none)
    }

    /// Gives the reader power, or takes it away.
    /// - Parameter power: which.
    /// - Returns: what is to be done to the line.
    package func change(to power: ReaderPower) -> Change {
        switch power {
        case .off: Change(kind: .stop)
        case .connecting: Change(kind: .tone(sound.power.connecting, sound.power.ramp, silence: sound.pause))
        // Without a ramp the reader has power all the time, and a command can follow at once.
        case .connected: Change(kind: .tone(sound.power.holding, .none, silence: 0))
        }
    }

    /// Sends a command.
    /// - Parameter bytes: all of it.
    /// - Returns: what is to be done to the line.
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
            // The next one comes out of silence, as this one does.
            encoder.reset()
            self.encoder = .line(encoder)
        }
        return Change(kind: .command(PoweredLine.spread(samples.span, gains: sound.commandGains), sound.join))
    }
}

/// What an audio reader sends, out of the sound that is captured: any block size gives the same messages.
///
/// Bytes are handed over as their line code has them: a burst at once where it is checked or mended as a whole (UniMag,
/// uDynamo), else as they come. What is kept of a burst is bounded, and overwritten when it has been handed over.
package struct ReaderDemodulator: ~Copyable {
    /// Bytes that are kept at most: more than any message has. A burst that is longer is no message and not handed over.
    package static let greatestBurst = PacketFormat.greatestBurst

    private var decoder: any LineDecoder
    private var events: [LineEvent] = []
    private var burst = FrameBuffer()
    private var isTooLong = false
    private let keepsBursts: Bool

    /// A demodulator at the start of a recording.
    /// - Parameters:
    ///   - sound: what goes through the jack.
    ///   - sampleRate: samples per second (Hz).
    /// - Throws: `LineCodeError` with code `outOfRange` where the rate does not hold the line code.
    package init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
        decoder = try sound.answers.decoder(sampleRate: sampleRate)
        keepsBursts =
            switch sound.answers.code {
            case .nibbles, .dynamo: true
            case .frequencyShift, .frequencyShiftBits, .serialManchester: false
            }
    }

    /// Takes the next samples of the channel that the reader is on.
    /// - Parameters:
    ///   - samples: full scale -1 to 1.
    ///   - take: gets the bytes of each burst, or those that have come; they are overwritten behind it.
    package mutating func receive(_ samples: Span<Float>, _ take: (Span<UInt8>) -> Void) {
        decoder.receive(samples, into: &events)
        give(take)
    }

    /// Forgets the past, as where sound was lost.
    package mutating func reset() {
        decoder.reset()
        burst.removeAll()
        isTooLong = false
    }

    private mutating func give(_ take: (Span<UInt8>) -> Void) {
        guard !events.isEmpty else { return }
        for event in events {
            switch event {
            // A UART's character whose frame is wrong is none.
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

/// A power tone with commands in it is sound to be played: `PlaybackStream` in JackdawALSA plays it, and lets its commands
/// be put in while it sounds.
extension PoweredLine: SoundSource {}
