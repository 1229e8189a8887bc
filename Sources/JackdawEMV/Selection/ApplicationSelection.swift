/// Selects an application of a card: builds the list of candidates, has one chosen, and selects it (EMV Book 1 section
/// 12, Book B section 3.3). A machine without I/O.
///
/// Send the command of each step, and pass on the card's answer with the identifier of the step. A late or repeated
/// answer changes nothing and returns ``Step/ignored(identifier:_:)``: the step before it still waits for its answer.
///
/// ```swift
/// var selection = ApplicationSelection(applications, on: .contact)
/// var step = selection.start()
/// while case .send(let command, let identifier) = step {
///     step = selection.receive(try card.transmit(command), to: identifier)
/// }
/// if case .choose(isRequired: false, let identifier) = step { step = selection.choose(0, to: identifier) }
/// ```
public struct ApplicationSelection: Sendable {
    /// The next task of the caller. Identifiers begin at 1 and increase,
    /// also after another ``ApplicationSelection/start()``.
    public enum Step: Sendable, Equatable {
        /// Send the command, and pass the answer to ``ApplicationSelection/receive(_:to:)``.
        case send(CardCommand, identifier: Int)
        /// Pass the index of one of ``ApplicationSelection/candidates`` to ``ApplicationSelection/choose(_:to:)``: 0 if
        /// no choice of the cardholder is required.
        case choose(isRequired: Bool, identifier: Int)
        /// The application is selected; these are the objects of its control information (FCI).
        case selected(ApplicationCandidate, DataObjectStore)
        /// The selection has failed.
        case failed(Failure)
        /// An answer was ignored. The step that was open before stays open.
        case ignored(identifier: Int, IgnoredAnswer)
    }

    /// The reasons why no application is selected.
    public enum Failure: String, Sendable, Hashable {
        /// The card has no application that the terminal supports and that can be selected.
        case notAccepted = "not_accepted"
        /// The card is blocked, or does not know SELECT.
        case cardBlocked = "card_blocked"
    }

    /// Choices that the books leave to the terminal.
    public struct Settings: Sendable, Hashable {
        /// Whether the directory is read first; else a contact card is asked for each application. Default: true.
        public var usesDirectory = true
        /// Among candidates without priority, whether the one that was found last is first. Default: false.
        public var prefersLastWithoutPriority = false
        /// The indexes of the code tables that the terminal can show. Default: 1 to 10.
        public var codeTables: [UInt8] = Array(1...10)
        /// Whether the terminal has contactless kernel 1, for Visa cards that do not ask for the terminal's qualifiers.
        /// Default: false; such a card is not selected.
        public var hasKernel1 = false

        /// Settings with the defaults.
        public init() {}
    }

    /// The candidates, in descending order of priority. Those without priority are last.
    public private(set) var candidates: [ApplicationCandidate] = []

    private let applications: [SupportedApplication]
    private let interface: ApplicationInterface
    private let settings: Settings
    private var state = State.idle
    private var lastIdentifier = 0
    /// Once a choice is required, it stays required when a candidate is removed.
    private var choiceIsRequired = false

    private enum State: Sendable {
        case idle
        case directory
        case record(file: Int, number: Int, codeTable: [UInt8]?)
        case application(index: Int, repeats: Int)
        case choosing
        case selecting(ApplicationCandidate)
        case ended
    }

    /// The greatest number of applications that are asked for with one partial name. No card holds so many.
    private static let maxRepeats = 64

    /// A selection.
    /// - Parameters:
    ///   - applications: the applications that the terminal supports, in the order in which a card is asked for them.
    ///   - interface: how the card is read.
    ///   - settings: choices of the terminal.
    public init(
        _ applications: [SupportedApplication], on interface: ApplicationInterface, settings: Settings = Settings()
    ) {
        self.applications = applications
        self.interface = interface
        self.settings = settings
    }

    /// Begins, or begins again after a reset of the card.
    public mutating func start() -> Step {
        candidates = []
        choiceIsRequired = false
        guard interface == .contactless || settings.usesDirectory else { return ask(0, repeats: 0) }
        state = .directory
        let name: [UInt8] =
            interface == .contact
            ? [0x31, 0x50, 0x41, 0x59, 0x2E, 0x53, 0x59, 0x53, 0x2E, 0x44, 0x44, 0x46, 0x30, 0x31]
            : [0x32, 0x50, 0x41, 0x59, 0x2E, 0x53, 0x59, 0x53, 0x2E, 0x44, 0x44, 0x46, 0x30, 0x31]
        return select(name)
    }

