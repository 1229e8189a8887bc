import JackdawBytes
import JackdawEMV

/// Frames of ID TECH's NEO and ViVOpay readers, protocol 2: the word `ViVOtech2`, command, subcommand or status,
/// length, data, CRC.
///
/// Source: ViVOpay NEO 2 developer manual; the CRC was verified with published frames.
package struct NEOFormat: FrameFormat {
    /// The direction of the frames: an answer has a status instead of the subcommand, and its CRC in the other byte
    /// order.
    package let direction: FrameDirection
    /// The most bytes of data, 0 to 65535; the field's own limit by default.
    package let greatestData: Int

    private static let header = Array("ViVOtech2\0".utf8)
    /// The length of header, command, subcommand or status, and length field.
    private static let dataStart = 14

    /// - Parameters:
    ///   - direction: the direction of the frames.
    ///   - greatestData: the most bytes of data, 0 to 65535.
    package init(_ direction: FrameDirection, greatestData: Int = Int(UInt16.max)) {
        precondition((0...Int(UInt16.max)).contains(greatestData), "the length is a field of two bytes")
        self.direction = direction
        self.greatestData = greatestData
    }

    package var greatestSize: Int { Self.dataStart + greatestData + 2 }

    /// Makes the frame of a command.
    /// - Parameters:
    ///   - command: the command's number.
    ///   - subcommand: the subcommand's number.
    ///   - data: up to 65535 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func command(
        _ command: UInt8, _ subcommand: UInt8, _ data: [UInt8] = []
    ) throws(FrameFault) -> [UInt8] {
        try frame(command, subcommand, data, .command)
    }

    /// Makes the frame of an answer.
    /// - Parameters:
    ///   - command: the command that is answered.
    ///   - status: the result of the command.
    ///   - data: up to 65535 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func answer(
        _ command: UInt8, _ status: NEOStatus, _ data: [UInt8] = []
    ) throws(FrameFault) -> [UInt8] {
        try frame(command, status.rawValue, data, .answer)
    }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.firstIndex(of: Self.header[0]) }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        for index in 0..<min(bytes.count, Self.header.count) where bytes[index] != Self.header[index] {
            return .fault(
                index == 0
                    ? .noStart(bytes[0])
                    : FrameFault(.start, at: index, "\(bytes[index].hexadecimal) is not in the word ViVOtech2"))
        }
        guard bytes.count >= Self.dataStart else { return .partial(atLeast: Self.dataStart + 2) }
        let count = Int(bytes[12]) << 8 | Int(bytes[13])
        guard count <= greatestData else {
            return .fault(FrameFault(.length, at: 12, "\(count) bytes of data; the maximum is \(greatestData)"))
        }
        let end = Self.dataStart + count
        guard bytes.count >= end + 2 else { return .partial(atLeast: end + 2) }
        let crc = Self.checkBytes(bytes.extracting(first: end), direction)
        guard bytes[end] == crc.0, bytes[end + 1] == crc.1 else {
            return .fault(
                FrameFault(
                    .check, at: end,
                    "the CRC is \(bytes.extracting(end..<end + 2).spacedHexadecimal()); "
                        + "the bytes give \(crc.0.hexadecimal) \(crc.1.hexadecimal)"))
        }
        return .whole(end + 2)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        let second =
            switch direction {
            case .command: FrameField("subcommand", 11..<12, frame[11].hexadecimal)
            case .answer: FrameField("status", 11..<12, "\(NEOStatus(rawValue: frame[11]))")
            }
        return [
            FrameField("header", 0..<10, "ViVOtech2"), FrameField("command", 10..<11, frame[10].hexadecimal), second,
            FrameField("length", 12..<14, "\(end - Self.dataStart)"),
        ] + dataFields(of: frame, isRevealing: isRevealing) + [FrameField("CRC", end..<end + 2, "right")]
    }

    /// Explains the data: the fields before the data objects, and the objects.
    private func dataFields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        let data = frame.extracting(Self.dataStart..<end)
        var fields: [FrameField] = []
        func add(_ name: String, to last: Int, _ value: String) {
            let start = fields.last?.range.upperBound ?? Self.dataStart
            fields.append(FrameField(name, start..<Self.dataStart + last, value))
        }
        switch (direction, frame[10], frame[11]) {
        case (.command, 0x02, 0x01) where data.count >= 1: add("wait", to: 1, "\(data[0]) s")
        case (.command, 0x60, 0x10) where data.count >= 5:
            add("fallback", to: 1, data[0].hexadecimal)
            add("timeout 1", to: 3, data.extracting(1..<3).spacedHexadecimal())
            add("timeout 2", to: 5, data.extracting(3..<5).spacedHexadecimal())
        case (.answer, 0x02, _):
            guard let card = NEOTransaction(data) else { break }
            for (index, track) in card.tracks.enumerated() {
                let text = data.extracting(track).sensitive(isRevealing)
                add("track \(index + 1)", to: track.upperBound, text)
            }
            let start = fields.last.map { $0.range.upperBound - Self.dataStart } ?? 0
            if start < card.objectsStart {
                let name = card.tracks.isEmpty ? "attributes" : "clearing record"
                add(name, to: card.objectsStart, data.extracting(start..<card.objectsStart).spacedHexadecimal())
            }
        default: break
        }
        let start = fields.last?.range.upperBound ?? Self.dataStart
        guard start < end || fields.isEmpty else { return fields }
        return fields
            + TagLengthValue.fields(start..<end, of: frame, else: "data", Self.tags, isRevealing: isRevealing)
    }

    private static let tags = TagDictionary.emv.adding(
        TagDictionary(
            names: [
                0xE1: "clearing record", 0xDF30: "source of the tracks", 0xDFEE12: "KSN", 0xDFEE23: "swipe",
            ], shown: [0xDFEE12]))

    private static func frame(
        _ first: UInt8, _ second: UInt8, _ data: [UInt8], _ direction: FrameDirection
    ) throws(FrameFault) -> [UInt8] {
        guard data.count <= Int(UInt16.max) else {
            throw FrameFault(.length, at: 12, "\(data.count) bytes of data; the maximum is 65535")
        }
        var frame = header + [first, second, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
        let crc = checkBytes(frame.span, direction)
        frame += [crc.0, crc.1]
        return frame
    }

    /// Returns the CRC in the byte order in which it is sent.
    private static func checkBytes(_ bytes: Span<UInt8>, _ direction: FrameDirection) -> (UInt8, UInt8) {
        let crc = RedundancyCheck.crc16(bytes)
        let (high, low) = (UInt8(crc >> 8), UInt8(crc & 255))
        return direction == .command ? (low, high) : (high, low)
    }
}

