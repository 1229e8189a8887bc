import JackdawBytes

/// Explains a dialogue with a card, one exchange after the other: the commands and their parameters, the values that
/// were sent against the list (DOL) with which the card asked for them, and the objects of the
/// answers. A machine without I/O.
///
/// It remembers what it needs of the card's objects until the next application is selected, in wiped memory.
///
/// ```swift
/// var explainer = TraceExplainer()
/// for exchange in exchanges { show(explainer.explain(exchange)) }
/// ```
///
/// With keys of certification authorities and the caller's RSA, certificates and signatures are opened, too. Their
/// hashes are not checked; ``OfflineAuthentication`` checks them.
public struct TraceExplainer<Primitives: AuthenticationPrimitives>: Sendable {
    let primitives: Primitives
    let keys: AuthenticationKeys
    let isRevealing: Bool
    private let kernel: Int?

    /// The objects of the application.
    var card = DataObjectStore()
    /// The facts on which the meaning of values depends.
    private var context: ValueContext
    /// Number of GENERATE AC that the card answered since the application was selected.
    private var cryptogramCount = 0
    /// The command whose answer GET RESPONSE asks for, and the part of the answer that was received.
    private var open: (command: CardCommand, data: SecretOctets)?
    /// The keys that were recovered from certificates.
    var issuerKey: RSAPublicKey?
    var cardKey: RSAPublicKey?
    /// Whether objects came since certificates were tried last.
    var hasNewObjects = false
    /// The certificates and signatures that are explained already.
    var recoveredTags: [Tag] = []

    /// The greatest number of objects of an application that are remembered. The dictionary has fewer.
    private static var maxObjects: Int { 512 }

    /// An explainer at the beginning of a dialogue.
    /// - Parameters:
    ///   - primitives: RSA of the caller.
    ///   - keys: the keys of certification authorities.
    ///   - kernel: the number of the contactless kernel whose meanings apply. Default: nil, the kernel of the scheme of
    ///     the application that is selected.
    ///   - isRevealing: whether card data is shown. PINs and keys are never shown. Default: false.
    public init(_ primitives: Primitives, keys: AuthenticationKeys, kernel: Int? = nil, isRevealing: Bool = false) {
        self.primitives = primitives
        self.keys = keys
        self.kernel = kernel
        self.isRevealing = isRevealing
        context = ValueContext(kernel: kernel)
    }

    /// Explains the next exchange of a trace.
    public mutating func explain(_ exchange: TraceExchange) -> ExplainedExchange {
        let line = exchange.command.line
        let count = exchange.command.octets.count
        guard
            let command = exchange.command.octets.withOctets({ octets in
                // Data that is masked is left out; the header must be there.
                exchange.command.maskedCount == 0
                    ? try? CardCommand(octets) : octets.count < 4 ? nil : try? CardCommand(octets.extracting(first: 4))
            })
        else {
            open = nil
            return ExplainedExchange(
                line: line,
                command: ExplainedCommand(
                    name: "Not a command", header: nil, parameters: [],
                    data: ExplainedData(count, problem: "not a command (APDU) of short lengths")),
                answer: exchange.answer.map { unexplained($0) }, recovered: [])
        }
        guard exchange.command.maskedCount == 0 else {
            return masked(command, exchange)
        }
        guard let answer = exchange.answer else { return explain(command, answer: nil, line: line) }
        guard answer.maskedCount == 0, let response = answer.octets.withOctets({ try? CardResponse($0) }) else {
            let explained = explain(command, answer: nil, line: line)
            countCryptogram(command, answer)
            return ExplainedExchange(
                line: line, command: explained.command, answer: unexplained(answer), recovered: explained.recovered)
        }
        return explain(command, answer: response, line: line)
    }