    /// Goes on with the card's answer to a command.
    /// - Parameters:
    ///   - answer: the answer, over T=0 the whole one of ``CardExchange``.
    ///   - identifier: the identifier of the step that sent the command.
    /// - Returns: the next step, or that the answer was ignored.
    public mutating func receive(_ answer: CardResponse, to identifier: Int) -> Step {
        if let reason = reasonToIgnore(identifier) { return .ignored(identifier: identifier, reason) }
        switch state {
        case .idle, .choosing, .ended: return .ignored(identifier: identifier, .invalid)
        case .directory: return receiveDirectory(answer)
        case .record(let file, let number, let codeTable): return receiveRecord(answer, file, number, codeTable)
        case .application(let index, let repeats): return receiveApplication(answer, index, repeats)
        case .selecting(let candidate): return receiveSelected(answer, candidate)
        }
    }

    /// Chooses a candidate. It leaves the list, and comes back only with ``start()``.
    /// - Parameters:
    ///   - index: its index in ``candidates``.
    ///   - identifier: the identifier of the step that asked for the choice.
    /// - Returns: the next step, or that the choice was ignored, for example as there is no such candidate.
    public mutating func choose(_ index: Int, to identifier: Int) -> Step {
        if let reason = reasonToIgnore(identifier) { return .ignored(identifier: identifier, reason) }
        guard case .choosing = state, candidates.indices.contains(index) else {
            return .ignored(identifier: identifier, .invalid)
        }
        let candidate = candidates.remove(at: index)
        state = .selecting(candidate)
        return select(candidate.name + candidate.extendedSelection)
    }

    /// The reason for which an answer to a step is late or unknown; nil if the step waits for its answer.
    private func reasonToIgnore(_ identifier: Int) -> IgnoredAnswer? {
        guard identifier == lastIdentifier, identifier > 0 else {
            return (1..<max(1, lastIdentifier)).contains(identifier) ? .late : .unknown
        }
        if case .ended = state { return .late }
        return nil
    }

    private mutating func nextIdentifier() -> Int {
        lastIdentifier += 1
        return lastIdentifier
    }
}

/// The reason for which a machine ignored an answer.
public enum IgnoredAnswer: String, Sendable, Hashable {
    /// The effect was answered before, or the machine has ended.
    case late
    /// The machine has made no such effect.
    case unknown
    /// The answer is not of the kind for which the effect asks, or its value is out of range. The effect stays open.
    case invalid
}

// MARK: - The directory

extension ApplicationSelection {
    private mutating func receiveDirectory(_ answer: CardResponse) -> Step {
        if interface == .contact, answer.status == .functionNotSupported { return end(.failed(.cardBlocked)) }
        guard answer.status == .success, let objects = Self.objects(of: answer, in: 0x6F) else {
            return withoutDirectory()
        }
        guard interface == .contact else {
            answer.data.withOctets { addEntries(of: $0, codeTable: objects[0x9F11]) }
            return listIsComplete()
        }
        guard let file = objects[0x88], file.count == 1, (1...10).contains(file[0]) else { return withoutDirectory() }
        return read(1, of: Int(file[0]), objects[0x9F11])
    }

    /// A contactless card without directory has no application for the terminal.
    private mutating func withoutDirectory() -> Step {
        interface == .contact ? ask(0, repeats: 0) : end(.failed(.notAccepted))
    }

    private mutating func read(_ number: Int, of file: Int, _ codeTable: [UInt8]?) -> Step {
        guard let command = try? CardCommand.readRecord(number, file: file) else { return directoryIsRead() }
        state = .record(file: file, number: number, codeTable: codeTable)
        return .send(command, identifier: nextIdentifier())
    }

    private mutating func receiveRecord(
        _ answer: CardResponse, _ file: Int, _ number: Int, _ codeTable: [UInt8]?
    ) -> Step {
        guard answer.status != .recordNotFound else { return directoryIsRead() }
        if answer.status == .success { answer.data.withOctets { addEntries(of: $0, codeTable: codeTable) } }
        return read(number + 1, of: file, codeTable)
    }

    /// Without a common application in the directory, the card is asked for each (EMV Book 1 section 12.3.2, step 5).
    private mutating func directoryIsRead() -> Step {
        candidates.isEmpty ? ask(0, repeats: 0) : listIsComplete()
    }

    /// Adds the applications of all templates 61. Invalid ones are ignored, as are those after an error.
    private mutating func addEntries(of octets: Span<UInt8>, codeTable: [UInt8]?) {
        var walker = TagLengthValueWalker(octets)
        while let entry = try? walker.next(in: octets) {
            guard entry.tag == 0x61 else { continue }
            walker.skipContents()
            var objects = DataObjectStore()
            guard (try? objects.add(octets.extracting(entry.value), keepingFirst: true)) != nil,
                let name = objects[0x4F],
                (5...16).contains(name.count), isValidKernel(objects[0x9F2A]),
                let application = applications.first(where: { $0.matches(name, on: interface) })
            else { continue }
            add(name, objects, codeTable, application)
        }
    }
}

