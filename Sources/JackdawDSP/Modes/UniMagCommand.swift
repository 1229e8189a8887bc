/// The bytes of a command to an ID TECH UniMag or Shuttle: 02, `S` to set or `R` to request, what, its length and data if
/// there are any, 03, and the exclusive or of all of them.
///
/// The values are what was reported for interoperability and not verified on hardware; ``set(_:data:)`` and ``request(_:)``
/// make others.
package struct UniMagCommand: Sendable, Hashable {
    /// All bytes, from 02 to the check.
    package let bytes: [UInt8]

    /// Asks for a value.
    /// - Parameter item: which one.
    /// - Returns: the command.
    package static func request(_ item: UInt8) -> UniMagCommand { UniMagCommand(body: [0x52, item]) }

    /// Sets a value.
    /// - Parameters:
    ///   - item: which one.
    ///   - data: the value, at most 255 bytes.
    /// - Returns: the command; without a length where there are no data.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package static func set(_ item: UInt8, data: [UInt8]) throws(LineCodeError) -> UniMagCommand {
        try LineCodeError.check("data length", Double(data.count), 0...255, "bytes")
        return UniMagCommand(item, data: data)
    }

    private init(_ item: UInt8, data: [UInt8]) {
        self.init(body: data.isEmpty ? [0x53, item] : [0x53, item, UInt8(data.count)] + data)
    }

    private init(body: [UInt8]) {
        let checked = [0x02] + body + [0x03]
        bytes = checked + [checked.reduce(0, ^)]
    }
}

extension UniMagCommand {
    /// Asks for the version of the firmware.
    package static let version = request(0x22)
    /// Asks for the settings.
    package static let settings = request(0x1F)
    /// Asks for the serial number.
    package static let serialNumber = request(0x4E)
    /// Asks for the serial number of the next key.
    package static let nextKeySerialNumber = request(0x51)
    /// Asks for a long test answer.
    package static let longTest = request(0x20)
    /// Encrypts with triple DES.
    package static let tripleDES = UniMagCommand(0x4C, data: [0x31])
    /// Encrypts with AES.
    package static let aes = UniMagCommand(0x4C, data: [0x32])

    /// Chips a second of the reader's answers.
    package enum Baud: UInt8, Sendable, Hashable, CaseIterable {
        /// 2,400 chips a second.
        case baud2400 = 3
        /// 4,800 chips a second.
        case baud4800 = 4
        /// 9,600 chips a second.
        case baud9600 = 5
    }

    /// Output level of a Shuttle, by the letter that the vendor's phone list gives it.
    package enum Level: UInt8, Sendable, Hashable, CaseIterable {
        /// Channel `1`.
        case one = 0x30
        /// Channel `2`.
        case two = 0x20
        /// Channel `x`.
        case x = 0x08
        /// Channel `n`.
        case n = 0x00
    }

    /// Sets speed and level of the reader's answers.
    /// - Parameters:
    ///   - baud: chips a second.
    ///   - level: output level.
    /// - Returns: the command.
    package static func setBaud(_ baud: Baud, level: Level) -> UniMagCommand {
        UniMagCommand(0x41, data: [baud.rawValue + level.rawValue])
    }
}

/// How commands go to an ID TECH UniMag or Shuttle: what is around the bytes, and the four tones that carry them.
///
/// The values are what was reported for interoperability and not verified on hardware: every one can be changed.
package struct UniMagCommandProfile: Sendable, Hashable {
    /// The tones of the bytes.
    package var shift: FourToneShift
    /// Frequency of the tone before and after the bytes in Hz, that of the power tone.
    package var powerFrequency: Double
    /// Periods of that tone before the bytes, 0 to 1,000,000.
    package var leadingPeriods: Int
    /// Bytes before those of the command.
    package var preamble: [UInt8]
    /// Periods of that tone after the bytes, 0 to 1,000,000.
    package var trailingPeriods: Int

    /// A profile; as reported unless told.
    /// - Parameters:
    ///   - shift: the tones of the bytes.
    ///   - powerFrequency: frequency of the tone before and after the bytes in Hz.
    ///   - leadingPeriods: periods of that tone before the bytes, 0 to 1,000,000.
    ///   - preamble: bytes before those of the command.
    ///   - trailingPeriods: periods of that tone after the bytes, 0 to 1,000,000.
    package init(
        shift: FourToneShift = FourToneShift(), powerFrequency: Double = 2_000, leadingPeriods: Int = 720,
        preamble: [UInt8] = [0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00], trailingPeriods: Int = 12_000
    ) {
        self.shift = shift
        self.powerFrequency = powerFrequency
        self.leadingPeriods = leadingPeriods
        self.preamble = preamble
        self.trailingPeriods = trailingPeriods
    }
}

extension UniMagCommandProfile {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try LineCodeError.check("power frequency", powerFrequency, 1...sampleRate / 2, "Hz at this sample rate")
        try LineCodeError.check("leading periods", Double(leadingPeriods), 0...1_000_000, "")
        try LineCodeError.check("trailing periods", Double(trailingPeriods), 0...1_000_000, "")
    }
}
