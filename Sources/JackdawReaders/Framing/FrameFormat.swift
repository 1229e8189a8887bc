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

/// A format that is known only when the program runs.
package struct AnyFrameFormat: FrameFormat {
    private let base: any FrameFormat

    /// The format itself.
    package init(_ base: any FrameFormat) { self.base = base }

    /// The most bytes that a frame has.
    package var greatestSize: Int { base.greatestSize }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure { base.measure(bytes) }

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        base.fields(of: frame, isRevealing: isRevealing)
    }
}

/// Packets that the link itself keeps apart, as Bluetooth Low Energy does with notifications and a line code with bursts:
/// whatever is received at once is a frame.
///
/// For links that hand over one packet each time. Nothing in a packet tells where it ends, so that over a stream of bytes it
/// would be cut wherever the stream happens to be.
package struct PacketFormat: FrameFormat {
    /// Bytes of a burst of sound that are kept at most: more than any message has. A longer one is no message.
    package static let greatestBurst = 8_192
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

/// Which way a frame goes, where a protocol writes the two ways differently.
public enum FrameDirection: Sendable, Hashable, CaseIterable {
    /// From the program to the reader.
    case command
    /// From the reader to the program.
    case answer
}

/// One field of a frame, as ``FrameExplainer/fields(of:isRevealing:)`` explains it.
public struct FrameField: Sendable, Hashable {
    /// Its name in the protocol's own words.
    public let name: String
    /// Its bytes, counted from the frame's first.
    public let range: Range<Int>
    /// What they say; card data masked.
    public let value: String

    /// - Parameters:
    ///   - name: its name in the protocol's own words.
    ///   - range: its bytes, counted from the frame's first.
    ///   - value: what they say; card data masked.
    public init(_ name: String, _ range: Range<Int>, _ value: String) {
        self.name = name
        self.range = range
        self.value = value
    }
}

/// How what belongs to one protocol is checked and explained where it comes as a whole: a ``FrameFormat`` does it for frames
/// that it also cuts out of a stream; a link that keeps its messages apart needs no more than this.
public protocol FrameExplainer: Sendable {
    /// Reads bytes that have to be one frame and nothing else.
    /// - Parameter bytes: from its first to its last byte.
    /// - Throws: ``FrameFault`` that says where and why they are not.
    func check(_ bytes: Span<UInt8>) throws(FrameFault)

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame that was checked.
    ///   - isRevealing: whether card data is shown whole; else it is masked.
    /// - Returns: its fields, in their order and without a gap.
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField]
}

extension FrameExplainer {
    /// Reads bytes that have to be one frame and nothing else.
    /// - Throws: ``FrameFault`` that says where and why they are not.
    public func check(_ bytes: [UInt8]) throws(FrameFault) { try check(bytes.span) }

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame.
    ///   - isRevealing: whether card data is shown whole; else it is masked.
    /// - Returns: its fields, in their order and without a gap.
    public func fields(of frame: [UInt8], isRevealing: Bool = false) -> [FrameField] {
        fields(of: frame.span, isRevealing: isRevealing)
    }
}