extension ApplicationSelection {
    /// A kernel identifier of a country or vendor with fewer than 3 octets makes the entry invalid
    /// (Book B section 3.3.2.5).
    private func isValidKernel(_ identifier: [UInt8]?) -> Bool {
        guard interface == .contactless, let identifier, let first = identifier.first else { return true }
        return first & 0x80 == 0 || identifier.count >= 3
    }
}

// MARK: - The list of applications

extension ApplicationSelection {
    private mutating func ask(_ index: Int, repeats: Int) -> Step {
        guard index < applications.count else { return listIsComplete() }
        state = .application(index: index, repeats: repeats)
        return select(applications[index].identifier, next: repeats > 0)
    }

    /// EMV Book 1 section 12.3.3, steps 2 to 7.
    private mutating func receiveApplication(_ answer: CardResponse, _ index: Int, _ repeats: Int) -> Step {
        if repeats == 0, answer.status == .functionNotSupported { return end(.failed(.cardBlocked)) }
        guard answer.status == .success || answer.status == .fileInvalidated,
            let objects = Self.objects(of: answer, in: 0x6F), let name = objects[0x84], (5...16).contains(name.count),
            applications[index].matches(name, on: interface)
        else { return ask(index + 1, repeats: 0) }
        if answer.status == .success { add(name, objects, objects[0x9F11], applications[index]) }
        let isWhole = name.count == applications[index].identifier.count
        guard !isWhole, repeats < Self.maxRepeats else { return ask(index + 1, repeats: 0) }
        return ask(index, repeats: repeats + 1)
    }
}

// MARK: - The choice

extension ApplicationSelection {
    private mutating func add(
        _ name: [UInt8], _ objects: DataObjectStore, _ codeTable: [UInt8]?, _ application: SupportedApplication
    ) {
        let candidate = ApplicationCandidate(
            name, objects, codeTable: codeTable, supporting: settings.codeTables,
            appendsExtendedSelection: interface == .contactless && application.appendsExtendedSelection)
        func rank(_ candidate: ApplicationCandidate) -> Int { candidate.priority == 0 ? 16 : candidate.priority }
        let goesBeforeEqual = candidate.priority == 0 && settings.prefersLastWithoutPriority
        let place = candidates.firstIndex { other in
            goesBeforeEqual ? rank(other) >= rank(candidate) : rank(other) > rank(candidate)
        }
        candidates.insert(candidate, at: place ?? candidates.count)
    }

    private mutating func listIsComplete() -> Step {
        guard !candidates.isEmpty else { return end(.failed(.notAccepted)) }
        let isOpen = candidates.count > 1 || candidates[0].requiresConfirmation
        // A contactless card's applications are taken in order (Book B section 3.3.3).
        choiceIsRequired = choiceIsRequired || (interface == .contact && isOpen)
        state = .choosing
        return .choose(isRequired: choiceIsRequired, identifier: nextIdentifier())
    }

    /// An application that cannot be selected leaves the list (EMV Book 1 section 12.4, Book B section 3.3.3).
    private mutating func receiveSelected(_ answer: CardResponse, _ candidate: ApplicationCandidate) -> Step {
        if answer.status == .functionNotSupported, interface == .contact { return end(.failed(.cardBlocked)) }
        guard answer.status == .success, let objects = Self.objects(of: answer, in: 0x6F) else {
            return listIsComplete()
        }
        guard interface == .contactless else {
            return objects[0x84] == candidate.name ? end(.selected(candidate, objects)) : listIsComplete()
        }
        var selected = candidate
        if candidate.kernel == 3, candidate.isVisa, !Self.asksForQualifiers(objects) {
            guard settings.hasKernel1 else { return listIsComplete() }
            selected.kernel = 1
        }
        return end(.selected(selected, objects))
    }

    private static func asksForQualifiers(_ objects: DataObjectStore) -> Bool {
        objects.withValue(0x9F38) { (try? DataObjectList($0))?.contains(0x9F66) ?? false } ?? false
    }

    private mutating func end(_ step: Step) -> Step {
        state = .ended
        return step
    }

    /// Sends SELECT. A name without 5 to 16 octets, which no candidate has, ends the selection.
    private mutating func select(_ name: [UInt8], next: Bool = false) -> Step {
        guard let command = try? CardCommand.select(name, next: next) else { return end(.failed(.notAccepted)) }
        return .send(command, identifier: nextIdentifier())
    }

    /// The primitive objects of an answer that is one template.
    /// - Returns: nil if the answer is not this template and nothing else, or is not valid.
    private static func objects(of answer: CardResponse, in template: Tag) -> DataObjectStore? {
        answer.data.withOctets { octets in
            guard let outer = try? TagLengthValue.first(template, in: octets), outer.start == 0,
                outer.value.upperBound == octets.count
            else { return nil }
            var objects = DataObjectStore()
            // The first of repeated objects counts.
            guard (try? objects.add(octets, keepingFirst: true)) != nil else { return nil }
            return objects
        }
    }
}
