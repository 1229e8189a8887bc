/// Turns data into the packets of a MagTek audio-jack reader and their sound.
///
/// What is encoded up to ``finish(into:)``, or up to an idle line, is one message: it goes as packets of up to 255 bytes,
/// numbered on from message to message, all but the last announcing more. A packet therefore sounds when it is known what
/// follows it.
public struct DynamoEncoder: LineEncoder {
    /// The line.
    public let line: DynamoLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var wave: SquareWave
    private var number: UInt8 = 0
    /// Data of the packet that is being collected, or its bytes.
    @Wiped private var held: [UInt8] = []

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

    /// Appends the sound of packets as soon as they are whole: of data but for the last 255 bytes at most, or of bytes as
    /// they are, where the line's content is packets, which their third byte tells the length of.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        // With room for the longest packet: growth would leave a copy behind.
        held.growWiping(toHold: Self.mostData + Self.overhead)
        for index in bytes.indices {
            if line.content == .data, held.count == Self.mostData { sendHeld(line.moreIdentifier, into: &samples) }
            held.append(bytes[index])
            if line.content == .packets, held.count > 2, held.count == Int(held[2]) + Self.overhead {
                sendHeld(into: &samples)
            }
        }
    }

    /// Appends the sound of the last packet: of what is left of a message, if anything.
    public mutating func finish(into samples: inout [Float]) {
        guard !held.isEmpty else { return }
        switch line.content {
        case .data: sendHeld(line.lastIdentifier, into: &samples)
        case .packets: sendHeld(into: &samples)
        }
    }

    /// Ends a message and appends silence.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        finish(into: &samples)
        wave.idle(seconds: seconds, chipRate: line.baud, into: &samples)
    }

    /// Starts anew, with packet 0, and forgets what was kept back.
    public mutating func reset() {
        number = 0
        held.wipe()
        wave.reset()
    }

    /// Makes a packet of the data that are held, and sends it.
    private mutating func sendHeld(_ identifier: UInt8, into samples: inout [Float]) {
        // With room for all: what is appended beyond it would leave a copy behind.
        var packet: [UInt8] = []
        packet.reserveCapacity(held.count + Self.overhead)
        packet += [identifier, number, UInt8(held.count)]
        packet += held
        packet.append(0 &- packet.span.sum)
        send(packet.span, into: &samples)
        packet.wipe()
        held.wipe()
        number = (number + 1) % 16
    }

    /// Sends the bytes that are held, as they are.
    private mutating func sendHeld(into samples: inout [Float]) {
        var packet = move(&held)
        send(packet.span, into: &samples)
        packet.wipe()
        held = packet
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

    /// Bytes of data that a packet holds, and those around them.
    private static let mostData = 255
    private static let overhead = 4

    /// A UART's 0x55, upside down.
    private static let leadChips: [Float] = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1]
}
