/// What a link is opened by, everywhere the same: a scheme, a colon, and the address of a device in the words of its own
/// system, such as `alsa:hw:1,0` or `wav:capture.wav`.
public struct LinkName: Sendable, Hashable, CustomStringConvertible {
    /// What kind of link it is.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// A sound card by its ALSA name: `alsa:hw:1,0`, `alsa:default`.
        case alsa
        /// A sound file that stands in for a card: `wav:capture.wav`.
        case wav
        /// A Bluetooth device by its address, with a channel where that is known: `rfcomm:AA:BB:CC:DD:EE:FF/1`.
        case rfcomm
        /// A Bluetooth Low Energy device by its address: `ble:AA:BB:CC:DD:EE:FF`.
        case ble
    }

    /// What kind of link it is.
    public let scheme: Scheme
    /// The device's name as its own system has it; never empty.
    public let address: String

    /// A name of its two parts.
    /// - Parameters:
    ///   - scheme: what kind of link it is.
    ///   - address: the device's name as its own system has it, not empty.
    public init(_ scheme: Scheme, _ address: String) {
        precondition(!address.isEmpty, "a link leads somewhere")
        self.scheme = scheme
        self.address = address
    }

    /// Reads a name.
    /// - Parameter text: scheme, colon, address.
    /// - Throws: ``LinkError`` with code `badName`.
    public init(parsing text: String) throws(LinkError) {
        let known = Scheme.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        guard let colon = text.firstIndex(of: ":") else {
            throw LinkError(.badName, link: text, "no name of a link", remedy: "one begins with \(known)")
        }
        guard let scheme = Scheme(rawValue: String(text[..<colon])) else {
            throw LinkError(
                .badName, link: text, "no kind of link is named \(text[..<colon])", remedy: "one begins with \(known)")
        }
        let address = String(text[text.index(after: colon)...])
        guard !address.isEmpty else {
            throw LinkError(.badName, link: text, "a device is missing behind the colon")
        }
        self.init(scheme, address)
    }

    /// Scheme, colon, address.
    public var description: String { "\(scheme.rawValue):\(address)" }
}
