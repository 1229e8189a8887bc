public import JackdawDSP

/// What an audio reader sends, out of the sound that is captured: any block size gives the same messages.
///
/// Bytes are handed over as their line code has them: a burst at once where it is checked or mended as a whole (UniMag,
/// uDynamo), else as they come. What is kept of a burst is bounded, and overwritten when it has been handed over.
public struct ReaderDemodulator: ~Copyable {
    /// Bytes that are kept at most: more than any message has. A burst that is longer is no message and not handed over.
    public static let greatestBurst = 8_192

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
    public init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
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
    public mutating func receive(_ samples: Span<Float>, _ take: (Span<UInt8>) -> Void) {
        decoder.receive(samples, into: &events)
        give(take)
    }

    /// Forgets the past, as where sound was lost.
    public mutating func reset() {
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
