/// A file's bytes on their way to a Miura reader: a command that tells of them, then the bytes themselves without frames. The
/// reader answers once, behind the last one.
///
/// Source: sources of Miura's SDK for Android, in public repositories.
public struct MiuraStream: Sendable, Hashable {
    /// The command that goes before the bytes.
    public let command: MiuraCommand
    /// Bytes that follow it.
    public let size: Int

    /// Bytes of offset and size: three.
    private static let greatest = 0xFF_FFFF

    /// - Parameters:
    ///   - offset: where in the file that was chosen they go, up to 16,777,215.
    ///   - size: how many, 1 to 16,777,215.
    ///   - timeout: seconds that the reader waits for them, 0 to 255.
    ///   - isSummed: whether the answer has the MD5 of the file (``sum(in:)``).
    /// - Throws: ``FrameFault`` (`field`) for others.
    public init(offset: Int = 0, size: Int, timeout: Int = 60, isSummed: Bool = true) throws(FrameFault) {
        guard (0...Self.greatest).contains(offset), (1...Self.greatest).contains(size), (0...255).contains(timeout)
        else {
            throw FrameFault(.field, at: 10, "\(size) bytes at \(offset) within \(timeout) s are not taken at once")
        }
        let objects =
            TagLengthValue.encode(MiuraTag.streamOffset, Self.bytes(offset))
            + TagLengthValue.encode(MiuraTag.streamSize, Self.bytes(size))
            + TagLengthValue.encode(MiuraTag.streamTimeout, [UInt8(timeout)])
        command = try MiuraCommand(
            .streamBinary, isSummed ? 1 : 0, data: TagLengthValue.encode(MiuraTag.commandData, objects))
        self.size = size
    }

    /// The MD5 of the file that the reader has told.
    /// - Parameter answer: the whole answer, without frames and with its status.
    /// - Returns: 16 bytes; nil where it has none, or the reader refuses.
    public static func sum(in answer: Span<UInt8>) -> [UInt8]? {
        guard answer.count > 2, answer[answer.count - 2] == 0x90, answer[answer.count - 1] == 0 else { return nil }
        let body = answer.extracting(first: answer.count - 2)
        let object = TagLengthValue.read(body)?.first { $0.tag == MiuraTag.fileSum && $0.value.count == 16 }
        return object.map { object in object.value.map { body[$0] } }
    }

    private static func bytes(_ number: Int) -> [UInt8] { [16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }
}
