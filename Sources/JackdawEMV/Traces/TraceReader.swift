import JackdawBytes

/// A message to or from a card, as a trace has it.
public struct TraceMessage: Sendable, Equatable {
    /// The number of the line in the trace, from 1.
    public let line: Int
    /// The octets; those that are masked in a transcript are 00.
    public let octets: SecretOctets
    /// Number of octets that are masked in a transcript.
    public let maskedCount: Int
}

/// A command in a trace, with the card's answer.
public struct TraceExchange: Sendable, Equatable {
    /// The command, in any number of octets.
    public let command: TraceMessage
    /// The answer; nil if the card did not answer, for example because it was removed.
    public let answer: TraceMessage?
}

/// Reads a trace: the text of a dialogue with a card, from pieces of any size.
///
/// Each line is a command or an answer in hexadecimal digits, with or without blanks, colons or hyphens between octets.
/// A label at its start gives the direction: `C:`, `C-APDU:`, `command:`, `tx:` or `>` for a command, `R:`, `R-APDU:`,
/// `response:`, `rx:` or `<` for an answer. Without a label, a line after a command is its answer, unless it has no
/// status word and begins like another command. Transcripts of the project (`jackdaw-transcript 1 ...`) are read, too,
/// and so are the commands of T=0, whose data follows the card's procedure octet. Empty lines and lines that
/// begin with `#` are skipped.
///
/// ```swift
/// var reader = TraceReader()
/// let exchanges = try reader.receive(text.span) + reader.finish()
/// ```
public struct TraceReader: Sendable {
    /// The greatest length of a line, in characters without the line end: an answer of 65,538 octets
    /// with blanks between them.
    public static let maxLineLength = 1 << 18
    /// The greatest size of a trace, in characters: 16 MiB.
    public static let maxCharacters = 1 << 24
    /// The greatest number of exchanges.
    public static let maxExchanges = 100_000

    private var line: [UInt8] = []
    private var lineNumber = 1
    private var characterCount = 0
    private var exchangeCount = 0
    private var isTranscript = false
    private var hasBegun = false
    private var failure: TraceError?
    /// The command whose answer is to follow.
    private var command: TraceMessage?
    /// The header of a T=0 command whose data is to follow.
    private var header: TraceMessage?
    /// Whether the trace has a T=0 header, so that answers may begin with a procedure octet.
    private var isTransmission = false

    /// A reader at the beginning of a trace.
    public init() {}

    /// Reads the next piece.
    /// - Parameter text: the next characters of the text.
    /// - Returns: the exchanges that the piece completes.
    /// - Throws: ``TraceError``, again at each later call.
    public mutating func receive(_ text: Span<UInt8>) throws(TraceError) -> [TraceExchange] {
        if let failure { throw failure }
        var exchanges: [TraceExchange] = []
        for index in text.indices {
            characterCount += 1
            guard characterCount <= Self.maxCharacters else { throw fail(.limit, "the trace is too long") }
            guard text[index] != 0x0A else {
                if let exchange = try endLine() { exchanges.append(exchange) }
                continue
            }
            guard line.count < Self.maxLineLength else { throw fail(.limit, "the line is too long") }
            line.appendWiping(text[index])
        }
        return exchanges
    }

    /// Ends the trace.
    /// - Returns: the last exchanges: those of a last line without an end, and of a command without answer.
    /// - Throws: ``TraceError`` if the last line is not valid, or there is no exchange at all.
    public mutating func finish() throws(TraceError) -> [TraceExchange] {
        if let failure { throw failure }
        var exchanges = try line.isEmpty ? [] : [endLine()].compactMap { $0 }
        if let last = withoutAnswer() { exchanges.append(last) }
        guard hasBegun else { throw fail(.empty, "there is no command") }
        return exchanges
    }

    private mutating func fail(_ code: TraceError.Code, _ message: String) -> TraceError {
        let error = TraceError(code, line: lineNumber, message)
        failure = error
        line.wipe()
        line = []
        return error
    }
}

