import JackdawBytes
public import JackdawCards
public import JackdawEMV

/// A chip card that is software: a machine without I/O that answers commands as an EMV card with contacts does.
///
/// It has no clock and no keys of its own: RSA, ciphers and hashes are handed in. Equal commands give equal answers, as
/// its random octets come from a seed.
///
/// ```swift
/// var card = try VirtualCard(json: file, LibCryptoPrimitives(mode: .test))
/// let answerToReset = card.powerOn()
/// let response = card.receive(command)
/// ```
public struct VirtualCard: Sendable {
    /// The octets that ``powerOn()`` returns (ATR, ISO/IEC 7816-3).
    public let answerToReset: [UInt8]
    /// Whether the card has power, and so answers commands.
    public private(set) var isPowered = false

    /// Whether the card's first protocol with contacts is T=0.
    let offersT0: Bool
    /// Whether the card is in the field of a contactless reader.
    private(set) var isInField = false
    /// The number of answers, from power on, after which the chip answers no more; nil if it goes on.
    let muteAfter: Int?
    /// Track 2 of the stripe as in tag 57; nil without a stripe.
    let stripe: SecretOctets?
    /// The device between card and terminal; nil without one.
    let wedge: CardWedge?
    let directories: [CardDirectory]
    let applications: [CardApplication]
    let cryptography: any ChipCardCryptography
    /// The tries that the PIN has after a success; 0 if the card has no PIN.
    let tryLimit: UInt8
    /// The digits of the PIN in ASCII; nil if the card has none.
    var pin: SecretOctets?
    var triesLeft: UInt8
    var isBlocked = false
    var states: [ApplicationState]
    var session = CardSession()
    private var random: SplitMix
    /// The number of answers since power on.
    private var answers = 0

    init(_ description: CardDescription, _ cryptography: any ChipCardCryptography, seed: UInt64) {
        answerToReset = description.answerToReset
        offersT0 = description.usesT0
        muteAfter = description.muteAfter
        stripe = description.stripe
        wedge = description.wedge
        directories = description.directories
        applications = description.applications
        self.cryptography = cryptography
        tryLimit = description.tryLimit
        pin = description.pin
        triesLeft = description.triesLeft
        isBlocked = description.isBlocked
        states = description.applications.map(\.initialState)
        random = SplitMix(seed: seed)
    }

    /// Gives the card power, or resets it: the selection and the transaction are forgotten. Counters, the
    /// PIN's tries and blocks stay.
    /// - Returns: the answer to reset; empty if the chip is mute.
    public mutating func powerOn() -> [UInt8] {
        begin(inField: false)
        return isMute ? [] : answerToReset
    }

    /// Takes the card's power.
    public mutating func powerOff() {
        isPowered = false
        session = CardSession()
    }

    /// Gives the card power in the field of a contactless reader, or resets it there. It answers each command at once.
    mutating func enterField() { begin(inField: true) }

    private mutating func begin(inField: Bool) {
        isPowered = true
        isInField = inField
        answers = 0
        session = CardSession()
    }

    /// Whether the chip answers no more, until it gets power again: the file's `mute_after`.
    public var isMute: Bool { muteAfter.map { answers >= $0 } ?? false }

    /// Whether the data of an answer is fetched with GET RESPONSE.
    private var usesT0: Bool { offersT0 && !isInField }

    /// Answers a command that is given as octets.
    /// - Parameter octets: any octets; those that are no command get 6700.
    /// - Returns: the answer; 6F00 without power, and if the chip is mute.
    public mutating func receive(_ octets: Span<UInt8>) -> CardResponse {
        guard let command = try? CardCommand(octets) else {
            session.forgetOnce()
            return .status(isPowered && !isMute ? .wrongLength : .failure)
        }
        return receive(command)
    }

    /// Answers a command, over T=0 with GET RESPONSE and corrected lengths.
    /// - Parameter command: any command.
    /// - Returns: the answer; 6F00 without power, and if the chip is mute.
    public mutating func receive(_ command: CardCommand) -> CardResponse {
        guard isPowered, !isMute else { return .status(.failure) }
        // After the command: one whose length is corrected is answered, too.
        let count = answers + 1
        defer { answers = count }
        guard let instruction = CardInstruction(command) else {
            session.forgetOnce()
            return .status(CardInstruction.refusal(of: command))
        }
        guard instruction != .getResponse else { return fetch(command) }
        // A case 4 command of T=0 has no Le.
        let needsLength = instruction.returnsData && (!usesT0 || command.data.isEmpty)
        guard !needsLength || command.expectedLength != nil else {
            session.forgetOnce()
            return .status(usesT0 ? .length(0) : .wrongLength)
        }
        let challenge = session.challenge
        session.forgetOnce()
        guard usesT0, command.data.isEmpty else {
            return deliver(execute(instruction, command, challenge), to: command)
        }
        let before = self
        let response = deliver(execute(instruction, command, challenge), to: command)
        // A command whose length is corrected was not carried out (ISO/IEC 7816-4): the terminal sends it again.
        if response.status.first == StatusWord.length(0).first { self = before }
        return response
    }

