/// What a Datecs printer is told to do in a packet.
///
/// Source: Datecs' DPP-350 programmer's manual.
public struct DatecsCommand: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Take data.
    public static let send = DatecsCommand(rawValue: 2)
    /// Give the data that have come.
    public static let receive = DatecsCommand(rawValue: 3)
    /// Say how you are (``DatecsPrinterStatus``).
    public static let status = DatecsCommand(rawValue: 4)

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [2: "send data", 3: "receive data", 4: "get status"]
}