    /// Explains the next exchange with a card.
    /// - Parameters:
    ///   - command: the command.
    ///   - answer: the answer; nil if the card did not answer.
    /// - Returns: the exchange, without a line.
    public mutating func explain(_ command: CardCommand, answer: CardResponse?) -> ExplainedExchange {
        explain(command, answer: answer, line: nil)
    }

    private mutating func explain(_ command: CardCommand, answer: CardResponse?, line: Int?) -> ExplainedExchange {
        let kind = CommandKind(command)
        let explained = explain(command, kind)
        guard let answer else {
            open = nil
            return ExplainedExchange(line: line, command: explained, answer: nil, recovered: [])
        }
        let data = receive(answer, to: command, kind)
        if answer.status.isNormal { countCryptogram(command) }
        let isSuccessful = answer.status == .success || answer.status.first == 0x62
        return ExplainedExchange(
            line: line, command: explained,
            answer: ExplainedAnswer(status: answer.status, meaning: answer.status.meaning, data: data),
            recovered: isSuccessful ? recover() : [])
    }

    /// An answer that cannot be explained.
    private mutating func unexplained(_ answer: TraceMessage) -> ExplainedAnswer {
        open = nil
        let count = answer.octets.count
        let status = answer.octets.withOctets { octets in
            count < 2 || answer.maskedCount > 0
                ? nil : StatusWord(rawValue: UInt16(octets[count - 2]) << 8 | UInt16(octets[count - 1]))
        }
        let problem =
            answer.maskedCount > 0
            ? "\(answer.maskedCount) octets are masked in the trace"
            : count < 2 ? "an answer has at least 2 octets" : nil
        return ExplainedAnswer(
            status: status, meaning: status?.meaning,
            data: ExplainedData(status == nil ? count : count - 2, problem: problem))
    }

    /// Counts a command that the card carried out, if it is GENERATE AC. After one that the card refused, the first of
    /// the transaction is still to come.
    private mutating func countCryptogram(_ command: CardCommand) {
        if CommandKind(command) == .generateCryptogram { cryptogramCount += 1 }
    }

    /// Does the same with a message that may be masked. A refusal has no data that could be masked.
    private mutating func countCryptogram(_ command: CardCommand, _ answer: TraceMessage) {
        let isNormal = answer.octets.withOctets { (try? CardResponse($0))?.status.isNormal ?? false }
        if answer.maskedCount > 0 ? answer.octets.count > 2 : isNormal { countCryptogram(command) }
    }

    /// A command with masked octets, none of which is shown.
    private mutating func masked(_ command: CardCommand, _ exchange: TraceExchange) -> ExplainedExchange {
        open = nil
        if let answer = exchange.answer { countCryptogram(command, answer) }
        let problem = "\(exchange.command.maskedCount) octets are masked in the trace"
        return ExplainedExchange(
            line: exchange.command.line,
            command: ExplainedCommand(
                name: "Masked command", header: nil, parameters: [],
                data: ExplainedData(exchange.command.octets.count, problem: problem)),
            answer: exchange.answer.map { unexplained($0) }, recovered: [])
    }
}

// MARK: - Commands and their data

extension TraceExplainer {
    private mutating func explain(_ command: CardCommand, _ kind: CommandKind) -> ExplainedCommand {
        var parameters = command.parameterDetails(kind)
        switch kind {
        case .generateCryptogram:
            parameters.append(
                cryptogramCount == 0
                    ? ExplainedObject.Detail("first", "first of the transaction")
                    : ExplainedObject.Detail("second", "second of the transaction"))
        case .getProcessingOptions: cryptogramCount = 0
        default: break
        }
        let data = command.data.withOctets { explainSent($0, command, kind) }
        return ExplainedCommand(
            name: kind.name(command),
            header: [command.classOctet, command.instruction, command.parameter1, command.parameter2].hexadecimal,
            parameters: parameters, data: data)
    }

