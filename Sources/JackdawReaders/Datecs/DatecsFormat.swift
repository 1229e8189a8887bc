import JackdawBytes

/// Packets of Datecs' portable printers (DPP-250, DPP-350, DPP-450), some of which have a card reader on its own
/// channel: channel, command or status, length, data. An answer's channel has its highest bit set.
///
/// Packets have no check, so a packet after bytes that are not one is accepted only after a pause. A printer only sends
/// answers.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsFormat: FrameFormat {
    /// The direction of the packets.
    package let direction: FrameDirection

    /// The most bytes of data in a packet.
    package static let greatestData = 2048
    private static let answer: UInt8 = 0x80
    /// The length of channel, command or status, and length field.
    private static let dataStart = 4

    /// - Parameter direction: the direction of the packets.
    package init(_ direction: FrameDirection) { self.direction = direction }

    package var greatestSize: Int { Self.dataStart + Self.greatestData }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { channel(bytes[$0]) != nil } }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard channel(bytes[0]) != nil else { return .fault(.noStart(bytes[0])) }
        guard bytes.count >= Self.dataStart else { return .partial(atLeast: Self.dataStart) }
        let count = Int(bytes[2]) << 8 | Int(bytes[3])
        guard count <= Self.greatestData else {
            return .fault(
                FrameFault(.length, at: 2, "\(count) bytes of data; the maximum is \(Self.greatestData)"))
        }
        let end = Self.dataStart + count
        return bytes.count < end ? .partial(atLeast: end) : .unchecked(end)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let data = Self.dataStart..<frame.count
        let second =
            switch direction {
            case .command: FrameField("command", 1..<2, "\(DatecsCommand(rawValue: frame[1]))")
            case .answer: FrameField("status", 1..<2, "\(DatecsStatus(rawValue: frame[1]))")
            }
        var fields = [
            FrameField("channel", 0..<1, channel(frame[0]).map { "\($0)" } ?? frame[0].hexadecimal), second,
            FrameField("length", 2..<4, "\(data.count)"),
        ]
        if !data.isEmpty { fields.append(FrameField("data", data, frame.extracting(data).sensitive(isRevealing))) }
        return fields
    }

    /// Makes a packet to a printer.
    /// - Parameters:
    ///   - command: the command.
    ///   - data: up to 2048 bytes.
    ///   - channel: the recipient of the command.
    /// - Returns: the packet.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func command(
        _ command: DatecsCommand, _ data: [UInt8] = [], to channel: DatecsChannel = .printer
    ) throws(FrameFault) -> [UInt8] {
        try packet(channel.rawValue, command.rawValue, data)
    }

    /// Makes an answer of a printer.
    /// - Parameters:
    ///   - status: the result of the command.
    ///   - data: up to 2048 bytes.
    ///   - channel: the sender of the answer.
    /// - Returns: the packet.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package static func answer(
        _ status: DatecsStatus, _ data: [UInt8] = [], from channel: DatecsChannel = .printer
    ) throws(FrameFault) -> [UInt8] {
        try packet(channel.rawValue | answer, status.rawValue, data)
    }

    private static func packet(_ first: UInt8, _ second: UInt8, _ data: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard data.count <= greatestData else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data; the maximum is \(greatestData)")
        }
        return [first, second, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
    }

    /// Returns the recipient or sender of a packet; nil if the packet has the other direction, or the channel is not
    /// documented.
    private func channel(_ byte: UInt8) -> DatecsChannel? {
        DatecsChannel(rawValue: direction == .answer ? byte ^ Self.answer : byte)
    }
}

/// The recipient of a packet to a Datecs printer.
///
/// Source: Datecs' DPP-350 programmer's manual.
package enum DatecsChannel: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case printer = 0x01
    /// The built-in reader for magnetic stripes.
    case cardReader = 0x10

    package var description: String { "\(rawValue.hexadecimal) \(self == .printer ? "printer" : "card reader")" }
}

/// The command in a packet to a Datecs printer.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsCommand: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Pass data to the channel.
    package static let send = DatecsCommand(rawValue: 2)
    /// Return the data that the channel has received.
    package static let receive = DatecsCommand(rawValue: 3)
    /// Return the printer's status (``DatecsPrinterStatus``).
    package static let status = DatecsCommand(rawValue: 4)

    package static let names: [UInt8: String] = [2: "send data", 3: "receive data", 4: "get status"]
}

/// The result of a packet to a Datecs printer, and the printer's state.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsStatus: OptionSet, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An error has occurred.
    package static let error = DatecsStatus(rawValue: 1 << 0)
    /// The printer rejected the packet: with ``error``, its memory is full, and the data must be sent again.
    package static let notAcknowledged = DatecsStatus(rawValue: 1 << 1)
    /// The channel or command does not exist.
    package static let unknownCommand = DatecsStatus(rawValue: 1 << 2)
    /// The battery is low.
    package static let lowBattery = DatecsStatus(rawValue: 1 << 3)
    /// The head is too hot.
    package static let hotHead = DatecsStatus(rawValue: 1 << 4)
    /// The printer has no paper.
    package static let noPaper = DatecsStatus(rawValue: 1 << 5)
    /// The printer is executing another command.
    package static let busy = DatecsStatus(rawValue: 1 << 7)

    private static let names = [
        "error", "NAK", "unknown command", "low battery", "hot head", "no paper", "bit 6", "busy",
    ]

    package var description: String {
        let set = Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] }
        return set.isEmpty ? "ready" : set.joined(separator: ", ")
    }
}

/// The state of a Datecs printer: its answer to ``DatecsCommand/status``.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsPrinterStatus: Sendable, Hashable {
    /// The free memory of the printer, in bytes.
    package let freeMemory: Int
    /// Whether the battery is low.
    package let isBatteryLow: Bool
    /// Whether the head is too hot.
    package let isHeadHot: Bool
    /// Whether the printer has no paper.
    package let hasNoPaper: Bool
    /// The battery's voltage in volts.
    package let voltage: Double
    /// The head's temperature in degrees Celsius.
    package let temperature: Int

    /// The length of a status in bytes.
    static let size = 5

    /// Parses the data of an answer.
    /// - Parameter data: the bytes after the length.
    /// - Throws: ``FrameFault`` (`length`) if they are not a status.
    package init(_ data: Span<UInt8>) throws(FrameFault) {
        guard data.count == Self.size else {
            throw FrameFault(.length, at: data.count, "\(data.count) bytes; a status has \(Self.size)")
        }
        freeMemory = Int(data[0]) << 8 | Int(data[1])
        isBatteryLow = data[2] & 1 == 1
        isHeadHot = data[2] >> 1 & 1 == 1
        hasNoPaper = data[2] >> 2 & 1 == 1
        voltage = Double(data[3]) / 10
        temperature = Int(data[4])
    }
}

extension FrameProtocol {
    static let datecs = FrameProtocol(
        "datecs", "Datecs portable printers and their card readers: packets", .documented,
        [
            FrameKind("commands", DatecsFormat(.command), .command, seeds: ["01020005112233445501040000"]),
            FrameKind(
                "answers", DatecsFormat(.answer), .answer, seeds: ["810000053FF8014927 90 200002 0D00"],
                measured: { () throws(FrameFault) in
                    [("", [try DatecsFormat.answer([]), try DatecsFormat.answer([], FrameKind.filler(512))])]
                }),
        ])
}
