/// Reads the data of a card that need no PIN: its directory, its applications, their records and
/// counters. A machine without I/O.
///
/// It verifies no PIN and performs no transaction. GET PROCESSING OPTIONS, which each application needs before its
/// records, increments the card's transaction counter. A cryptogram is asked for only if the caller wants one: then
/// with GENERATE AC, of a declined transaction (AAC).
///
/// ```swift
/// var survey = CardSurvey()
/// var command = survey.start()
/// while let next = command { command = survey.receive(try card.transmit(next)) }
/// ```
public struct CardSurvey: Sendable {
    /// The values with which the card's lists (DOL) are filled; objects that are missing are zeros.
    public let terminal: DataObjectStore
    /// Whether each application is asked for a cryptogram.
    public let asksForCryptogram: Bool

    /// The names of the applications that were found, in the order in which they are read.
    public private(set) var applications: [[UInt8]] = []

    private var state = State.ended
    /// Objects of the application that is read.
    private var card = DataObjectStore()
    /// Number of commands that are still allowed.
    private var left = Self.maxCommands

    private enum State: Sendable {
        case directory(ApplicationInterface)
        case entry(file: Int, number: Int)
        case provider(index: Int, repeats: Int)
        case application(index: Int)
        case options(index: Int)
        case record(index: Int, number: Int)
        case counter(index: Int, number: Int)
        case cryptogram(index: Int)
        case ended
    }

    /// The greatest number of commands of a survey. A card with ten applications of thirty records needs fewer.
    private static let maxCommands = 600
    /// The greatest number of applications that are read.
    private static let maxApplications = 32

    /// A survey of a card that was reset.
    /// - Parameters:
    ///   - terminal: the values for the card's lists. Default: none, all values are zeros.
    ///   - asksForCryptogram: whether each application is asked for a cryptogram. Default: false.
    public init(terminal: DataObjectStore = DataObjectStore(), asksForCryptogram: Bool = false) {
        self.terminal = terminal
        self.asksForCryptogram = asksForCryptogram
    }

    /// Begins, or begins again after a reset of the card.
    /// - Returns: the first command.
    public mutating func start() -> CardCommand? {
        applications = []
        left = Self.maxCommands
        return askForDirectory(.contact)
    }

    /// Takes the card's answer to the last command: a whole one, after GET RESPONSE.
    /// - Returns: the next command; nil at the end.
    public mutating func receive(_ answer: CardResponse) -> CardCommand? {
        left -= 1
        guard left > 0 else {
            state = .ended
            return nil
        }
        switch state {
        case .directory(let interface): return receiveDirectory(answer, interface)
        case .entry(let file, let number): return receiveEntry(answer, file, number)
        case .provider(let index, let repeats): return receiveProvider(answer, index, repeats)
        case .application(let index): return receiveApplication(answer, index)
        case .options(let index): return receiveOptions(answer, index)
        case .record(let index, let number):
            learn(answer)
            return readRecord(index, number + 1)
        case .counter(let index, let number): return readCounter(index, number + 1)
        case .cryptogram(let index): return select(index + 1)
        case .ended: return nil
        }
    }
}

// MARK: - The applications of the card

extension CardSurvey {
    private mutating func askForDirectory(_ interface: ApplicationInterface) -> CardCommand? {
        state = .directory(interface)
        let first: UInt8 = interface == .contact ? 0x31 : 0x32
        return try? CardCommand.select([
            first, 0x50, 0x41, 0x59, 0x2E, 0x53, 0x59, 0x53, 0x2E, 0x44, 0x44, 0x46, 0x30, 0x31,
        ])
    }

    private mutating func receiveDirectory(_ answer: CardResponse, _ interface: ApplicationInterface) -> CardCommand? {
        let isThere = answer.status == .success
        guard interface == .contact else {
            if isThere { addEntries(of: answer) }
            return applications.isEmpty ? ask(0, repeats: 0) : select(0)
        }
        var objects = DataObjectStore()
        let isValid = answer.data.withOctets { (try? objects.add($0)) != nil }
        guard isThere, isValid, let file = objects[0x88], file.count == 1, (1...30).contains(file[0]) else {
            return askForDirectory(.contactless)
        }
        return readEntry(Int(file[0]), 1)
    }

    private mutating func readEntry(_ file: Int, _ number: Int) -> CardCommand? {
        state = .entry(file: file, number: number)
        return try? CardCommand.readRecord(number, file: file)
    }

    private mutating func receiveEntry(_ answer: CardResponse, _ file: Int, _ number: Int) -> CardCommand? {
        guard answer.status == .success, number < 30 else {
            return applications.isEmpty ? ask(0, repeats: 0) : select(0)
        }
        addEntries(of: answer)
        return readEntry(file, number + 1)
    }

