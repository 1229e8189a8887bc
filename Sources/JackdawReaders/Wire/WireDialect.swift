/// How readers are spoken to whose makers have published what they tell, and not how: the profile supplies the wire.
public struct WireDialect: ReaderDialect {
    /// What is published of the family.
    public let vocabulary: WireVocabulary
    /// How long things take.
    public let times: ReaderTimes
    let wire: Wire
    private let events: [UInt8: Int]

    /// - Parameters:
    ///   - vocabulary: what is published of the family.
    ///   - profile: what is not.
    /// - Throws: ``ReaderError``: `missingValue` that names all that is open, `badProfile`.
    public init(_ vocabulary: WireVocabulary, profile: ReaderProfile) throws(ReaderError) {
        self.vocabulary = vocabulary
        times = try profile.times()
        wire = try Wire(profile)
        var events: [UInt8: Int] = [:]
        for (index, event) in vocabulary.events.enumerated() {
            let key = WireVocabulary.key(event.name)
            // What nobody has told a number of is not understood, and nothing else is lost by it.
            guard profile[key]?.value != nil else { continue }
            let number = UInt8(clamping: try profile.integer(key, in: 0...255))
            if let other = events.updateValue(index, forKey: number) {
                throw ReaderError(
                    .badProfile,
                    "the profile \"\(profile.name)\" has two events of one number: "
                        + "\(vocabulary.events[other].name) and \(event.name)",
                    remedy: "give each event a number of its own, or leave it out")
            }
        }
        self.events = events
    }

    /// The family.
    public var family: String { vocabulary.family }
    /// Who it is.
    public var identification: [ReaderRequest] { [request(.identify)] }
    /// Frames, always laid out alike.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { wire.format }
    /// To wait for a card.
    public func arming(for duration: Duration) -> [ReaderRequest] { [request(.arm)] }
    /// To wait no more.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] { [request(.cancel)] }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let (message, data) = wire.read(frame)
        switch message {
        case .done: return [request == nil ? .unknown("an answer that nobody waits for") : .done()]
        case .refuse:
            let reason = data.isEmpty ? "without a reason" : "error \(frame[data.lowerBound].hexadecimal)"
            return [.refused(reason)]
        case .event: return [event(frame.extracting(data))]
        case .swipe: return [swipe(frame, data)]
        case .identify, .arm, .cancel, nil: return [.unknown("a message that is not known")]
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
        case .status: .told(.status(event.name))
        case .card(let notice): .card(notice)
        }
    }

    private func swipe(_ frame: Span<UInt8>, _ data: Range<Int>) -> ReaderMeaning {
        var builder = ReaderSwipe.Builder()
        var next = data.lowerBound
        for number in 1...3 {
            guard next < data.upperBound, Int(frame[next]) < data.upperBound - next else {
                return .badSwipe("its fields do not fit")
            }
            let end = next + 1 + Int(frame[next])
            builder.add(.track(number), frame.extracting(next + 1..<end))
            next = end
        }
        builder.add(.frame, frame)
        return .swipe(builder.finish(family: family, cipher: nil))
    }

    private func request(_ message: WireMessage) -> ReaderRequest { ReaderRequest(message.title, wire.frame(message)) }
}
