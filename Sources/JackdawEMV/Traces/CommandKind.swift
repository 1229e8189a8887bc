import JackdawBytes

/// The commands that are known by name: those of EMV (Book 1 section 11, Book 3 section 6.5, Books C-2 and C-3) and
/// others of ISO/IEC 7816-4 that cards answer.
enum CommandKind: Hashable, Sendable {
    case applicationBlock, applicationUnblock, cardBlock, computeChecksum, disableVerification, enableVerification
    case envelope, exchangeRelayResistance, externalAuthenticate, generateCryptogram, getChallenge, getData
    case getProcessingOptions, getResponse, internalAuthenticate, manageChannel, pinChange, putData, putKey, readBinary
    case readRecord, recoverCryptogram, resetRetryCounter, select, storeData, updateBinary, updateRecord, verify
    case unknown

    /// The kind of a command, from its class and instruction. Logical channels and secure messaging do not matter.
    init(_ command: CardCommand) {
        self.init(command.instruction, isProprietary: command.classOctet & 0x80 != 0)
    }

    private init(_ instruction: UInt8, isProprietary: Bool) {
        switch (isProprietary, instruction) {
        case (true, 0x1E): self = .applicationBlock
        case (true, 0x18): self = .applicationUnblock
        case (true, 0x16): self = .cardBlock
        case (true, 0x2A): self = .computeChecksum
        case (_, 0x26): self = .disableVerification
        case (_, 0x28): self = .enableVerification
        case (_, 0xC2), (_, 0xC3): self = .envelope
        case (true, 0xEA): self = .exchangeRelayResistance
        case (false, 0x82): self = .externalAuthenticate
        case (true, 0xAE): self = .generateCryptogram
        case (false, 0x84): self = .getChallenge
        case (_, 0xCA), (_, 0xCB): self = .getData
        case (true, 0xA8): self = .getProcessingOptions
        case (_, 0xC0): self = .getResponse
        case (false, 0x88): self = .internalAuthenticate
        case (false, 0x70): self = .manageChannel
        case (_, 0x24), (_, 0x25): self = .pinChange
        case (_, 0xDA): self = .putData
        case (_, 0xD8): self = .putKey
        case (_, 0xB0): self = .readBinary
        case (_, 0xB2): self = .readRecord
        case (true, 0xD0): self = .recoverCryptogram
        case (_, 0x2C), (_, 0x2D): self = .resetRetryCounter
        case (false, 0xA4): self = .select
        case (_, 0xE2): self = .storeData
        case (_, 0xD6): self = .updateBinary
        case (_, 0xDC): self = .updateRecord
        case (_, 0x20), (_, 0x21): self = .verify
        default: self = .unknown
        }
    }

    /// The name in the books; of an unknown command its class and instruction: `Command 00 0C`.
    func name(_ command: CardCommand) -> String {
        switch self {
        case .applicationBlock: "APPLICATION BLOCK"
        case .applicationUnblock: "APPLICATION UNBLOCK"
        case .cardBlock: "CARD BLOCK"
        case .computeChecksum: "COMPUTE CRYPTOGRAPHIC CHECKSUM"
        case .disableVerification: "DISABLE VERIFICATION REQUIREMENT"
        case .enableVerification: "ENABLE VERIFICATION REQUIREMENT"
        case .envelope: "ENVELOPE"
        case .exchangeRelayResistance: "EXCHANGE RELAY RESISTANCE DATA"
        case .externalAuthenticate: "EXTERNAL AUTHENTICATE"
        case .generateCryptogram: "GENERATE AC"
        case .getChallenge: "GET CHALLENGE"
        case .getData: "GET DATA"
        case .getProcessingOptions: "GET PROCESSING OPTIONS"
        case .getResponse: "GET RESPONSE"
        case .internalAuthenticate: "INTERNAL AUTHENTICATE"
        case .manageChannel: "MANAGE CHANNEL"
        case .pinChange: command.classOctet & 0x80 != 0 ? "PIN CHANGE/UNBLOCK" : "CHANGE REFERENCE DATA"
        case .putData: "PUT DATA"
        case .putKey: "PUT KEY"
        case .readBinary: "READ BINARY"
        case .readRecord: "READ RECORD"
        case .recoverCryptogram: "RECOVER AC"
        case .resetRetryCounter: "RESET RETRY COUNTER"
        case .select: "SELECT"
        case .storeData: "STORE DATA"
        case .updateBinary: "UPDATE BINARY"
        case .updateRecord: "UPDATE RECORD"
        case .verify: "VERIFY"
        case .unknown: "Command \(command.classOctet.hexadecimal) \(command.instruction.hexadecimal)"
        }
    }
}

