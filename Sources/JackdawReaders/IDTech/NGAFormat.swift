/// Frames of ID TECH's NGA protocol, such as Augusta's: `02`, a length, a body, LRC and sum of the body, `03`. A command's body
/// is a task, F, S or R for a function, settings or a question for them, and what belongs to it; an answer begins with `06`, or
/// `15` and an error; what a reader sends unasked is framed alike.
///
/// Source: ID TECH's Augusta user manual 80145503, 8.2.
package struct NGAFormat: FrameFormat {
    /// Which way the frames go; they are cut alike.
    package let direction: FrameDirection
    /// The most bytes of a body.
    package let greatestBody: Int

    private static let kinds: [UInt8: String] = [
        UInt8(ascii: "F"): "F function", UInt8(ascii: "S"): "S set", UInt8(ascii: "R"): "R review",
    ]

    /// - Parameters:
    ///   - direction: which way the frames go.
    ///   - greatestBody: the most bytes of a body, 1 to 65535. How long one is at most is not documented.
    package init(_ direction: FrameDirection, greatestBody: Int = 4096) {
        precondition((1...Int(UInt16.max)).contains(greatestBody), "the length is a field of two bytes")
        self.direction = direction
        self.greatestBody = greatestBody
    }

    /// The most bytes that a frame has.
    package var greatestSize: Int { IDTechBody.start + greatestBody + IDTechBody.endSize }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        IDTechBody.measure(bytes, sizes: 1...greatestBody)
    }

    /// Explains a frame, field by field.
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
    /// - Throws: ``FrameFault`` (`length`) where no body is that long.
    package static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        try IDTechBody.frame(body, sizes: 1...Int(UInt16.max))
    }

    /// Whether a frame's body begins as a command does.
    static func isCommand(_ frame: [UInt8]) -> Bool { frame.count > 8 && kinds[frame[4]] != nil }
}

/// Why a reader with ID TECH's NGA protocol did not do something.
///
/// Source: ID TECH's Augusta user manual 80145503, which names two: with either all else is done, it is a warning.
package struct NGAError: NamedNumber {
    /// Both bytes of it.
    package let rawValue: UInt16

    /// Of both bytes.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A value that the setting cannot have.
    package static let valueOutOfRange = NGAError(rawValue: 0x1400)
    /// There is no such setting.
    package static let unknownSetting = NGAError(rawValue: 0x1600)

    /// What the published numbers mean.
    package static let names: [UInt16: String] = [0x1400: "value out of range", 0x1600: "unknown setting"]
}
