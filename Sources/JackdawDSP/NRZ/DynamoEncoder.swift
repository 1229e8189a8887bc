/// Turns data into the packets of a MagTek audio-jack reader and their sound.
///
/// What is encoded at once goes as packets of up to 255 bytes, numbered on from call to call, all but the last announcing
/// more.
public struct DynamoEncoder: LineEncoder {
    /// The line.
    public let line: DynamoLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var wave: SquareWave
    private var number: UInt8 = 0

    /// An encoder on a silent line.
    /// - Parameters:
    ///   - line: rates and identifiers.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a line bit at least.
    ///   - level: level of the line in dBFS, -120 to 0; -6 unless told. A host sends at 0.
    ///   - isInverted: whether the line is upside down.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ line: DynamoLine = .reader, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        wave = try SquareWave(chipRate: line.baud, sampleRate: sampleRate, level: level, isInverted: isInverted)
        self.line = line
        self.sampleRate = sampleRate
    }

    /// Appends the sound of data as packets, or of a whole packet where the line's content is packets.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        guard line.content == .data else { return send(bytes, into: &samples) }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 255)
            // With room for all: what is appended beyond it would leave a copy behind.
            var packet: [UInt8] = []
            packet.reserveCapacity(end - start + 4)
            packet += [end == bytes.count ? line.lastIdentifier : line.moreIdentifier, number, UInt8(end - start)]
            for index in start..<end { packet.append(bytes[index]) }
            packet.append(0 &- packet.span.sum)
            send(packet.span, into: &samples)
            packet.wipe()
            number = (number + 1) % 16
            start = end
        }
    }

    /// Appends silence.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        wave.idle(seconds: seconds, chipRate: line.baud, into: &samples)
    }

    /// Starts anew, with packet 0.
    public mutating func reset() {
        number = 0
        wave.reset()
    }

    private mutating func send(_ packet: Span<UInt8>, into samples: inout [Float]) {
        for sign in line.repeatsInverted ? [1.0, -1] : [1] {
            for _ in 0..<line.leadBytes { wave.append(Self.leadChips, sign: -sign, into: &samples) }
            sync(sign, &samples)
            for index in packet.indices {
                wave.append(line.chips(ofNibble: packet[index] & 15), sign: -sign, into: &samples)
                wave.append(line.chips(ofNibble: packet[index] >> 4), sign: -sign, into: &samples)
            }
            sync(sign, &samples)
        }
    }

    private mutating func sync(_ sign: Double, _ samples: inout [Float]) {
        for _ in 0..<2 { wave.append(DynamoLine.syncChips, sign: -sign, into: &samples) }
    }

    /// A UART's 0x55, upside down.
    private static let leadChips: [Float] = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1]
}
