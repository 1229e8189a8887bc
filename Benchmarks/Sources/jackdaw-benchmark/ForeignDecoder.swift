import ArgumentParser

/// Another decoder: a command that reads a sound file, and prints each message that it accepts on a line.
struct ForeignDecoder: Sendable {
    /// The words of the command; `{}` stands for the file.
    private let words: [String]

    /// Seconds after which it is ended.
    private static let limit = 60

    /// - Parameter command: words with blanks between them. If no word has `{}`, the file is added as the last word.
    /// - Throws: `ValidationError` if there is no word.
    init(_ command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        guard !words.isEmpty else { throw ValidationError("--decoder needs a command.") }
        self.words = words.contains { $0.contains("{}") } ? words : words + ["{}"]
    }

    /// Runs the decoder on a recording and compares its messages with the recording's.
    /// - Throws: ``CorpusError`` if it cannot be run.
    func trial(_ recording: Recording, reveals: Bool) throws -> Trial {
        let arguments = words.map { $0.replacing("{}", with: recording.path) }
        // Decoders end with many codes if they read nothing; 124 is that of a run that was ended, 126 and 127 of none.
        let program = try ChildProgram(
            "/usr/bin/timeout", ["\(Self.limit)"] + arguments, accepted: Set(0...255).subtracting([125, 126, 127]))
        let lines = String(decoding: program.output, as: UTF8.self).split(whereSeparator: \.isNewline)
        let readings = lines.compactMap { Self.message(in: $0) }.map { text in
            // Tracks 2 and 3 begin alike: the number is not compared.
            Reading(text: text, track: recording.track ?? 0, tier: "decoder")
        }
        return Trial(recording, readings: readings, failures: [], reveals: reveals)
    }

    /// The message in a line: from the first start sentinel (`%` or `;`) to the next end sentinel (`?`); nil without one.
    static func message(in line: Substring) -> String? {
        guard let start = line.firstIndex(where: { $0 == "%" || $0 == ";" }),
            let end = line[start...].firstIndex(of: "?")
        else { return nil }
        return String(line[start...end])
    }
}
