import JackdawBytes

/// Frames of ID TECH's NGA protocol, such as Augusta's: `02`, a length, a body, LRC and sum of the body, `03`. A
/// command's body is a task, F for a function, S to change settings or R to read them, and data; an answer begins with
/// `06`, or with `15` and an error; unsolicited frames of a reader have the same format.
///
/// Source: ID TECH's Augusta user manual 80145503, 8.2.
package struct NGAFormat: FrameFormat {
    /// The direction of the frames, which affects only how they are explained.
    package let direction: FrameDirection
    package let greatestBody: Int

    private static let kinds: [UInt8: String] = [
        UInt8(ascii: "F"): "F function", UInt8(ascii: "S"): "S set", UInt8(ascii: "R"): "R review",
    ]

    /// - Parameters:
    ///   - direction: the direction of the frames.
    ///   - greatestBody: the most bytes of a body, 1 to 65535. The actual limit is not documented.
    package init(_ direction: FrameDirection, greatestBody: Int = 4096) {
        precondition((1...Int(UInt16.max)).contains(greatestBody), "the length is a field of two bytes")
        self.direction = direction
        self.greatestBody = greatestBody
    }

    package var greatestSize: Int { IDTechBody.start + greatestBody + IDTechBody.endSize }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        IDTechBody.measure(bytes, sizes: 1...greatestBody)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let body = IDTechBody.start..<frame.count - IDTechBody.endSize
        var fields: [FrameField] = []
        switch direction {
        case .command where body.count > 1:
            fields.append(FrameField("task", 3..<4, frame[3].hexadecimal))
            fields.append(FrameField("kind", 4..<5, Self.kinds[frame[4]] ?? "\(frame[4].hexadecimal) unknown"))
        case .answer where frame[3] == IDTechAnswerFormat.acknowledge:
            fields.append(FrameField("answer", 3..<4, "06 ACK"))
        case .answer where frame[3] == IDTechAnswerFormat.refuse:
            fields.append(FrameField("answer", 3..<4, "15 NAK"))
            if body.count > 2 {
                let error = NGAError(rawValue: UInt16(frame[4]) << 8 | UInt16(frame[5]))
                fields.append(FrameField("error", 4..<6, "\(error)"))
            }
        default: break
        }
        let data = (fields.last?.range.upperBound ?? body.lowerBound)..<body.upperBound
        if !data.isEmpty { fields.append(FrameField("data", data, frame.extracting(data).sensitive(isRevealing))) }
        return IDTechBody.fields(around: fields, count: frame.count)
    }

    /// Makes the frame of a body.
    /// - Parameter body: 1 to 65535 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the body's length is not allowed.
    package static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        try IDTechBody.frame(body, sizes: 1...Int(UInt16.max))
    }

    /// Whether a frame's body begins like a command.
    static func isCommand(_ frame: [UInt8]) -> Bool { frame.count > 8 && kinds[frame[4]] != nil }
}

/// The error of a command to a reader with ID TECH's NGA protocol.
///
/// Source: ID TECH's Augusta user manual 80145503, which names two: both are warnings, as the reader does the rest of
/// the command.
package struct NGAError: NamedNumber {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The setting does not allow this value.
    package static let valueOutOfRange = NGAError(rawValue: 0x1400)
    /// The reader does not have this setting.
    package static let unknownSetting = NGAError(rawValue: 0x1600)

    package static let names: [UInt16: String] = [0x1400: "value out of range", 0x1600: "unknown setting"]
}

extension FrameProtocol {
    static let nga = FrameProtocol(
        "nga", "ID TECH Augusta and other readers with the NGA protocol", .documented,
        [
            // Both directions have the same format.
            FrameKind(
                "commands", NGAFormat(.command), .command, isLikely: NGAFormat.isCommand,
                seeds: ["0204003152012240A603"]),
            FrameKind(
                "answers", NGAFormat(.answer), .answer, isLikely: { !NGAFormat.isCommand($0) },
                streams: [NGAFormat(.answer, greatestBody: 64)],
                seeds: ["02010006060603 00 020300151600032B03"],
                measured: { () throws(FrameFault) in
                    [("", [try NGAFormat.frame([6]), try NGAFormat.frame(FrameKind.filler(300))])]
                }),
        ])
}
