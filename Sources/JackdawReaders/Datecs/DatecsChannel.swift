/// Whom a packet to a Datecs printer is for.
///
/// Source: Datecs' DPP-350 programmer's manual.
public enum DatecsChannel: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The printer.
    case printer = 0x01
    /// The reader for stripes that is built in.
    case cardReader = 0x10

    /// Number and name.
    public var description: String { "\(rawValue.hexadecimal) \(self == .printer ? "printer" : "card reader")" }
}
