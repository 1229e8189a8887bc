import JackdawEMV
public import JackdawTransport

/// Masks transcripts of links to chip cards, whose packets are commands and answers (APDUs).
///
/// Headers, lengths and status words stay. Of an answer that is the template of its command, the objects stay whose
/// tags the dictionary of JackdawEMV has as open. Of a command, the name of SELECT stays, and the open values of the
/// lists that the card has sent on this logical channel (PDOL, CDOL, DDOL). Everything else is masked: PINs, card data,
/// data of other commands, and answers that are not such a template. A command is known by its class and its
/// instruction; with secure messaging, in a chain, or with another proprietary class its data and its answer are
/// masked. Certificates of the card are masked too: with the keys of the scheme, which are public,
/// they give the account number.
public struct CardMessageMask: TranscriptMask {
    /// The command that the next answer follows; nil if nothing of that answer may stay but the status word.
    private var command: CommandHeader?
    /// The lists of the application that is selected on a logical channel, by their tags.
    private var lists: [Int: [Tag: DataObjectList]] = [:]
    /// Whether the next command is the rest of the one before.
    private var isChained = false

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

/// The header of a command without secure messaging, as far as the mask knows its class.
private struct CommandHeader {
    /// The commands of which something may stay (EMV Book 3 section 6.5, Book 1 section 11.3), and the one that changes
    /// the selected applications of channels.
    enum Instruction: UInt16 {
        case select = 0x00A4
        case readRecord = 0x00B2
        case internalAuthenticate = 0x0088
        case getResponse = 0x00C0
        case manageChannel = 0x0070
        case getProcessingOptions = 0x80A8
        case generateCryptogram = 0x80AE
        case getData = 0x80CA
    }

    /// Nil for any other one.
    let instruction: Instruction?
    let channel: Int
    let parameter1: UInt8
    let parameter2: UInt8

    init(_ command: CardCommand, _ commandClass: CommandClass) {
        let upper: UInt16 = commandClass.isProprietary ? 0x8000 : 0x0000
        instruction = Instruction(rawValue: upper | UInt16(command.instruction))
        channel = commandClass.channel
        parameter1 = command.parameter1
        parameter2 = command.parameter2
    }
}

/// The class of a command: the interindustry classes of ISO/IEC 7816-4 section 5.4.1, and EMV's own, 8x (EMV Book 3
/// section 6.3.2), whose lower half has the meaning of 0x.
private struct CommandClass {
    /// Whether the command is one of EMV's own.
    let isProprietary: Bool
    /// The logical channel, 0 to 19.
    let channel: Int
    /// Whether the command has secure messaging.
    let isSecured: Bool
    /// Whether the command is not the last one of a chain.
    let isChained: Bool

    /// Nil for a class that is reserved, or whose coding is the card's own.
    init?(_ octet: UInt8) {
        switch octet {
        case 0x00...0x1F, 0x80...0x8F:
            isProprietary = octet & 0x80 != 0
            channel = Int(octet & 0x03)
            isSecured = octet & 0x0C != 0
        case 0x40...0x7F:
            isProprietary = false
            channel = 4 + Int(octet & 0x0F)
            isSecured = octet & 0x20 != 0
        default: return nil
        }
        isChained = octet & 0x10 != 0
    }
}

extension CardMessageMask {
    private static let pdol: Tag = 0x9F38
    private static let cdol1: Tag = 0x8C
    private static let cdol2: Tag = 0x8D
    private static let ddol: Tag = 0x9F49

    private mutating func openPlaces(ofCommand octets: Span<UInt8>) -> [Bool] {
        var isOpen = [Bool](repeating: false, count: octets.count)
        guard let command = try? CardCommand(octets) else {
            forget()
            return isOpen
        }
        for place in 0..<min(5, octets.count) { isOpen[place] = true }
        if command.expectedLength != nil { isOpen[octets.count - 1] = true }
        for (place, isOpenValue) in zip(5..., openData(of: command)) where isOpenValue { isOpen[place] = true }
        return isOpen
    }

