/// What a Miura reader reports of cards: P1 of ``MiuraInstruction/cardStatus``.
///
/// Source: sources of Miura's SDK for Android, in public repositories.
public struct MiuraCardReports: OptionSet, Sendable, Hashable {
    /// As the reader takes it.
    public let rawValue: UInt8

    /// Of the parameter.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reports unasked, each time that something changes.
    public static let changes = MiuraCardReports(rawValue: 1 << 0)
    /// A chip's answer to reset.
    public static let answerToReset = MiuraCardReports(rawValue: 1 << 1)
    /// Track 1.
    public static let track1 = MiuraCardReports(rawValue: 1 << 2)
    /// Track 2.
    public static let track2 = MiuraCardReports(rawValue: 1 << 3)
    /// Track 3.
    public static let track3 = MiuraCardReports(rawValue: 1 << 4)
    /// Everything.
    public static let all: MiuraCardReports = [.changes, .answerToReset, .track1, .track2, .track3]
}
