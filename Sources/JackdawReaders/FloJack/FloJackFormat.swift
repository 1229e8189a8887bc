import JackdawBytes

/// Messages of Flomio's FloJack readers, the same in both directions: opcode, length of the whole message, subopcode,
/// data, and a byte that makes the XOR of all bytes 0.
///
/// HiJack, which has the same line code, sends plain bytes without frames.
///
/// Source: Flomio's drivers for iOS, in a public repository, with their messages. Two of these have a wrong XOR or
/// length, and are refused.
package struct FloJackFormat: FrameFormat {
    /// The length of opcode, length field and subopcode.
    private static let dataStart = 3
    private static let leastSize = dataStart + 1

    package init() {}

    package var greatestSize: Int { Int(UInt8.max) }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { FloJackOpcode(rawValue: bytes[$0]).isKnown }
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard FloJackOpcode(rawValue: bytes[0]).isKnown else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: Self.leastSize) }
        let count = Int(bytes[1])
        guard count >= Self.leastSize else {
            return .fault(FrameFault(.length, at: 1, "\(count) bytes; a message has at least \(Self.leastSize)"))
        }
        guard bytes.count >= count else { return .partial(atLeast: count) }
        let sum = RedundancyCheck.longitudinal(bytes.extracting(first: count - 1))
        guard bytes[count - 1] == sum else {
            return .fault(.check("XOR", at: count - 1, bytes[count - 1], expected: sum))
        }
        return .whole(count)
    }

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
    ///   - opcode: the subject of the message.
    ///   - subopcode: the detail of the subject.
    ///   - data: up to 251 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func message(
        _ opcode: FloJackOpcode, _ subopcode: UInt8, _ data: [UInt8] = []
    ) throws(FrameFault) -> [UInt8] {
        let most = Int(UInt8.max) - leastSize
        guard data.count <= most else {
            throw FrameFault(.length, at: 1, "\(data.count) bytes of data; the maximum is \(most)")
        }
        let frame = [opcode.rawValue, UInt8(data.count + leastSize), subopcode] + data
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

/// The subject of a FloJack reader's message.
///
/// Source: Flomio's drivers for iOS, in a public repository.
package struct FloJackOpcode: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The reader's versions and state.
    package static let status = FloJackOpcode(rawValue: 1)
    /// The kinds of tags that the reader searches for.
    package static let protocols = FloJackOpcode(rawValue: 2)
    /// Whether the reader searches for tags.
    package static let polling = FloJackOpcode(rawValue: 3)
    /// The interval of the search for tags, in steps of 25 ms.
    package static let pollingRate = FloJackOpcode(rawValue: 4)
    /// A tag that was found.
    package static let tag = FloJackOpcode(rawValue: 5)
    /// The result of a message.
    package static let acknowledgement = FloJackOpcode(rawValue: 6)
    /// The use of the line.
    package static let communication = FloJackOpcode(rawValue: 12)
    /// Whether the other side is connected.
    package static let ping = FloJackOpcode(rawValue: 13)
    /// The use of tags that are found.
    package static let operationMode = FloJackOpcode(rawValue: 14)

    package static let names: [UInt8: String] = [
        1: "status", 2: "protocols", 3: "polling", 4: "polling rate", 5: "tag", 6: "acknowledgement", 7: "standalone",
        8: "standalone timeout", 9: "dump log", 10: "LED", 11: "host command", 12: "communication", 13: "ping",
        14: "operation mode", 15: "block read or write", 16: "tag write",
    ]
}
