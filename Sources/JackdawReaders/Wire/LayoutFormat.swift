/// Frames as a ``FrameLayout`` lays them out.
public struct LayoutFormat: FrameFormat {
    /// How they are laid out.
    public let layout: FrameLayout

    /// - Parameter layout: how frames are laid out.
    public init(_ layout: FrameLayout) {
        precondition(!layout.start.isEmpty, "a frame begins with something")
        precondition((1...2).contains(layout.lengthSize), "a length has one or two bytes")
        self.layout = layout
    }

    /// The most bytes that a frame has.
    public var greatestSize: Int {
        let longest = layout.lengthSize == 1 ? Int(UInt8.max) : Int(UInt16.max)
        return layout.counted == .everything ? longest : longest + overhead
    }

    private var contentStart: Int { layout.start.count + layout.lengthSize }
    private var overhead: Int { contentStart + layout.check.size + layout.end.count }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0] == layout.start[0] } }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        for index in 0..<min(bytes.count, layout.start.count) where bytes[index] != layout.start[index] {
            return .fault(
                index == 0
                    ? .noStart(bytes[0])
                    : FrameFault(.start, at: index, "\(bytes[index].hexadecimal) begins no frame"))
        }
        guard bytes.count >= contentStart else { return .partial(atLeast: overhead) }
        let length = (layout.start.count..<contentStart).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        let count = layout.counted == .everything ? length : length + overhead
        guard count >= overhead else {
            return .fault(
                FrameFault(.length, at: layout.start.count, "\(count) bytes, where a frame has \(overhead) at least"))
        }
        guard bytes.count >= count else { return .partial(atLeast: count) }
        let end = count - layout.check.size - layout.end.count
        let sum = sum(of: bytes.extracting(first: end))
        for index in 0..<layout.check.size where bytes[end + index] != byte(index, of: sum) {
            return .fault(.check("check", at: end + index, bytes[end + index], expected: byte(index, of: sum)))
        }
        for (index, byte) in layout.end.enumerated() where bytes[count - layout.end.count + index] != byte {
            let place = count - layout.end.count + index
            return .fault(FrameFault(.end, at: place, "\(bytes[place].hexadecimal) ends no frame"))
        }
        return layout.check == .none ? .unchecked(count) : .whole(count)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let check = frame.count - layout.check.size - layout.end.count
        let end = frame.count - layout.end.count
        let all = [
            FrameField("start", 0..<layout.start.count, "right"),
            FrameField("length", layout.start.count..<contentStart, "\(check - contentStart) bytes of content"),
            FrameField("content", contentStart..<check, frame.extracting(contentStart..<check).sensitive(isRevealing)),
            FrameField("check", check..<end, "right"), FrameField("end", end..<frame.count, "right"),
        ]
        return all.filter { !$0.range.isEmpty }
    }

    /// Makes a frame.
    /// - Parameter content: what it says.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    public func frame(_ content: [UInt8]) throws(FrameFault) -> [UInt8] {
        let length = layout.counted == .everything ? content.count + overhead : content.count
        guard content.count + overhead <= greatestSize else {
            throw FrameFault(
                .length, at: layout.start.count,
                "\(content.count) bytes of content, where \(greatestSize - overhead) are the most")
        }
        let digits = layout.lengthSize == 1 ? [UInt8(length)] : [UInt8(length >> 8), UInt8(length & 255)]
        let checked = layout.start + digits + content
        let sum = sum(of: checked.span)
        return checked + (0..<layout.check.size).map { byte($0, of: sum) } + layout.end
    }

    /// The check of what is before it.
    private func sum(of bytes: Span<UInt8>) -> UInt16 {
        let first =
            switch layout.checked {
            case .start: 0
            case .length: layout.start.count
            case .content: contentStart
            }
        let checked = bytes.extracting(first...)
        return switch layout.check {
        case .none: 0
        case .longitudinal: UInt16(RedundancyCheck.longitudinal(checked))
        case .sum: UInt16(RedundancyCheck.sum(checked))
        case .crc16: RedundancyCheck.crc16(checked)
        }
    }

    /// The higher byte of a check comes first.
    private func byte(_ index: Int, of sum: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: sum >> (8 * (layout.check.size - 1 - index)))
    }
}

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
