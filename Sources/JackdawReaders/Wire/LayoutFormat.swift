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