    /// Forgets the lists of all channels: an unknown command may have selected other applications.
    private mutating func forget() {
        command = nil
        lists = [:]
        isChained = false
    }

    /// Notes a command for its answer.
    /// - Returns: whether each octet of the command's data may stay.
    private mutating func openData(of command: CardCommand) -> [Bool] {
        guard let commandClass = CommandClass(command.classOctet) else {
            forget()
            return []
        }
        let header = CommandHeader(command, commandClass)
        if header.instruction == .select { lists[header.channel] = nil }
        if header.instruction == .manageChannel { lists = [:] }
        // The places of the data in a chain are not known, and data with secure messaging is enciphered or has a PIN.
        let isPart = isChained || commandClass.isChained
        isChained = commandClass.isChained
        guard !isPart, !commandClass.isSecured else {
            self.command = nil
            return []
        }
        if header.instruction == .getResponse {
            // It asks for the answer of the command before.
            if header.channel != self.command?.channel { self.command = nil }
            return []
        }
        self.command = header
        return openData(of: command, header)
    }

    private func openData(of command: CardCommand, _ header: CommandHeader) -> [Bool] {
        let count = command.data.count
        switch header.instruction {
        case .select:
            // By name, which has 5 to 16 octets.
            let isName = command.parameter1 == 0x04 && (5...16).contains(count)
            return Array(repeating: isName, count: count)
        case .getProcessingOptions:
            // The values are in a template 83, whose length is one octet up to 127.
            guard let values = openValues([Self.pdol], header.channel, count: count - 2) else { return [] }
            return [true, true] + values
        case .generateCryptogram: return openValues([Self.cdol1, Self.cdol2], header.channel, count: count) ?? []
        case .internalAuthenticate: return openValues([Self.ddol], header.channel, count: count) ?? []
        default: return []
        }
    }

    /// The places that are open by all of some lists.
    /// - Parameters:
    ///   - tags: the tags of the lists. Those that the card has not sent, or that ask for another number of octets, do
    ///     not count.
    ///   - channel: the logical channel.
    ///   - count: the number of octets of the values.
    /// - Returns: nil if no list counts.
    private func openValues(_ tags: [Tag], _ channel: Int, count: Int) -> [Bool]? {
        var common: [Bool]?
        for tag in tags {
            guard let list = lists[channel]?[tag], list.valueCount == count else { continue }
            let isOpen = list.entries.flatMap { entry in
                Array(repeating: DataElement.sensitivity(of: entry.tag) == .open, count: entry.count)
            }
            common = common.map { zip($0, isOpen).map { $0 && $1 } } ?? isOpen
        }
        return common
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
        lists[command.channel, default: [:]].merge(found) { $1 }
        return isOpen
    }

    /// Whether a template is the answer to a command: FCI, record, answer in format 2, or the object of GET DATA.
    private static func isAnswer(_ tag: Tag, to command: CommandHeader) -> Bool {
        switch command.instruction {
        case .select: tag == 0x6F
        case .readRecord: tag == 0x70
        case .getProcessingOptions, .generateCryptogram, .internalAuthenticate: tag == 0x77
        case .getData: tag.rawValue == UInt32(command.parameter1) << 8 | UInt32(command.parameter2)
        case .getResponse, .manageChannel, nil: false
        }
    }

    /// Whether an answer in format 1, which is values without tags, has only open ones: AIP and AFL; CID, ATC, AC and
    /// IAD; or a signature (EMV Book 3 sections 6.5.5, 6.5.8 and 6.5.9).
    private static func hasOpenForm(_ count: Int, _ command: CommandHeader) -> Bool {
        switch command.instruction {
        case .getProcessingOptions: count >= 6 && count % 4 == 2
        case .generateCryptogram: (11...43).contains(count)
        case .internalAuthenticate: true
        default: false
        }
    }
}
