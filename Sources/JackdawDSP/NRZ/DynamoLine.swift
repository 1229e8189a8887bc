/// The line of MagTek's audio-jack readers (uDynamo): a UART's bits as levels (NRZ), each of its bytes a nibble in Manchester
/// code, the low nibble of a data byte first; packets of an identifier, a number, a length, data and a checksum behind two
/// bytes of 0xF0.
///
/// All of it was reported by third parties and none was checked on hardware: change what does not fit. Which way round a bit
/// lies in its pair was not even reported.
public struct DynamoLine: Sendable, Hashable {
    /// What an encoder takes and a decoder gives.
    public enum Content: Sendable, Hashable {
        /// The data alone: packets are made of them, and taken off.
        case data
        /// Whole packets, from identifier to checksum.
        case packets
    }

    /// Line bits a second.
    public var baud: Double
    /// Identifier of a packet that others follow.
    public var moreIdentifier: UInt8
    /// Identifier of the last packet.
    public var lastIdentifier: UInt8
    /// Identifiers that a reader may send.
    public var identifiers: [UInt8]
    /// Whether a 1 is high-low where the line rests high, and low-high where not.
    public var oneFalls: Bool
    /// Bytes of 0x55 that an encoder sends first.
    public var leadBytes: Int
    /// Whether an encoder sends all a second time, upside down, as a host does for a reader that hears one way round only.
    public var repeatsInverted: Bool
    /// What an encoder takes and a decoder gives.
    public var content: Content

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
    public init(
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
    public static let reader = DynamoLine()
    /// As a host sends: twice, the second time upside down.
    public static let host = DynamoLine(repeatsInverted: true)
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
