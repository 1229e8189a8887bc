/// Messages of Flomio's FloJack readers, the same both ways: opcode, length of all of it, subopcode, data, and a byte that
/// makes the XOR of all of them 0.
///
/// HiJack, whose line they share, sends plain bytes: it has no frames.
///
/// Source: Flomio's drivers for iOS, in a public repository, with their messages. Two of these have an XOR or a length that is
/// wrong, and are refused.
package struct FloJackFormat: FrameFormat {
    /// Opcode, length, subopcode.
    private static let dataStart = 3
    private static let leastSize = dataStart + 1

    /// The format, which has no settings.
    package init() {}

    /// The most bytes that a frame has.
    package var greatestSize: Int { Int(UInt8.max) }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { FloJackOpcode(rawValue: bytes[$0]).isKnown }
    }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard FloJackOpcode(rawValue: bytes[0]).isKnown else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: Self.leastSize) }
        let count = Int(bytes[1])
        guard count >= Self.leastSize else {
            return .fault(FrameFault(.length, at: 1, "\(count) bytes, where a message has \(Self.leastSize) at least"))
        }
        guard bytes.count >= count else { return .partial(atLeast: count) }
        let sum = RedundancyCheck.longitudinal(bytes.extracting(first: count - 1))
        guard bytes[count - 1] == sum else {
            return .fault(.check("XOR", at: count - 1, bytes[count - 1], expected: sum))
        }
        return .whole(count)
    }

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        var fields = [
            FrameField("opcode", 0..<1, "\(FloJackOpcode(rawValue: frame[0]))"),
            FrameField("length", 1..<2, "\(frame.count)"), FrameField("subopcode", 2..<3, frame[2].hexadecimal),
        ]
        let data = Self.dataStart..<end
        if !data.isEmpty { fields.append(FrameField("data", data, frame.extracting(data).sensitive(isRevealing))) }
        return fields + [FrameField("XOR", end..<end + 1, "right")]
    }

    /// Makes a message.
    /// - Parameters:
    ///   - opcode: what it is about.
    ///   - subopcode: the same in more detail.
    ///   - data: up to 251 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    package static func message(
        _ opcode: FloJackOpcode, _ subopcode: UInt8, _ data: [UInt8] = []
    ) throws(FrameFault) -> [UInt8] {
        let most = Int(UInt8.max) - leastSize
        guard data.count <= most else {
            throw FrameFault(.length, at: 1, "\(data.count) bytes of data, where \(most) are the most")
        }
        let frame = [opcode.rawValue, UInt8(data.count + leastSize), subopcode] + data
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

/// What a message of FloJack readers is about.
///
/// Source: Flomio's drivers for iOS, in a public repository.
package struct FloJackOpcode: NamedNumber {
    /// Its number.
    package let rawValue: UInt8

    /// Of a number.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the reader is and how it does.
    package static let status = FloJackOpcode(rawValue: 1)
    /// Kinds of tags that are looked for.
    package static let protocols = FloJackOpcode(rawValue: 2)
    /// Whether tags are looked for.
    package static let polling = FloJackOpcode(rawValue: 3)
    /// How often tags are looked for, in steps of 25 ms.
    package static let pollingRate = FloJackOpcode(rawValue: 4)
    /// A tag that was found.
    package static let tag = FloJackOpcode(rawValue: 5)
    /// What became of a message.
    package static let acknowledgement = FloJackOpcode(rawValue: 6)
    /// How the line is used.
    package static let communication = FloJackOpcode(rawValue: 12)
    /// Whether the other side is there.
    package static let ping = FloJackOpcode(rawValue: 13)
    /// What is done with tags.
    package static let operationMode = FloJackOpcode(rawValue: 14)

    /// What the published numbers mean.
    package static let names: [UInt8: String] = [
        1: "status", 2: "protocols", 3: "polling", 4: "polling rate", 5: "tag", 6: "acknowledgement", 7: "standalone",
        8: "standalone timeout", 9: "dump log", 10: "LED", 11: "host command", 12: "communication", 13: "ping",
        14: "operation mode", 15: "block read or write", 16: "tag write",
    ]
}
