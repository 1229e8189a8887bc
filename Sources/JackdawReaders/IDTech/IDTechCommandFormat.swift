import JackdawBytes

/// Commands that change or read settings of ID TECH's magnetic stripe readers: `02 S` function, length, data or `02 R`
/// function, then `03` and an LRC of all these bytes.
///
/// Source: ID TECH's iMag and SecureMag manuals.
package struct IDTechCommandFormat: FrameFormat {
    static let startOfText: UInt8 = 0x02
    static let endOfText: UInt8 = 0x03
    private static let set = UInt8(ascii: "S")
    private static let review = UInt8(ascii: "R")

    package init() {}

    /// `02 S` function, length, 255 bytes, `03` LRC.
    package var greatestSize: Int { 4 + 255 + 2 }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.firstIndex(of: Self.startOfText) }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0] == Self.startOfText else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: 5) }
        guard bytes[1] == Self.set || bytes[1] == Self.review else {
            return .fault(FrameFault(.field, at: 1, "\(bytes[1].hexadecimal) is neither S (53) nor R (52)"))
        }
        var end = 3
        if bytes[1] == Self.set, bytes.count < 3 { return .partial(atLeast: 5) }
        if hasLength(bytes) {
            guard bytes.count > 3 else { return .partial(atLeast: 6) }
            end = 4 + Int(bytes[3])
        }
        return measureEnd(bytes, at: end, from: 0)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        var fields = [
            FrameField("STX", 0..<1, "02"), FrameField("kind", 1..<2, frame[1] == Self.set ? "S set" : "R review"),
            FrameField("function", 2..<3, "\(IDTechFunction(rawValue: frame[2]))"),
        ]
        if hasLength(frame) {
            fields.append(FrameField("length", 3..<4, "\(frame[3])"))
            let data = frame.extracting(4..<end)
            let shown = isRevealing || !data.mayBeOfACard ? data.spacedHexadecimal(first: 255) : data.sensitive(false)
            fields.append(FrameField("data", 4..<end, shown))
        }
        return fields + [FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right")]
    }

    /// Makes a command that changes a setting.
    /// - Parameters:
    ///   - function: the setting.
    ///   - data: the new value, up to 255 bytes; empty for ``IDTechFunction/resetToDefault``.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func set(_ function: IDTechFunction, _ data: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard data.count <= 255 else {
            throw FrameFault(.length, at: 3, "\(data.count) bytes of data; the maximum is 255")
        }
        guard function != .resetToDefault else {
            guard data.isEmpty else { throw FrameFault(.length, at: 3, "a reset has no data") }
            return ended([startOfText, set, function.rawValue])
        }
        return ended([startOfText, set, function.rawValue, UInt8(data.count)] + data)
    }

    /// Makes a command that reads a setting.
    package static func review(_ function: IDTechFunction) -> [UInt8] {
        ended([startOfText, review, function.rawValue])
    }

    /// Whether length and data follow the function: they do not in a review or a reset.
    private func hasLength(_ bytes: Span<UInt8>) -> Bool {
        bytes[1] == Self.set && bytes[2] != IDTechFunction.resetToDefault.rawValue
    }

    private static func ended(_ bytes: [UInt8]) -> [UInt8] {
        let frame = bytes + [endOfText]
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

/// Measures the end `03` LRC of a frame.
/// - Parameters:
///   - bytes: the bytes received of the frame.
///   - end: the index at which `03` must be.
///   - first: the index of the first byte that the LRC covers.
/// - Returns: the result of measuring the whole frame.
func measureEnd(_ bytes: Span<UInt8>, at end: Int, from first: Int) -> FrameMeasure {
    guard bytes.count > end else { return .partial(atLeast: end + 2) }
    guard bytes[end] == IDTechCommandFormat.endOfText else {
        return .fault(FrameFault(.end, at: end, "\(bytes[end].hexadecimal); the frame ends with 03"))
    }
    guard bytes.count > end + 1 else { return .partial(atLeast: end + 2) }
    let sum = RedundancyCheck.longitudinal(bytes.extracting(first...end))
    guard bytes[end + 1] == sum else { return .fault(.check("LRC", at: end + 1, bytes[end + 1], expected: sum)) }
    return .whole(end + 2)
}

/// Frames from ID TECH's magnetic stripe readers: `06` or `15` for a command, `06` and settings or a text for a
/// question, and unsolicited swipes (``IDTechSwipeFormat``).
///
/// An answer does not show which of these kinds it is: the caller must state the kind of the request.
package struct IDTechAnswerFormat: FrameFormat {
    /// The kind of the last request.
    package enum Awaited: Sendable, Hashable, CaseIterable {
        /// No request, or a changed setting: `06` alone.
        case acknowledgement
        /// A question for settings: `06 02`, then function, length and data of each, `03` LRC.
        case settings
        /// A question for a text, such as the firmware's version: `06 02` text `03` LRC.
        case text
    }

    package var awaited: Awaited
    private let swipes = IDTechSwipeFormat()

    static let acknowledge: UInt8 = 0x06
    static let refuse: UInt8 = 0x15

    /// - Parameter awaited: the kind of the last request.
    package init(awaiting awaited: Awaited = .acknowledgement) { self.awaited = awaited }

    package var greatestSize: Int { swipes.greatestSize }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { Self.starts.contains(bytes[$0]) } }

    private static let starts = [acknowledge, refuse, IDTechCommandFormat.startOfText]
    /// The most bytes of an answer other than a swipe: no documented answer is longer than a setting.
    private static let greatestAnswer = 1024

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        switch bytes[0] {
        case Self.refuse: .unchecked(1)
        case Self.acknowledge where awaited == .acknowledgement: .unchecked(1)
        case Self.acknowledge: measureAnswer(bytes)
        default: swipes.measure(bytes)
        }
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard frame[0] != IDTechCommandFormat.startOfText else {
            return swipes.fields(of: frame, isRevealing: isRevealing)
        }
        guard frame.count > 1 else {
            return [FrameField("answer", 0..<1, frame[0] == Self.refuse ? "15 NAK" : "06 ACK")]
        }
        let end = frame.count - 2
        var fields = [FrameField("answer", 0..<1, "06 ACK"), FrameField("STX", 1..<2, "02")]
        if awaited == .text {
            fields.append(FrameField("text", 2..<end, frame.extracting(2..<end).readerText(isRevealing)))
        } else {
            var start = 2
            while start < end {
                let next = start + 2 + Int(frame[start + 1])
                let name = "\(IDTechFunction(rawValue: frame[start]))"
                let value = frame.extracting(start + 2..<next)
                let shown = value.mayBeOfACard ? value.sensitive(isRevealing) : value.spacedHexadecimal(first: 255)
                fields.append(FrameField(name, start..<next, shown))
                start = next
            }
        }
        return fields + [FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right")]
    }

    private func measureAnswer(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count > 1 else { return .partial(atLeast: 4) }
        guard bytes[1] == IDTechCommandFormat.startOfText else {
            return .fault(FrameFault(.field, at: 1, "\(bytes[1].hexadecimal); the answer begins with 02"))
        }
        var end = 2
        while true {
            guard end < bytes.count else { return .partial(atLeast: end + 2) }
            guard end < Self.greatestAnswer else {
                return .fault(FrameFault(.length, at: end, "no end in \(Self.greatestAnswer) bytes"))
            }
            if bytes[end] == IDTechCommandFormat.endOfText { return measureEnd(bytes, at: end, from: 1) }
            guard awaited == .settings else {
                end += 1
                continue
            }
            guard end + 1 < bytes.count else { return .partial(atLeast: end + 4) }
            end += 2 + Int(bytes[end + 1])
        }
    }
}

