/// Packets of Datecs' portable printers (DPP-250, DPP-350, DPP-450), some of which have a card reader on a channel of its own:
/// channel, command or status, length, data. An answer's channel has its highest bit set.
///
/// There is no check, so that a packet behind bytes that are none is not taken for one until a pause ends these. A printer
/// only ever answers.
///
/// Source: Datecs' DPP-350 programmer's manual.
public struct DatecsFormat: FrameFormat {
    /// Which way the packets go.
    public let direction: FrameDirection

    /// The most bytes of data.
    public static let greatestData = 2048
    private static let answer: UInt8 = 0x80
    /// Channel, command or status, length.
    private static let dataStart = 4

    /// - Parameter direction: which way the packets go.
    public init(_ direction: FrameDirection) { self.direction = direction }

    /// The most bytes that a frame has.
    public var greatestSize: Int { Self.dataStart + Self.greatestData }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { channel(bytes[$0]) != nil } }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
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
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
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
    public static func command(
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
    public static func answer(
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
