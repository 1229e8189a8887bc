/// The bytes of a command to an ID TECH UniMag or Shuttle: 02, `S` to set or `R` to request, the item, the length and
/// the data if there are any, 03, and the exclusive or of all of them.
///
/// The values were reported for interoperability and not verified on hardware; ``set(_:data:)`` and ``request(_:)``
/// create other commands.
package struct UniMagCommand: Sendable, Hashable {
    /// All bytes, from 02 to the check.
    package let bytes: [UInt8]

    /// Creates a command that requests a value.
    /// - Parameter item: the number of the value.
    /// - Returns: the command.
    package static func request(_ item: UInt8) -> UniMagCommand { UniMagCommand(body: [0x52, item]) }

    /// Creates a command that sets a value.
    /// - Parameters:
    ///   - item: the number of the value.
    ///   - data: the value, at most 255 bytes.
    /// - Returns: the command; without a length byte if there are no data.
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
    /// Requests the version of the firmware.
    package static let version = request(0x22)
    /// Requests the settings.
    package static let settings = request(0x1F)
    /// Requests the serial number.
    package static let serialNumber = request(0x4E)
    /// Requests the serial number of the next key.
    package static let nextKeySerialNumber = request(0x51)
    /// Requests a long test answer.
    package static let longTest = request(0x20)
    /// Encrypts with triple DES.
    package static let tripleDES = UniMagCommand(0x4C, data: [0x31])
    /// Encrypts with AES, instead of triple DES.
    package static let aes = UniMagCommand(0x4C, data: [0x32])

    /// Chips per second of the reader's answers.
    package enum Baud: UInt8, Sendable, Hashable, CaseIterable {
        /// 2,400 chips per second.
        case baud2400 = 3
        /// 4,800 chips per second.
        case baud4800 = 4
        /// 9,600 chips per second.
        case baud9600 = 5
    }

    /// Output level of a Shuttle, named by its letter in the vendor's phone list.
    package enum Level: UInt8, Sendable, Hashable, CaseIterable {
        case one = 0x30
        case two = 0x20
        case x = 0x08
        case n = 0x00
    }

    /// Creates a command that sets speed and level of the reader's answers.
    /// - Parameters:
    ///   - baud: chips per second.
    ///   - level: output level.
    /// - Returns: the command.
    package static func setBaud(_ baud: Baud, level: Level) -> UniMagCommand {
        UniMagCommand(0x41, data: [baud.rawValue + level.rawValue])
    }
}

/// The settings for sending commands to an ID TECH UniMag or Shuttle: the preamble and power tone around the bytes, and
/// the four tones that carry them.
///
/// The values were reported for interoperability and not verified on hardware: every one can be changed.
package struct UniMagCommandProfile: Sendable, Hashable {
    /// The tones of the bytes.
    package var shift: FourToneShift
    /// Frequency in Hz of the tone before and after the bytes, the same as the power tone's.
    package var powerFrequency: Double
    /// Periods of that tone before the bytes, 0 to 1,000,000.
    package var leadingPeriods: Int
    /// Bytes before the command's own.
    package var preamble: [UInt8]
    /// Periods of that tone after the bytes, 0 to 1,000,000.
    package var trailingPeriods: Int

    /// Creates a profile; the defaults are the reported values.
    /// - Parameters:
    ///   - shift: the tones of the bytes.
    ///   - powerFrequency: frequency of the tone before and after the bytes in Hz.
    ///   - leadingPeriods: periods of that tone before the bytes, 0 to 1,000,000.
    ///   - preamble: bytes before the command's own.
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
