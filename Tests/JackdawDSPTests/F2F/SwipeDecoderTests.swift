import JackdawDSP
import JackdawTestSupport
import Testing

@Suite struct SwipeDecoderTests {
    /// Two transitions a cell are one period of sound: fewer than two samples a cell cannot hold the bits (Nyquist),
    /// and no anti-aliasing filter leaves much of them below 2.2. That takes out tracks 1 and 3 from 20 in/s at 8,000
    /// Hz, from 30 at 11,025, from 40 at 16,000 and at 50 at 22,050; and track 2 at 50 in/s at 8,000 Hz.
    @Test(
        arguments: TrackNumber.allCases,
        [8_000.0, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000])
    func readsBackEverySpeedRateAndDirection(track: TrackNumber, rate: Double) throws {
        for speed in [3.0, 5, 8, 12, 20, 30, 40, 50] {
            guard rate / (speed * track.bitsPerInch) >= 2.2 else { continue }
            for direction in [SwipeDirection.forward, .reverse] {
                try Self.expectRoundTrip(track, rate: rate, speed: speed, direction)
            }
        }
    }

    private static func expectRoundTrip(
        _ track: TrackNumber, rate: Double, speed: Double, _ direction: SwipeDirection
    ) throws {
        let samples = try SwipeBench.samples(
            track, configuration: .init(sampleRate: rate, speed: speed, direction: direction, signalToNoise: 35))
        let events = try SwipeBench.events(samples, sampleRate: rate)
        #expect(
            SwipeBench.texts(events) == [SwipeBench.texts[track]],
            "track \(track.rawValue) at \(speed) in/s and \(rate) Hz, \(direction)")
        guard case .track(let found)? = events.first else { return }
        #expect(found.track == track)
        #expect(found.direction == direction)
        #expect(abs(found.speed.mean - speed) < speed * 0.1)
    }

    /// Badges and gift cards: most of the stripe is clocking zeros.
    @Test(arguments: [";1234?", ";123456?", "%A1234?"], [SwipeDirection.forward, .reverse])
    func readsMessagesOfFewCharacters(text: String, direction: SwipeDirection) throws {
        let samples = try SwipeBench.samples(
            text.first == "%" ? .one : .two, text: text,
            configuration: .init(sampleRate: 44_100, speed: 10, direction: direction, signalToNoise: 30))
        #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100)) == [text])
    }

    @Test(arguments: [1, 7, 240]) func blockSizeMakesNoDifference(block: Int) throws {
        var samples: [Float] = []
        for (index, track) in TrackNumber.allCases.enumerated() {
            samples += try SwipeBench.samples(
                track, configuration: .init(sampleRate: 44_100, signalToNoise: [30, 1, 8][index], seed: 3))
        }
        samples = samples.prefix(8_000) + [Float](repeating: 0, count: 20_000) + samples
        let whole = try SwipeBench.events(samples, sampleRate: 44_100)
        let dripped = try SwipeBench.events(samples, sampleRate: 44_100, block: block)
        #expect(SwipeBench.texts(whole).count == 3)
        // Both tiers and a cut swipe have their part, or the test tests half of it.
        #expect(Set(SwipeBench.tracks(whole).map(\.tier)) == [.fast, .strong])
        #expect(SwipeBench.failures(whole).count == 1)
        #expect(SwipeBench.texts(dripped) == SwipeBench.texts(whole))
        #expect(dripped.map(Self.place) == whole.map(Self.place))
    }

    @Test func integerAndFloatingPointSamplesGiveTheSameEvents() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100, signalToNoise: 6))
        let integers = samples.map { Int16(($0 * 32_767).rounded()) }
        let floats = integers.map { Float($0) / 32_768 }
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        let fromIntegers = decoder.receive(integers.span) + decoder.finish()
        let fromFloats = try SwipeBench.events(floats, sampleRate: 44_100)
        #expect(SwipeBench.texts(fromIntegers) == [SwipeBench.texts[.two]])
        #expect(fromIntegers.map(Self.place) == fromFloats.map(Self.place))
    }

    @Test func readsEitherPolarityAndEitherSign() throws {
        for isInverted in [false, true] {
            let samples = try SwipeBench.samples(
                .two, configuration: .init(sampleRate: 44_100, isInverted: isInverted, signalToNoise: 20))
            #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100)) == [SwipeBench.texts[.two]])
        }
    }

    @Test(arguments: [
        SwipeSynthesizer.Configuration(sampleRate: 44_100, signalToNoise: 3, seed: 1),
        .init(sampleRate: 44_100, motion: .exponential(ratio: 6), signalToNoise: 25, seed: 2),
        .init(sampleRate: 44_100, clipping: 10, signalToNoise: 25, seed: 3),
        .init(sampleRate: 44_100, signalToNoise: 25, humLevel: 0, seed: 4),
        .init(sampleRate: 44_100, peakLevel: -50, signalToNoise: 25, seed: 5),
        .init(sampleRate: 44_100, pulseWidth: 250, signalToNoise: 25, seed: 6),
        .init(sampleRate: 44_100, signalToNoise: 25, offset: 0.3, seed: 7),
    ])
    func readsThroughOneNuisance(configuration: SwipeSynthesizer.Configuration) throws {
        let samples = try SwipeBench.samples(.two, configuration: configuration)
        #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100)) == [SwipeBench.texts[.two]])
    }

    @Test func readsSeveralSwipesOfOneRecordingInOrder() throws {
        let cards = [";4111111111111111=2912101?", ";5555555555554444=3001101?", ";378282246310005=2807101?"]
        var samples: [Float] = []
        for (index, card) in cards.enumerated() {
            samples += try SwipeBench.samples(
                .two, text: card,
                configuration: .init(
                    sampleRate: 44_100, direction: index == 1 ? .reverse : .forward, signalToNoise: 30, silence: 0.3))
        }
        let events = try SwipeBench.events(samples, sampleRate: 44_100)
        #expect(SwipeBench.texts(events) == cards)
        #expect(SwipeBench.failures(events).isEmpty)
    }

    @Test func theFastTierReadsSwipesWithoutAPauseBetweenThem() throws {
        let cards = [
            ";4111111111111111=2912101?", ";5555555555554444=3001101?", ";378282246310005=2807101?",
            ";6011111111111117=2606201?",
        ]
        var samples: [Float] = []
        for (index, (card, speed)) in zip(cards, [12.0, 16, 11, 15]).enumerated() {
            samples += try SwipeBench.samples(
                .two, text: card,
                configuration: .init(
                    sampleRate: 44_100, speed: speed, direction: index % 2 == 0 ? .forward : .reverse,
                    signalToNoise: 40, silence: 0.01))
        }
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100, usesStrongTier: false))
        let events = decoder.receive(samples.span) + decoder.finish()
        #expect(SwipeBench.texts(events) == cards)
    }

    /// Noise may keep one segment open over all three.
    @Test(arguments: [0.02, 0.05, 0.1, 0.2, 0.5]) func readsANoisySwipeBetweenQuietOnes(silence: Double) throws {
        let noisy = try SwipeBench.samples(
            .three, configuration: .init(sampleRate: 44_100, signalToNoise: 8, silence: silence, seed: 3))
        let quiet = try SwipeBench.samples(
            .one, configuration: .init(sampleRate: 44_100, signalToNoise: 30, silence: silence, seed: 3))
        let events = try SwipeBench.events(quiet + noisy + quiet, sampleRate: 44_100)
        #expect(SwipeBench.texts(events) == [.one, .three, .one].map { SwipeBench.texts[$0] })
    }

    @Test func reportsOnlyTheTracksAskedFor() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100))
        #expect(try SwipeBench.events(samples, sampleRate: 44_100, tracks: [.one]).isEmpty)
        #expect(try SwipeBench.events(samples, sampleRate: 44_100, tracks: [.two]).count == 1)
    }

    @Test func aCutSwipeIsAFailureWithItsPlace() throws {
        let samples = try SwipeBench.samples(
            .one, configuration: .init(sampleRate: 44_100, signalToNoise: 30, silence: 0.1))
        let cut = Array(samples[..<(samples.count / 2)]) + [Float](repeating: 0, count: 20_000)
        let events = try SwipeBench.events(cut, sampleRate: 44_100)
        #expect(SwipeBench.texts(events).isEmpty)
        let failure = try #require(SwipeBench.failures(events).first)
        #expect(failure.reason == .noEndSentinel || failure.reason == .parity)
        #expect(failure.span.startSample < cut.count / 2)
        let prefix = failure.partialCharacters.withElements { characters in
            String(decoding: characters.indices.prefix(10).map { characters[$0] }, as: UTF8.self)
        }
        #expect(SwipeBench.texts[.one]?.hasPrefix(prefix) == true)
    }

    @Test func theQuietAfterASwipeOnAnOffsetIsQuiet() throws {
        let samples = try SwipeBench.samples(
            .two, configuration: .init(sampleRate: 44_100, offset: 0.3, silence: 1))
        let events = try SwipeBench.events(samples + samples, sampleRate: 44_100)
        #expect(SwipeBench.texts(events).count == 2)
        #expect(SwipeBench.failures(events).isEmpty)
    }

    @Test func noiseAndSilenceHoldNoCard() throws {
        var random = SeededRandom(seed: 9)
        let noise = (0..<100_000).map { _ in Float.random(in: -0.5...0.5, using: &random) }
        #expect(SwipeBench.texts(try SwipeBench.events(noise, sampleRate: 44_100)).isEmpty)
        #expect(try SwipeBench.events([Float](repeating: 0, count: 200_000), sampleRate: 44_100).isEmpty)
    }

    @Test func samplesThatAreNoNumbersCountAsSilence() throws {
        var samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100, silence: 0.2))
        for index in 0..<1_000 { samples[index] = [.nan, .infinity, -.infinity, 1e30][index % 4] }
        #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100)) == [SwipeBench.texts[.two]])
    }

    @Test(arguments: [0, -1, 7_999, 192_001, Double.nan, .infinity])
    func refusesSampleRatesOutOfRange(rate: Double) {
        let error = #expect(throws: SwipeDecoderError.self) {
            try SwipeDecoder(configuration: .init(sampleRate: rate))
        }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test func resetForgetsTheRecording() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100, signalToNoise: 20))
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        let first = decoder.receive(samples.span) + decoder.finish()
        decoder.reset()
        let second = decoder.receive(samples.span) + decoder.finish()
        #expect(SwipeBench.texts(first) == [SwipeBench.texts[.two]])
        #expect(first.map(Self.place) == second.map(Self.place))
    }

    @Test func descriptionAndReflectionShowNoCard() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100))
        let events = try SwipeBench.events(samples, sampleRate: 44_100)
        var shown = "\(events)"
        dump(events, to: &shown)
        #expect(!events.isEmpty)
        #expect(!shown.contains("4111"))
        #expect(!shown.contains("1111111"))
    }

    @Test func reflectionOfADecoderShowsNoSound() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100))
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        let half = Array(samples.prefix(samples.count / 2))
        _ = decoder.receive(half.span)
        var shown = "\(decoder)"
        dump(decoder, to: &shown)
        #expect(shown.contains("44100"))
        #expect(shown.utf8.count < 2_000)
    }

    @Test func theEndLeavesNothingForASecondEnd() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100, silence: 0.2))
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        let half = Array(samples.prefix(samples.count / 2))
        let events = decoder.receive(half.span) + decoder.finish()
        #expect(events.count == 1)
        #expect(decoder.finish().isEmpty)
    }

    @Test func hostileSoundNeitherTrapsNorReads() throws {
        var random = SeededRandom(seed: 77)
        for _ in 0..<12 {
            var samples: [Float] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 0...9_000, using: &random)
                let period = Int.random(in: 1...90, using: &random)
                let level = Float.random(in: 0...2, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: samples += [Float](repeating: level, count: count)
                case 1: samples += (0..<count).map { $0 / period % 2 == 0 ? level : -level }
                case 2: samples += (0..<count).map { _ in Float.random(in: -level...level, using: &random) }
                default: samples += (0..<count).map { $0 % period == 0 ? level : 0 }
                }
            }
            let rate = [8_000.0, 44_100, 192_000][Int.random(in: 0...2, using: &random)]
            #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: rate, block: 977)).isEmpty)
        }
    }

    private static func place(_ event: SwipeEvent) -> String {
        switch event {
        case .track(let track):
            """
            track \(track.span) \(track.tier) \(track.confidence) \(track.speed) \(track.repairedCharacters) \
            \(track.cellBoundaries)
            """
        case .failure(let failure): "failure \(failure.span) \(failure.reason.name) \(failure.cellBoundaries)"
        }
    }

    /// What is missing counts: the next swipe is where it was, and the one before is whole.
    @Test func lostSamplesAreSkipped() throws {
        let swipe = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100))
        let whole = SwipeBench.tracks(try SwipeBench.events(swipe, sampleRate: 44_100))
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        var events = decoder.receive(swipe.span)
        events += decoder.skip(88_200)
        events += decoder.receive(swipe.span)
        events += decoder.finish()
        let tracks = SwipeBench.tracks(events)
        #expect(tracks.map(SwipeBench.text) == [whole[0], whole[0]].map(SwipeBench.text))
        #expect(tracks.map(\.swipe) == [0, 1])
        #expect(tracks[1].span.startSample - tracks[0].span.startSample == swipe.count + 88_200)
    }
}
