/// Which way a frame goes, where a protocol writes the two ways differently.
public enum FrameDirection: Sendable, Hashable, CaseIterable {
    /// From the program to the reader.
    case command
    /// From the reader to the program.
    case answer
}
