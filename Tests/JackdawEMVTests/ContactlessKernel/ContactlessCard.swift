import JackdawEMV
import JackdawTestSupport

/// A contactless card that signs, with objects that tests change. Its answers to single commands can be replaced.
struct ContactlessCard {
    /// The AIP, two octets.
    var profile: [UInt8]
    /// The objects of the answer to SELECT.
    var application = DataObjectStore()
    /// The objects that the records have besides keys and certificates.
    var record = DataObjectStore()
    /// Further objects of the last answer: GENERATE AC, or GET PROCESSING OPTIONS of a Visa-style card.
    var answer = DataObjectStore()
    /// The type of the cryptogram; nil for the one that was requested.
    var information: UInt8?
    /// Whether the card has certificates and signs.
    var isSigning = true
    /// Whether the card signs static data (93) instead.
    var isStatic = false
    /// The tags that are left out of all answers.
    var missing: Set<Tag> = []
    /// The answers that replace the card's own, by INS. Nil is a card that was removed.
    var replaced: [UInt8: [UInt8]?] = [:]
    var spoils = false
    /// The commands that were sent.
    private(set) var commands: [[UInt8]] = []
    /// The values of the PDOL.
    private var options: [UInt8] = []
    private let isVisa: Bool

    static let account = TestChain.account

    /// A Mastercard-style card with CDA that accepts every transaction: no CVM, no action codes.
    static func mastercard() -> ContactlessCard {
        var card = ContactlessCard(profile: hex("1980"), isVisa: false)
        card.application[0x9F38] = hex("9F33039C01")
        card.record[0x8C] = hex("9F02069F03069F1A0295055F2A029A039C019F37049F35019F34039F3303")
        card.record[0x8E] = hex("00000000000000001F00")
        card.record[0x5F25] = hex("200101")
        card.record[0x5F28] = hex("0528")
        card.record[0x9F07] = hex("FF00")
        card.record[0x9F08] = hex("0096")
        card.record[0x9F42] = hex("0978")
        card.record[0x9F0D] = hex("0000000000")
        card.record[0x9F0E] = hex("0000000000")
        card.record[0x9F0F] = hex("0000000000")
        card.record[0x9F4A] = [0x82]
        return card
    }

    /// A Visa-style card with fDDA and a TC.
    static func visa() -> ContactlessCard {
        var card = ContactlessCard(profile: hex("2000"), isVisa: true)
        card.application[0x9F38] = hex("9F66049F02065F2A029F3704")
        card.record[0x9F69] = hex("01112233440000")
        card.answer[0x9F26] = hex("0123456789ABCDEF")
        card.answer[0x9F36] = hex("0007")
        card.answer[0x9F10] = hex("06011203900000")
        card.answer[0x57] = hex(account + "D49122010000000000")
        card.answer[0x9F6C] = hex("0000")
        return card
    }

    private init(profile: [UInt8], isVisa: Bool) {
        self.profile = profile
        self.isVisa = isVisa
        application[0x84] = hex(TestChain.provider + "0101")
        record[0x5A] = hex(Self.account)
        record[0x5F24] = hex("491231")
        record[0x5F34] = [0x01]
    }

    /// Answers a command; nil if the card was removed.
    mutating func send(_ command: CardCommand) throws -> CardResponse? {
        commands.append(command.octets)
        if let octets = replaced[command.instruction] { return try octets.map { try CardResponse($0.span) } }
        let data: [UInt8] =
            switch command.instruction {
            case 0xA8: processingOptions(command.data.octets)
            case 0xB2: record(Int(command.parameter1))
            case 0xAE: cryptogram(command)
            default: []
            }
        return CardResponse(data: data, status: data.isEmpty ? StatusWord(rawValue: 0x6D00) : .success)
    }

    /// Number of records: one with data, and one with keys.
    private var recordCount: UInt8 { isSigning ? 2 : 1 }

    /// A record; empty if there is none with this number.
    private func record(_ number: Int) -> [UInt8] {
        guard number > 0, number <= recordCount else { return [] }
        return Self.encode(0x70, (number == 1 ? record : keys).subtracting(missing))
    }

    /// No record is authenticated: only the AIP, if the tag list asks for it.
    private var keys: DataObjectStore {
        let staticData = record.contains(0x9F4A) ? profile : []
        var keys = TestChain.objects(staticData)
        if isStatic { keys[0x93] = TestChain.staticSignature(staticData) }
        return keys
    }

    private mutating func processingOptions(_ data: [UInt8]) -> [UInt8] {
        options = Array(data.dropFirst(2))
        var objects = isVisa ? answer : DataObjectStore()
        objects[0x82] = profile
        objects[0x94] = [0x08, 0x01, recordCount, 0x00]
        if isVisa, let information { objects[0x9F27] = [information] }
        if isVisa, isSigning, !isStatic, options.count == 16 {
            let dynamicData = options.suffix(4) + options[4..<12] + (record[0x9F69] ?? [])
            objects[0x9F4B] = signature([0x08, 1, 2, 3, 4, 5, 6, 7, 8], over: Array(dynamicData))
        }
        return Self.encode(0x77, objects.subtracting(missing))
    }

    private func cryptogram(_ command: CardCommand) -> [UInt8] {
        let information = self.information ?? command.parameter1 & 0xC0
        var objects = answer
        objects[0x9F27] = [information]
        objects[0x9F36] = hex("0007")
        objects[0x9F10] = hex("0110A04003240000000000000000000000FF")
        let cryptogram = hex("0123456789ABCDEF")
        guard isSigning, command.parameter1 & 0x10 != 0 else {
            objects[0x9F26] = cryptogram
            return Self.encode(0x77, objects.subtracting(missing))
        }
        let content = Self.encode(0x77, objects.subtracting(missing)).dropFirst(2)
        let hash = PlainPrimitives().sha1(options + command.data.octets + content)
        let dynamic = [0x08, 1, 2, 3, 4, 5, 6, 7, 8, information] + cryptogram + hash
        // The unpredictable number is the last but 7 octets of the list.
        objects[0x9F4B] = signature(dynamic, over: command.data.octets.suffix(11).dropLast(7))
        return Self.encode(0x77, objects.subtracting(missing))
    }

    private func signature(_ dynamicData: [UInt8], over data: [UInt8]) -> [UInt8] {
        var signature = TestChain.dynamicSignature(dynamicData, over: data)
        if spoils { signature[20] ^= 1 }
        return signature
    }

    private static func encode(_ template: Tag, _ objects: DataObjectStore) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(template) { inner in
            for tag in objects.tags { inner.append(tag, objects[tag] ?? []) }
        }
        return builder.octets
    }
}

extension DataObjectStore {
    /// The store without the objects of some tags.
    fileprivate func subtracting(_ tags: Set<Tag>) -> DataObjectStore {
        var store = self
        for tag in tags { store.set(tag, nil) }
        return store
    }
}
