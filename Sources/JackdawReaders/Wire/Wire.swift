/// How messages go over a wire that a profile lays out.
package struct Wire: Sendable {
    /// How frames are cut.
    package let format: LayoutFormat
    private let numbers: [WireMessage: UInt8]
    let eventPlace: Int
    private let contentStart: Int
    private let tail: Int

    /// - Parameter profile: which has to have all of it.
    /// - Throws: ``ReaderError``: `missingValue` that names all that is open, `badProfile`.
    package init(_ profile: ReaderProfile) throws(ReaderError) {
        let keys: [ProfileKey] = [
            .frameStart, .frameLengthSize, .frameCounted, .frameCheck, .frameChecked, .frameEnd, .eventPlace,
        ]
        try profile.require(keys + WireMessage.allCases.map(\.key))
        let checks: [String: FrameLayout.Check] = [
            "none": .none, "longitudinal": .longitudinal, "sum": .sum, "crc16": .crc16,
        ]
        let places: [String: FrameLayout.Checked] = ["start": .start, "length": .length, "content": .content]
        let layout = FrameLayout(
            start: try profile.bytes(.frameStart, count: 1...8),
            lengthSize: try profile.integer(.frameLengthSize, in: 1...2),
            counted: try profile.text(.frameCounted, of: ["content", "everything"]) == "content"
                ? .content : .everything,
            check: checks[try profile.text(.frameCheck, of: checks.keys.sorted())] ?? .none,
            checked: places[try profile.text(.frameChecked, of: places.keys.sorted())] ?? .start,
            end: try profile.bytes(.frameEnd, count: 0...8))
        format = LayoutFormat(layout)
        contentStart = layout.start.count + layout.lengthSize
        tail = layout.check.size + layout.end.count
        eventPlace = try profile.integer(.eventPlace, in: 0...16)
        var numbers: [WireMessage: UInt8] = [:]
        for message in WireMessage.allCases {
            numbers[message] = UInt8(clamping: try profile.integer(message.key, in: 0...255))
        }
        guard Set(numbers.values).count == numbers.count else {
            throw ReaderError(.badProfile, "the profile \"\(profile.name)\" has two messages of one number")
        }
        self.numbers = numbers
    }

    /// Makes a frame.
    package func frame(_ message: WireMessage, _ data: [UInt8] = []) -> [UInt8] {
        // What is said here is short.
        (try? format.frame([numbers[message] ?? 0] + data)) ?? []
    }

    /// Reads a frame: which message it is, nil where none is known, and where its data lie.
    package func read(_ frame: Span<UInt8>) -> (message: WireMessage?, data: Range<Int>) {
        let end = frame.count - tail
        guard contentStart < end else { return (nil, end..<end) }
        let number = frame[contentStart]
        return (numbers.first { $0.value == number }?.key, contentStart + 1..<end)
    }
}
