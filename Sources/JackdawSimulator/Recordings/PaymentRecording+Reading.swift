import JackdawEMV
import JackdawReaders

// The text of a recording, read. It may come from anyone: every input gives a recording or an error, in bounded memory.

extension PaymentRecording {
    /// Reads a recording from its text.
    /// - Parameter text: the whole file.
    /// - Throws: ``SimulationFileError`` that names the line, and shows nothing of its values.
    package init(_ text: [UInt8]) throws(SimulationFileError) {
        guard text.count <= Self.maxFileSize else {
            throw SimulationFileError(.length, at: "", "a recording has at most \(Self.maxFileSize) bytes")
        }
        let lines = text.split(
            separator: UInt8(ascii: "\n"), maxSplits: Self.maxEntries + 2, omittingEmptySubsequences: false)
        header = try Self.header(lines[0])
        var entries: [PaymentEntry] = []
        for (index, line) in lines.enumerated().dropFirst() {
            // The last line ends with a line feed, too.
            if line.isEmpty, index == lines.count - 1 { break }
            let place = "line \(index + 1)"
            guard entries.count < Self.maxEntries else {
                throw SimulationFileError(.length, at: place, "a recording has at most \(Self.maxEntries) entries")
            }
            let entry = try Self.entry(line, at: place)
            guard entry.time >= entries.last?.time ?? .zero else {
                throw SimulationFileError(.value, at: "\(place).time", "it is before the time of the line above")
            }
            entries.append(entry)
        }
        self.entries = entries
        guard entries.contains(where: { if case .step = $0 { true } else { false } }) else {
            throw SimulationFileError(.member, at: "", "there is no event")
        }
    }

    private static func header(_ line: ArraySlice<UInt8>) throws(SimulationFileError) -> Header {
        let object = try object(line, at: "line 1")
        guard object.has(version) else {
            throw SimulationFileError(.member, at: "line 1", "it is not the beginning of a recorded payment")
        }
        try object.allow([version, "link", "card", "amount", "currency", policy])
        _ = try object.number(version, 1...1)
        let link = try object.text("link")
        guard (1...64).contains(link.utf8.count), link.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SimulationFileError(.value, at: object.place(of: "link"), "it has 1 to 64 printable characters")
        }
        let card = try object.text("card")
        guard Header.isName(card) else {
            throw SimulationFileError(
                .value, at: object.place(of: "card"), "it has 1 to 40 small letters, digits and hyphens")
        }
        var currency: Currency?
        if let code = try object.optionalText("currency") {
            currency = Currency.find(alphabeticCode: code)
            guard currency != nil else {
                throw SimulationFileError(.value, at: object.place(of: "currency"), "ISO 4217 has no such code")
            }
        }
        let amount = Amount(minorUnits: try object.amount("amount"), currencyCode: currency?.numericCode)
        var rules: PaymentPolicy?
        if let object = try object.optionalObject(policy) { rules = try PaymentPolicy(recorded: object) }
        return Header(link: link, card: card, amount: amount, policy: rules)
    }

    private static func object(
        _ line: ArraySlice<UInt8>, at place: String
    ) throws(SimulationFileError) -> DescriptionObject {
        guard line.count <= maxLine else {
            throw SimulationFileError(.length, at: place, "a line has at most \(maxLine) bytes")
        }
        return try DescriptionObject(DescriptionObject.content(of: Array(line), at: place), at: place)
    }

    private static func entry(
        _ line: ArraySlice<UInt8>, at place: String
    ) throws(SimulationFileError) -> PaymentEntry {
        let object = try object(line, at: place)
        return object.has("bytes") ? .message(try message(object)) : .step(try step(object))
    }

    private static func message(_ object: DescriptionObject) throws(SimulationFileError) -> PaymentMessage {
        try object.allow(["time", "sent", "bytes"])
        guard let octets = [UInt8?](recorded: try object.text("bytes")) else {
            throw SimulationFileError(
                .kind, at: object.place(of: "bytes"), "it must be pairs of hexadecimal digits, or ** for a masked byte")
        }
        return PaymentMessage(
            time: try object.recordedTime("time"), isSent: try object.optionalFlag("sent"), octets: octets)
    }

    private static func step(_ object: DescriptionObject) throws(SimulationFileError) -> PaymentStep {
        try object.allow(["time", "event", "answers", "journal", "phase", "deadline", "effects"])
        let effects = try object.objects("effects", allowed: ["id", "action", "journal"])
        guard effects.count <= maxEffects else {
            throw SimulationFileError(
                .length, at: object.place(of: "effects"), "an event has at most \(maxEffects) effects")
        }
        var found: [PaymentEffect] = []
        for effect in effects { found.append(try self.effect(effect)) }
        return PaymentStep(
            time: try object.recordedTime("time"), cause: try cause(object), phase: try object.choice("phase"),
            deadline: object.has("deadline") ? try object.recordedTime("deadline") : nil, effects: found)
    }

    private static func cause(_ object: DescriptionObject) throws(SimulationFileError) -> PaymentStep.Cause {
        let name = try object.text("event")
        guard name != PaymentStep.restart else { return .restart(try journal(object)) }
        guard let event = PaymentEvent(rawValue: name) else {
            throw SimulationFileError(.value, at: object.place(of: "event"), "it is no event of a payment")
        }
        return .event(event, answering: try object.optionalNumber("answers", 1...maxIdentifier))
    }

    private static func effect(_ object: DescriptionObject) throws(SimulationFileError) -> PaymentEffect {
        let identifier = try object.number("id", 1...maxIdentifier)
        let name = try object.text("action")
        guard name != Self.writeJournal else {
            return PaymentEffect(identifier: identifier, action: .writeJournal(try journal(object)))
        }
        guard let action = PaymentAction.byName[name] else {
            throw SimulationFileError(.value, at: object.place(of: "action"), "it is no effect of a payment")
        }
        return PaymentEffect(identifier: identifier, action: action)
    }

    private static let writeJournal = PaymentAction.writeJournal(PaymentJournal()).name

    private static func journal(_ object: DescriptionObject) throws(SimulationFileError) -> PaymentJournal {
        let members = ["entry", "host", "reversal", "stored", "outcome"]
        let object = try object.object("journal", allowed: members)
        var journal = PaymentJournal()
        journal.entry = try object.optionalChoice("entry")
        journal.host = try object.choice("host")
        journal.isReversalQueued = try object.optionalFlag("reversal")
        journal.isRecordStored = try object.optionalFlag("stored")
        journal.outcome = try object.optionalChoice("outcome")
        return journal
    }
}

extension PaymentAction {
    /// The actions without content, by their names in traces and tables.
    fileprivate static let byName: [String: PaymentAction] = {
        let plain: [PaymentAction] = [
            .prepare, .acceptCard, .processCard, .chooseApplication, .askHost, .captureSignature, .verifySignature,
            .storeRecord, .useNewAmount, .stopReader,
        ]
        var actions = plain
        actions += HostKnowledge.allCases.map { .completeCard($0) }
        actions += ReversalCause.allCases.map { .reverse($0) }
        actions += PaymentPrompt.allCases.map { .prompt($0) }
        actions += PaymentOutcome.allCases.map { .end($0) }
        actions += PaymentEvent.allCases.map { .ignore($0) }
        actions += PaymentEvent.allCases.map { .reject($0) }
        return Dictionary(uniqueKeysWithValues: actions.map { ($0.name, $0) })
    }()
}