    private mutating func addEntries(of answer: CardResponse) {
        answer.data.withOctets { octets in
            guard let objects = try? TagLengthValue.list(octets) else { return }
            for object in objects where object.tag == 0x4F { add(Array(copying: octets.extracting(object.value))) }
        }
    }

    private mutating func add(_ name: [UInt8]) {
        guard (5...16).contains(name.count), !applications.contains(name), applications.count < Self.maxApplications
        else { return }
        applications.append(name)
    }

    /// The registered identifiers (RID) of payment schemes, with which a card without directory is asked: Visa,
    /// Mastercard, American Express, JCB, Discover, UnionPay, Interac, CB, girocard, Dankort, eftpos, RuPay, Mir.
    private static let providers: [UInt64] = [
        0xA0_0000_0003, 0xA0_0000_0004, 0xA0_0000_0025, 0xA0_0000_0065, 0xA0_0000_0152, 0xA0_0000_0333, 0xA0_0000_0277,
        0xA0_0000_0042, 0xA0_0000_0359, 0xA0_0000_0121, 0xA0_0000_0384, 0xA0_0000_0524, 0xA0_0000_0658,
    ]

    private mutating func ask(_ index: Int, repeats: Int) -> CardCommand? {
        guard index < Self.providers.count else { return select(0) }
        state = .provider(index: index, repeats: repeats)
        return try? CardCommand.select(Self.providers[index].bigEndianOctets(5), next: repeats > 0)
    }

    /// A card that selects by a part of the name is asked for the next application, too (EMV Book 1 section 12.3.3).
    private mutating func receiveProvider(_ answer: CardResponse, _ index: Int, _ repeats: Int) -> CardCommand? {
        var objects = DataObjectStore()
        let isValid = answer.data.withOctets { (try? objects.add($0)) != nil }
        guard answer.status == .success || answer.status == .fileInvalidated, isValid, let name = objects[0x84],
            !applications.contains(name), repeats < Self.maxApplications
        else { return ask(index + 1, repeats: 0) }
        add(name)
        return ask(index, repeats: repeats + 1)
    }
}

// MARK: - One application

extension CardSurvey {
    private mutating func select(_ index: Int) -> CardCommand? {
        card = DataObjectStore()
        guard index < applications.count else {
            state = .ended
            return nil
        }
        state = .application(index: index)
        return try? CardCommand.select(applications[index])
    }

    private mutating func receiveApplication(_ answer: CardResponse, _ index: Int) -> CardCommand? {
        guard answer.status == .success else { return select(index + 1) }
        learn(answer)
        guard let command = try? CardCommand.getProcessingOptions(values(0x9F38)) else { return select(index + 1) }
        state = .options(index: index)
        return command
    }

    private mutating func receiveOptions(_ answer: CardResponse, _ index: Int) -> CardCommand? {
        guard answer.status == .success else { return readCounter(index, 0) }
        answer.data.withOctets { octets in
            guard let object = try? TagLengthValue.list(octets).first, object.tag == 0x80, object.value.count > 2 else {
                return
            }
            card.set(0x94, octets.extracting(object.value.lowerBound + 2..<object.value.upperBound))
        }
        learn(answer)
        return readRecord(index, 0)
    }

    private mutating func readRecord(_ index: Int, _ number: Int) -> CardCommand? {
        let records = card.withValue(0x94) { try? ApplicationFileLocator($0).records } ?? nil
        guard let records, number < records.count else { return readCounter(index, 0) }
        state = .record(index: index, number: number)
        return try? CardCommand.readRecord(records[number].number, file: records[number].file)
    }

    /// The objects that GET DATA returns (EMV Book 3 section 6.5.7, annex D): ATC, its value of the last online
    /// transaction, PIN try counter, log format.
    private static let counters: [Tag] = [0x9F36, 0x9F13, 0x9F17, 0x9F4F]

    private mutating func readCounter(_ index: Int, _ number: Int) -> CardCommand? {
        guard number < Self.counters.count else { return askForCryptogram(index) }
        state = .counter(index: index, number: number)
        return try? CardCommand.getData(Self.counters[number])
    }

    private mutating func askForCryptogram(_ index: Int) -> CardCommand? {
        guard asksForCryptogram, card.contains(0x8C) else { return select(index + 1) }
        guard let command = try? CardCommand.generateCryptogram(0x00, values(0x8C)) else { return select(index + 1) }
        state = .cryptogram(index: index)
        return command
    }

    private mutating func learn(_ answer: CardResponse) {
        guard answer.status == .success else { return }
        answer.data.withOctets { _ = try? card.add($0, keepingFirst: true) }
    }

    /// The values of a list of the card: those of the terminal, else the card's own, else zeros.
    private func values(_ list: Tag) -> SecretOctets {
        let known = card.withValue(list) { try? DataObjectList($0) } ?? nil
        guard let known, known.valueCount <= 252 else { return SecretOctets([]) }
        return known.build { terminal.secret($0) ?? card.secret($0) }
    }
}
