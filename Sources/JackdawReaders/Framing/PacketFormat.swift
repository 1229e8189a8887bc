/// Packets that the link itself keeps apart, as Bluetooth Low Energy does with notifications and a line code with bursts:
/// whatever is received at once is a frame.
///
/// For links that hand over one packet each time. Nothing in a packet tells where it ends, so that over a stream of bytes it
/// would be cut wherever the stream happens to be.
package struct PacketFormat: FrameFormat {
    /// The most bytes that a packet has.
    package let greatestSize: Int

    /// - Parameter greatestSize: the most bytes that a packet has; unless told, those of the longest value of Bluetooth's
    ///   attribute protocol.
    package init(greatestSize: Int = 512) { self.greatestSize = greatestSize }

    /// Any byte may.
    package func start(in bytes: Span<UInt8>) -> Int? { bytes.isEmpty ? nil : 0 }

    /// All of it, where it is no longer than a packet can be.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count <= greatestSize else {
            let fault = FrameFault(.length, at: 0, "\(bytes.count) bytes, where a packet has \(greatestSize) at most")
            return .fault(fault, skipping: bytes.count)
        }
        return .whole(bytes.count)
    }

    /// One field, of which nothing more is known here.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        [FrameField("packet", 0..<frame.count, frame.sensitive(isRevealing))]
    }
}
