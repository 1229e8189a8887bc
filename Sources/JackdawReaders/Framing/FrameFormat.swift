/// How one protocol's frames are told from a stream of bytes. A value without a memory of what came before; ``FrameReader``
/// does the waiting, the joining and the looking for the next frame after bytes that are none.
public protocol FrameFormat: FrameExplainer {
    /// The most bytes that a frame has. A longer one is a fault, whatever its length field says.
    var greatestSize: Int { get }

    /// Finds where a frame may begin.
    /// - Parameter bytes: what has come.
    /// - Returns: the index of the first byte that a frame may begin with; nil where there is none.
    func start(in bytes: Span<UInt8>) -> Int?

    /// Measures the frame that may begin with the first byte.
    ///
    /// The answer for some bytes is the answer for all that begin with them: a format decides as soon as it can, and in the
    /// order of the bytes, so that a stream is cut the same way however it comes.
    /// - Parameter bytes: what has come from there on; at least one byte.
    /// - Returns: how long it is, how long at least, or why it is none.
    func measure(_ bytes: Span<UInt8>) -> FrameMeasure
}

extension FrameFormat {
    /// Reads bytes that have to be one frame and nothing else.
    /// - Throws: ``FrameFault`` that says where and why they are not.
    public func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        guard bytes.count > 0 else { throw FrameFault(.truncated, at: 0, "there are no bytes") }
        switch measure(bytes) {
        case .whole(let count), .unchecked(let count):
            guard count == bytes.count else {
                throw FrameFault(.excess, at: count, "the frame ends here, and \(bytes.count - count) more follow")
            }
        case .partial(let count):
            throw FrameFault(
                .truncated, at: bytes.count, "\(bytes.count) bytes, where the frame has at least \(count)")
        case .padding(let count): throw FrameFault(.start, at: 0, "\(count) bytes of padding, and no frame")
        case .fault(let fault, _): throw fault
        }
    }
}

/// What some bytes are to a protocol.
public enum FrameMeasure: Sendable, Hashable {
    /// A frame of so many bytes, its checks right.
    case whole(Int)
    /// A frame of so many bytes that has no checks. Behind bytes that are no frame it may be a part of them, and is not taken
    /// for one.
    case unchecked(Int)
    /// The beginning of a frame that has at least so many bytes, more than there are.
    case partial(atLeast: Int)
    /// So many bytes or more that fill up a block between frames and mean nothing.
    case padding(Int)
    /// No frame begins here, nor with the bytes behind it, so many in all. Kept elsewhere, so that the others take two words.
    indirect case fault(FrameFault, skipping: Int = 1)
}