    private mutating func explainSent(
        _ data: Span<UInt8>, _ command: CardCommand, _ kind: CommandKind
    ) -> ExplainedData {
        guard !data.isEmpty else { return ExplainedData(0) }
        guard !command.mayHaveSecret else { return ExplainedData(data.count, problem: "PINs and keys are never shown") }
        switch kind {
        case .select where command.parameter1 == 0x04: return whole(0x84, data)
        case .externalAuthenticate: return whole(0x91, data)
        case .getProcessingOptions: return processingOptions(data)
        case .generateCryptogram: return values(data, cryptogramCount == 0 ? 0x8C : 0x8D, default: nil)
        case .internalAuthenticate: return values(data, 0x9F49, default: 0x9F37)
        case .computeChecksum: return values(data, 0x9F69, default: 0x9F6A)
        case .putData:
            guard let tag = command.requestedTag, command.classOctet & 0x0C == 0 else { return unparsed(data) }
            return whole(tag, data)
        default: return unparsed(data)
        }
    }

    /// Data that is the value of one object.
    private func whole(_ tag: Tag, _ data: Span<UInt8>) -> ExplainedData {
        ExplainedData(data.count, [ExplainedObject(tag, 0..<data.count, depth: 0, in: data, context, isRevealing)])
    }

    /// Data that has no known form: like card data, unless it may have a PIN.
    private func unparsed(_ data: Span<UInt8>, problem: String? = nil, isSecret: Bool = false) -> ExplainedData {
        ExplainedData(data.count, digits: isRevealing && !isSecret ? data.hexadecimal : nil, problem: problem)
    }

    /// The values of GET PROCESSING OPTIONS, in a template 83 (EMV Book 3 section 6.5.8).
    private mutating func processingOptions(_ data: Span<UInt8>) -> ExplainedData {
        guard let object = try? TagLengthValue.list(data).first, object.tag == 0x83, object.start == 0,
            object.value.upperBound == data.count
        else { return unparsed(data, problem: "not a command template 83") }
        let outer = ExplainedObject.explain(data, [object], context, isRevealing)[0]
        guard !object.value.isEmpty else { return ExplainedData(data.count, [outer.withDigits("")]) }
        guard let parts = parts(of: data, object.value, 0x9F38, default: nil, depth: 1) else {
            let shown = mayAskForSecret(0x9F38) ? outer.withDigits(nil) : outer
            return ExplainedData(data.count, [shown], problem: problem(0x9F38, object.value.count))
        }
        return ExplainedData(data.count, [outer.with(parts, data.extracting(object.value))] + parts)
    }

    /// The values that a list of the card asks for, or the one value of the list that applies if the card has none.
    private mutating func values(_ data: Span<UInt8>, _ list: Tag, default tag: Tag?) -> ExplainedData {
        guard let parts = parts(of: data, 0..<data.count, list, default: tag, depth: 0) else {
            return unparsed(data, problem: problem(list, data.count), isSecret: mayAskForSecret(list))
        }
        return ExplainedData(data.count, parts)
    }

    /// Whether values that do not fit a list may have a PIN: the list asks for one, or is not valid.
    private func mayAskForSecret(_ list: Tag) -> Bool {
        guard let known = known(list) else { return false }
        return known?.entries.contains { DataElement.sensitivity(of: $0.tag) == .secret } ?? true
    }

    private func problem(_ list: Tag, _ count: Int) -> String {
        let name = DataElement.find(list)?.name ?? "\(list)"
        guard let known = known(list) else { return "the card has not sent the list \(list), \(name)" }
        guard let known else { return "the list \(list), \(name), is not valid" }
        return "the list \(list), \(name), asks for \(known.valueCount) octets, not \(count)"
    }

    /// A list of the card: nil if there is none, and `.some(nil)` if it is not valid or longer than an answer.
    private func known(_ list: Tag) -> DataObjectList?? {
        card.withValue(list) { $0.count <= 252 ? try? DataObjectList($0) : nil }
    }