/// The envelope of a body of known length in ID TECH's frames: `02`, the length with its lower byte first, the body,
/// its LRC and its sum, `03`.
enum IDTechBody {
    /// The length of `02` and the length field.
    static let start = 3
    /// The length of LRC, sum and `03`.
    static let endSize = 3

    /// Measures the frame that may begin with the first byte.
    /// - Parameters:
    ///   - bytes: the bytes received of the frame.
    ///   - sizes: the range of a body's length.
    ///   - fault: returns the error of a body that begins with this byte; nil if there is none.
    /// - Returns: the result of measuring the frame.
    static func measure(
        _ bytes: Span<UInt8>, sizes: ClosedRange<Int>, fault: (UInt8) -> FrameFault? = { _ in nil }
    ) -> FrameMeasure {
        guard bytes[0] == IDTechCommandFormat.startOfText else { return .fault(.noStart(bytes[0])) }
        guard bytes.count >= start else { return .partial(atLeast: start + sizes.lowerBound + endSize) }
        let count = Int(bytes[2]) << 8 | Int(bytes[1])
        guard sizes.contains(count) else { return .fault(length(count, sizes)) }
        let end = start + count
        guard bytes.count > start else { return .partial(atLeast: end + endSize) }
        if let fault = fault(bytes[start]) { return .fault(fault) }
        guard bytes.count >= end + endSize else { return .partial(atLeast: end + endSize) }
        let body = bytes.extracting(start..<end)
        let lrc = RedundancyCheck.longitudinal(body)
        guard bytes[end] == lrc else { return .fault(.check("LRC", at: end, bytes[end], expected: lrc)) }
        let sum = RedundancyCheck.sum(body)
        guard bytes[end + 1] == sum else { return .fault(.check("sum", at: end + 1, bytes[end + 1], expected: sum)) }
        guard bytes[end + 2] == IDTechCommandFormat.endOfText else {
            return .fault(FrameFault(.end, at: end + 2, "\(bytes[end + 2].hexadecimal); the frame ends with 03"))
        }
        return .whole(end + endSize)
    }

