/// What went over a link, from its beginning.
public struct Transcript: Sendable, Hashable {
    /// What it is of.
    public let header: TranscriptHeader
    /// What happened, in order.
    public let entries: [TranscriptEntry]

    /// A transcript.
    /// - Parameters:
    ///   - header: what it is of.
    ///   - entries: what happened, in order.
    public init(header: TranscriptHeader, entries: [TranscriptEntry]) {
        self.header = header
        self.entries = entries
    }

    /// Reads a whole transcript.
    /// - Parameter bytes: the text.
    /// - Throws: ``TranscriptError``: the first line that is wrong.
    public init(parsing bytes: Span<UInt8>) throws(TranscriptError) {
        var reader = TranscriptReader()
        var entries = try reader.receive(bytes)
        entries += try reader.finish()
        guard let header = reader.header else { preconditionFailure("a transcript that was read has a header") }
        self.init(header: header, entries: entries)
    }

    /// The transcript as text.
    public var text: String { ([header.line] + entries.map(\.line)).map { $0 + "\n" }.joined() }
}

/// One thing that happened on a link, as a transcript keeps it. A byte that was masked is nil.
public struct TranscriptEntry: Sendable, Hashable {
    /// What can happen.
    public enum Event: Sendable, Hashable {
        /// These bytes were to be sent.
        case sent([UInt8?])
        /// Of the bytes before, so many were not sent, for this reason.
        case unsent(Int, LinkError.Code)
        /// The device was told that nothing more would be sent.
        case endedSending
        /// These bytes were received.
        case received([UInt8?])
        /// The device ended its direction in good order.
        case end
        /// The link was lost for this reason.
        case lost(LinkError.Code)
        /// The program closed the link.
        case closed
    }

    /// When, since the link was open; of microseconds.
    public let time: Duration
    /// What.
    public let event: Event

    /// An entry.
    /// - Parameters:
    ///   - time: when, since the link was open, no less than nothing.
    ///   - event: what happened.
    public init(time: Duration, event: Event) {
        precondition(time >= .zero, "nothing happens before the link is open")
        self.time = time
        self.event = event
    }

    /// The entry as a line of a transcript, without its end.
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
            text += (byte < 16 ? " 0" : " ") + String(byte, radix: 16)
        }
        return text
    }
}

extension TranscriptEntry: CustomStringConvertible, CustomReflectable {
    /// What happened, with the number of bytes in place of them: they may be card data.
    public var description: String {
        switch event {
        case .sent(let bytes): "sent \(bytes.count) bytes"
        case .received(let bytes): "received \(bytes.count) bytes"
        default: line
        }
    }

    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension TranscriptEntry.Event: CustomStringConvertible, CustomReflectable {
    /// What happened, with the number of bytes in place of them.
    public var description: String { TranscriptEntry(time: .zero, event: self).description }

    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The first line of a transcript: its version, whether card data is masked in it, and the link that it was kept of.
public struct TranscriptHeader: Sendable, Hashable {
    /// The word that a transcript begins with, and the version that is read and written here.
    package static let beginning = "jackdaw-transcript 1 "

    /// The name of the link, which nobody opens when the transcript is played back.
    public let link: String
    /// Whether bytes are left out that may be card data.
    public let isMasked: Bool

    /// A header.
    /// - Parameters:
    ///   - link: the name of the link; characters that would end the line are kept as question marks.
    ///   - isMasked: whether bytes are left out that may be card data.
    public init(link: String, isMasked: Bool) {
        self.link = String(
            String.UnicodeScalarView(link.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        self.isMasked = isMasked
    }

    /// Reads a line; nil where it is no header.
    init?(parsing line: String) {
        guard line.hasPrefix(Self.beginning) else { return nil }
        let parts = line.dropFirst(Self.beginning.count).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["masked", "revealed"].contains(parts[0]) else { return nil }
        self.init(link: String(parts[1]), isMasked: parts[0] == "masked")
    }

    /// The header as a line, without its end.
    public var line: String { "\(Self.beginning)\(isMasked ? "masked" : "revealed") \(link)" }
}

/// Why a transcript cannot be read.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line that is wrong, from 1.
    public let line: Int
    /// What is wrong with it, without what it holds.
    public let message: String

    /// Line and message.
    public var description: String { "line \(line): \(message)" }
}
