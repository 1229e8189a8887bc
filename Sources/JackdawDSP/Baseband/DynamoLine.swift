import JackdawBytes

/// The line of MagTek's audio-jack readers (uDynamo): UART bits as levels (NRZ), in which each byte carries a nibble in
/// Manchester code. The low nibble of a data byte goes first. Packets have an identifier, a number, a length, data and
/// a checksum, after a sync of two bytes of 0xF0.
///
/// All of it was reported by third parties; nothing was checked on hardware, so every value can be changed. The order
/// of the two levels of a 1 was not even reported.
package struct DynamoLine: Sendable, Hashable {
    /// The bytes that an encoder accepts and a decoder returns.
    package enum Content: Sendable, Hashable {
        /// The data inside packets: the encoder packs it, and the decoder unpacks it.
        case data
        /// Whole packets, from identifier to checksum.
        case packets
    }

    /// Line bits per second, 1,200 to 19,200.
    package var baud: Double
    /// The identifier of a packet that more packets follow.
    package var moreIdentifier: UInt8
    /// The identifier of the last packet of a message.
    package var lastIdentifier: UInt8
    /// Identifiers that a reader may send.
    package var identifiers: [UInt8]
    /// Whether a 1 is high-low and a 0 low-high on a line that rests high.
    package var oneFalls: Bool
    /// Bytes of 0x55 that an encoder sends first, 0 to 1,000.
    package var leadBytes: Int
    /// Whether an encoder sends everything a second time with inverted polarity, as a host does for a reader that
    /// decodes one polarity only.
    package var repeatsInverted: Bool
    /// The bytes that an encoder accepts and a decoder returns.
    package var content: Content

    /// Creates a line; the defaults are a reader's.
    /// - Parameters:
    ///   - baud: line bits per second, 1,200 to 19,200.
    ///   - moreIdentifier: identifier of a packet that others follow.
    ///   - lastIdentifier: identifier of the last packet.
    ///   - identifiers: the identifiers that a reader may send.
    ///   - oneFalls: whether a 1 is high-low.
    ///   - leadBytes: bytes of 0x55 that are sent first, 0 to 1,000.
    ///   - repeatsInverted: whether everything is sent a second time with inverted polarity.
    ///   - content: the bytes that an encoder accepts and a decoder returns.
    package init(
        baud: Double = 7_350, moreIdentifier: UInt8 = 0x69, lastIdentifier: UInt8 = 0x99,
        identifiers: [UInt8] = [0x69, 0x99, 0xA9], oneFalls: Bool = true, leadBytes: Int = 4,
        repeatsInverted: Bool = false, content: Content = .data
    ) {
        self.baud = baud
        self.moreIdentifier = moreIdentifier
        self.lastIdentifier = lastIdentifier
        self.identifiers = identifiers
        self.oneFalls = oneFalls
        self.leadBytes = leadBytes
        self.repeatsInverted = repeatsInverted
        self.content = content
    }

    /// The line from a reader to the host.
    package static let reader = DynamoLine()
    /// The line from the host to a reader: everything twice, the second time with inverted polarity.
    package static let host = DynamoLine(repeatsInverted: true)
}

extension DynamoLine {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, NibbleLine.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, 1_200...19_200, "bits per second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 2.1, "bits per second at this sample rate")
        try LineCodeError.check("lead", Double(leadBytes), 0...1_000, "bytes")
        try LineCodeError.check(
            "identifiers that end in 9", Double(identifiers.count { $0 & 15 == Self.identifierNibble }),
            Double(identifiers.count)...Double(max(1, identifiers.count)), "")
    }

    /// The low nibble of every identifier. The template includes it, because the sync alone is too short.
    private static let identifierNibble: UInt8 = 0x9

    /// The chips of a sync byte, 0xF0, with the line inverted as for a nibble: its start bit is high.
    static let syncChips: [Float] = [1, 1, 1, 1, 1, -1, -1, -1, -1, -1]

    /// The chips of a nibble, inverted.
    func chips(ofNibble nibble: UInt8) -> [Float] { NibbleChips.levels(oneFalls ? ~nibble & 15 : nibble) }
}

extension DynamoLine: NibbleFormat {
    var chipRate: Double { baud }

    var template: NibbleSyncSearch.Template {
        // Noise matches thirty chips easily, sometimes once a second, but does not also pass a packet's format and
        // checksum.
        NibbleSyncSearch.Template(
            preamble: Self.syncChips, preambles: 2, sync: chips(ofNibble: Self.identifierNibble), syncs: 1,
            leastCorrelation: 0.8)
    }

    /// The sync after a packet does not decode as nibbles.
    var quietNibbles: Int { 2 }

    var dataInTemplate: Int { 1 }