// MARK: - Lines of a trace

extension TraceReader {
    private enum Direction {
        case toCard
        case fromCard
    }

    private mutating func endLine() throws(TraceError) -> TraceExchange? {
        defer {
            line.wipe()
            line.removeAll(keepingCapacity: true)
            lineNumber += 1
        }
        var place = 0
        skipBlanks(&place)
        guard place < line.count, line[place] != UInt8(ascii: "#") else { return nil }
        if !hasBegun, line[place...].starts(with: "jackdaw-transcript ".utf8) {
            guard line[place...].starts(with: "jackdaw-transcript 1 ".utf8), !isTranscript else {
                throw fail(.format, "the transcript has another version than 1")
            }
            isTranscript = true
            return nil
        }
        let direction: Direction?
        if isTranscript {
            direction = try transcriptDirection(&place)
            // An event such as `end`: nothing follows a command that is open.
            guard direction != nil else { return withoutAnswer() }
        } else {
            direction = try label(&place)
        }
        var octets: [UInt8] = []
        octets.reserveCapacity((line.count - place) / 2)
        defer { octets.wipe() }
        let maskedCount = try read(place, into: &octets)
        return try receive(octets, maskedCount, direction)
    }

    private func skipBlanks(_ place: inout Int) {
        while place < line.count, Self.isBlank(line[place]) { place += 1 }
    }

    private static func isBlank(_ character: UInt8) -> Bool {
        character == UInt8(ascii: " ") || character == UInt8(ascii: "\t") || character == UInt8(ascii: "\r")
    }

    /// The direction of a line of a transcript: the word after the time.
    /// - Returns: nil of a line without octets.
    private mutating func transcriptDirection(_ place: inout Int) throws(TraceError) -> Direction? {
        while place < line.count, !Self.isBlank(line[place]) { place += 1 }
        skipBlanks(&place)
        let start = place
        while place < line.count, !Self.isBlank(line[place]) { place += 1 }
        let word = line[start..<place]
        if word.elementsEqual(">".utf8) { return .toCard }
        if word.elementsEqual("<".utf8) { return .fromCard }
        for event in ["unsent", "done", "end", "lost", "closed"] where word.elementsEqual(event.utf8) { return nil }
        throw fail(.format, "no event of a transcript: >, <, unsent, done, end, lost or closed")
    }

    private static let commandLabels = ["c", "c-apdu", "capdu", "command", "request", "tx", "sent", ">"]
    private static let answerLabels = ["r", "r-apdu", "rapdu", "response", "answer", "rx", "received", "<"]

