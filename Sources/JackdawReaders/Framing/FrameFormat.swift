/// The rules by which one protocol's frames are found in a stream of bytes. A value without state: ``FrameReader``
/// waits for bytes, joins them, and searches for the next frame after bytes that are not one.
public protocol FrameFormat: FrameExplainer {
    /// The most bytes that a frame has. A longer frame is a fault, even if its length field allows it.
    var greatestSize: Int { get }

    /// Finds the first byte that may begin a frame.
    /// - Parameter bytes: the bytes received.
    /// - Returns: the index of that byte; nil if there is none.
    func start(in bytes: Span<UInt8>) -> Int?

    /// Measures the frame that may begin with the first byte.
    ///
    /// The result for some bytes is the result for all sequences that begin with these bytes: a format decides as soon
    /// as it can, in the order of the bytes, so that the blocks in which a stream is received do not affect its frames.
    /// - Parameter bytes: the bytes received from this byte on; at least one byte.
    /// - Returns: the length of the frame, its minimum length, or the error.
    func measure(_ bytes: Span<UInt8>) -> FrameMeasure
}

extension FrameFormat {
    /// Checks that the bytes are exactly one frame.
    /// - Throws: ``FrameFault`` with position and reason if they are not.
    public func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        guard bytes.count > 0 else { throw FrameFault(.truncated, at: 0, "there are no bytes") }
        switch measure(bytes) {
        case .whole(let count), .unchecked(let count):
            guard count == bytes.count else {
                throw FrameFault(.excess, at: count, "the frame ends here; \(bytes.count - count) more bytes follow")
            }
        case .partial(let count):
            throw FrameFault(
                .truncated, at: bytes.count, "\(bytes.count) bytes; the frame has at least \(count)")
        case .padding(let count): throw FrameFault(.start, at: 0, "\(count) bytes of padding, and no frame")
        case .fault(let fault, _): throw fault
        }
    }
}

/// The result of measuring bytes as a frame.
public enum FrameMeasure: Sendable, Hashable {
    /// A frame of this many bytes, with correct checks.
    case whole(Int)
    /// A frame of this many bytes whose format has no checks. After bytes that are not a frame it may be a part of
    /// them, and is not accepted.
    case unchecked(Int)
    /// The beginning of a frame that has at least this many bytes, more than were received.
    case partial(atLeast: Int)
    /// Padding between frames, at least this many bytes, without a meaning.
    case padding(Int)
    /// No frame begins here or with the bytes after it, `skipping` in all. Indirect, so that the other cases take two
    /// words.
    indirect case fault(FrameFault, skipping: Int = 1)
}

/// A format whose type is known only at run time.
package struct AnyFrameFormat: FrameFormat {
    private let base: any FrameFormat

    /// Wraps a format of any type.
    package init(_ base: any FrameFormat) { self.base = base }

    package var greatestSize: Int { base.greatestSize }

    package func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure { base.measure(bytes) }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        base.fields(of: frame, isRevealing: isRevealing)
    }
}

/// Frames that are whole packets, for links that keep packets apart: Bluetooth Low Energy by notifications, a line code
/// by bursts.
///
/// The link must deliver one packet at a time: a packet has no mark of its end, so a stream of bytes would be cut at
/// arbitrary places.
package struct PacketFormat: FrameFormat {
    /// The longest burst of sound in bytes: longer than any message. A longer burst is discarded.
    package static let greatestBurst = 8_192
    /// The most bytes that a packet has.
    package let greatestSize: Int

    /// - Parameter greatestSize: the most bytes that a packet has; by default, those of the longest value of
    ///   Bluetooth's attribute protocol.
    package init(greatestSize: Int = 512) { self.greatestSize = greatestSize }

    /// Returns 0, as any byte may begin a packet.
    package func start(in bytes: Span<UInt8>) -> Int? { bytes.isEmpty ? nil : 0 }

    /// Returns the whole packet, unless it is too long.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count <= greatestSize else {
            let fault = FrameFault(.length, at: 0, "\(bytes.count) bytes; a packet has at most \(greatestSize)")
            return .fault(fault, skipping: bytes.count)
        }
        return .whole(bytes.count)
    }

    /// Returns one field, as nothing more is known about a packet here.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        [FrameField("packet", 0..<frame.count, frame.sensitive(isRevealing))]
    }
}

/// The direction of a frame, for protocols whose directions have different formats.
public enum FrameDirection: Sendable, Hashable, CaseIterable {
    /// From the program to the reader.
    case command
    /// From the reader to the program.
    case answer
}

/// One field of a frame, as ``FrameExplainer/fields(of:isRevealing:)`` explains it.
public struct FrameField: Sendable, Hashable {
    /// The field's name in the protocol's own words.
    public let name: String
    /// The field's bytes, counted from the frame's first byte.
    public let range: Range<Int>
    /// The field's meaning; card data masked.
    public let value: String

    /// - Parameters:
    ///   - name: the field's name in the protocol's own words.
    ///   - range: the field's bytes, counted from the frame's first byte.
    ///   - value: the field's meaning; card data masked.
    public init(_ name: String, _ range: Range<Int>, _ value: String) {
        self.name = name
        self.range = range
        self.value = value
    }
}

/// Checks and explains whole frames or messages of one protocol. A ``FrameFormat`` also cuts its frames out of a
/// stream; for a link that keeps its messages apart, this protocol suffices.
public protocol FrameExplainer: Sendable {
    /// Checks that the bytes are exactly one frame.
    /// - Parameter bytes: the frame from its first to its last byte.
    /// - Throws: ``FrameFault`` with position and reason if they are not.
    func check(_ bytes: Span<UInt8>) throws(FrameFault)

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame that was checked.
    ///   - isRevealing: whether card data is shown; otherwise it is masked.
    /// - Returns: the fields, in order and without a gap.
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField]
}

extension FrameExplainer {
    /// Checks that the bytes are exactly one frame.
    /// - Throws: ``FrameFault`` with position and reason if they are not.
    public func check(_ bytes: [UInt8]) throws(FrameFault) { try check(bytes.span) }

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame.
    ///   - isRevealing: whether card data is shown; otherwise it is masked.
    /// - Returns: the fields, in order and without a gap.
    public func fields(of frame: [UInt8], isRevealing: Bool = false) -> [FrameField] {
        fields(of: frame.span, isRevealing: isRevealing)
    }
}
