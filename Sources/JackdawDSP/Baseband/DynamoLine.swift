/// The line of MagTek's audio-jack readers (uDynamo): a UART's bits as levels (NRZ), each of its bytes a nibble in Manchester
/// code, the low nibble of a data byte first; packets of an identifier, a number, a length, data and a checksum behind two
/// bytes of 0xF0.
///
/// All of it was reported by third parties and none was checked on hardware: change what does not fit. Which way round a bit
/// lies in its pair was not even reported.
package struct DynamoLine: Sendable, Hashable {
    /// What an encoder takes and a decoder gives.
    package enum Content: Sendable, Hashable {
        /// The data alone: packets are made of them, and taken off.
        case data
        /// Whole packets, from identifier to checksum.
        case packets
    }

    /// Line bits a second.
    package var baud: Double
    /// Identifier of a packet that others follow.
    package var moreIdentifier: UInt8
    /// Identifier of the last packet.
    package var lastIdentifier: UInt8
    /// Identifiers that a reader may send.
    package var identifiers: [UInt8]
    /// Whether a 1 is high-low where the line rests high, and low-high where not.
    package var oneFalls: Bool
    /// Bytes of 0x55 that an encoder sends first.
    package var leadBytes: Int
    /// Whether an encoder sends all a second time, upside down, as a host does for a reader that hears one way round only.
    package var repeatsInverted: Bool
    /// What an encoder takes and a decoder gives.
    package var content: Content

    /// A line.
    /// - Parameters:
    ///   - baud: line bits a second, 1,200 to 19,200.
    ///   - moreIdentifier: identifier of a packet that others follow.
    ///   - lastIdentifier: identifier of the last packet.
    ///   - identifiers: those that a reader may send.
    ///   - oneFalls: whether a 1 is high-low.
    ///   - leadBytes: bytes of 0x55 that are sent first, 0 to 1,000.
    ///   - repeatsInverted: whether all is sent a second time, upside down.
    ///   - content: what an encoder takes and a decoder gives.
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

    /// As a reader sends.
    package static let reader = DynamoLine()
    /// As a host sends: twice, the second time upside down.
    package static let host = DynamoLine(repeatsInverted: true)
}

extension DynamoLine {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, NibbleLine.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, 1_200...19_200, "bits a second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 2.1, "bits a second at this sample rate")
        try LineCodeError.check("lead", Double(leadBytes), 0...1_000, "bytes")
        try LineCodeError.check(
            "identifiers that end in 9", Double(identifiers.count { $0 & 15 == Self.identifierNibble }),
            Double(identifiers.count)...Double(max(1, identifiers.count)), "")
    }

    /// The low nibble of every identifier: it is looked for behind the sync, which is short for itself.
    private static let identifierNibble: UInt8 = 0x9

    /// The chips of a byte of the sync, 0xF0, the line upside down as for a nibble: its start bit high.
    static let syncChips: [Float] = [1, 1, 1, 1, 1, -1, -1, -1, -1, -1]

    /// The chips of a nibble, upside down.
    func chips(ofNibble nibble: UInt8) -> [Float] { NibbleChips.levels(oneFalls ? ~nibble & 15 : nibble) }
}

extension DynamoLine: NibbleFormat {
    var chipRate: Double { baud }

    var template: NibbleSyncSearch.Template {
        // Thirty chips are soon found in noise, some once a second; no packet's format and check come with it.
        NibbleSyncSearch.Template(
            preamble: Self.syncChips, preambles: 2, sync: chips(ofNibble: Self.identifierNibble), syncs: 1,
            leastCorrelation: 0.8)
    }

    /// The sync behind a packet is no nibbles.
    var quietNibbles: Int { 2 }

    var dataInTemplate: Int { 1 }

    func report(_ burst: NibbleBurst, _ judge: NibbleJudge, _ scale: NibbleScale, to events: inout [LineEvent]) {
        var bytes = NibbleBytes(judge, lowNibble: 0, isInverted: oneFalls)
        defer { bytes.wipe() }
        guard bytes.values.count >= 4 else { return }
        let check = FrameCheck.packet(identifiers: identifiers)
        // A bit of the length may be wrong too: a whole packet is what the burst holds, or what its length says.
        var whole = bytes
        whole.keepFirst(Int(bytes.values[2]) + 4)
        var result = LineBurst.Check.intact
        if check.outcome(whole.values.span) != .whole {
            whole.wipe()
            whole = bytes
            guard let mended = whole.mend([check]) else { return whole.wipe() }
            result = mended
        }
        let count = whole.values.count
        whole.append(content == .packets ? 0..<count : 3..<(count - 1), result, of: burst, judge, scale, to: &events)
        whole.wipe()
    }
}

/// Turns the sound of a MagTek audio-jack reader into the data of its packets, or into whole packets.
///
/// Each nibble's chips are followed and decided together as on a ``NibbleLine``, which its UART frame makes it one of. Nothing
/// is given of a packet whose identifier, number and length do not fit; one whose checksum fails is given as it was heard, to
/// be asked for again.
package typealias DynamoDecoder = BasebandDecoder<DynamoLine>

extension BasebandDecoder where Line == DynamoLine {
    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates and identifiers.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a line bit at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(_ line: DynamoLine = .reader, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.init(line, sampleRate: sampleRate, NibbleReceiver(format: line, sampleRate: sampleRate))
    }
}

/// Turns data into the packets of a MagTek audio-jack reader and their sound.
///
/// What is encoded up to ``finish(into:)``, or up to an idle line, is one message: it goes as packets of up to 255 bytes,
/// numbered on from message to message, all but the last announcing more. A packet therefore sounds when it is known what
/// follows it.
package struct DynamoEncoder: LineEncoder {
    /// The line.
    package let line: DynamoLine
    /// Samples per second (Hz).
    package let sampleRate: Double

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
    package init(
        _ line: DynamoLine = .reader, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        wave = try SquareWave(chipRate: line.baud, sampleRate: sampleRate, level: level, isInverted: isInverted)
        self.line = line
        self.sampleRate = sampleRate
    }

    /// Appends the sound of packets as soon as they are whole: of data but for the last 255 bytes at most, or of bytes as
    /// they are, where the line's content is packets, which their third byte tells the length of.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
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

    /// Starts anew, with packet 0, and forgets what was kept back.
    package mutating func reset() {
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
