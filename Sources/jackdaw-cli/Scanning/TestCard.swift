import JackdawDSP

/// A card that no bank ever issued: Visa's public test number.
enum TestCard {
    /// What stands for the test card where a track's text is expected; no track can hold small letters.
    static let name = "test"

    static func text(_ track: TrackNumber) -> String {
        switch track {
        case .one: "%B4111111111111111^DOE/JANE^29121010000000000000?"
        case .two: ";4111111111111111=29121010000000000?"
        case .three: ";014111111111111111==9782000000000000003000000000000029121===0=0000000000?"
        }
    }

    /// The text that an argument means: itself, a file's content, or the test card.
    /// - Throws: ``CommandError`` where a file cannot be read.
    static func resolve(_ argument: String, _ track: TrackNumber) throws(CommandError) -> String {
        if argument == name { return text(track) }
        guard argument.first == "@" else { return argument }
        return try content(of: String(argument.dropFirst()))
    }

    /// The one line that a file holds.
    private static func content(of path: String) throws(CommandError) -> String {
        // No track holds as much as this; a longer file is not a card.
        var bytes: [UInt8] = []
        defer { bytes.removeWiping() }
        try SmallFile.read(path, most: 4_095, tooMany: "holds more than a track", into: &bytes)
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard lines.count == 1 else {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): must hold one line, the track's text")
        }
        return String(decoding: lines[0], as: UTF8.self)
    }
}