    /// Splits values as a list asks for them.
    /// - Returns: nil if there is no list, or it asks for another number of octets.
    private mutating func parts(
        of data: Span<UInt8>, _ range: Range<Int>, _ tag: Tag, default value: Tag?, depth: Int
    ) -> [ExplainedObject]? {
        var list: [(tag: Tag, count: Int)] = []
        if card.contains(tag) {
            guard let known = known(tag) ?? nil, known.valueCount == range.count else { return nil }
            list = known.entries.map { ($0.tag, $0.count) }
        } else if let value, range.count == 4 {
            list = [(value, 4)]
        } else {
            return nil
        }
        var places: [(tag: Tag, range: Range<Int>)] = []
        var next = range.lowerBound
        for entry in list {
            places.append((entry.tag, next..<next + entry.count))
            next += entry.count
        }
        for place in places { context.learn(place.tag, data.extracting(place.range)) }
        var parts: [ExplainedObject] = []
        parts.reserveCapacity(places.count)
        for place in places {
            parts.append(ExplainedObject(place.tag, place.range, depth: depth, in: data, context, isRevealing))
        }
        return parts
    }
}

// MARK: - Answers and their data

extension TraceExplainer {
    /// Takes an answer; one that continues with GET RESPONSE is explained when it is complete.
    private mutating func receive(
        _ answer: CardResponse, to command: CardCommand, _ kind: CommandKind
    ) -> ExplainedData {
        var (first, collected) = (command, answer.data)
        if kind == .getResponse, let open {
            first = open.command
            // No answer is longer; 64 parts of T=0 have 16,384 octets.
            guard open.data.count + answer.data.count <= 1 << 17 else {
                self.open = nil
                return ExplainedData(answer.data.count, problem: "the answer is too long")
            }
            collected = SecretOctets(joining: [open.data, answer.data])
        }
        open = nil
        let isWarning = answer.status.first == 0x62 || answer.status.first == 0x63
        if answer.status.first == 0x61 || (isWarning && answer.data.isEmpty && kind != .getResponse) {
            open = (first, collected)
            guard answer.status.first == 0x61 else { return ExplainedData(0) }
            return ExplainedData(
                answer.data.count, problem: answer.data.isEmpty ? nil : "the answer continues with GET RESPONSE")
        }
        let isSuccessful = answer.status == .success || answer.status.first == 0x62
        return collected.withOctets { explainReceived($0, first, CommandKind(first), isSuccessful) }
    }

    private mutating func explainReceived(
        _ data: Span<UInt8>, _ command: CardCommand, _ kind: CommandKind, _ isSuccessful: Bool
    ) -> ExplainedData {
        if kind == .select, isSuccessful { select(command) }
        guard !data.isEmpty else { return ExplainedData(0) }
        if kind == .getChallenge { return unparsed(data) }
        if kind == .readRecord, let log = logEntry(data, command) { return log }
        let objects: [ExplainedObject]
        do throws(DataObjectError) {
            let list = try TagLengthValue.list(data)
            if isSuccessful { learn(list, data, kind) }
            objects = ExplainedObject.explain(data, list, context, isRevealing)
        } catch {
            return unparsed(data, problem: error.description)
        }
        guard !objects.isEmpty else { return unparsed(data) }
        guard objects.count == 1, objects[0].object.tag == 0x80, isSuccessful else {
            return ExplainedData(data.count, objects)
        }
        guard let parts = formatOne(data, objects[0].object.value, kind) else {
            return ExplainedData(data.count, objects)
        }
        return ExplainedData(data.count, [objects[0].with(parts, data.extracting(objects[0].object.value))] + parts)
    }

    /// Begins a new application.
    private mutating func select(_ command: CardCommand) {
        card = DataObjectStore()
        cryptogramCount = 0
        issuerKey = nil
        cardKey = nil
        recoveredTags = []
        context = ValueContext(kernel: kernel)
        guard command.parameter1 == 0x04 else { return }
        card.set(0x84, command.data)
    }