    private mutating func execute(
        _ instruction: CardInstruction, _ command: CardCommand, _ challenge: [UInt8]?
    ) -> CardResponse {
        switch instruction {
        case .select: return select(command)
        case .readRecord: return readRecord(command)
        case .getData: return getData(command)
        case .getProcessingOptions: return getProcessingOptions(command)
        case .verify: return verify(command, challenge)
        case .getChallenge: return getChallenge(command)
        case .internalAuthenticate: return internalAuthenticate(command)
        case .generateCryptogram: return generateCryptogram(command)
        case .externalAuthenticate: return externalAuthenticate(command)
        case .applicationBlock, .applicationUnblock, .cardBlock, .changePIN, .putData:
            return performScript(instruction, command)
        case .getResponse: return .status(.conditionsNotSatisfied)
        }
    }

    /// Random octets, the same for the same seed.
    mutating func randomOctets(_ count: Int) -> [UInt8] { random.octets(count) }
}

/// The delivery of an answer's data: at once, or in pieces with GET RESPONSE (ISO/IEC 7816-3 and -4).
extension VirtualCard {
    private mutating func deliver(_ response: CardResponse, to command: CardCommand) -> CardResponse {
        let count = response.data.count
        guard count > 0 else { return response }
        let expected = command.expectedLength ?? 0
        if usesT0, command.data.isEmpty {
            return expected == count ? response : .status(.length(count))
        }
        guard usesT0 || expected < count else { return response }
        session.pending = response.data
        return usesT0 ? .status(.available(count)) : nextPart(expected)
    }

    /// GET RESPONSE: sends octets that wait.
    private mutating func fetch(_ command: CardCommand) -> CardResponse {
        guard command.data.isEmpty, let expected = command.expectedLength else {
            session.forgetOnce()
            return .status(.wrongLength)
        }
        guard command.parameter1 == 0, command.parameter2 == 0 else {
            session.forgetOnce()
            return .status(.wrongParameters)
        }
        guard !session.pending.isEmpty else { return .status(.conditionsNotSatisfied) }
        guard expected <= session.pending.count else { return .status(.length(session.pending.count)) }
        return nextPart(expected)
    }

    /// Sends the first octets of an answer, and keeps the rest.
    private mutating func nextPart(_ count: Int) -> CardResponse {
        let (first, rest) = session.pending.withOctets { octets in
            (
                SecretOctets(copying: octets.extracting(first: count)),
                SecretOctets(copying: octets.extracting(count...))
            )
        }
        session.pending = rest
        return CardResponse(data: first.octets, status: rest.isEmpty ? .success : .available(rest.count))
    }
}

/// A directory of a card: PSE or PPSE.
struct CardDirectory: Sendable {
    let name: [UInt8]
    /// The answer to SELECT, encoded.
    let controlInformation: [UInt8]
    /// The records of file 1, encoded.
    let records: [[UInt8]]
}

/// The state of a card that ends with its power.
struct CardSession: Sendable {
    enum Selection: Sendable, Hashable {
        case directory(Int)
        case application(Int)
    }

    var selection: Selection?
    /// The name, perhaps partial, that the last SELECT had.
    var selectedName: [UInt8] = []
    var transaction: CardTransactionState?
    /// The answer to GET CHALLENGE, for the next command.
    var challenge: [UInt8]?
    /// The octets that wait for GET RESPONSE.
    var pending = SecretOctets([])

    /// The index of the selected application.
    var application: Int? {
        guard case .application(let index) = selection else { return nil }
        return index
    }

    /// Forgets the values that only the next command may use.
    mutating func forgetOnce() {
        challenge = nil
        pending = SecretOctets([])
    }
}

/// A transaction, from GET PROCESSING OPTIONS on.
struct CardTransactionState: Sendable {
    enum Stage: Sendable {
        /// No cryptogram was requested yet.
        case open
        /// The card has answered an ARQC, and waits for the issuer.
        case online
        /// The card has answered its last cryptogram.
        case over
    }

    var stage = Stage.open
    /// The application transaction counter (9F36).
    let counter: UInt16
    /// The values that the terminal has sent, by their tags.
    var values = DataObjectStore()
    /// The values of PDOL, CDOL1 and CDOL2 as they came, which a signature covers.
    var lists: [SecretOctets] = []
    var results = CardResults()
    /// The analysis of the first cryptogram.
    var analysis: CardActionAnalysis?
    /// The first cryptogram and its type.
    var first: (type: CryptogramType, cryptogram: [UInt8])?
    /// The dynamic number of the last signature, 8 octets.
    var dynamicNumber: [UInt8]?
    /// The card status update of an issuer that was authenticated.
    var statusUpdate: [UInt8]?
    /// The commands of the issuer in this transaction.
    var scripts = ApplicationState.ScriptRecord()
    /// Number of commands with secure messaging that have come, carried out or not.
    var commandCount = 0
}

extension VirtualCard: RedactedDescription {
    /// The name of the first application with a label; nil if there is none.
    func name(labelled label: String) -> [UInt8]? {
        applications.first { application in
            var entry = DataObjectStore()
            _ = try? entry.add(application.directoryEntry.span)
            return entry[0x50].map { String(decoding: $0, as: UTF8.self) } == label
        }?.name
    }

    /// The names of the applications, each with the tags of the objects that its file marks as made, and
    /// nothing of their content.
    public var description: String {
        let applications = applications.map { application in
            let name = application.name.hexadecimal
            guard !application.made.isEmpty else { return name }
            return "\(name) (made: \(application.made.map(\.description).joined(separator: " ")))"
        }
        return "virtual card with \(applications.joined(separator: ", "))"
    }
}