    func report(_ burst: NibbleBurst, _ scorer: NibbleScorer, _ scale: NibbleScale, to events: inout [LineEvent]) {
        var bytes = NibbleBytes(scorer, lowNibble: 0, isInverted: oneFalls)
        defer { bytes.wipe() }
        guard bytes.values.count >= 4 else { return }
        let check = FrameCheck.packet(identifiers: identifiers)
        // A bit of the length may be wrong too, so both lengths are tried: the length field's, and all bytes of the
        // burst.
        var whole = bytes
        whole.keepFirst(Int(bytes.values[2]) + 4)
        var result = LineBurst.Check.intact
        if check.outcome(whole.values.span) != .whole {
            whole.wipe()
            whole = bytes
            guard let corrected = whole.correct([check]) else { return whole.wipe() }
            result = corrected
        }
        let count = whole.values.count
        whole.append(content == .packets ? 0..<count : 3..<(count - 1), result, of: burst, scorer, scale, to: &events)
        whole.wipe()
    }
}

/// Decodes the sound of a MagTek audio-jack reader to the data of its packets, or to whole packets.
///
/// The chips of a nibble are followed and decided together, as on a ``NibbleLine``: with its UART frame, each nibble
/// has the same ten chips. A packet whose identifier, number and length do not fit is dropped. A packet whose checksum
/// fails is reported as received, so that the caller can request it again.
typealias DynamoDecoder = BasebandDecoder<DynamoLine>

extension BasebandDecoder where Line == DynamoLine {
    /// Creates a decoder of the line `.reader`.
    /// - Parameter sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 2.1 per line bit.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    init(sampleRate: Double) throws(LineCodeError) { try self.init(.reader, sampleRate: sampleRate) }
}

extension DynamoLine: BasebandLine {
    func receiver(sampleRate: Double) -> NibbleReceiver<DynamoLine> {
        NibbleReceiver(format: self, sampleRate: sampleRate)
    }
}

/// Encodes data as the packets of a MagTek audio-jack reader, and as their sound.
///
/// The bytes up to ``finish(into:)``, or up to an idle line, are one message. It is sent as packets of up to 255 bytes,
/// whose numbers continue from message to message; all but the last have the identifier for more. The encoder therefore
/// sends a packet only after it knows whether more data follow.
package struct DynamoEncoder: LineEncoder {
    package let line: DynamoLine
    /// Samples per second (Hz).
    package let sampleRate: Double

    private var wave: SquareWave
    private var number: UInt8 = 0
    /// The data of the packet that is being collected, or the packet's bytes.
    @Wiped private var held: [UInt8] = []

    /// Creates an encoder on a silent line.
    /// - Parameters:
    ///   - line: rates and identifiers.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 2.1 per line bit.
    ///   - level: level of the line in dBFS, -120 to 0; default: -6. A host sends at 0.
    ///   - isInverted: whether the line is inverted.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(
        _ line: DynamoLine = .reader, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        wave = try SquareWave(chipRate: line.baud, sampleRate: sampleRate, level: level, isInverted: isInverted)
        self.line = line
        self.sampleRate = sampleRate
    }

    /// Appends the sound of the packets that are complete. If the line's content is data, the last 255 bytes at most
    /// are held back. If it is packets, the bytes are sent unchanged; the third byte of a packet is its length.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        // Reserves the longest packet: growing the array would leave an unwiped copy.
        held.growWiping(toHold: Self.maxData + Self.overhead)
        for index in bytes.indices {
            if line.content == .data, held.count == Self.maxData { sendHeld(line.moreIdentifier, into: &samples) }
            held.append(bytes[index])
            if line.content == .packets, held.count > 2, held.count == Int(held[2]) + Self.overhead {
                sendHeld(into: &samples)
            }
        }
    }

    /// Appends the sound of the last packet, made of the rest of a message, if any.
    package mutating func finish(into samples: inout [Float]) {
        guard !held.isEmpty else { return }
        switch line.content {
        case .data: sendHeld(line.lastIdentifier, into: &samples)
        case .packets: sendHeld(into: &samples)
        }
    }

    /// Ends a message and appends silence.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        finish(into: &samples)
        wave.idle(seconds: seconds, chipRate: line.baud, into: &samples)
    }

    /// Resets to a silent line and packet 0, and wipes the bytes that were held back.
    package mutating func reset() {
        number = 0
        held.wipe()
        wave.reset()
    }

    /// Builds a packet from the held data and sends it.
    private mutating func sendHeld(_ identifier: UInt8, into samples: inout [Float]) {
        // Reserves the whole packet: growing the array would leave an unwiped copy.
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

    /// Sends the held bytes unchanged.
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

    /// Bytes of data that a packet holds, and bytes of its header and checksum.
    private static let maxData = 255
    private static let overhead = 4

    /// The UART's 0x55, inverted.
    private static let leadChips: [Float] = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1]
}
