import JackdawEMV

/// The instructions that a virtual card knows, each with its classes.
enum CardInstruction: String, Sendable, Hashable, CaseIterable {
    case select = "SELECT"
    case readRecord = "READ RECORD"
    case getResponse = "GET RESPONSE"
    case getProcessingOptions = "GET PROCESSING OPTIONS"
    case getData = "GET DATA"
    case verify = "VERIFY"
    case getChallenge = "GET CHALLENGE"
    case internalAuthenticate = "INTERNAL AUTHENTICATE"
    case generateCryptogram = "GENERATE AC"
    case externalAuthenticate = "EXTERNAL AUTHENTICATE"
    case applicationBlock = "APPLICATION BLOCK"
    case applicationUnblock = "APPLICATION UNBLOCK"
    case cardBlock = "CARD BLOCK"
    case changePIN = "PIN CHANGE/UNBLOCK"
    case putData = "PUT DATA"

    /// The second octet of the command (EMV Book 3, table 4).
    private var octet: UInt8 {
        switch self {
        case .select: 0xA4
        case .readRecord: 0xB2
        case .getResponse: 0xC0
        case .getProcessingOptions: 0xA8
        case .getData: 0xCA
        case .verify: 0x20
        case .getChallenge: 0x84
        case .internalAuthenticate: 0x88
        case .generateCryptogram: 0xAE
        case .externalAuthenticate: 0x82
        case .applicationBlock: 0x1E
        case .applicationUnblock: 0x18
        case .cardBlock: 0x16
        case .changePIN: 0x24
        case .putData: 0xDA
        }
    }

    /// The classes in which a card takes the instruction: 84 and 8C, 04 and 0C are those of secure messaging.
    private var classes: [UInt8] {
        switch self {
        case .getProcessingOptions, .getData, .generateCryptogram: [0x80]
        case .applicationBlock, .applicationUnblock, .cardBlock, .changePIN: [0x84, 0x8C]
        case .putData: [0x04, 0x0C, 0x84, 0x8C]
        case .select, .readRecord, .getResponse, .verify, .getChallenge, .internalAuthenticate, .externalAuthenticate:
            [0x00]
        }
    }

    /// Whether a successful answer has data.
    var returnsData: Bool {
        switch self {
        case .select, .readRecord, .getResponse, .getProcessingOptions, .getData, .getChallenge,
            .internalAuthenticate, .generateCryptogram:
            true
        case .verify, .externalAuthenticate, .applicationBlock, .applicationUnblock, .cardBlock, .changePIN, .putData:
            false
        }
    }

    /// Whether the issuer sends the command, protected by secure messaging.
    var isFromIssuer: Bool { classes.contains(0x8C) }

    /// The instruction of a command.
    /// - Returns: nil if the card does not know it in this class.
    init?(_ command: CardCommand) {
        let found = Self.allCases.first {
            $0.octet == command.instruction && $0.classes.contains(command.classOctet)
        }
        guard let found else { return nil }
        self = found
    }

    /// The status word for a command that the card does not know: 6D00 if no class has its instruction, else 6E00.
    static func refusal(of command: CardCommand) -> StatusWord {
        let isKnownClass = allCases.contains { $0.classes.contains(command.classOctet) }
        let isKnownInstruction = allCases.contains { $0.octet == command.instruction }
        return isKnownClass && !isKnownInstruction ? .unknownInstruction : .unknownClass
    }
}

/// Status words of ISO/IEC 7816-4 that only a card needs.
extension StatusWord {
    /// A length is wrong: 6700.
    static let wrongLength = StatusWord(rawValue: 0x6700)
    /// The authentication code of a command is wrong: 6988.
    static let wrongMAC = StatusWord(rawValue: 0x6988)
    /// The data of a command is wrong: 6A80.
    static let wrongData = StatusWord(rawValue: 0x6A80)
    /// The command is not allowed: 6986. A device answers it if the cardholder must first use it.
    static let commandNotAllowed = StatusWord(rawValue: 0x6986)
    /// P1 or P2 is wrong: 6A86.
    static let wrongParameters = StatusWord(rawValue: 0x6A86)
    /// The instruction is unknown: 6D00.
    static let unknownInstruction = StatusWord(rawValue: 0x6D00)
    /// The class is unknown, or does not have the instruction: 6E00.
    static let unknownClass = StatusWord(rawValue: 0x6E00)
    /// The card cannot go on: 6F00.
    static let failure = StatusWord(rawValue: 0x6F00)

    /// The PIN is wrong; 63Cx has the tries left.
    static func triesLeft(_ count: UInt8) -> StatusWord { StatusWord(rawValue: 0x63C0 | UInt16(count & 0x0F)) }

    /// More octets are available, this number of them: 61xx; 00 is 256.
    static func available(_ count: Int) -> StatusWord { StatusWord(rawValue: 0x6100 | UInt16(count & 0xFF)) }

    /// Le is wrong; the answer has this number of octets: 6Cxx; 00 is 256.
    static func length(_ count: Int) -> StatusWord { StatusWord(rawValue: 0x6C00 | UInt16(count & 0xFF)) }
}

extension CardResponse {
    /// An answer without data.
    static func status(_ status: StatusWord) -> CardResponse { CardResponse(status: status) }
}
