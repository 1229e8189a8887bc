/// How the frames of a protocol are laid out whose makers have not published it: who has such a reader and its documentation
/// has to supply each of these, and there is no default.
///
/// The layout is one that most such protocols have: bytes that begin a frame, a length, the content, a check, bytes that end it.
public struct FrameLayout: Sendable, Hashable {
    /// What a length counts.
    public enum Counted: Sendable, Hashable, CaseIterable {
        /// The content alone.
        case content
        /// Everything from the first byte to the last.
        case everything
    }

    /// The sum of a frame.
    public enum Check: Sendable, Hashable, CaseIterable {
        /// There is none.
        case none
        /// All bytes, one XOR the next.
        case longitudinal
        /// All bytes added, modulo 256.
        case sum
        /// CRC-16/CCITT from FFFF, the higher byte first.
        case crc16

        /// Bytes that it has.
        var size: Int { self == .none ? 0 : self == .crc16 ? 2 : 1 }
    }

    /// Where the bytes begin that a check is over; it ends with the content.
    public enum Checked: Sendable, Hashable, CaseIterable {
        /// With the frame's first byte.
        case start
        /// With the length.
        case length
        /// With the content.
        case content
    }

    /// Bytes that begin a frame, one or more.
    public var start: [UInt8]
    /// Bytes of the length, the highest one first: 1 or 2.
    public var lengthSize: Int
    /// What the length counts.
    public var counted: Counted
    /// The sum of a frame.
    public var check: Check
    /// Where the bytes begin that the check is over.
    public var checked: Checked
    /// Bytes that end a frame; may be none.
    public var end: [UInt8]

    /// - Parameters:
    ///   - start: bytes that begin a frame, one or more.
    ///   - lengthSize: bytes of the length, the highest one first: 1 or 2.
    ///   - counted: what the length counts.
    ///   - check: the sum of a frame.
    ///   - checked: where the bytes begin that it is over.
    ///   - end: bytes that end a frame; may be none.
    public init(start: [UInt8], lengthSize: Int, counted: Counted, check: Check, checked: Checked, end: [UInt8]) {
        self.start = start
        self.lengthSize = lengthSize
        self.counted = counted
        self.check = check
        self.checked = checked
        self.end = end
    }
}
