import JackdawReaders

/// The bytes of a reader at a link, cut into whole messages for a recording, and those that it must receive.
struct LinkInput: ~Copyable {
    /// Messages for the reader that were not sent yet.
    var unsent: [[UInt8]] = []
    private var frames: FrameReader<CommandFormat>

    /// - Parameter format: the format of the reader's messages.
    init(_ format: any FrameFormat) { frames = FrameReader(CommandFormat(format, checkSize: nil)) }

    /// Returns the messages that are complete after these bytes; bytes of no message are left out.
    mutating func receive(_ bytes: [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        frames.receive(bytes.span) { event, frame in
            if case .frame = event { messages.append(frame.indices.map { frame[$0] }) }
        }
        return messages
    }

    /// Forgets messages that are not complete or not sent, as on a new link.
    mutating func reset() {
        unsent = []
        frames.reset()
    }

    mutating func takeUnsent() -> [[UInt8]] {
        defer { unsent = [] }
        return unsent
    }
}
