import JackdawDSP
import JackdawSwipe
import Testing

/// Synthetic swipes of a test card, and the events that they make.
enum Sound {
    static let rate = 44_100.0
    private static let texts: [TrackNumber: String] = [
        .one: "%B4111111111111111^DOE/JANE Q^29121010000012300000?", .two: ";4111111111111111=29121010000012300000?",
    ]

    static func swipe(
        _ track: TrackNumber, silence: Double, noise: Double = 30, direction: SwipeDirection = .forward
    ) throws -> [Float] {
        let message = try TrackMessage(try #require(texts[track]), code: track.characterCode)
        let configuration = SwipeSynthesizer.Configuration(
            sampleRate: rate, direction: direction, signalToNoise: noise, silence: silence, seed: 3)
        return try SwipeSynthesizer(configuration: configuration).render(FluxStripe(message, track: track))
    }

    static func silence(_ seconds: Double) -> [Float] { [Float](repeating: 0, count: Int(seconds * rate)) }

    /// Channels side by side; silence fills up the shorter ones.
    static func interleaved(_ channels: [[Float]]) -> [Float] {
        let frames = channels.map(\.count).max() ?? 0
        return (0..<frames).flatMap { frame in channels.map { frame < $0.count ? $0[frame] : 0 } }
    }

    static func events(_ samples: [Float], channelCount: Int) throws -> [HeadEvent] {
        try events(samples, .init(sampleRate: rate, channelCount: channelCount))
    }

    /// All events of interleaved samples, in blocks of a size; 0 for all at once.
    static func events(
        _ samples: [Float], _ configuration: HeadReader.Configuration, block: Int = 0
    ) throws -> [HeadEvent] {
        var reader = try HeadReader(configuration: configuration)
        var events: [HeadEvent] = []
        let size = block == 0 ? max(samples.count, 1) : block
        for start in stride(from: 0, to: samples.count, by: size) {
            events += reader.receive(samples.span.extracting(start..<min(start + size, samples.count)))
        }
        return events + reader.finish()
    }

    static func cards(_ events: [HeadEvent]) -> [HeadCard] {
        events.compactMap { if case .card(let card) = $0 { card } else { nil } }
    }

    /// Kind, tracks and channels; for a failure also its reason and place.
    static func summary(_ event: HeadEvent) -> String {
        switch event {
        case .track(let track): "track \(track.decoded.track.rawValue) of \(track.channel)"
        case .card(let card):
            "card \(card.tracks.map { "\($0.decoded.track.rawValue) of \($0.channel)" }.joined(separator: ", "))"
        case .failure(let failure, let channel):
            "\(failure.reason.name) of \(channel) at \(failure.span.startSample) to \(failure.span.endSample)"
        }
    }
}
