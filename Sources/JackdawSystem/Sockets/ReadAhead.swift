import JackdawBytes

/// Bytes that were received and not yet handed over, in a buffer that is allocated once and wiped after each handover.
/// Only the receiver of the link uses it at a time: it leaves the lock with the receiver, and returns under the lock.
package final class ReadAhead: @unchecked Sendable {
    /// Bytes of a stream that are read ahead at most; the buffer for packets has at least eight times their size.
    package static let capacity = 65_536
    private static let maxPackets = 256

    private var bytes: [UInt8]
    private var count = 0
    /// Offset of the first byte that was not handed over.
    private var start = 0
    private let packetSize: Int?
    /// Offsets at which packets end, in order; empty for a stream.
    private var ends: [Int] = []
    private var nextEnd = 0

    init(_ format: SocketFormat) {
        packetSize = format.packetSize
        bytes = Array(repeating: 0, count: max(Self.capacity, 8 * (format.packetSize ?? 0)))
        if packetSize != nil { ends.reserveCapacity(Self.maxPackets) }
    }

    /// Whether all bytes were handed over.
    var isEmpty: Bool { start == count }

    /// Whether more bytes can be received: for packets, one of the largest size.
    package var hasRoom: Bool {
        guard let packetSize else { return count < bytes.count }
        return bytes.count - count >= packetSize && ends.count < Self.maxPackets
    }

    /// Receives more bytes. There must be room.
    /// - Parameter receive: writes bytes into a range of the buffer, and returns their number.
    /// - Returns: that number.
    /// - Throws: the error of `receive`.
    func fill(
        _ receive: (inout [UInt8], Range<Int>) throws(SystemFailure) -> Int
    ) throws(SystemFailure) -> Int {
        let received = try receive(&bytes, count..<(packetSize.map { count + $0 } ?? bytes.count))
        count += received
        if packetSize != nil, received > 0 { ends.append(count) }
        return received
    }

    /// Hands over all bytes of a stream, or one packet, and wipes them. The buffer must not be empty.
    func handOver(_ take: (Span<UInt8>) -> Void) {
        var end = count
        if packetSize != nil {
            end = ends[nextEnd]
            nextEnd += 1
        }
        take(bytes.span.extracting(start..<end))
        wipe(start..<end)
        start = end
        if isEmpty { reset() }
    }

    /// Wipes the bytes that were not handed over.
    func wipe() {
        wipe(start..<count)
        reset()
    }

    private func wipe(_ range: Range<Int>) {
        unsafe bytes.withUnsafeMutableBytes { unsafe overwrite(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    }

    private func reset() {
        count = 0
        start = 0
        nextEnd = 0
        ends.removeAll(keepingCapacity: true)
    }
}
