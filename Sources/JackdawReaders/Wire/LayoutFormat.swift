import JackdawBytes

/// Frames with the layout of a ``FrameLayout``.
public struct LayoutFormat: FrameFormat {
    /// The layout of the frames.
    public let layout: FrameLayout

    /// - Parameter layout: the layout of the frames.
    public init(_ layout: FrameLayout) {
        precondition(!layout.start.isEmpty, "a frame has start bytes")
        precondition((1...2).contains(layout.lengthSize), "a length has one or two bytes")
        self.layout = layout
    }

    public var greatestSize: Int {
        let longest = layout.lengthSize == 1 ? Int(UInt8.max) : Int(UInt16.max)
        return layout.counted == .everything ? longest : longest + overhead
    }

    private var contentStart: Int { layout.start.count + layout.lengthSize }

    /// The place of the content in a whole frame.
    func content(of frame: Span<UInt8>) -> Range<Int> {
        let end = frame.count - layout.check.size - layout.end.count
        return min(contentStart, end)..<end
    }

    private var overhead: Int { contentStart + layout.check.size + layout.end.count }

    public func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0] == layout.start[0] } }

    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        for index in 0..<min(bytes.count, layout.start.count) where bytes[index] != layout.start[index] {
            return .fault(
                index == 0
                    ? .noStart(bytes[0])
                    : FrameFault(.start, at: index, "no frame begins with \(bytes[index].hexadecimal) at this place"))
        }
        guard bytes.count >= contentStart else { return .partial(atLeast: overhead) }
        let length = (layout.start.count..<contentStart).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        let count = layout.counted == .everything ? length : length + overhead
        guard count >= overhead else {
            return .fault(
                FrameFault(.length, at: layout.start.count, "\(count) bytes; a frame has at least \(overhead)"))
        }
        guard bytes.count >= count else { return .partial(atLeast: count) }
        let end = count - layout.check.size - layout.end.count
        let sum = sum(of: bytes.extracting(first: end))
        for index in 0..<layout.check.size where bytes[end + index] != byte(index, of: sum) {
            return .fault(.check("check", at: end + index, bytes[end + index], expected: byte(index, of: sum)))
        }
        for (index, byte) in layout.end.enumerated() where bytes[count - layout.end.count + index] != byte {
            let place = count - layout.end.count + index
            return .fault(FrameFault(.end, at: place, "no frame ends with \(bytes[place].hexadecimal)"))
        }
        return layout.check == .none ? .unchecked(count) : .whole(count)
    }

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
    /// - Parameter content: the content of the frame.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the content is too long.
    public func frame(_ content: [UInt8]) throws(FrameFault) -> [UInt8] {
        let length = layout.counted == .everything ? content.count + overhead : content.count
        guard content.count + overhead <= greatestSize else {
            throw FrameFault(
                .length, at: layout.start.count,
                "\(content.count) bytes of content; the maximum is \(greatestSize - overhead)")
        }
        let digits = layout.lengthSize == 1 ? [UInt8(length)] : [UInt8(length >> 8), UInt8(length & 255)]
        let checked = layout.start + digits + content
        let sum = sum(of: checked.span)
        return checked + (0..<layout.check.size).map { byte($0, of: sum) } + layout.end
    }

    /// Returns the check of the bytes before it.
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

    /// Returns a byte of a check, whose higher byte comes first.
    private func byte(_ index: Int, of sum: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: sum >> (8 * (layout.check.size - 1 - index)))
    }
}

/// The layout of frames with bytes that begin them, a length, the content, a check, and bytes that end them.
///
/// There are no defaults: the values come from the protocol's document or, if its makers have not published it, from
/// the profile of a reader's owner.
public struct FrameLayout: Sendable, Hashable {
    /// The bytes that a length counts.
    public enum Counted: Sendable, Hashable, CaseIterable {
        /// Only the bytes of the content.
        case content
        /// All bytes of the frame, from the first to the last.
        case everything
    }

    /// The kind of check sum of a frame.
    public enum Check: Sendable, Hashable, CaseIterable {
        /// Frames have no check sum.
        case none
        /// LRC: the XOR of all bytes.
        case longitudinal
        /// The sum of all bytes, modulo 256.
        case sum
        /// CRC-16/CCITT from FFFF, the higher byte first.
        case crc16

        /// The length of the check sum in bytes.
        var size: Int { self == .none ? 0 : self == .crc16 ? 2 : 1 }
    }

    /// The first byte that the check covers; the last is that of the content.
    public enum Checked: Sendable, Hashable, CaseIterable {
        /// The first byte of the frame.
        case start
        /// The first byte of the length.
        case length
        /// The first byte of the content.
        case content
    }

    /// The bytes that begin a frame, one or more.
    public var start: [UInt8]
    /// The number of bytes of the length, highest first: 1 or 2.
    public var lengthSize: Int
    /// The bytes that the length counts.
    public var counted: Counted
    /// The kind of check sum of a frame.
    public var check: Check
    /// The first byte that the check covers.
    public var checked: Checked
    /// The bytes that end a frame; may be empty.
    public var end: [UInt8]

    /// - Parameters:
    ///   - start: the bytes that begin a frame, one or more.
    ///   - lengthSize: the number of bytes of the length, highest first: 1 or 2.
    ///   - counted: the bytes that the length counts.
    ///   - check: the kind of check sum of a frame.
    ///   - checked: the first byte that the check covers.
    ///   - end: the bytes that end a frame; may be empty.
    public init(start: [UInt8], lengthSize: Int, counted: Counted, check: Check, checked: Checked, end: [UInt8]) {
        self.start = start
        self.lengthSize = lengthSize
        self.counted = counted
        self.check = check
        self.checked = checked
        self.end = end
    }
}

extension FrameLayout {
    /// The keys of the values in a profile.
    static let profileKeys: [ProfileKey] = [
        .frameStart, .frameLengthSize, .frameCounted, .frameCheck, .frameChecked, .frameEnd,
    ]

    /// Creates a layout from a profile.
    /// - Parameter profile: a profile with all values of the layout.
    /// - Throws: ``ReaderError``: `missingValue` or `badProfile` if a value is missing or invalid.
    init(_ profile: ReaderProfile) throws(ReaderError) {
        let checks: [String: Check] = ["none": .none, "longitudinal": .longitudinal, "sum": .sum, "crc16": .crc16]
        let places: [String: Checked] = ["start": .start, "length": .length, "content": .content]
        self.init(
            start: try profile.bytes(.frameStart, count: 1...8),
            lengthSize: try profile.integer(.frameLengthSize, in: 1...2),
            counted: try profile.text(.frameCounted, of: ["content", "everything"]) == "content"
                ? .content : .everything,
            check: checks[try profile.text(.frameCheck, of: checks.keys.sorted())] ?? .none,
            checked: places[try profile.text(.frameChecked, of: places.keys.sorted())] ?? .start,
            end: try profile.bytes(.frameEnd, count: 0...8))
    }
}