    /// Explains the envelope of a body.
    /// - Parameters:
    ///   - body: the fields of the body.
    ///   - count: the length of the frame in bytes.
    /// - Returns: the fields of the frame.
    static func fields(around body: [FrameField], count: Int) -> [FrameField] {
        let end = count - endSize
        return [FrameField("STX", 0..<1, "02"), FrameField("length", 1..<start, "\(end - start)")] + body + [
            FrameField("LRC", end..<end + 1, "right"), FrameField("sum", end + 1..<end + 2, "right"),
            FrameField("ETX", end + 2..<end + 3, "03"),
        ]
    }

    /// Makes the frame of a body; throws if its length is not in the range.
    static func frame(_ body: [UInt8], sizes: ClosedRange<Int>) throws(FrameFault) -> [UInt8] {
        guard sizes.contains(body.count) else { throw length(body.count, sizes) }
        let checks = [RedundancyCheck.longitudinal(body.span), RedundancyCheck.sum(body.span)]
        return [IDTechCommandFormat.startOfText, UInt8(body.count & 255), UInt8(body.count >> 8)] + body + checks
            + [IDTechCommandFormat.endOfText]
    }

    private static func length(_ count: Int, _ sizes: ClosedRange<Int>) -> FrameFault {
        FrameFault(
            .length, at: 1, "a body of \(count) bytes; it has \(sizes.lowerBound) to \(sizes.upperBound)")
    }
}

/// The functions of ID TECH's magnetic stripe readers: settings and questions.
///
/// Source: ID TECH's iMag and SecureMag manuals.
package struct IDTechFunction: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let resetToDefault = IDTechFunction(rawValue: 0x18)
    package static let decoding = IDTechFunction(rawValue: 0x1D)
    package static let reviewAll = IDTechFunction(rawValue: 0x1F)
    package static let firmwareVersion = IDTechFunction(rawValue: 0x22)
    package static let baudRate = IDTechFunction(rawValue: 0x41)
    package static let clearDigitsInFront = IDTechFunction(rawValue: 0x49)
    package static let clearDigitsBehind = IDTechFunction(rawValue: 0x4A)
    package static let maskCharacter = IDTechFunction(rawValue: 0x4B)
    package static let encryption = IDTechFunction(rawValue: 0x4C)
    package static let serialNumber = IDTechFunction(rawValue: 0x4E)
    package static let expiryShown = IDTechFunction(rawValue: 0x50)
    /// The serial number of the next key (KSN), of readers on the audio jack. Reported, not documented.
    package static let nextKeySerialNumber = IDTechFunction(rawValue: 0x51)
    package static let keyManagement = IDTechFunction(rawValue: 0x58)
    package static let lrcInSecureMode = IDTechFunction(rawValue: 0x6F)
    package static let securityLevel = IDTechFunction(rawValue: 0x7E)
    package static let activateAuthentication = IDTechFunction(rawValue: 0x82)
    package static let encryptOption = IDTechFunction(rawValue: 0x84)
    package static let outputFormat = IDTechFunction(rawValue: 0x85)
    package static let maskOption = IDTechFunction(rawValue: 0x86)

    package static let names: [UInt8: String] = [
        0x18: "reset to default", 0x1D: "decoding", 0x1F: "review all", 0x22: "firmware version", 0x41: "baud rate",
        0x49: "clear digits at the start", 0x4A: "clear digits at the end", 0x4B: "mask character", 0x4C: "encryption",
        0x4E: "serial number", 0x50: "expiry shown", 0x51: "next KSN", 0x58: "key management",
        0x6F: "LRC in secure mode", 0x7E: "security level", 0x80: "authentication challenge",
        0x82: "activate authentication", 0x84: "encrypt option", 0x85: "output format", 0x86: "mask option",
        0xD2: "preamble", 0xD3: "postamble",
    ]
}
