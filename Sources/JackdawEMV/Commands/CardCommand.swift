import JackdawBytes

/// A command to a card: an APDU of case 1 to 4 with short lengths (ISO/IEC 7816-4, EMV Book 3 section 6.3).
///
/// The data, which may be a PIN, is in wiped memory, and ``description`` shows only the header.
public struct CardCommand: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// CLA: 00 of ISO commands, 80 of EMV's, 84 with secure messaging.
    public let classOctet: UInt8
    /// INS: the instruction within its class.
    public let instruction: UInt8
    /// P1 of the instruction.
    public let parameter1: UInt8
    /// P2 of the instruction.
    public let parameter2: UInt8
    /// The data, 0 to 255 octets.
    public let data: SecretOctets
    /// The greatest number of octets that the card may answer, 1 to 256; nil if it answers none. 256 is Le = 00.
    public let expectedLength: Int?

    /// A command of its fields.
    /// - Parameters:
    ///   - classOctet: CLA.
    ///   - instruction: INS.
    ///   - parameter1: P1.
    ///   - parameter2: P2.
    ///   - data: at most 255 octets.
    ///   - expectedLength: 1 to 256, or nil if the card answers no data.
    /// - Throws: ``CardMessageError`` with code `length` if data or expected length are out of range.
    public init(
        _ classOctet: UInt8, _ instruction: UInt8, _ parameter1: UInt8, _ parameter2: UInt8, data: [UInt8] = [],
        expectedLength: Int? = nil
    ) throws(CardMessageError) {
        guard data.count <= 255 else { throw CardMessageError(.length, "a command has at most 255 octets of data") }
        guard expectedLength.map({ (1...256).contains($0) }) ?? true else {
            throw CardMessageError(.length, "a card answers 1 to 256 octets")
        }
        self.init(checked: classOctet, instruction, parameter1, parameter2, SecretOctets(data), expectedLength)
    }

    /// A command whose lengths are known to be valid.
    init(
        checked classOctet: UInt8, _ instruction: UInt8, _ parameter1: UInt8, _ parameter2: UInt8,
        _ data: SecretOctets, _ expectedLength: Int?
    ) {
        self.classOctet = classOctet
        self.instruction = instruction
        self.parameter1 = parameter1
        self.parameter2 = parameter2
        self.data = data
        self.expectedLength = expectedLength
    }

    /// Parses an APDU of a command.
    /// - Throws: ``CardMessageError`` with code `length` if it is shorter than its header, has extended lengths, or its
    ///   length is not that of its data.
    public init(_ octets: Span<UInt8>) throws(CardMessageError) {
        guard octets.count >= 4 else { throw CardMessageError(.length, "a command has at least 4 octets") }
        var data = SecretOctets([])
        var expectedLength: Int?
        if octets.count == 5 {
            expectedLength = Self.expectedLength(octets[4])
        } else if octets.count > 5 {
            let count = Int(octets[4])
            guard count > 0, octets.count == 5 + count || octets.count == 6 + count else {
                throw CardMessageError(.length, "the length of the command's data is wrong")
            }
            data = SecretOctets(copying: octets.extracting(5..<5 + count))
            if octets.count == 6 + count { expectedLength = Self.expectedLength(octets[5 + count]) }
        }
        self.init(checked: octets[0], octets[1], octets[2], octets[3], data, expectedLength)
    }

    private static func expectedLength(_ octet: UInt8) -> Int { octet == 0 ? 256 : Int(octet) }

    /// The APDU. The caller wipes it if it carries a PIN.
    public var octets: [UInt8] {
        var octets = [classOctet, instruction, parameter1, parameter2]
        octets.reserveCapacity(6 + data.count)
        if !data.isEmpty {
            octets.append(UInt8(data.count))
            data.withOctets { octets.append(copying: $0) }
        }
        if let expectedLength { octets.append(UInt8(truncatingIfNeeded: expectedLength)) }
        return octets
    }

    /// The header and the lengths, without the data: `00A40400, 14 octets of data, expects 256`.
    public var description: String {
        var text = [classOctet, instruction, parameter1, parameter2].hexadecimal
        if !data.isEmpty { text += ", \(data.count) octets of data" }
        if let expectedLength { text += ", expects \(expectedLength)" }
        return text
    }

    /// The same as `description`.
    public var debugDescription: String { description }
}

