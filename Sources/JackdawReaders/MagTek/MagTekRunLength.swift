/// How eDynamo and tDynamo make messages shorter: a byte that comes several times in a row is sent twice, and then how often
/// it came, up to 255; a longer row is several. The count is that of all of them: the manual's example sends nine bytes 55 as
/// `55 55 09`.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2; mDynamo's, 3.2.1.
public enum MagTekRunLength {
    /// Writes rows as they were.
    /// - Parameters:
    ///   - encoded: what a reader sent.
    ///   - most: bytes that the message has at most.
    /// - Returns: the message. There is no other copy of it: overwrite it when it is done.
    /// - Throws: ``FrameFault`` where a row has no count (`truncated`), one that no row has (`field`), or all is longer
    ///   (`length`).
    public static func decode(_ encoded: Span<UInt8>, most: Int = 4096) throws(FrameFault) -> [UInt8] {
        var size = 0
        try rows(of: encoded) { _, count in size += count }
        guard size <= most else {
            throw FrameFault(.length, at: 0, "\(size) bytes, where a message has \(most) at most")
        }
        var message: [UInt8] = []
        // A smaller array that it grew out of would leave a copy behind.
        message.reserveCapacity(size)
        try rows(of: encoded) { byte, count in for _ in 0..<count { message.append(byte) } }
        return message
    }

    /// Makes a message shorter, as a reader does.
    /// - Parameter message: as it is to be read.
    /// - Returns: what is sent.
    public static func encode(_ message: Span<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        var start = 0
        while start < message.count {
            var end = start + 1
            while end < message.count, message[end] == message[start], end - start < 255 { end += 1 }
            encoded.append(message[start])
            if end - start > 1 { encoded += [message[start], UInt8(end - start)] }
            start = end
        }
        return encoded
    }

    /// Tells each row in its order; a byte that came once is one.
    private static func rows(
        of encoded: Span<UInt8>, _ tell: (_ byte: UInt8, _ count: Int) -> Void
    ) throws(FrameFault) {
        var next = 0
        while next < encoded.count {
            let byte = encoded[next]
            guard next + 1 < encoded.count, encoded[next + 1] == byte else {
                tell(byte, 1)
                next += 1
                continue
            }
            guard next + 2 < encoded.count else {
                throw FrameFault(.truncated, at: encoded.count, "a row without its count")
            }
            let count = Int(encoded[next + 2])
            guard count > 1 else { throw FrameFault(.field, at: next + 2, "a row of \(count) is none") }
            tell(byte, count)
            next += 3
        }
    }
}
