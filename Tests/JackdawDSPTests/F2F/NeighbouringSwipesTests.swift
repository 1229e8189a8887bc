import JackdawDSP
import JackdawTestSupport
import Testing

/// Several swipes in one segment of sound: each is read or fails for itself, whatever lies beside it.
@Suite struct NeighbouringSwipesTests {
    private static let rate = 44_100.0
    private static let cards = [";4111111111111111=2912101?", ";5555555555554444=3001101?"]

    private static func swipe(
        _ text: String, speed: Double = 15, signalToNoise: Double? = 35, silence: Double = 0.02, seed: UInt64 = 0
    ) throws -> [Float] {
        try SwipeBench.samples(
            .two, text: text,
            configuration: .init(
                sampleRate: rate, speed: speed, signalToNoise: signalToNoise, silence: silence, seed: seed))
    }

    /// What is reported, in a word an event: the text, or `failure`.
    private static func words(_ events: [SwipeEvent]) -> [String] {
        events.map { event in
            switch event {
            case .track(let track): SwipeBench.text(track)
            case .failure: "failure"
            }
        }
    }

    private static func events(_ samples: [Float], usesStrongTier: Bool) throws -> [SwipeEvent] {
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: rate, usesStrongTier: usesStrongTier))
        return decoder.receive(samples.span) + decoder.finish()
    }

    @Test(arguments: [true, false]) func aCutSwipeBesideAGoodOneIsAFailure(usesStrongTier: Bool) throws {
        let good = try Self.swipe(Self.cards[0])
        let other = try Self.swipe(Self.cards[1])
        let start = Array(other[..<(other.count / 2)])
        let end = Array(other[(other.count / 2)...])
        for (cut, samples, wanted) in [
            ("before", end + good, ["failure", Self.cards[0]]),
            ("after", good + start, [Self.cards[0], "failure"]),
            ("between", good + start + other, [Self.cards[0], "failure", Self.cards[1]]),
            ("on both sides", end + good + start, ["failure", Self.cards[0], "failure"]),
        ] {
            let events = try Self.events(samples, usesStrongTier: usesStrongTier)
            #expect(Self.words(events) == wanted, "cut \(cut)")
            let ordinals = events.map { event in
                switch event {
                case .track(let track): track.swipe
                case .failure(let failure): failure.swipe
                }
            }
            #expect(ordinals == Array(wanted.indices), "cut \(cut)")
        }
    }

    /// Without its start, only its bit cells show it, and in so much noise only the strong tier finds it.
    @Test func theNoisyEndOfASwipeBeforeAGoodOneIsAFailure() throws {
        let text = try #require(SwipeBench.texts[.two])
        for seed in UInt64(1)...2 {
            let good = try Self.swipe(text, signalToNoise: 0, silence: 0.03, seed: seed)
            let other = try Self.swipe(text, speed: 20, signalToNoise: 0, silence: 0.03, seed: seed + 50)
            let events = try SwipeBench.events(other.suffix(other.count / 2) + good, sampleRate: Self.rate)
            #expect(Self.words(events) == ["failure", text], "noise of seed \(seed)")
        }
    }

    /// Noise may break a stretch of a swipe's clocking zeros off it.
    @Test(arguments: TrackNumber.allCases) func unevenNoiseBesideASwipeIsNoFailureOfItsOwn(track: TrackNumber) throws {
        for (noise, seed) in [(-2.0, 1), (-2, 2), (0, 1), (0, 2)] {
            var samples = try SwipeBench.samples(
                track,
                configuration: .init(sampleRate: Self.rate, signalToNoise: noise, silence: 0.2, seed: UInt64(seed)))
            let quiet = Int(0.2 * Self.rate)
            for index in samples.indices where !(quiet..<samples.count - quiet).contains(index) {
                samples[index] *= index / 1_500 % 2 == 0 ? 1 : 0.3
            }
            #expect(try SwipeBench.events(samples, sampleRate: Self.rate).count == 1, "noise of seed \(seed)")
        }
    }

    /// Sound is as much louder as the card is faster: the slow one has a hundredth of the power.
    @Test(arguments: [true, false]) func readsASlowSwipeBesideAFastOne(usesStrongTier: Bool) throws {
        let fast = try Self.swipe(Self.cards[0], speed: 30, signalToNoise: nil, silence: 0.005)
        let slow = try Self.swipe(Self.cards[1], speed: 8, signalToNoise: nil, silence: 0.005).map { $0 * 8 / 30 }
        for (samples, wanted) in [(fast + slow, [0, 1]), (slow + fast, [1, 0]), (slow + fast + slow, [1, 0, 1])] {
            #expect(
                Self.words(try Self.events(samples, usesStrongTier: usesStrongTier)) == wanted.map { Self.cards[$0] })
        }
    }

    @Test(arguments: [-1.0, 0, 2, 5, 10, 20, 40]) func noiseBesideASwipeIsNoFailureOfItsOwn(noise: Double) throws {
        for seed in 1...4 {
            let samples = try SwipeBench.samples(
                .two,
                configuration: .init(
                    sampleRate: Self.rate, signalToNoise: noise, silence: 0.15, seed: UInt64(seed)))
            let events = try SwipeBench.events(samples, sampleRate: Self.rate)
            #expect(Self.words(events) == [SwipeBench.texts[.two]], "noise of seed \(seed)")
        }
    }

    /// Both need the strong tier, whose bits go on through the noise between them.
    @Test(arguments: [0.03, 0.06, 0.1]) func readsANoisySwipeBesideAnother(silence: Double) throws {
        for (first, second) in [(12.0, 12.0), (12, 18), (18, 12)] {
            let samples =
                try Self.swipe(Self.cards[0], speed: first, signalToNoise: 0, silence: silence, seed: 1)
                + Self.swipe(Self.cards[1], speed: second, signalToNoise: 0, silence: silence, seed: 2)
            let events = try SwipeBench.events(samples, sampleRate: Self.rate)
            #expect(Self.words(events) == Self.cards, "at \(first) and \(second) in/s")
        }
    }

    /// The test card of track 2 fits both numeric tracks; only the clocking zeros show which one it is.
    @Test(arguments: [TrackNumber.two, .three], [2.0, 4, 8, 20])
    func noiseAddsNoCellsToAPass(track: TrackNumber, noise: Double) throws {
        // Track 3 is played slowly, so that it is as loud over the noise as its density lets it be.
        let speed = track == .two ? 15.0 : 8
        for seed in 1...6 {
            let samples = try SwipeBench.samples(
                track, text: SwipeBench.texts[.two],
                configuration: .init(
                    sampleRate: Self.rate, speed: speed, signalToNoise: noise, silence: 0.1, seed: UInt64(seed)))
            let tracks = SwipeBench.tracks(try SwipeBench.events(samples, sampleRate: Self.rate))
            #expect(tracks.allSatisfy { $0.track == track }, "noise of seed \(seed)")
            if track == .two || noise >= 8 { #expect(tracks.count == 1, "noise of seed \(seed)") }
        }
    }

    @Test func theFastTierCountsNoNoiseAsClockingZeros() throws {
        let samples = try SwipeBench.samples(
            .two, text: ";4111111111111111=29121010000000000?",
            configuration: .init(sampleRate: Self.rate, signalToNoise: 1.5, seed: 15))
        let tracks = SwipeBench.tracks(try SwipeBench.events(samples, sampleRate: Self.rate))
        #expect(tracks.map(\.track) == [.two])
        #expect(tracks.map(\.tier) == [.fast])
    }

    /// Uneven noise keeps a segment open for so long that it is cut after three seconds: in the middle of the swipe.
    @Test func readsASwipeAcrossTheCutOfALongSegment() throws {
        var random = SeededRandom(seed: 5)
        var samples = (0..<Int(6 * Self.rate)).map { index in
            (index / 2_000 % 2 == 0 ? 0.02 : 0.03) * Float.random(in: -1...1, using: &random)
        }
        let swipe = try Self.swipe(Self.cards[0], signalToNoise: nil)
        let start = Int(3 * Self.rate) - swipe.count / 2
        for (index, value) in swipe.enumerated() { samples[start + index] += value }
        let events = try SwipeBench.events(samples, sampleRate: Self.rate)
        #expect(SwipeBench.texts(events) == [Self.cards[0]])
    }
}
