import JackdawBytes
import JackdawReaders

/// The bytes of a reader at a link, cut into whole messages for a recording, and those that it must receive.
struct LinkInput: ~Copyable {
    /// Messages for the reader that were not sent yet.
    var unsent: [[UInt8]] = []
    private var frames: FrameReader<CommandFormat>

    /// - Parameter format: the format of the reader's messages.
    init(_ format: any FrameFormat) { frames = FrameReader(CommandFormat(format, checkSize: nil)) }

    /// Cuts bytes into messages; bytes of no message are left out.
    /// - Parameters:
    ///   - bytes: the next bytes of the reader.
    ///   - take: receives each message that is complete. The message may have card data and is overwritten after the
    ///     call.
    mutating func receive(_ bytes: [UInt8], _ take: ([UInt8]) -> Void) {
        frames.receive(bytes.span) { event, frame in
            guard case .frame = event else { return }
            var message = frame.indices.map { frame[$0] }
            defer { message.wipe() }
            take(message)
        }
    }

    /// Forgets messages that are not complete or not sent, as on a new link.
    mutating func reset() {
        unsent = []
        frames.reset()
    }

    mutating func takeTasks() -> [LinkTask] {
        defer { unsent = [] }
        return unsent.map { .send($0) }
    }
}
