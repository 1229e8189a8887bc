import JackdawDSP
import Testing

/// Test cards as sound, and what a decoder makes of them.
enum SwipeBench {
    static let texts: [TrackNumber: String] = [
        .one: "%B4111111111111111^DOE/JANE Q^29121010000012300000?",
        .two: ";4111111111111111=29121010000012300000?",
        .three: ";014111111111111111==1978400000000000000030300XXXX".replacingX() + "4040400999999999=1?",
    ]

    static func samples(
        _ track: TrackNumber, text: String? = nil, configuration: SwipeSynthesizer.Configuration
    ) throws -> [Float] {
        let text = try #require(text ?? texts[track])
        let message = try TrackMessage(text, code: track.characterCode)
        return try SwipeSynthesizer(configuration: configuration).render(FluxStripe(message, track: track))
    }

    /// Everything a decoder reports for samples fed in blocks of a size; 0 for all at once.
    static func events(
        _ samples: [Float], sampleRate: Double, block: Int = 0, tracks: Set<TrackNumber> = Set(TrackNumber.allCases)
    ) throws -> [SwipeEvent] {
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: sampleRate, tracks: tracks))
        var events: [SwipeEvent] = []
        let size = block == 0 ? max(samples.count, 1) : block
        for start in stride(from: 0, to: samples.count, by: size) {
            events += decoder.receive(samples.span.extracting(start..<min(start + size, samples.count)))
        }
        return events + decoder.finish()
    }

    static func text(_ track: DecodedTrack) -> String {
        track.characters.withElements { characters in
            String(decoding: characters.indices.map { characters[$0] }, as: UTF8.self)
        }
    }

    static func tracks(_ events: [SwipeEvent]) -> [DecodedTrack] {
        events.compactMap { if case .track(let track) = $0 { track } else { nil } }
    }

    static func texts(_ events: [SwipeEvent]) -> [String] { tracks(events).map(text) }

    static func failures(_ events: [SwipeEvent]) -> [SwipeFailure] {
        events.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }
    }
}

extension String {
    /// Fills a template's places with zeros.
    fileprivate func replacingX() -> String { String(map { $0 == "X" ? "0" : $0 }) }
}
