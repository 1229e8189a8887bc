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