extension CardCommand {
    /// Whether the data may be a PIN, a key or biometric data, enciphered or not, which is never shown. The class does
    /// not matter: it has secure messaging, chaining and logical channels (ISO/IEC 7816-4, section 5.1.1).
    package var mayHaveSecret: Bool {
        switch instruction {
        // VERIFY, CHANGE REFERENCE DATA or PIN CHANGE/UNBLOCK, DISABLE and ENABLE VERIFICATION REQUIREMENT, RESET RETRY
        // COUNTER; odd instructions have data objects.
        case 0x20, 0x21, 0x24, 0x25, 0x26, 0x28, 0x2C, 0x2D: true
        // ENVELOPE, whose data is any command; PUT KEY and STORE DATA.
        case 0xC2, 0xC3, 0xD8, 0xE2: true
        default: false
        }
    }
}

/// A card's answer to a command: data and status word.
///
/// The data, which may be a card number, is in wiped memory, and ``description`` shows only its length.
public struct CardResponse: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The data, without the status word.
    public let data: SecretOctets
    /// The status word, SW1 and SW2.
    public let status: StatusWord

    /// An answer of its parts.
    public init(data: [UInt8] = [], status: StatusWord) { self.init(SecretOctets(data), status) }

    /// An answer of its parts, whose data stay in wiped memory.
    init(_ data: SecretOctets, _ status: StatusWord) {
        self.data = data
        self.status = status
    }

    /// Parses an answer: data, then SW1 and SW2.
    /// - Throws: ``CardMessageError`` with code `length` if there are fewer than 2 octets.
    public init(_ octets: Span<UInt8>) throws(CardMessageError) {
        guard octets.count >= 2 else { throw CardMessageError(.length, "an answer has at least 2 octets") }
        let end = octets.count - 2
        data = SecretOctets(copying: octets.extracting(first: end))
        status = StatusWord(rawValue: UInt16(octets[end]) << 8 | UInt16(octets[end + 1]))
    }

    /// Data, SW1 and SW2. The caller wipes the array.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(data.count + 2)
        data.withOctets { octets.append(copying: $0) }
        octets.append(status.first)
        octets.append(status.second)
        return octets
    }

    /// The status word and the number of octets.
    public var description: String { "\(status), \(data.count) octets of data" }

    /// The same as `description`.
    public var debugDescription: String { description }
}

/// The status word of an answer, SW1 and SW2 (ISO/IEC 7816-4, EMV Book 3 section 6.3.5).
public struct StatusWord: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// SW1 in the upper octet, SW2 in the lower.
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// SW1, the first octet.
    public var first: UInt8 { UInt8(rawValue >> 8) }
    /// SW2, the second octet.
    public var second: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

    /// The command was carried out: 9000.
    public static let success = StatusWord(rawValue: 0x9000)
    /// The selected file is invalidated; of SELECT: the application is blocked. 6283.
    public static let fileInvalidated = StatusWord(rawValue: 0x6283)
    /// The authentication failed: 6300.
    public static let authenticationFailed = StatusWord(rawValue: 0x6300)
    /// The authentication method is blocked: 6983.
    public static let authenticationBlocked = StatusWord(rawValue: 0x6983)
    /// The reference data, for example the PIN, is invalidated: 6984.
    public static let referenceDataInvalidated = StatusWord(rawValue: 0x6984)
    /// The conditions of use are not satisfied: 6985.
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    /// The function is not supported; of the first SELECT: the card is blocked. 6A81.
    public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
    /// The file was not found: 6A82.
    public static let fileNotFound = StatusWord(rawValue: 0x6A82)
    /// The record was not found: 6A83.
    public static let recordNotFound = StatusWord(rawValue: 0x6A83)
    /// The referenced data was not found: 6A88.
    public static let dataNotFound = StatusWord(rawValue: 0x6A88)

    /// The tries left that 63Cx reports; nil for other status words.
    public var triesLeft: Int? { rawValue & 0xFFF0 == 0x63C0 ? Int(rawValue & 0xF) : nil }

    /// SW1 and SW2 in hexadecimal digits: `9000`.
    public var description: String { first.hexadecimal + second.hexadecimal }
}

/// The reason why octets are not a command or an answer.
public struct CardMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A length is out of range, or not that of the data.
        public static let length = Code(rawValue: "length")
        /// A parameter is out of its range.
        public static let parameter = Code(rawValue: "parameter")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The error, and the range that is valid.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as `message`.
    public var description: String { message }
}