    /// Reads the label at the start of a line.
    /// - Returns: nil if the line has none.
    private mutating func label(_ place: inout Int) throws(TraceError) -> Direction? {
        let arrows = line[place...].prefix { "<>=-".utf8.contains($0) }
        if !arrows.isEmpty {
            place = arrows.endIndex
            switch (arrows.contains(UInt8(ascii: ">")), arrows.contains(UInt8(ascii: "<"))) {
            case (true, false): return .toCard
            case (false, true): return .fromCard
            default: throw fail(.format, "no direction: > for a command, < for an answer")
            }
        }
        guard let colon = line[place...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        // The longest label has eight letters.
        guard colon - place <= 8 else { return nil }
        let word = line[place..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for (labels, direction) in [(Self.commandLabels, Direction.toCard), (Self.answerLabels, .fromCard)]
        where labels.contains(where: { $0.utf8.elementsEqual(word) }) {
            place = colon + 1
            return direction
        }
        return nil
    }

    /// Reads the octets of a line.
    /// - Returns: the number of masked octets, which only transcripts have.
    private mutating func read(_ start: Int, into octets: inout [UInt8]) throws(TraceError) -> Int {
        var place = start
        var maskedCount = 0
        while place < line.count {
            let character = line[place]
            if Self.isBlank(character) || ":-".utf8.contains(character) {
                place += 1
                continue
            }
            if isTranscript, character == UInt8(ascii: "*"), place + 1 < line.count, line[place + 1] == character {
                octets.append(0)
                maskedCount += 1
            } else if let octet = line.span.byte(at: place) {
                octets.append(octet)
            } else {
                throw fail(.text, "the character at \(place + 1) is not one of a pair of hexadecimal digits")
            }
            place += 2
        }
        guard !octets.isEmpty else { throw fail(.text, "there are no octets") }
        return maskedCount
    }
}

// MARK: - Commands with their answers

extension TraceReader {
    private mutating func receive(
        _ octets: [UInt8], _ maskedCount: Int, _ direction: Direction?
    ) throws(TraceError) -> TraceExchange? {
        hasBegun = true
        switch direction ?? likelyDirection(octets) {
        case .toCard: return try begin(octets, maskedCount)
        case .fromCard: return try end(octets, maskedCount)
        }
    }

    /// The direction of a line without label. A status word begins with 6 or 9 (ISO/IEC 7816-3, section 12.2.1).
    private func likelyDirection(_ octets: [UInt8]) -> Direction {
        guard command != nil else { return .toCard }
        guard octets.count >= 2 else { return .fromCard }
        let first = octets[octets.count - 2]
        if first >> 4 == 0x9 || (first >> 4 == 0x6 && first != 0x60) { return .fromCard }
        guard let other = try? CardCommand(octets.span), CommandKind(other) != .unknown else { return .fromCard }
        return .toCard
    }

    private mutating func begin(_ octets: [UInt8], _ maskedCount: Int) throws(TraceError) -> TraceExchange? {
        if let header {
            self.header = nil
            var whole = header.octets.octets + octets
            defer { whole.wipe() }
            command = TraceMessage(
                line: header.line, octets: SecretOctets(whole), maskedCount: header.maskedCount + maskedCount)
            return nil
        }
        let earlier = withoutAnswer()
        exchangeCount += 1
        guard exchangeCount <= Self.maxExchanges else { throw fail(.limit, "the trace has too many commands") }
        command = TraceMessage(line: lineNumber, octets: SecretOctets(octets), maskedCount: maskedCount)
        return earlier
    }

    private mutating func end(_ octets: [UInt8], _ maskedCount: Int) throws(TraceError) -> TraceExchange? {
        guard let command else { throw fail(.order, "an answer without a command") }
        var answer = octets
        defer { answer.wipe() }
        if command.octets.count == 5 {
            let instruction = command.octets.withOctets { $0[1] }
            // The card asks for the data of a command with its instruction (EMV Contact Interface, section 9.2.2.3).
            if octets == [instruction] {
                header = command
                self.command = nil
                isTransmission = true
                return nil
            }
            if isTransmission, octets.count > 2, octets[0] == instruction { answer.removeFirst() }
        }
        self.command = nil
        return TraceExchange(
            command: command,
            answer: TraceMessage(line: lineNumber, octets: SecretOctets(answer), maskedCount: maskedCount))
    }

    private mutating func withoutAnswer() -> TraceExchange? {
        guard let open = command ?? header else { return nil }
        command = nil
        header = nil
        return TraceExchange(command: open, answer: nil)
    }
}

/// The reason why a text is not a trace: a code, the line and a message. It holds nothing of the text.
public struct TraceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no command.
        public static let empty = Code(rawValue: "empty")
        /// A line is not a form that the reader knows.
        public static let format = Code(rawValue: "format")
        /// The trace, a line or the number of exchanges exceeds its limit.
        public static let limit = Code(rawValue: "limit")
        /// An answer does not follow a command.
        public static let order = Code(rawValue: "order")
        /// A character is not a hexadecimal digit, or a digit is missing.
        public static let text = Code(rawValue: "text")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The number of the line, from 1.
    public let line: Int
    /// The error, and the text that would be right.
    public let message: String

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    /// Line and message in one line.
    public var description: String { "line \(line): \(message)" }
}
