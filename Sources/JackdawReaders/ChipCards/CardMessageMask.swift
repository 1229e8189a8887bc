import JackdawEMV
public import JackdawTransport

/// Masks transcripts of links to chip cards, whose packets are commands and answers (APDUs).
///
/// Headers, lengths and status words stay. Of an answer that is the template of its command, the objects stay whose tags
/// the dictionary of JackdawEMV has as open. Of a command, the name of SELECT stays, and the open values of the lists
/// that the card has sent (PDOL, CDOL, DDOL). Everything else is masked: PINs, card data, data of other commands, and
/// answers that are not such a template. Certificates of the card are masked too: with the keys of the scheme, which
/// are public, they give the account number.
public struct CardMessageMask: TranscriptMask {
    /// The command that the next answer follows; without its data.
    private var command: CardCommand?
    /// The lists of the selected application, by their tags.
    private var lists: [Tag: DataObjectList] = [:]

    /// A mask at the beginning of a link.
    public init() {}

    /// Masks a message.
    /// - Parameters:
    ///   - bytes: one whole command or answer.
    ///   - isSent: whether it is a command.
    /// - Returns: the same number of bytes, nil for each byte that must not be stored.
    public mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        let isOpen = isSent ? openPlaces(ofCommand: bytes.span) : openPlaces(ofAnswer: bytes.span)
        return zip(bytes, isOpen).map { $1 ? $0 : nil }
    }
}

// MARK: - The commands that are sent

extension CardMessageMask {
    /// The instructions of commands whose data may stay (EMV Book 3 section 6.5, Book 1 section 11.3).
    private enum Instruction {
        static let select: UInt8 = 0xA4
        static let getProcessingOptions: UInt8 = 0xA8
        static let generateCryptogram: UInt8 = 0xAE
        static let internalAuthenticate: UInt8 = 0x88
        static let readRecord: UInt8 = 0xB2
        static let getData: UInt8 = 0xCA
        static let getResponse: UInt8 = 0xC0
    }

    private static let pdol: Tag = 0x9F38
    private static let cdol1: Tag = 0x8C
    private static let cdol2: Tag = 0x8D
    private static let ddol: Tag = 0x9F49

    private mutating func openPlaces(ofCommand octets: Span<UInt8>) -> [Bool] {
        var isOpen = [Bool](repeating: false, count: octets.count)
        guard let command = try? CardCommand(octets) else {
            self.command = nil
            return isOpen
        }
        // GET RESPONSE asks for the answer of the command before.
        if command.instruction != Instruction.getResponse { self.command = command.withoutData }
        for place in 0..<min(5, octets.count) { isOpen[place] = true }
        if command.expectedLength != nil { isOpen[octets.count - 1] = true }
        for (place, isOpenValue) in zip(5..., openData(of: command)) where isOpenValue { isOpen[place] = true }
        return isOpen
    }

    /// - Returns: whether each octet of the command's data may stay.
    private mutating func openData(of command: CardCommand) -> [Bool] {
        // With secure messaging (CLA bits 4 and 3), the data is enciphered or has a PIN.
        guard command.classOctet & 0x0C == 0 else { return [] }
        let count = command.data.count
        switch command.instruction {
        case Instruction.select:
            lists = [:]
            // By name, which has 5 to 16 octets.
            let isName = command.parameter1 == 0x04 && (5...16).contains(count)
            return Array(repeating: isName, count: count)
        case Instruction.getProcessingOptions:
            // The values are in a template 83, whose length is one octet up to 127.
            guard let values = openValues([Self.pdol], count: count - 2) else { return [] }
            return [true, true] + values
        case Instruction.generateCryptogram: return openValues([Self.cdol1, Self.cdol2], count: count) ?? []
        case Instruction.internalAuthenticate: return openValues([Self.ddol], count: count) ?? []
        default: return []
        }
    }

