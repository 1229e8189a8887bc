/// Why a transcript cannot be read.
public struct TranscriptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line that is wrong, from 1.
    public let line: Int
    /// What is wrong with it, without what it holds.
    public let message: String

    /// Line and message.
    public var description: String { "line \(line): \(message)" }
}
