import JackdawDSP

/// A message that the decoder accepted.
struct Reading: Sendable {
    let text: String
    let track: Int
    let tier: String
}

/// What the decoder made of one recording.
struct Trial: Codable, Sendable {
    /// Where the sound is.
    let path: String
    /// The condition that it was made under.
    let cell: String
    /// The stripe's number; nil where there is no swipe.
    let track: Int?
    /// The tier that read the message; nil where it was not read.
    let readBy: String?
    /// The message was read, but as another track's.
    let isMisnumbered: Bool
    /// The message was reported more than once.
    let isRepeated: Bool
    /// Messages reported as good that the recording does not hold, masked unless asked otherwise.
    let wrong: [String]
    /// Reasons of the reported failures.
    let failures: [String]

    /// Whether the recording holds a swipe that was not read.
    var isMissed: Bool { track != nil && readBy == nil }

    /// Compares what the decoder reported with what the recording holds.
    init(_ recording: Recording, readings: [Reading], failures: [String], reveals: Bool) {
        let right = readings.filter { $0.text == recording.text }
        path = recording.path
        cell = recording.cell
        track = recording.track
        readBy = right.first?.tier
        isMisnumbered = right.contains { $0.track != recording.track }
        isRepeated = right.count > 1
        wrong = readings.map(\.text).filter { $0 != recording.text }.map { reveals ? $0 : masked($0) }
        self.failures = failures
    }

    /// Compares the decoder's events with what the recording holds.
    init(_ recording: Recording, events: [SwipeEvent], reveals: Bool) {
        var readings: [Reading] = []
        var failures: [String] = []
        for event in events {
            switch event {
            case .track(let track):
                readings.append(Reading(text: track.text, track: track.track.rawValue, tier: track.tier.rawValue))
            case .failure(let failure): failures.append(failure.reason.name)
            }
        }
        self.init(recording, readings: readings, failures: failures, reveals: reveals)
    }
}

extension DecodedTrack {
    /// The message; print it `masked`.
    var text: String {
        characters.withElements { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }
}

/// A message without its data: sentinels and separators stay, and the first six and last four digits of a card number.
func masked(_ text: String) -> String {
    var characters = Array(text)
    let firstDigit = characters.firstIndex(where: \.isWholeNumber) ?? characters.endIndex
    let number = firstDigit..<(characters[firstDigit...].firstIndex { !$0.isWholeNumber } ?? characters.endIndex)
    let shown = number.count >= 13 ? Set(number.prefix(6)).union(number.suffix(4)) : []
    for index in characters.indices where !shown.contains(index) && !"%;=^?".contains(characters[index]) {
        characters[index] = "*"
    }
    return String(characters)
}

/// Everything that a decoder says about a sound, handed over in blocks or, without a block size, as a whole.
func events(in sound: Sound, usesStrongTier: Bool, block: Int? = nil) throws -> [SwipeEvent] {
    var decoder = try SwipeDecoder(configuration: .init(sampleRate: sound.rate, usesStrongTier: usesStrongTier))
    var events: [SwipeEvent] = []
    let step = max(1, block ?? sound.count)
    for start in stride(from: 0, to: sound.count, by: step) {
        let range = start..<min(start + step, sound.count)
        switch sound.samples {
        case .integers(let samples): events += decoder.receive(samples.span.extracting(range))
        case .floats(let samples): events += decoder.receive(samples.span.extracting(range))
        }
    }
    return events + decoder.finish()
}
