/// A named line code with its framing, as accepted by `jackdaw demodulate --mode`.
public struct LineMode: Sendable, Hashable {
    /// The line code that carries the bits.
    package enum Code: Sendable, Hashable {
        /// Two tones that carry characters in a UART framing.
        case frequencyShift(FrequencyShift, CharacterFraming)
        /// Two tones that carry bits without start and stop, the most significant one of a byte first.
        case frequencyShiftBits(FrequencyShift)
        /// Manchester nibbles in frames of ten chips.
        case nibbles(NibbleLine)
        /// Packets of Manchester nibbles in a UART's bytes.
        case dynamo(DynamoLine)
        /// A UART's bits in Manchester code.
        case serialManchester(SerialManchesterLine)
    }

    /// Name in lower case: `bell202`, `unimag`, ...
    public let name: String
    /// A one-line description, with the source of the values.
    public let summary: String
    /// The line code that carries the bits.
    package let code: Code

    /// Creates a custom mode.
    package init(name: String, summary: String, code: Code) {
        self.name = name
        self.summary = summary
        self.code = code
    }

    /// Finds the mode with a name, in any case.
    /// - Throws: ``LineCodeError`` with code `unknownMode`, whose message lists the valid names.
    public init(named name: String) throws(LineCodeError) {
        guard let mode = Self.all.first(where: { $0.name == name.lowercased() }) else {
            let names = Self.all.map { $0.name }.joined(separator: ", ")
            throw LineCodeError(code: .unknownMode, message: "there is no mode \(name); the modes are \(names)")
        }
        self = mode
    }

    /// Creates a decoder of this mode.
    /// - Parameter sampleRate: samples per second (Hz).
    /// - Returns: a decoder at the start of a recording.
    /// - Throws: ``LineCodeError`` with code `outOfRange` if the sample rate is too low for the mode, or outside its
    ///   range.
    public func decoder(sampleRate: Double) throws(LineCodeError) -> LineModeDecoder {
        try LineModeDecoder(mode: self, sampleRate: sampleRate)
    }

    /// Creates an encoder of this mode.
    /// - Parameters:
    ///   - sampleRate: samples per second (Hz).
    ///   - level: level in dBFS, -120 to 0.
    /// - Returns: an encoder in its initial state.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public func encoder(sampleRate: Double, level: Double = -6) throws(LineCodeError) -> LineModeEncoder {
        try LineModeEncoder(mode: self, sampleRate: sampleRate, level: level)
    }
}

extension LineMode {
    /// All modes that have a name.
    public static let all = frequencyShiftModes + basebandModes

    private static let frequencyShiftModes: [LineMode] = [
        fsk("bell103", "Bell 103, originating side", .bell103),
        fsk("bell202", "Bell 202", .bell202),
        fsk("afsk1200", "AFSK of packet radio, the tones of Bell 202", .bell202),
        fsk("v21", "ITU-T V.21, channel 1", .v21),
        fsk("v23", "ITU-T V.23, mode 2", .v23),
        fsk("softmodem-126", "SoftModem (arms22), mark high", .init(baud: 126, mark: 1_764, space: 882)),
        fsk("softmodem-315", "SoftModem (arms22), mark high", .init(baud: 315, mark: 3_150, space: 1_575)),
        fsk("softmodem-630", "SoftModem (arms22), mark high", .init(baud: 630, mark: 6_300, space: 3_150)),
        fsk("softmodem-1225", "SoftModem (arms22), its default", .init(baud: 1_225, mark: 7_350, space: 4_900)),
        fsk("softmodem-2450", "SoftModem (arms22), mark high", .init(baud: 2_450, mark: 7_350, space: 4_900)),
        fsk("webjack", "WebJack and SoftModem at 2450/4900 Hz", .init(baud: 1_225, mark: 4_900, space: 2_450)),
    ]

    private static let basebandModes: [LineMode] = [
        LineMode(
            name: "unimag", summary: "ID TECH UniMag and Shuttle, 9,600 chips per second", code: .nibbles(.uniMag)),
        LineMode(name: "unimag-4800", summary: "the same at 4,800", code: .nibbles(.uniMag4800)),
        LineMode(name: "unimag-2400", summary: "the same at 2,400", code: .nibbles(.uniMag2400)),
        LineMode(name: "udynamo", summary: "MagTek uDynamo, the data of its packets", code: .dynamo(.reader)),
        LineMode(name: "hijack", summary: "HiJack, 1,378 bits per second", code: .serialManchester(.hiJack)),
        LineMode(name: "flojack", summary: "FloJack, 3,392 bits per second", code: .serialManchester(.floJack)),
    ]

    private static func fsk(_ name: String, _ summary: String, _ shift: FrequencyShift) -> LineMode {
        LineMode(name: name, summary: summary, code: .frequencyShift(shift, .eightNoneOne))
    }
}
