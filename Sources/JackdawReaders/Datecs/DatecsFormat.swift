/// Packets of Datecs' portable printers (DPP-250, DPP-350, DPP-450), some of which have a card reader on a channel of its own:
/// channel, command or status, length, data. An answer's channel has its highest bit set.
///
/// There is no check, so that a packet behind bytes that are none is not taken for one until a pause ends these. A printer
/// only ever answers.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsFormat: FrameFormat {
    /// Which way the packets go.
    package let direction: FrameDirection

    /// The most bytes of data.
    package static let greatestData = 2048
    private static let answer: UInt8 = 0x80
    /// Channel, command or status, length.
    private static let dataStart = 4

    /// - Parameter direction: which way the packets go.
    package init(_ direction: FrameDirection) { self.direction = direction }

    /// The most bytes that a frame has.
    package var greatestSize: Int { Self.dataStart + Self.greatestData }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { channel(bytes[$0]) != nil } }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard channel(bytes[0]) != nil else { return .fault(.noStart(bytes[0])) }
        guard bytes.count >= Self.dataStart else { return .partial(atLeast: Self.dataStart) }
        let count = Int(bytes[2]) << 8 | Int(bytes[3])
        guard count <= Self.greatestData else {
            return .fault(
                FrameFault(.length, at: 2, "\(count) bytes of data, where \(Self.greatestData) are the most"))
        }
        let end = Self.dataStart + count
        return bytes.count < end ? .partial(atLeast: end) : .unchecked(end)
    }

    /// Explains a frame, field by field.
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
    ///   - command: what is to be done.
    ///   - data: up to 2048 bytes.
    ///   - channel: who is to do it.
    /// - Returns: the packet.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    package static func command(
        _ command: DatecsCommand, _ data: [UInt8] = [], to channel: DatecsChannel = .printer
    ) throws(FrameFault) -> [UInt8] {
        try packet(channel.rawValue, command.rawValue, data)
    }

    /// Makes an answer of a printer.
    /// - Parameters:
    ///   - status: what became of the command.
    ///   - data: up to 2048 bytes.
    ///   - channel: who answers.
    /// - Returns: the packet.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    package static func answer(
        _ status: DatecsStatus, _ data: [UInt8] = [], from channel: DatecsChannel = .printer
    ) throws(FrameFault) -> [UInt8] {
        try packet(channel.rawValue | answer, status.rawValue, data)
    }

    private static func packet(_ first: UInt8, _ second: UInt8, _ data: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard data.count <= greatestData else {
            throw FrameFault(.length, at: 2, "\(data.count) bytes of data, where \(greatestData) are the most")
        }
        return [first, second, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
    }

    /// Whom a packet is for or from; nil where it goes the other way or to nobody that is documented.
    private func channel(_ byte: UInt8) -> DatecsChannel? {
        DatecsChannel(rawValue: direction == .answer ? byte ^ Self.answer : byte)
    }
}

/// Whom a packet to a Datecs printer is for.
///
/// Source: Datecs' DPP-350 programmer's manual.
package enum DatecsChannel: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The printer.
    case printer = 0x01
    /// The reader for stripes that is built in.
    case cardReader = 0x10

    /// Number and name.
    package var description: String { "\(rawValue.hexadecimal) \(self == .printer ? "printer" : "card reader")" }
}

/// What a Datecs printer is told to do in a packet.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsCommand: NamedNumber {
    /// Its number.
    package let rawValue: UInt8

    /// Of a number.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Take data.
    package static let send = DatecsCommand(rawValue: 2)
    /// Give the data that have come.
    package static let receive = DatecsCommand(rawValue: 3)
    /// Say how you are (``DatecsPrinterStatus``).
    package static let status = DatecsCommand(rawValue: 4)

    /// What the published numbers mean.
    package static let names: [UInt8: String] = [2: "send data", 3: "receive data", 4: "get status"]
}

/// What a Datecs printer says became of a packet, and how it is.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsStatus: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// As the printer sends it.
    package let rawValue: UInt8

    /// Of the byte.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Something is wrong.
    package static let error = DatecsStatus(rawValue: 1 << 0)
    /// The packet was not taken: with ``error`` its data are to be sent again, the memory is full.
    package static let notAcknowledged = DatecsStatus(rawValue: 1 << 1)
    /// There is no such channel or command.
    package static let unknownCommand = DatecsStatus(rawValue: 1 << 2)
    /// The battery is low.
    package static let lowBattery = DatecsStatus(rawValue: 1 << 3)
    /// The head is too hot.
    package static let hotHead = DatecsStatus(rawValue: 1 << 4)
    /// There is no paper.
    package static let noPaper = DatecsStatus(rawValue: 1 << 5)
    /// The printer is doing something else.
    package static let busy = DatecsStatus(rawValue: 1 << 7)

    private static let names = [
        "error", "NAK", "unknown command", "low battery", "hot head", "no paper", "bit 6", "busy",
    ]

    /// What is set, in words.
    package var description: String {
        let set = Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] }
        return set.isEmpty ? "ready" : set.joined(separator: ", ")
    }
}

/// How a Datecs printer is: what it answers to ``DatecsCommand/status``.
///
/// Source: Datecs' DPP-350 programmer's manual.
package struct DatecsPrinterStatus: Sendable, Hashable {
    /// Bytes that the printer can still take.
    package let freeMemory: Int
    /// Whether the battery is low.
    package let isBatteryLow: Bool
    /// Whether the head is too hot.
    package let isHeadHot: Bool
    /// Whether there is no paper.
    package let hasNoPaper: Bool
    /// The battery's voltage, V.
    package let voltage: Double
    /// The head's temperature, degrees Celsius.
    package let temperature: Int

    /// Bytes that it has.
    static let size = 5

    /// Reads the data of an answer.
    /// - Parameter data: what follows the length.
    /// - Throws: ``FrameFault`` (`length`) where it is no status.
    package init(_ data: Span<UInt8>) throws(FrameFault) {
        guard data.count == Self.size else {
            throw FrameFault(.length, at: data.count, "\(data.count) bytes, where a status has \(Self.size)")
        }
        freeMemory = Int(data[0]) << 8 | Int(data[1])
        isBatteryLow = data[2] & 1 == 1
        isHeadHot = data[2] >> 1 & 1 == 1
        hasNoPaper = data[2] >> 2 & 1 == 1
        voltage = Double(data[3]) / 10
        temperature = Int(data[4])
    }
}
