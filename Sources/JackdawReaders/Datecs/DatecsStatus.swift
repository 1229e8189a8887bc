/// What a Datecs printer says became of a packet, and how it is.
///
/// Source: Datecs' DPP-350 programmer's manual.
public struct DatecsStatus: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// As the printer sends it.
    public let rawValue: UInt8

    /// Of the byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Something is wrong.
    public static let error = DatecsStatus(rawValue: 1 << 0)
    /// The packet was not taken: with ``error`` its data are to be sent again, the memory is full.
    public static let notAcknowledged = DatecsStatus(rawValue: 1 << 1)
    /// There is no such channel or command.
    public static let unknownCommand = DatecsStatus(rawValue: 1 << 2)
    /// The battery is low.
    public static let lowBattery = DatecsStatus(rawValue: 1 << 3)
    /// The head is too hot.
    public static let hotHead = DatecsStatus(rawValue: 1 << 4)
    /// There is no paper.
    public static let noPaper = DatecsStatus(rawValue: 1 << 5)
    /// The printer is doing something else.
    public static let busy = DatecsStatus(rawValue: 1 << 7)

    private static let names = [
        "error", "NAK", "unknown command", "low battery", "hot head", "no paper", "bit 6", "busy",
    ]

    /// What is set, in words.
    public var description: String {
        let set = Self.names.indices.filter { rawValue >> $0 & 1 == 1 }.map { Self.names[$0] }
        return set.isEmpty ? "ready" : set.joined(separator: ", ")
    }
}
