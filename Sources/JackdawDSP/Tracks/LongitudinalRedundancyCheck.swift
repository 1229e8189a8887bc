/// The check character at the end of a message: even parity over each column of data bits, both sentinels included.
///
/// Its own parity bit is not a column: it makes the check character odd like every other (ISO/IEC 7811-2).
public struct LongitudinalRedundancyCheck: Sendable, Hashable {
    /// Data value of the check character for everything added so far.
    public private(set) var value: UInt8 = 0

    /// The check of an empty message.
    public init() {}

    /// The check of a whole message.
    /// - Parameter values: data values from start sentinel to end sentinel.
    public init(of values: some Sequence<UInt8>) {
        for value in values { add(value) }
    }

    /// Takes the next character's data value.
    public mutating func add(_ value: UInt8) { self.value ^= value }
}
