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