    /// Remembers the objects of an answer.
    private mutating func learn(_ list: [TagLengthValue], _ data: Span<UInt8>, _ kind: CommandKind) {
        // Several applications of a directory are not objects of one.
        guard !list.contains(where: { $0.tag == 0x61 }) else { return }
        for object in list where !object.tag.isConstructed && !object.value.isEmpty {
            let value = data.extracting(object.value)
            if object.tag == 0x80 { continue }
            remember(object.tag, value)
            context.learn(object.tag, value)
        }
        if kind == .select, kernel == nil, let name = card[0x84] {
            context.kernel = ApplicationCandidate.kernel(card[0x9F2A], name)
        }
    }

    private mutating func remember(_ tag: Tag, _ value: Span<UInt8>) {
        guard card.count < Self.maxObjects || card.contains(tag) else { return }
        if tag == .signedDynamicApplicationData { recoveredTags.removeAll { $0 == tag } }
        card.set(tag, value)
        hasNewObjects = true
    }

    /// The values of format 1, whose order each command has (EMV Book 3 sections 6.5.5, 6.5.8 and 6.5.9).
    /// - Returns: nil if the value is not in format 1 of the command.
    private mutating func formatOne(
        _ data: Span<UInt8>, _ value: Range<Int>, _ kind: CommandKind
    ) -> [ExplainedObject]? {
        let layout: [(tag: Tag, count: Int)]
        switch kind {
        case .getProcessingOptions where value.count >= 6: layout = [(0x82, 2), (0x94, value.count - 2)]
        case .generateCryptogram where (11...43).contains(value.count):
            layout = [(0x9F27, 1), (0x9F36, 2), (0x9F26, 8), (0x9F10, value.count - 11)]
        case .internalAuthenticate: layout = [(0x9F4B, value.count)]
        default: return nil
        }
        var parts: [ExplainedObject] = []
        var next = value.lowerBound
        for part in layout where part.count > 0 {
            let range = next..<next + part.count
            next = range.upperBound
            remember(part.tag, data.extracting(range))
            parts.append(ExplainedObject(part.tag, range, depth: 1, in: data, context, isRevealing))
        }
        return parts
    }

    /// A record of the transaction log, whose values have the order of the log format (EMV Book 3, annex D).
    /// - Returns: nil if the record is not of the log.
    private mutating func logEntry(_ data: Span<UInt8>, _ command: CardCommand) -> ExplainedData? {
        guard card.contains(0x9F4F), let entry = card[0x9F4D], entry.first == command.parameter2 >> 3,
            data[0] != 0x70
        else { return nil }
        let known = context
        defer { context = known }
        guard let parts = parts(of: data, 0..<data.count, 0x9F4F, default: nil, depth: 0) else { return nil }
        return ExplainedData(data.count, parts)
    }
}

// MARK: - Explanations without keys

/// Replaces RSA and hashes if certificates are not opened.
public struct NoAuthenticationPrimitives: AuthenticationPrimitives {
    /// Primitives that can nothing.
    public init() {}

    /// Nil: there is no RSA.
    public func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { nil }

    /// No octets: there is no hash.
    public func sha1(_ bytes: [UInt8]) -> [UInt8] { [] }
}

extension TraceExplainer<NoAuthenticationPrimitives> {
    /// An explainer that opens no certificates.
    /// - Parameters:
    ///   - kernel: the number of the contactless kernel whose meanings apply. Default: nil, the kernel of the scheme of
    ///     the application that is selected.
    ///   - isRevealing: whether card data is shown. PINs and keys are never shown. Default: false.
    public init(kernel: Int? = nil, isRevealing: Bool = false) {
        self.init(NoAuthenticationPrimitives(), keys: AuthenticationKeys(), kernel: kernel, isRevealing: isRevealing)
    }
}
