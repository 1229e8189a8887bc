/// Packets that the link itself keeps apart, as Bluetooth Low Energy does with notifications: whatever is received at once is a
/// frame.
///
/// For links that hand over one packet each time. Nothing in a packet tells where it ends, so that over a stream of bytes it
/// would be cut wherever the stream happens to be.
package struct PacketFormat: FrameFormat {
    /// The format, which has no settings.
    package init() {}

    /// The longest value that the attribute protocol of Bluetooth has.
    package var greatestSize: Int { 512 }

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
