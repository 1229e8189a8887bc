import JackdawBytes
import JackdawDSP

/// A test card with Visa's public test number, which no bank has issued.
enum TestCard {
    /// The argument that selects the test card instead of a track's text; no track can contain small letters.
    static let name = "test"

    static func text(_ track: TrackNumber) -> String {
        switch track {
        case .one: "%B4111111111111111^DOE/JANE^29121010000000000000?"
        case .two: ";4111111111111111=29121010000000000?"
        case .three: ";014111111111111111==9782000000000000003000000000000029121===0=0000000000?"
        }
    }

    /// Resolves an argument: the text itself, the content of a file, or the test card.
    /// - Throws: `CommandError` if a file cannot be read.
    static func resolve(_ argument: String, _ track: TrackNumber) throws(CommandError) -> String {
        if argument == name { return text(track) }
        guard argument.first == "@" else { return argument }
        return try content(of: String(argument.dropFirst()))
    }

    /// The only line of a file.
    private static func content(of path: String) throws(CommandError) -> String {
        // The limit of 4,095 bytes is above the length of any track.
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        try SmallFile.read(path, most: 4_095, tooMany: "too long for a track", into: &bytes)
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard lines.count == 1 else {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): must have one line, the text of the track")
        }
        return String(decoding: lines[0], as: UTF8.self)
    }
}