    /// The places that are open by all of some lists.
    /// - Parameters:
    ///   - tags: the tags of the lists. Those that the card has not sent, or that ask for another number of octets, do
    ///     not count.
    ///   - count: the number of octets of the values.
    /// - Returns: nil if no list counts.
    private func openValues(_ tags: [Tag], count: Int) -> [Bool]? {
        var common: [Bool]?
        for tag in tags {
            guard let list = lists[tag], list.valueCount == count else { continue }
            let isOpen = list.entries.flatMap { entry in
                Array(repeating: DataElement.sensitivity(of: entry.tag) == .open, count: entry.count)
            }
            common = common.map { zip($0, isOpen).map { $0 && $1 } } ?? isOpen
        }
        return common
    }
}

extension CardCommand {
    /// The header of the command.
    fileprivate var withoutData: CardCommand? {
        try? CardCommand(classOctet, instruction, parameter1, parameter2)
    }
}

// MARK: - The answers that are received

extension CardMessageMask {
    /// The certificates that have the account number (EMV Book 2 sections 6.4 and 7.1).
    private static let certificates: Set<Tag> = [0x9F46, 0x9F2D]

    private mutating func openPlaces(ofAnswer octets: Span<UInt8>) -> [Bool] {
        let end = octets.count - 2
        // SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-3 section 10.3.3); anything else is not an answer.
        guard end >= 0, (0x61...0x6F).contains(octets[end]) || (0x90...0x9F).contains(octets[end]) else {
            return Array(repeating: false, count: octets.count)
        }
        return openObjects(in: octets.extracting(first: end)) + [true, true]
    }

    /// - Returns: whether each octet of the answer's data may stay.
    private mutating func openObjects(in octets: Span<UInt8>) -> [Bool] {
        var isOpen = [Bool](repeating: false, count: octets.count)
        guard let command, let objects = try? TagLengthValue.list(octets), let outer = objects.first, outer.start == 0,
            outer.value.upperBound == octets.count
        else { return isOpen }
        guard outer.tag != 0x80 else {
            let hasOpenForm = Self.hasOpenForm(outer.value.count, command)
            return Array(repeating: hasOpenForm, count: octets.count)
        }
        guard Self.isAnswer(outer.tag, to: command) else { return isOpen }
        var found: [Tag: DataObjectList] = [:]
        // The end of the contents of a template that is hidden.
        var hiddenEnd = 0
        for object in objects where object.start >= hiddenEnd {
            guard let element = DataElement.find(object.tag), element.lengths.contains(object.value.count) else {
                // An unknown object may be no object at all.
                hiddenEnd = object.value.upperBound
                continue
            }
            for place in object.start..<object.value.lowerBound { isOpen[place] = true }
            guard DataElement.sensitivity(of: object.tag) == .open, !Self.certificates.contains(object.tag) else {
                hiddenEnd = object.value.upperBound
                continue
            }
            guard !object.tag.isConstructed else { continue }
            for place in object.value { isOpen[place] = true }
            if [Self.pdol, Self.cdol1, Self.cdol2, Self.ddol].contains(object.tag) {
                found[object.tag] = try? DataObjectList(octets.extracting(object.value))
            }
        }
        lists.merge(found) { $1 }
        return isOpen
    }

    /// Whether a template is the answer to a command: FCI, record, answer in format 2, or the object of GET DATA.
    private static func isAnswer(_ tag: Tag, to command: CardCommand) -> Bool {
        switch command.instruction {
        case Instruction.select: tag == 0x6F
        case Instruction.readRecord: tag == 0x70
        case Instruction.getProcessingOptions, Instruction.generateCryptogram, Instruction.internalAuthenticate:
            tag == 0x77
        case Instruction.getData: tag.rawValue == UInt32(command.parameter1) << 8 | UInt32(command.parameter2)
        default: false
        }
    }

    /// Whether an answer in format 1, which is values without tags, has only open ones: AIP and AFL; CID, ATC, AC and
    /// IAD; or a signature (EMV Book 3 sections 6.5.5, 6.5.8 and 6.5.9).
    private static func hasOpenForm(_ count: Int, _ command: CardCommand) -> Bool {
        switch command.instruction {
        case Instruction.getProcessingOptions: count >= 6 && count % 4 == 2
        case Instruction.generateCryptogram: (11...43).contains(count)
        case Instruction.internalAuthenticate: true
        default: false
        }
    }
}
