import JackdawBytes

/// Lines of MagTek's MagneSafe V5 readers, such as iDynamo: commands and their answers in hexadecimal digits, and
/// swipes, each up to a carriage return. ``MagTekSwipe`` parses a swipe.
///
/// iDynamo fills the block of 500 bytes that ends a swipe with `x`, which is padding. A string before the card
/// (property 1E) therefore cannot begin with `x`.
///
/// Source: MagTek's communication reference manual 99875483, section 2 (blocks of 500 bytes) and appendix B (a swipe).
package struct MagTekFormat: FrameFormat {
    /// The direction of the lines: only readers send swipes.
    package let direction: FrameDirection

    /// The padding of the last block of a swipe.
    package static let filler = UInt8(ascii: "x")
    /// The size in bytes of the blocks in which iDynamo sends swipes.
    package static let blockSize = 500

    private static let end = UInt8(ascii: "\r")
    private static let separator = UInt8(ascii: "|")
    /// The number of digits of code and length in a command or an answer.
    private static let dataStart = 4

    /// - Parameter direction: the direction of the lines.
    package init(_ direction: FrameDirection) { self.direction = direction }

    /// The most bytes of a line: the fields of a swipe have about 1,300.
    package var greatestSize: Int { 4096 }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0].isPrinted } }

    /// Measures the line that may begin with the first byte.
    ///
    /// A line is accepted or skipped as a whole, as the end of a damaged swipe would look like an answer.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0].isPrinted else { return .fault(.noStart(bytes[0])) }
        if direction == .answer, bytes[0] == Self.filler {
            return .padding(bytes.indices.first { bytes[$0] != Self.filler } ?? bytes.count)
        }
        if let index = bytes.extracting(first: min(bytes.count, greatestSize)).firstUnprinted {
            guard bytes[index] == Self.end else {
                let fault = FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is not a character of a line")
                return .fault(fault, skipping: index + 1)
            }
            do throws(FrameFault) {
                try check(line: bytes.extracting(first: index + 1))
                return .whole(index + 1)
            } catch {
                return .fault(error, skipping: index + 1)
            }
        }
        guard bytes.count < greatestSize else {
            let fault = FrameFault(.length, at: 0, "a line of \(greatestSize) bytes or more")
            return .fault(fault, skipping: greatestSize)
        }
        return .partial(atLeast: bytes.count + 1)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let last = frame.count - 1
        let ending = FrameField("end", last..<last + 1, "0D")
        if isSwipe(frame) {
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
        var fields = [first, FrameField("length", 2..<4, "\((last - Self.dataStart) / 2)")]
        var dataStart = Self.dataStart
        if direction == .command, MagTekCommand(rawValue: code).isOfProperty, let number = frame.byte(at: dataStart) {
            fields.append(
                FrameField("property", dataStart..<dataStart + 2, "\(MagTekProperty(rawValue: number))"))
            dataStart += 2
        }
        if dataStart < last || dataStart == Self.dataStart {
            let data = frame.extracting(dataStart..<last)
            let value = isRevealing ? data.printable : "\(data.count / 2) byte\(data.count == 2 ? "" : "s")"
            fields.append(FrameField("data", dataStart..<last, value))
        }
        return fields + [ending]
    }

    /// Makes the line of a command.
    /// - Parameters:
    ///   - command: the command byte.
    ///   - data: up to 120 bytes.
    /// - Returns: the line.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func command(_ command: MagTekCommand, _ data: [UInt8] = []) throws(FrameFault) -> [UInt8] {
        guard data.count <= 120 else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data; the maximum is 120")
        }
        return line([command.rawValue, UInt8(data.count)] + data)
    }

    /// Makes the line of an answer.
    /// - Parameters:
    ///   - result: the result of the command.
    ///   - data: up to 255 bytes.
    /// - Returns: the line.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func answer(_ result: MagTekResult, _ data: [UInt8] = []) throws(FrameFault) -> [UInt8] {
        guard data.count <= 255 else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data; the maximum is 255")
        }
        return line([result.rawValue, UInt8(data.count)] + data)
    }

    /// Makes the line of a swipe.
    /// - Parameters:
    ///   - fields: all fields before the CRC, in order (``MagTekSwipe``), without separators.
    ///   - format: the code of the format, four characters.
    /// - Returns: the line.
    /// - Throws: ``FrameFault`` if the line would not be valid.
    package static func swipe(_ fields: [[UInt8]], format: [UInt8] = Array("0000".utf8)) throws(FrameFault) -> [UInt8] {
        var line = fields.flatMap { $0 + [separator] }
        let crc = RedundancyCheck.crc16(line.span)
        for byte in [UInt8(crc & 255), UInt8(crc >> 8)] { line += Array(byte.hexadecimal.utf8) }
        line += [separator, separator] + format + [end]
        _ = try MagTekSwipe(line.span)
        return line
    }

    /// Whether a line may be an answer: some command codes are not result codes.
    static func isSwipeOrKnownResult(_ line: [UInt8]) -> Bool {
        line.span.byte(at: 0).map { MagTekResult(rawValue: $0).isKnown } ?? true
    }

    /// Whether a line may be a command.
    static func isKnownCommand(_ line: [UInt8]) -> Bool {
        line.span.byte(at: 0).map { MagTekCommand(rawValue: $0).isKnown } ?? false
    }

    private static func line(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array($0.hexadecimal.utf8) } + [end] }

    private func isSwipe(_ line: Span<UInt8>) -> Bool {
        direction == .answer && line.firstIndex(of: Self.separator) != nil
    }

    private func check(line: Span<UInt8>) throws(FrameFault) {
        let end = line.count - 1
        if let index = line.extracting(first: end).firstNoDigit {
            // Only swipes have other characters.
            guard !isSwipe(line) else {
                _ = try MagTekSwipeLayout(line)
                return
            }
            throw FrameFault(.field, at: index, "\(line[index].hexadecimal) is not a hexadecimal digit")
        }
        guard end >= Self.dataStart, let count = line.byte(at: 2) else {
            throw FrameFault(.length, at: end, "\(end) digits; code and length have 4")
        }
        guard end == Self.dataStart + 2 * Int(count) else {
            throw FrameFault(.length, at: 2, "\(count) bytes of data, but \(end - Self.dataStart) digits follow")
        }
    }
}