extension CardCommand {
    /// The parameters of the command in words; none of commands whose parameters have no meaning, or are not known.
    func parameterDetails(_ kind: CommandKind) -> [ExplainedObject.Detail] {
        switch kind {
        case .select: selectDetails
        case .readRecord, .updateRecord: recordDetails
        case .generateCryptogram: cryptogramDetails
        case .getData, .putData: dataDetails
        case .verify: verifyDetails + secureMessagingDetails
        case .readBinary where parameter1 & 0x80 != 0:
            [Detail("sfi", "File \(parameter1 & 0x1F)"), Detail("offset", "from octet \(parameter2)")]
        case .readBinary:
            [Detail("offset", "from octet \(Int(parameter1) << 8 | Int(parameter2))")]
        case .cardBlock, .applicationBlock, .applicationUnblock, .pinChange, .updateBinary: secureMessagingDetails
        default: []
        }
    }

    private typealias Detail = ExplainedObject.Detail

    /// P1 and P2 of SELECT (ISO/IEC 7816-4, section 7.1.1; EMV Book 1 section 11.3).
    private var selectDetails: [Detail] {
        let how =
            switch parameter1 {
            case 0x00: Detail("by_file", "by file identifier")
            case 0x04: Detail("by_name", "by name")
            default: Detail("by_other", "in another way (P1 \(parameter1.hexadecimal))")
            }
        let which =
            switch parameter2 & 0x03 {
            case 0: Detail("first", "first or only occurrence")
            case 1: Detail("last", "last occurrence")
            case 2: Detail("next", "next occurrence")
            default: Detail("previous", "previous occurrence")
            }
        return [how, which]
    }

    private var recordDetails: [Detail] {
        let file = parameter2 >> 3
        let record =
            parameter2 & 7 == 4
            ? Detail("record", "record \(parameter1)") : Detail("record", "record by other means (P2)")
        return [Detail("sfi", file == 0 ? "current file" : "File \(file)"), record]
    }

    /// P1 of GENERATE AC (EMV Book 3 section 6.5.5.2).
    private var cryptogramDetails: [Detail] {
        var details: [Detail] = []
        switch parameter1 >> 6 {
        case 0: details.append(Detail("aac", "asks for an AAC: decline", octet: 1))
        case 1: details.append(Detail("tc", "asks for a TC: approve", octet: 1))
        case 2: details.append(Detail("arqc", "asks for an ARQC: go online", octet: 1))
        default: details.append(Detail("rfu", "asks for a reserved type", octet: 1))
        }
        switch parameter1 >> 3 & 3 {
        case 1: details.append(Detail("xda", "with a signature (XDA)", octet: 1))
        case 2: details.append(Detail("cda", "with a signature (CDA)", octet: 1))
        default: break
        }
        return details
    }

    private var dataDetails: [Detail] {
        guard let tag = requestedTag else { return [] }
        return [Detail("\(tag)", "\(tag) \(DataElement.find(tag)?.name ?? "unknown")")]
    }

    /// The tag that P1 and P2 of GET DATA and PUT DATA have; nil if they are not one.
    var requestedTag: Tag? {
        Tag(rawValue: UInt32(parameter1) << 8 | UInt32(parameter2))
    }

    /// Bits 4 and 3 of the class (EMV Book 3 section 6.3.1).
    private var secureMessagingDetails: [Detail] {
        classOctet & 0x0C == 0 ? [] : [Detail("secure_messaging", "with secure messaging")]
    }

    private var verifyDetails: [Detail] {
        switch parameter2 {
        case 0x80: [Detail("plaintext_pin", "PIN in clear")]
        case 0x88: [Detail("enciphered_pin", "enciphered PIN")]
        default: []
        }
    }
}
