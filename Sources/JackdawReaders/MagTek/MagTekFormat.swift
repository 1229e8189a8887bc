/// Lines of MagTek's MagneSafe V5 readers, such as iDynamo: commands and their answers in hexadecimal digits, and swipes, each
/// up to a carriage return. ``MagTekSwipe`` reads a swipe.
///
/// Source: MagTek's communication reference manual 99875483, with the swipe in its appendix B.
public struct MagTekFormat: FrameFormat {
    /// Which way the lines go: only readers send swipes.
    public let direction: FrameDirection

    static let end = UInt8(ascii: "\r")
    /// What a swipe begins with: the start of track 1, 2 or 3, or the separator where no track was read.
    private static let swipeStarts = Array("%;+|".utf8)
    /// Code and length of a command or an answer, in digits.
    private static let dataStart = 4
    /// The fields of a swipe take some 1,300 characters.
    private static let greatestSwipe = 4096

    /// - Parameter direction: which way the lines go.
    public init(_ direction: FrameDirection) { self.direction = direction }

    /// The most bytes that a frame has.
    public var greatestSize: Int { Self.greatestSwipe }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0].digitValue != nil || isSwipeStart(bytes[$0]) }
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        if isSwipeStart(bytes[0]) { return measureSwipe(bytes) }
        for index in 0..<min(bytes.count, Self.dataStart) where bytes[index].digitValue == nil {
            return .fault(
                index == 0
                    ? .noStart(bytes[0])
                    : FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is no hexadecimal digit"))
        }
        guard bytes.count >= Self.dataStart else { return .partial(atLeast: Self.dataStart + 1) }
        let end = Self.dataStart + 2 * Int(bytes.byte(at: 2) ?? 0)
        for index in Self.dataStart..<min(bytes.count, end) where bytes[index].digitValue == nil {
            return .fault(FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is no hexadecimal digit"))
        }
        guard bytes.count > end else { return .partial(atLeast: end + 1) }
        guard bytes[end] == Self.end else {
            return .fault(FrameFault(.end, at: end, "\(bytes[end].hexadecimal), where the line ends with 0D"))
        }
        return .whole(end + 1)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let last = frame.count - 1
        let ending = FrameField("end", last..<last + 1, "0D")
        if isSwipeStart(frame[0]) {
            guard let swipe = try? MagTekSwipe(frame) else {
                return [FrameField("swipe", 0..<last, "cannot be read"), ending]
            }
            return swipe.fields(of: frame, isRevealing: isRevealing) + [ending]
        }
        let code = frame.byte(at: 0) ?? 0
        let first =
            direction == .command
            ? FrameField("command", 0..<2, "\(MagTekCommand(rawValue: code))")
            : FrameField("result", 0..<2, "\(MagTekResult(rawValue: code))")
        let size = (last - Self.dataStart) / 2
        let data = isRevealing ? frame.extracting(Self.dataStart..<last).printable : "\(size) bytes"
        return [
            first, FrameField("length", 2..<4, "\(size)"), FrameField("data", Self.dataStart..<last, data), ending,
        ]
    }

    /// Makes a command.
    /// - Parameters:
    ///   - command: what is to be done.
    ///   - data: up to 120 bytes.
    /// - Returns: the line.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    public static func command(_ command: MagTekCommand, _ data: [UInt8] = []) throws(FrameFault) -> [UInt8] {
        guard data.count <= 120 else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data, where 120 are the most")
        }
        return line([command.rawValue, UInt8(data.count)] + data)
    }

    /// Makes an answer.
    /// - Parameters:
    ///   - result: what became of the command.
    ///   - data: up to 255 bytes.
    /// - Returns: the line.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    public static func answer(_ result: MagTekResult, _ data: [UInt8] = []) throws(FrameFault) -> [UInt8] {
        guard data.count <= 255 else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data, where 255 are the most")
        }
        return line([result.rawValue, UInt8(data.count)] + data)
    }

    /// Whether a line can be an answer: not every code of a command is one of a result.
    static func isSwipeOrKnownResult(_ line: [UInt8]) -> Bool {
        line.span.byte(at: 0).map { MagTekResult(rawValue: $0).isKnown } ?? true
    }

    private static func line(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array($0.hexadecimal.utf8) } + [end] }

    private func isSwipeStart(_ byte: UInt8) -> Bool { direction == .answer && Self.swipeStarts.contains(byte) }

    private func measureSwipe(_ bytes: Span<UInt8>) -> FrameMeasure {
        for index in 0..<min(bytes.count, Self.greatestSwipe) {
            if bytes[index] == Self.end {
                do throws(FrameFault) {
                    _ = try MagTekSwipe(bytes.extracting(first: index + 1))
                    return .whole(index + 1)
                } catch {
                    return .fault(error)
                }
            }
            guard (0x20..<0x7F).contains(bytes[index]) else {
                return .fault(FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is no character of a swipe"))
            }
        }
        return .partial(atLeast: bytes.count + 1)
    }
}

extension UInt8 {
    /// What an ASCII character says as a hexadecimal digit; nil where it is none.
    var digitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Span<UInt8> {
    /// The byte that two digits say; nil where they are none.
    func byte(at index: Int) -> UInt8? {
        guard index + 1 < count, let high = self[index].digitValue, let low = self[index + 1].digitValue else {
            return nil
        }
        return high << 4 | low
    }
}