/// The result of a command to a NEO reader.
///
/// Source: ViVOpay NEO 2 developer manual.
package struct NEOStatus: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let done = NEOStatus(rawValue: 0x00)
    /// The reader does not know the command.
    package static let unknownCommand = NEOStatus(rawValue: 0x02)
    /// The reader does not know the subcommand.
    package static let unknownSubcommand = NEOStatus(rawValue: 0x03)
    /// The command's CRC was wrong.
    package static let crcError = NEOStatus(rawValue: 0x04)
    /// A parameter has a value that is not allowed.
    package static let badParameter = NEOStatus(rawValue: 0x05)
    /// The reader does not support the command.
    package static let unsupported = NEOStatus(rawValue: 0x06)
    /// The time was over without a card or an answer.
    package static let timedOut = NEOStatus(rawValue: 0x08)
    /// The reader did not execute the command.
    package static let notAcknowledged = NEOStatus(rawValue: 0x0A)
    /// The reader is executing another command.
    package static let notAllowed = NEOStatus(rawValue: 0x0B)
    /// The last frame must be sent again.
    package static let sendAgain = NEOStatus(rawValue: 0x1A)
    /// The issuer must authorise the payment.
    package static let onlineRequired = NEOStatus(rawValue: 0x23)

    package static let names: [UInt8: String] = [
        0x00: "done", 0x01: "bad header", 0x02: "unknown command", 0x03: "unknown subcommand", 0x04: "CRC error",
        0x05: "bad parameter", 0x06: "not supported", 0x07: "malformed", 0x08: "timed out", 0x0A: "not acknowledged",
        0x0B: "command not allowed", 0x0C: "subcommand not allowed", 0x0D: "overflow", 0x0E: "event for the display",
        0x11: "wrong kind of link", 0x12: "secure interface", 0x13: "length not a multiple of 8", 0x14: "bad padding",
        0x15: "wrong kind of key", 0x16: "key cannot be read", 0x17: "bad hash", 0x18: "key cannot be stored",
        0x19: "too large", 0x1A: "send again", 0x1B: "memory error", 0x1C: "APDU encoding", 0x23: "online required",
        0x50: "automatic switch", 0x51: "automatic switch", 0x60: "no data", 0x61: "full", 0x62: "flash error",
        0x63: "done, next command", 0x80: "contact EMV cannot start", 0x81: "cancelled by a card",
        0x90: "no DUKPT key for accounts", 0x91: "DUKPT key exhausted",
    ]
}
