import JackdawBytes

/// Parses a transcript from pieces of any size.
public struct TranscriptReader: Sendable {
    /// The longest line, in bytes without the line end.
    public static let longestLine = 16_384
    /// The largest number of entries in a transcript.
    public static let maxEntries = 1_000_000
    /// The largest size of a transcript, in bytes: 64 MiB.
    public static let maxBytes = 1 << 26

    /// The latest time of an entry: one week after the link was opened.
    public static let latestTime = Duration.seconds(7 * 24 * 3_600)

    /// The first line; nil until the reader has parsed it.
    public private(set) var header: TranscriptHeader?
    private var line: [UInt8] = []
    private var lineNumber = 1
    private var byteCount = 0
    private var entryCount = 0
    private var lastTime = Duration.zero
    private var hasEnded = false
    private var failure: TranscriptError?

    /// A reader at the beginning of a transcript.
    public init() {}

    /// Parses the next piece.
    /// - Parameter bytes: the next bytes of the text.
    /// - Returns: the entries that the piece completes.
    /// - Throws: ``TranscriptError``, again at each later call.
    public mutating func receive(_ bytes: Span<UInt8>) throws(TranscriptError) -> [TranscriptEntry] {
        if let failure { throw failure }
        var entries: [TranscriptEntry] = []
        for index in bytes.indices {
            byteCount += 1
            guard byteCount <= Self.maxBytes else { throw fail(.limit, "the transcript is too long") }
            guard bytes[index] != 0x0a else {
                if let entry = try endLine() { entries.append(entry) }
                continue
            }
            guard line.count < Self.longestLine else { throw fail(.limit, "the line is too long") }
            line.append(bytes[index])
        }
        return entries
    }

    /// Ends the transcript.
    /// - Returns: the last entry, if its line end is missing.
    /// - Throws: ``TranscriptError`` if there is no header, or the last line is not an entry.
    public mutating func finish() throws(TranscriptError) -> [TranscriptEntry] {
        if let failure { throw failure }
        let last = try line.isEmpty ? nil : endLine()
        guard header != nil else { throw fail(.header, "a transcript begins with \(TranscriptHeader.beginning)") }
        return last.map { [$0] } ?? []
    }

    private mutating func fail(_ code: TranscriptError.Code, _ message: String) -> TranscriptError {
        let error = TranscriptError(code, line: lineNumber, message: message)
        failure = error
        line = []
        return error
    }

    private mutating func endLine() throws(TranscriptError) -> TranscriptEntry? {
        guard let text = String(validating: line, as: UTF8.self) else { throw fail(.text, "not UTF-8 text") }
        guard header != nil else {
            header = TranscriptHeader(parsing: text)
            guard header != nil else {
                throw fail(.header, "no header: \(TranscriptHeader.beginning)with masked or revealed, and a link")
            }
            nextLine()
            return nil
        }
        guard !text.isEmpty, !text.hasPrefix("#") else {
            nextLine()
            return nil
        }
        guard entryCount < Self.maxEntries else { throw fail(.limit, "too many entries") }
        let entry = try entry(of: text)
        entryCount += 1
        lastTime = entry.time
        nextLine()
        return entry
    }

    private mutating func nextLine() {
        line.removeAll(keepingCapacity: true)
        lineNumber += 1
    }

    private mutating func entry(of text: String) throws(TranscriptError) -> TranscriptEntry {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let time = Self.time(words[0]) else { throw fail(.time, "no time: seconds, a point and six digits") }
        guard time >= lastTime else { throw fail(.order, "earlier than the previous entry") }
        guard time <= Self.latestTime else { throw fail(.limit, "more than a week after the link was opened") }
        guard words.count > 1 else { throw fail(.event, "no event") }
        let event: TranscriptEntry.Event
        switch (words[1], words.count) {
        case (">", 3...): event = .sent(try bytes(words[2...]))
        case ("<", 3...): event = .received(try bytes(words[2...]))
        case (">", _), ("<", _): throw fail(.bytes, "no bytes")
        case ("unsent", 4):
            guard let count = Self.number(words[2], digits: 1...9), let code = LinkError.Code(name: words[3]) else {
                throw fail(.reason, "no number of unsent bytes, or no error code")
            }
            event = .unsent(count, code)
        case ("lost", 3):
            guard let code = LinkError.Code(name: words[2]) else { throw fail(.reason, "no error code") }
            event = .lost(code)
        case ("done", 2): event = .endedSending
        case ("end", 2): event = .end
        case ("closed", 2): event = .closed
        default: throw fail(.event, "no event: >, <, unsent, done, end, lost or closed")
        }
        switch event {
        case .received, .end, .lost:
            guard !hasEnded else { throw fail(.order, "an entry after the end") }
            if case .received = event { break }
            hasEnded = true
        default: break
        }
        return TranscriptEntry(time: time, event: event)
    }

    private mutating func bytes(_ words: ArraySlice<Substring>) throws(TranscriptError) -> [UInt8?] {
        var bytes: [UInt8?] = []
        bytes.reserveCapacity(words.count)
        for word in words {
            if word == "**" {
                guard header?.isMasked == true else {
                    throw fail(.mask, "a masked byte in a transcript that is not masked")
                }
                bytes.append(nil)
                continue
            }
            guard let byte = UInt8(hexadecimal: word) else {
                throw fail(.bytes, "byte \(bytes.count) is not a pair of hexadecimal digits")
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func time(_ word: Substring) -> Duration? {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = number(parts[0], digits: 1...9),
            let microseconds = number(parts[1], digits: 6...6)
        else { return nil }
        return .seconds(seconds) + .microseconds(microseconds)
    }

    private static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(word)
    }
}

extension LinkError.Code {
    /// The code with this name; nil if no code has it.
    init?(name: some StringProtocol) {
        guard let kind = Kind(rawValue: String(name)) else { return nil }
        self.init(kind: kind)
    }
}
