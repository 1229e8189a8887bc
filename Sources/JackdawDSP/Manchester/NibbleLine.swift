/// A baseband line on which a byte goes as two nibbles of ten chips each, the high one first: a start chip, four Manchester
/// bits, the least significant one first, and a stop chip of the other level. The ID TECH audio-jack readers (UniMag,
/// UniMag Pro, UniMag II, Shuttle) talk in it.
///
/// Frame, sync and rates agree between a vendor's published code and third parties' reports, but none of it was checked on
/// hardware: change what does not fit.
public struct NibbleLine: Sendable, Hashable {
    /// Chips (half bits) a second: what the vendor calls the baud.
    public var chipRate: Double
    /// The nibble that is sent again and again before the sync, 0 to 15.
    public var preambleNibble: UInt8
    /// How many bytes of it an encoder sends.
    public var preambleBytes: Int
    /// The nibble that is sent twice before the data, 0 to 15.
    public var syncNibble: UInt8
    /// What tells a whole frame from a broken one.
    public var checks: [FrameCheck]

    /// A line; the preamble is 0x55 fourteen times and the sync 0x66 unless told.
    /// - Parameters:
    ///   - chipRate: chips a second, 1,200 to 19,200.
    ///   - preambleNibble: the nibble before the sync, 0 to 15.
    ///   - preambleBytes: how many bytes of it an encoder sends, 3 to 1,000.
    ///   - syncNibble: the nibble before the data, 0 to 15, at least two bits away from the preamble's.
    ///   - checks: what tells a whole frame; the first one that knows the frame's format is asked.
    public init(
        chipRate: Double, preambleNibble: UInt8 = 0x5, preambleBytes: Int = 14, syncNibble: UInt8 = 0x6,
        checks: [FrameCheck] = [.uniMagEncrypted, .uniMagClearText]
    ) {
        self.chipRate = chipRate
        self.preambleNibble = preambleNibble
        self.preambleBytes = preambleBytes
        self.syncNibble = syncNibble
        self.checks = checks
    }

    /// The rate that most phones were set to.
    public static let uniMag = NibbleLine(chipRate: 9_600)
    /// Half of it.
    public static let uniMag4800 = NibbleLine(chipRate: 4_800)
    /// A quarter of it.
    public static let uniMag2400 = NibbleLine(chipRate: 2_400)
}

extension NibbleLine {
    /// Sample rates that are encoded and decoded, in Hz.
    public static let sampleRates = 8_000.0...192_000.0
    /// Samples that a chip needs at least.
    private static let leastSamplesPerChip = 2.1

    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, Self.sampleRates, "Hz")
        try LineCodeError.check("chip rate", chipRate, 1_200...19_200, "chips a second")
        try LineCodeError.check(
            "chip rate", chipRate, 0...sampleRate / Self.leastSamplesPerChip, "chips a second at this sample rate")
        try LineCodeError.check("preamble", Double(preambleBytes), 3...1_000, "bytes")
        try LineCodeError.check("preamble nibble", Double(preambleNibble), 0...15, "")
        try LineCodeError.check("sync nibble", Double(syncNibble), 0...15, "")
        try LineCodeError.check(
            "sync", Double((preambleNibble ^ syncNibble).nonzeroBitCount), 2...4, "bits from the preamble's nibble")
    }
}

extension NibbleLine: NibbleFormat {
    var template: NibbleSyncSearch.Template {
        // White noise gets to 0.74 less than once an hour, a signal at an Eb/N0 of 6 dB comes to 0.86.
        NibbleSyncSearch.Template(
            preamble: NibbleChips.levels(preambleNibble), preambles: 6, sync: NibbleChips.levels(syncNibble), syncs: 2,
            leastCorrelation: 0.74)
    }

    var quietNibbles: Int { 4 }

    var dataInTemplate: Int { 0 }

    func report(_ burst: NibbleBurst, _ judge: NibbleJudge, _ scale: NibbleScale, to events: inout [LineEvent]) {
        var bytes = NibbleBytes(judge, lowNibble: 1, isInverted: false)
        let check = bytes.mend(checks)
        bytes.append(0..<bytes.values.count, check, of: burst, judge, scale, to: &events)
        bytes.wipe()
    }
}
