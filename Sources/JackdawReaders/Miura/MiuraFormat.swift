import JackdawBytes
import JackdawEMV

/// Frames of Miura's MPI: node address (NAD), protocol control byte (PCB), length, APDU, LRC, similar to ISO 7816-3.
///
/// Source: Miura's SDK for Android with its unit tests, in public repositories.
package struct MiuraFormat: FrameFormat {
    /// The direction of the frames. A command's control byte is 0.
    package let direction: FrameDirection

    /// The range of an APDU's length in one frame.
    package static let apduSizes = 2...254
    /// Control bit: more parts of the same answer follow.
    static let chained: UInt8 = 0x01
    /// Control bit: the message is unsolicited.
    static let unsolicited: UInt8 = 0x40
    /// The length of node, control byte and length field.
    static let apduStart = 3

    /// - Parameter direction: the direction of the frames.
    package init(_ direction: FrameDirection) { self.direction = direction }

    package var greatestSize: Int { Self.apduStart + Self.apduSizes.upperBound + 1 }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { MiuraNode(rawValue: bytes[$0]) != nil }
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard MiuraNode(rawValue: bytes[0]) != nil else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: Self.apduStart + Self.apduSizes.lowerBound + 1) }
        let flags = direction == .command ? 0 : Self.chained | Self.unsolicited
        guard bytes[1] & ~flags == 0 else {
            return .fault(FrameFault(.field, at: 1, "\(bytes[1].hexadecimal) is not a control byte"))
        }
        guard bytes.count > 2 else { return .partial(atLeast: Self.apduStart + Self.apduSizes.lowerBound + 1) }
        guard Self.apduSizes.contains(Int(bytes[2])) else {
            return .fault(FrameFault(.length, at: 2, "an APDU of \(bytes[2]) bytes; it has 2 to 254"))
        }
        let end = Self.apduStart + Int(bytes[2])
        guard bytes.count > end else { return .partial(atLeast: end + 1) }
        let sum = RedundancyCheck.longitudinal(bytes.extracting(first: end))
        guard bytes[end] == sum else { return .fault(.check("LRC", at: end, bytes[end], expected: sum)) }
        return .whole(end + 1)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        var control: [String] = []
        if frame[1] & Self.unsolicited != 0 { control.append("unsolicited") }
        if frame[1] & Self.chained != 0 { control.append("chained") }
        var fields = [
            FrameField("NAD", 0..<1, MiuraNode(rawValue: frame[0]).map { "\($0)" } ?? frame[0].hexadecimal),
            FrameField("PCB", 1..<2, control.isEmpty ? "plain" : control.joined(separator: ", ")),
            FrameField("LEN", 2..<3, "\(end - Self.apduStart)"),
        ]
        switch direction {
        case .command where end - Self.apduStart >= 4:
            let instruction = MiuraInstruction(rawValue: UInt16(frame[3]) << 8 | UInt16(frame[4]))
            fields.append(FrameField("CLA INS", 3..<5, "\(instruction)"))
            fields.append(FrameField("P1 P2", 5..<7, frame.extracting(5..<7).spacedHexadecimal()))
            fields += Self.contentFields(of: frame, isRevealing: isRevealing)
        case .answer where frame[1] & Self.chained == 0:
            let body = Self.apduStart..<end - 2
            if !body.isEmpty {
                fields += TagLengthValue.fields(body, of: frame, else: "body", MiuraTag.all, isRevealing: isRevealing)
            }
            let status = MiuraStatus(rawValue: UInt16(frame[end - 2]) << 8 | UInt16(frame[end - 1]))
            fields.append(FrameField("SW", end - 2..<end, "\(status)"))
        default:
            let part = Self.apduStart..<end
            fields.append(FrameField("part", part, frame.extracting(part).sensitive(isRevealing)))
        }
        fields.append(FrameField("LRC", end..<end + 1, "right"))
        return fields
    }

    /// Explains the fields after a command's parameters: data with its length, and the expected length of the answer
    /// (Le).
    private static func contentFields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let (start, end) = (7, frame.count - 1)
        let awaited = FrameField("Le", end - 1..<end, "\(frame[end - 1])")
        guard end > start + 1 else { return end > start ? [awaited] : [] }
        let dataEnd = start + 1 + Int(frame[start])
        guard end == dataEnd || end == dataEnd + 1 else {
            return [FrameField("data", start..<end, frame.extracting(start..<end).sensitive(isRevealing))]
        }
        let data = TagLengthValue.fields(
            start + 1..<dataEnd, of: frame, else: "data", MiuraTag.all, isRevealing: isRevealing)
        return [FrameField("Lc", start..<start + 1, "\(frame[start])")] + data + (end > dataEnd ? [awaited] : [])
    }

    /// Makes the frame of a command.
    /// - Parameters:
    ///   - apdu: class, instruction, parameters and the rest of the command, 2 to 254 bytes.
    ///   - node: the recipient of the command.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the APDU is shorter or longer.
    package static func command(_ apdu: [UInt8], to node: MiuraNode = .reader) throws(FrameFault) -> [UInt8] {
        try frame(apdu, node, control: 0)
    }

    /// Makes the frames of an answer, chained if it needs several.
    /// - Parameters:
    ///   - apdu: the body and two bytes of status, 2 bytes or more.
    ///   - node: the sender of the answer.
    ///   - isUnsolicited: whether no command asked for the answer.
    /// - Returns: the frames, in order.
    /// - Throws: ``FrameFault`` (`length`) if the APDU is shorter.
    package static func answer(
        _ apdu: [UInt8], from node: MiuraNode = .reader, isUnsolicited: Bool = false
    ) throws(FrameFault) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var start = 0
        repeat {
            var count = min(apdu.count - start, apduSizes.upperBound)
            // The last part has at least two bytes too.
            if apdu.count - start - count == 1 { count -= 1 }
            let isLast = start + count == apdu.count
            let control = (isLast ? 0 : chained) | (isUnsolicited ? unsolicited : 0)
            frames.append(try frame(Array(apdu[start..<start + count]), node, control: control))
            start += count
        } while start < apdu.count
        return frames
    }

    /// Whether a frame's APDU begins with a known instruction, and is long enough for a command.
    static func hasKnownInstruction(_ frame: [UInt8]) -> Bool {
        guard frame.count >= apduStart + 5 else { return false }
        return MiuraInstruction(rawValue: UInt16(frame[3]) << 8 | UInt16(frame[4])).isKnown
    }

    private static func frame(_ apdu: [UInt8], _ node: MiuraNode, control: UInt8) throws(FrameFault) -> [UInt8] {
        guard apduSizes.contains(apdu.count) else {
            throw FrameFault(.length, at: 2, "an APDU of \(apdu.count) bytes; it has 2 to 254")
        }
        let frame = [node.rawValue, control, UInt8(apdu.count)] + apdu
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

/// The sender or recipient of a message on one link (NAD).
package enum MiuraNode: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The card reader (PED, MPI).
    case reader = 1
    /// The till's base with printer and drawer (POSzle, RPI).
    case base = 2

    package var description: String { self == .reader ? "01 card reader" : "02 base" }
}
