import JackdawBytes

/// A record of all bytes and events on a link, from its beginning.
public struct Transcript: Sendable, Hashable {
    /// The link and the masking of the transcript.
    public let header: TranscriptHeader
    /// The events of the link, in order.
    public let entries: [TranscriptEntry]

    /// Creates a transcript.
    /// - Parameters:
    ///   - header: the link and the masking of the transcript.
    ///   - entries: the events of the link, in order.
    public init(header: TranscriptHeader, entries: [TranscriptEntry]) {
        self.header = header
        self.entries = entries
    }

    /// Parses a complete transcript.
    /// - Parameter bytes: the text.
    /// - Throws: ``TranscriptError`` for the first invalid line.
    public init(parsing bytes: Span<UInt8>) throws(TranscriptError) {
        var reader = TranscriptReader()
        var entries = try reader.receive(bytes)
        entries += try reader.finish()
        guard let header = reader.header else { preconditionFailure("a complete transcript has a header") }
        self.init(header: header, entries: entries)
    }

    /// The transcript as text, one line for the header and for each entry.
    public var text: String { ([header.line] + entries.map(\.line)).map { $0 + "\n" }.joined() }
}

/// One event on a link, as a transcript records it. A masked byte is nil.
public struct TranscriptEntry: Sendable, Hashable {
    /// An event that a transcript can record.
    public enum Event: Sendable, Hashable {
        /// The program sends these bytes.
        case sent([UInt8?])
        /// This number of the bytes before was not sent, for this reason.
        case unsent(Int, LinkError.Code)
        /// The program ended its sending direction.
        case endedSending
        /// The program received these bytes.
        case received([UInt8?])
        /// The device ended its direction in good order.
        case end
        /// The link was lost for this reason.
        case lost(LinkError.Code)
        /// The program closed the link.
        case closed
    }

    /// Time since the link was opened, in whole microseconds.
    public let time: Duration
    /// The event, with its bytes or its reason.
    public let event: Event

    /// Creates an entry.
    /// - Parameters:
    ///   - time: time since the link was opened, zero or more.
    ///   - event: the event.
    public init(time: Duration, event: Event) {
        precondition(time >= .zero, "the time must be zero or more")
        self.time = time
        self.event = event
    }

    /// The entry as a line of a transcript, without the line end.
    public var line: String {
        let (seconds, attoseconds) = time.components
        let fraction = String(attoseconds / 1_000_000_000_000)
        let moment = "\(seconds).\(String(repeating: "0", count: 6 - fraction.utf8.count))\(fraction)"
        return switch event {
        case .sent(let bytes): "\(moment) >\(Self.hexadecimal(bytes))"
        case .received(let bytes): "\(moment) <\(Self.hexadecimal(bytes))"
        case .unsent(let count, let code): "\(moment) unsent \(count) \(code.name)"
        case .endedSending: "\(moment) done"
        case .end: "\(moment) end"
        case .lost(let code): "\(moment) lost \(code.name)"
        case .closed: "\(moment) closed"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8?]) -> String {
        var text = ""
        text.reserveCapacity(3 * bytes.count)
        for byte in bytes {
            guard let byte else {
                text += " **"
                continue
            }
            text += " \(byte.lowercaseHexadecimal)"
        }
        return text
    }
}

extension TranscriptEntry: CustomStringConvertible, CustomReflectable {
    /// The event, with the number of bytes instead of the bytes: they may be card data.
    public var description: String {
        switch event {
        case .sent(let bytes): "sent \(bytes.count) bytes"
        case .received(let bytes): "received \(bytes.count) bytes"
        default: line
        }
    }

    /// Has only the description, since the bytes may be card data.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension TranscriptEntry.Event: CustomStringConvertible, CustomReflectable {
    /// The event, with the number of bytes instead of the bytes.
    public var description: String { TranscriptEntry(time: .zero, event: self).description }

    /// Has only the description, since the bytes may be card data.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The first line of a transcript: its version, whether card data is masked, and the recorded link.
public struct TranscriptHeader: Sendable, Hashable {
    /// The first word of a transcript, and the version that this code reads and writes.
    package static let beginning = "jackdaw-transcript 1 "

    /// The name of the recorded link, which a replay does not open.
    public let link: String
    /// Whether bytes that may be card data are masked.
    public let isMasked: Bool

    /// Creates a header.
    /// - Parameters:
    ///   - link: the name of the link; control characters, which could end the line, become question marks.
    ///   - isMasked: whether bytes that may be card data are masked.
    public init(link: String, isMasked: Bool) {
        self.link = String(
            String.UnicodeScalarView(link.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        self.isMasked = isMasked
    }

    /// Parses a line; nil if it is not a header.
    init?(parsing line: String) {
        guard line.hasPrefix(Self.beginning) else { return nil }
        let parts = line.dropFirst(Self.beginning.count).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["masked", "revealed"].contains(parts[0]) else { return nil }
        self.init(link: String(parts[1]), isMasked: parts[0] == "masked")
    }

    /// The header as a line, without the line end.
    public var line: String { "\(Self.beginning)\(isMasked ? "masked" : "revealed") \(link)" }
}

/// The reason why a transcript cannot be parsed.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the invalid line, from 1.
    public let line: Int
    /// The error in the line, without the line's content.
    public let message: String
    package let code: Code

    /// The kind of error. More may be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The transcript, its line or its time exceeds a limit.
        package static let limit = Code(rawValue: "limit")
        /// The line is not UTF-8 text.
        package static let text = Code(rawValue: "text")
        /// The first line is not a header.
        package static let header = Code(rawValue: "header")
        /// The line does not begin with a time.
        package static let time = Code(rawValue: "time")
        /// The entry is earlier than the previous one, or follows the end.
        package static let order = Code(rawValue: "order")
        /// The line has no event that a transcript can record.
        package static let event = Code(rawValue: "event")
        /// The bytes of an event are missing, or are not pairs of hexadecimal digits.
        package static let bytes = Code(rawValue: "bytes")
        /// A byte is masked, but the transcript is not.
        package static let mask = Code(rawValue: "mask")
        /// The number or the error code of an event is missing.
        package static let reason = Code(rawValue: "reason")
    }

    init(_ code: Code, line: Int, message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    public var description: String { "line \(line): \(message)" }
}
