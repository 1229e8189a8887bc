import JackdawBytes
import JackdawEMV

/// The protocol of readers whose makers have published the names of events, but not the wire format, which the profile
/// supplies.
public struct WireDialect: ReaderDialect {
    /// The published facts about the family.
    public let vocabulary: WireVocabulary
    public let times: ReaderTimes
    let wire: Wire
    private let events: [UInt8: Int]

    /// - Parameters:
    ///   - vocabulary: the published facts about the family.
    ///   - profile: the facts that are not published.
    /// - Throws: ``ReaderError``: `missingValue` that names all missing values, `badProfile`.
    public init(_ vocabulary: WireVocabulary, profile: ReaderProfile) throws(ReaderError) {
        self.vocabulary = vocabulary
        times = try profile.times()
        wire = try Wire(profile)
        var events: [UInt8: Int] = [:]
        for (index, event) in vocabulary.events.enumerated() {
            let key = WireVocabulary.key(event.name)
            // An event without a known number is not recognised; this affects nothing else.
            guard profile[key]?.value != nil else { continue }
            let number = UInt8(clamping: try profile.integer(key, in: 0...255))
            if let other = events.updateValue(index, forKey: number) {
                throw ReaderError(
                    .badProfile, .duplicate,
                    "the profile \"\(profile.name)\" has two events with the same number: "
                        + "\(vocabulary.events[other].name) and \(event.name)",
                    remedy: "give each event a number of its own, or leave it out")
            }
        }
        self.events = events
    }

    public var family: String { vocabulary.family }
    /// A request for the reader's identity.
    public var identification: [ReaderRequest] { [request(.identify)] }
    /// Frames; their layout does not depend on the request.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { wire.format }
    /// A request to wait for a card.
    public func arming(for duration: Duration) -> [ReaderRequest] { [request(.arm)] }
    /// A request to end the wait.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] { [request(.cancel)] }

    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let (message, data) = wire.read(frame)
        switch message {
        case .done:
            return [request == nil ? .unknown("an answer without a request", reason: .unsolicitedAnswer) : .done()]
        case .refuse:
            let reason = data.isEmpty ? "without a reason" : "error \(frame[data.lowerBound].hexadecimal)"
            return [.refused(reason)]
        case .event: return [event(frame.extracting(data))]
        case .swipe: return [swipe(frame, data)]
        case .identify, .arm, .cancel, nil: return [.unknown("an unknown message")]
        }
    }

    private func event(_ data: Span<UInt8>) -> ReaderMeaning {
        guard wire.eventPlace < data.count else { return .unknown("an event without a number") }
        let number = data[wire.eventPlace]
        guard let index = events[number] else { return .unknown("event \(number.hexadecimal)") }
        let event = vocabulary.events[index]
        return switch event.meaning {
        case .badSwipe: .badSwipe(event.name)
        case .gaveUp: .gaveUp
        case .poweringDown: .poweringDown
        case .status: .reported(.status(event.name))
        case .card(let notice): .card(notice)
        }
    }

    private func swipe(_ frame: Span<UInt8>, _ data: Range<Int>) -> ReaderMeaning {
        var builder = ReaderSwipe.Builder()
        guard builder.addTracks(frame.extracting(data)) else {
            return .badSwipe("its fields are invalid", reason: .badFields)
        }
        builder.add(.frame, frame)
        return .swipe(builder.finish(family: family, cipher: nil))
    }

    private func request(_ message: WireMessage) -> ReaderRequest { ReaderRequest(message.title, wire.frame(message)) }
}

extension WireDialect {
    /// Masks the tracks of a swipe; of other messages only those without text are known.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        let (message, place) = wire.read(frame.span)
        var data = Array(frame[place])
        switch message {
        case .swipe:
            var next = 0
            while next < data.count {
                guard Int(data[next]) < data.count - next else { return .unknown }
                let end = next + 1 + Int(data[next])
                CardHiding.hideTracks(&data, next + 1..<end)
                next = end
            }
        case .done, .refuse, .event:
            guard data.count < TagLengthValue.leastOfCard else { return .unknown }
        default: return .unknown
        }
        return message.map { .masked([wire.frame($0, data)]) } ?? .unknown
    }
}

/// The wire format of messages, with the layout from a profile.
package struct Wire: Sendable {
    /// The format of the frames.
    package let format: LayoutFormat
    private let numbers: [WireMessage: UInt8]
    let eventPlace: Int

    /// - Parameter profile: a profile with all values of the wire format.
    /// - Throws: ``ReaderError``: `missingValue` that names all missing values, `badProfile`.
    package init(_ profile: ReaderProfile) throws(ReaderError) {
        try profile.require(FrameLayout.profileKeys + [.eventPlace] + WireMessage.allCases.map(\.key))
        format = LayoutFormat(try FrameLayout(profile))
        eventPlace = try profile.integer(.eventPlace, in: 0...16)
        var numbers: [WireMessage: UInt8] = [:]
        for message in WireMessage.allCases {
            numbers[message] = UInt8(clamping: try profile.integer(message.key, in: 0...255))
        }
        guard Set(numbers.values).count == numbers.count else {
            throw ReaderError(.badProfile, "the profile \"\(profile.name)\" has two messages with the same number")
        }
        self.numbers = numbers
    }

    /// Makes a frame.
    package func frame(_ message: WireMessage, _ data: [UInt8] = []) -> [UInt8] {
        // Cannot throw, as these messages are short.
        (try? format.frame([numbers[message] ?? 0] + data)) ?? []
    }

    /// Returns the message of a frame, nil if its number is not known, and the range of its data.
    package func read(_ frame: Span<UInt8>) -> (message: WireMessage?, data: Range<Int>) {
        let content = format.content(of: frame)
        guard let number = content.first.map({ frame[$0] }) else { return (nil, content) }
        return (numbers.first { $0.value == number }?.key, content.dropFirst())
    }
}

extension ReaderSwipe.Builder {
    /// Adds tracks 1, 2 and 3, each after a byte with its length.
    /// - Parameter data: the tracks.
    /// - Returns: false if the lengths do not fit.
    mutating func addTracks(_ data: Span<UInt8>) -> Bool {
        var next = 0
        for number in 1...3 {
            guard next < data.count, Int(data[next]) < data.count - next else { return false }
            let end = next + 1 + Int(data[next])
            add(.track(number), data.extracting(next + 1..<end))
            next = end
        }
        return true
    }
}

extension ReaderSwipe {
    /// A swipe from tracks 1, 2 and 3, each after a byte with its length; nil if the lengths do not fit, or there is no
    /// track.
    /// - Parameters:
    ///   - tracks: the tracks.
    ///   - family: the name of the reader's family.
    init?(tracks: Span<UInt8>, family: String) {
        var builder = Builder()
        guard builder.addTracks(tracks) else { return nil }
        let swipe = builder.finish(family: family, cipher: nil)
        guard !swipe.parts.isEmpty else { return nil }
        self = swipe
    }
}
