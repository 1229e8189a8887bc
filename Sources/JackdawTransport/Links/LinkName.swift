/// The name that opens a link, the same in all commands and functions: a scheme, a colon, and the address of a device
/// in the notation of its own system, such as `alsa:hw:1,0` or `wav:capture.wav`.
public struct LinkName: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a link, which is the part of its name before the colon.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// A sound card by its ALSA name: `alsa:hw:1,0`, `alsa:default`.
        case alsa
        /// A sound file that replaces a sound card: `wav:capture.wav`.
        case wav
        /// A Bluetooth device by its address, with the RFCOMM channel if it is known: `rfcomm:AA:BB:CC:DD:EE:FF/1`.
        case rfcomm
        /// A Bluetooth Low Energy device by its address: `ble:AA:BB:CC:DD:EE:FF`.
        case ble
        /// A port of a host by name or address: `tcp:reader.example:4000`, `tcp:[::1]:4000`.
        case tcp
        /// A serial line or a pseudo-terminal by its path: `pty:/dev/pts/3`, `pty:/dev/ttyUSB0`.
        case pty
        /// A chip card in a PC/SC reader by the reader's name, a part of it, or its number: `pcsc:ACR39U`, `pcsc:0`.
        case pcsc
        /// A simulated reader by its family or its own name: `sim:miura`, `sim:posmate`.
        case sim
        /// Another link, with a transcript recorded to a file: `record:session.txt,tcp:[::1]:4000`.
        case record
        /// A transcript that replaces a device: `replay:session.txt`.
        case replay
    }

    /// The kind of the link.
    public let scheme: Scheme
    /// The device's name in the notation of its own system; never empty.
    public let address: String

    /// Creates a name from its two parts.
    /// - Parameters:
    ///   - scheme: the kind of the link.
    ///   - address: the device's name in the notation of its own system, not empty; for `record` a file, a comma and a
    ///     link.
    public init(_ scheme: Scheme, _ address: String) {
        precondition(!address.isEmpty, "the address must not be empty")
        self.scheme = scheme
        self.address = address
        precondition(scheme != .record || recording != nil, "a record link must have a file and a link")
    }

    /// Creates the name of a link whose transcript is recorded.
    /// - Parameters:
    ///   - link: the link, whose scheme is not `record`.
    ///   - file: the transcript's path, not empty and without a comma.
    public init(recording link: LinkName, in file: String) { self.init(.record, "\(file),\(link)") }

    /// Parses a name.
    /// - Parameter text: scheme, colon, address.
    /// - Throws: ``LinkError`` with code `badName` if the text is not the name of a link.
    public init(parsing text: String) throws(LinkError) {
        let known = Scheme.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        // Searches scalars, not characters: a file name may begin with a mark that combines with the colon.
        guard let colon = text.unicodeScalars.firstIndex(of: ":") else {
            throw LinkError(.badName, link: text, "not the name of a link", remedy: "a link begins with \(known)")
        }
        guard let scheme = Scheme(rawValue: String(text[..<colon])) else {
            throw LinkError(
                .badName, link: text, "unknown kind of link \(text[..<colon])", remedy: "a link begins with \(known)")
        }
        let address = String(text.unicodeScalars[text.unicodeScalars.index(after: colon)...])
        guard !address.isEmpty else {
            throw LinkError(.badName, link: text, "a device is missing after the colon")
        }
        if scheme == .record {
            do throws(LinkError) {
                _ = try Self.recording(address)
            } catch {
                throw LinkError(
                    .badName, link: text, error.message, remedy: error.remedy ?? "write it as record:FILE,LINK")
            }
        }
        self.scheme = scheme
        self.address = address
    }

    /// The transcript's path and the link that is recorded; nil if the scheme is not `record`.
    public var recording: (file: String, link: LinkName)? {
        scheme == .record ? try? Self.recording(address) : nil
    }

    /// Splits the address of a `record` link. The file ends at the first comma.
    private static func recording(_ address: String) throws(LinkError) -> (file: String, link: LinkName) {
        guard let comma = address.unicodeScalars.firstIndex(of: ",") else {
            throw LinkError(.badName, link: address, "a comma and a link are missing after the transcript's file")
        }
        guard comma > address.startIndex else {
            throw LinkError(.badName, link: address, "the transcript's file is missing before the comma")
        }
        let inner = String(address.unicodeScalars[address.unicodeScalars.index(after: comma)...])
        // Checked before the inner name is parsed, so that a name with many nested parts causes no recursion.
        guard !inner.hasPrefix("\(Scheme.record.rawValue):") else {
            throw LinkError(.badName, link: address, "the recorded link is already a record link")
        }
        return (String(address[..<comma]), try LinkName(parsing: inner))
    }

    /// Scheme, colon and address, as the parser reads them.
    public var description: String { "\(scheme.rawValue):\(address)" }
}
