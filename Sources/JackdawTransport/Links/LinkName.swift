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
        /// A port of a host by name or address: `tcp:reader.example:4000`, `tcp:[::1]:4000`.
        case tcp
        /// A serial line or a pseudo-terminal by its path: `pty:/dev/pts/3`, `pty:/dev/ttyUSB0`.
        case pty
        /// A simulated reader by its family: `sim:miura`.
        case sim
        /// Another link, of which a transcript is kept in a file: `record:session.txt,tcp:[::1]:4000`.
        case record
        /// A transcript that stands in for a device: `replay:session.txt`.
        case replay
    }

    /// What kind of link it is.
    public let scheme: Scheme
    /// The device's name as its own system has it; never empty.
    public let address: String

    /// A name of its two parts.
    /// - Parameters:
    ///   - scheme: what kind of link it is.
    ///   - address: the device's name as its own system has it, not empty; for `record` a file, a comma and a link.
    public init(_ scheme: Scheme, _ address: String) {
        precondition(!address.isEmpty, "a link leads somewhere")
        self.scheme = scheme
        self.address = address
        precondition(scheme != .record || recording != nil, "a transcript has a file and is of a link")
    }

    /// The name of a link of which a transcript is kept.
    /// - Parameters:
    ///   - link: the link, which is none of this kind itself.
    ///   - file: the transcript's path, not empty and without a comma.
    public init(recording link: LinkName, in file: String) { self.init(.record, "\(file),\(link)") }

    /// Reads a name.
    /// - Parameter text: scheme, colon, address.
    /// - Throws: ``LinkError`` with code `badName`.
    public init(parsing text: String) throws(LinkError) {
        let known = Scheme.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
        // By scalars: a file's name may begin with a sign that combines with the colon.
        guard let colon = text.unicodeScalars.firstIndex(of: ":") else {
            throw LinkError(.badName, link: text, "no name of a link", remedy: "one begins with \(known)")
        }
        guard let scheme = Scheme(rawValue: String(text[..<colon])) else {
            throw LinkError(
                .badName, link: text, "no kind of link is named \(text[..<colon])", remedy: "one begins with \(known)")
        }
        let address = String(text.unicodeScalars[text.unicodeScalars.index(after: colon)...])
        guard !address.isEmpty else {
            throw LinkError(.badName, link: text, "a device is missing behind the colon")
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

    /// The transcript's path and the link that it is kept of; nil where the scheme is not `record`.
    public var recording: (file: String, link: LinkName)? {
        scheme == .record ? try? Self.recording(address) : nil
    }

    /// The parts of the name of a link of which a transcript is kept. The first comma is the end of the file.
    private static func recording(_ address: String) throws(LinkError) -> (file: String, link: LinkName) {
        guard let comma = address.unicodeScalars.firstIndex(of: ",") else {
            throw LinkError(.badName, link: address, "a comma and a link are missing behind the transcript's file")
        }
        guard comma > address.startIndex else {
            throw LinkError(.badName, link: address, "the transcript's file is missing before the comma")
        }
        let inner = String(address.unicodeScalars[address.unicodeScalars.index(after: comma)...])
        // Looked at before it is read: a name of many such parts is not gone into.
        guard !inner.hasPrefix("\(Scheme.record.rawValue):") else {
            throw LinkError(.badName, link: address, "a transcript of a link that keeps one already")
        }
        return (String(address[..<comma]), try LinkName(parsing: inner))
    }

    /// Scheme, colon, address.
    public var description: String { "\(scheme.rawValue):\(address)" }
}
