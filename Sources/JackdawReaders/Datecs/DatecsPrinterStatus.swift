/// How a Datecs printer is: what it answers to ``DatecsCommand/status``.
///
/// Source: Datecs' DPP-350 programmer's manual.
public struct DatecsPrinterStatus: Sendable, Hashable {
    /// Bytes that the printer can still take.
    public let freeMemory: Int
    /// Whether the battery is low.
    public let isBatteryLow: Bool
    /// Whether the head is too hot.
    public let isHeadHot: Bool
    /// Whether there is no paper.
    public let hasNoPaper: Bool
    /// The battery's voltage, V.
    public let voltage: Double
    /// The head's temperature, degrees Celsius.
    public let temperature: Int

    /// Bytes that it has.
    static let size = 5

    /// Reads the data of an answer.
    /// - Parameter data: what follows the length.
    /// - Throws: ``FrameFault`` (`length`) where it is no status.
    public init(_ data: Span<UInt8>) throws(FrameFault) {
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
