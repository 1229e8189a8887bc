import JackdawCards
import JackdawTestSupport
import Testing

@testable import JackdawDSP
@testable import JackdawSwipe

@Suite struct HeadReaderTests {
    private static let rate = 44_100.0

    @Test func aSwipeIsATrackAndThenACard() throws {
        let events = try Sound.events(Sound.swipe(.two, silence: 0.3), channelCount: 1)
        #expect(events.map(Sound.summary) == ["track 2 of 0", "card 2 of 0"])
        let card = try #require(Sound.cards(events).first)
        #expect(card.card.pan?.masked == "411111******1111")
        #expect(card.card.brand == .visa)
        #expect(card.card.expiry?.text == "2912")
        #expect(card.span == card.tracks[0].decoded.span)
    }

    /// Two heads that read one after the other, and two swipes of them.
    @Test func tracksOfTwoChannelsMakeOneCard() throws {
        let one = try Sound.swipe(.one, silence: 0.1)
        let two = try Sound.swipe(.two, silence: 0.15)
        let sound = Sound.interleaved([
            one + Sound.silence(1.5) + one + Sound.silence(1), two + Sound.silence(1.5) + two + Sound.silence(1),
        ])
        let cards = Sound.cards(try Sound.events(sound, channelCount: 2))
        #expect(cards.map { $0.tracks.map(\.decoded.track) } == [[.one, .two], [.one, .two]])
        #expect(cards.map { $0.tracks.map(\.channel) } == [[0, 1], [0, 1]])
        #expect(cards.allSatisfy { $0.card.conflicts.isEmpty && $0.card.tracks.count == 2 })
    }

    /// Two swipes with more than 0.25 s between them; and one track that comes late to a card that waits 2 s.
    @Test(arguments: [(0.1, 1), (0.6, 2)]) func aGapOfAQuarterSecondEndsACard(pause: Double, cards: Int) throws {
        let one = try Sound.swipe(.one, silence: 0)
        let two = try Sound.swipe(.two, silence: 0)
        let first = one + Sound.silence(pause) + Sound.silence(Double(two.count) / Self.rate + 1)
        let second = Sound.silence(Double(one.count) / Self.rate + pause) + two + Sound.silence(1)
        let sound = Sound.interleaved([first, second])
        let found = Sound.cards(
            try Sound.events(
                sound, .init(sampleRate: Self.rate, channelCount: 2, patience: 2), block: 2 * 480))
        #expect(found.count == cards)
        #expect(found.flatMap(\.tracks).map(\.decoded.track) == [.one, .two])
    }

    @Test(arguments: [1, 7, 240, 4_410]) func blockSizeMakesNoDifference(block: Int) throws {
        let swipes = try [0.3, 0.02, 0.2].enumerated().flatMap { index, silence in
            try Sound.swipe(.two, silence: silence, noise: index == 1 ? 10 : 30, direction: .reverse)
        }
        let cut = try Sound.swipe(.one, silence: 0.1).prefix(9_000)
        let left = swipes + Sound.silence(0.5) + cut + Sound.silence(1)
        let right = Sound.silence(0.05) + cut + Sound.silence(0.3) + swipes
        for channels in [[left], [left, left], [left, right]] {
            let sound = Sound.interleaved(channels)
            for patience in [0, 0.25, 2] {
                let configuration = HeadReader.Configuration(
                    sampleRate: Self.rate, channelCount: channels.count, patience: patience)
                let whole = try Sound.events(sound, configuration)
                #expect(whole.contains { if case .failure = $0 { true } else { false } })
                #expect(Sound.cards(whole).count >= 2)
                let pieces = try Sound.events(sound, configuration, block: block * channels.count)
                #expect(pieces.map(Sound.summary) == whole.map(Sound.summary))
            }
        }
    }

    @Test func sixteenBitsAndPlanarSoundGiveTheSameEvents() throws {
        let one = try Sound.swipe(.one, silence: 0.2).map { Int16(($0 * 32_767).rounded()) }
        let two = try Sound.swipe(.two, silence: 0.1).map { Int16(($0 * 32_767).rounded()) }
        let length = min(one.count, two.count)
        let frames = (0..<length).flatMap { [one[$0], two[$0]] }
        let configuration = HeadReader.Configuration(sampleRate: Self.rate, channelCount: 2)
        let expected = try Sound.events(frames.map { Float($0) / 32_768 }, configuration)
        #expect(Sound.cards(expected).map { $0.tracks.count } == [2])

        var integers = try HeadReader(configuration: configuration)
        let fromIntegers = integers.receive(frames.span) + integers.finish()
        #expect(fromIntegers.map(Sound.summary) == expected.map(Sound.summary))

        // The second channel comes first, in blocks of another size.
        var planar = try HeadReader(configuration: configuration)
        var fromPlanes: [HeadEvent] = []
        for start in stride(from: 0, to: length, by: 5_000) {
            let part = start..<min(start + 5_000, length)
            fromPlanes += planar.receive(two.span.extracting(part), channel: 1)
            fromPlanes += planar.receive(one.span.extracting(part), channel: 0)
        }
        fromPlanes += planar.finish()
        #expect(fromPlanes.map(Sound.summary) == expected.map(Sound.summary))
    }

    @Test func equalChannelsAreDecodedOnceUntilTheyDiffer() throws {
        let swipe = try Sound.swipe(.two, silence: 0.3)
        let same = Sound.interleaved([swipe, swipe])
        #expect(try Sound.events(same, channelCount: 2).map(Sound.summary) == ["track 2 of 0", "card 2 of 0"])

        let quiet = Sound.interleaved([swipe, swipe.map { $0 / 2 }])
        let events = try Sound.events(same + quiet, channelCount: 2)
        #expect(Sound.cards(events).map { $0.tracks.map(\.channel) } == [[0], [0, 1]])

        let configuration = HeadReader.Configuration(
            sampleRate: Self.rate, channelCount: 2, decodesEqualChannelsOnce: false)
        #expect(Sound.cards(try Sound.events(same, configuration)).map { $0.tracks.map(\.channel) } == [[0, 1]])
    }

    @Test func onlyTheChosenChannelsAreDecoded() throws {
        let swipe = try Sound.swipe(.two, silence: 0.2)
        let sound = Sound.interleaved([Sound.silence(0.1), swipe, Sound.silence(0.1)])
        for (channels, count) in [(0..<1, 0), (1..<2, 1), (1..<3, 1), (0..<3, 1)] {
            let events = try Sound.events(
                sound, .init(sampleRate: Self.rate, channelCount: 3, channels: channels))
            #expect(Sound.cards(events).map { $0.tracks.map(\.channel) } == Array(repeating: [1], count: count))
        }
    }

    @Test func otherTracksAreReportedAndMakeNoCard() throws {
        let events = try Sound.events(
            Sound.swipe(.two, silence: 0.2), .init(sampleRate: Self.rate, tracks: [.one, .three]))
        #expect(events.map(Sound.summary) == ["track 2 of 0"])
    }

    @Test func aCutSwipeIsAFailureWithItsReasonAndChannel() throws {
        let cut = try Array(Sound.swipe(.one, silence: 0.1).prefix(9_000)) + Sound.silence(0.5)
        let events = try Sound.events(Sound.interleaved([Sound.silence(0.1), cut]), channelCount: 2)
        guard case .failure(let failure, let channel)? = events.first else {
            Issue.record("no failure")
            return
        }
        #expect(events.count == 1)
        #expect(channel == 1)
        #expect([.noEndSentinel, .parity].contains(failure.reason))
        #expect(failure.span.startSample < 9_000)
    }

    @Test func aGapEndsTheCardAndKeepsTheTime() throws {
        let swipe = try Sound.swipe(.two, silence: 0.05)
        let sound = Sound.interleaved([swipe, Sound.silence(0)])
        var reader = try HeadReader(configuration: .init(sampleRate: Self.rate, channelCount: 2))
        let before = reader.receive(sound.span) + reader.skip(44_100)
        #expect(Sound.cards(before).count == 1)
        let after = reader.receive(sound.span) + reader.finish()
        let starts = Sound.cards(before + after).map(\.span.startSample)
        #expect(starts.count == 2 && abs(starts[1] - starts[0] - swipe.count - 44_100) < 5)

        reader.reset()
        let again = reader.receive(sound.span) + reader.finish()
        #expect(Sound.cards(again).map(\.span) == Sound.cards(before).map(\.span))
    }

    @Test func hostileSamplesEndInTimeAndInMemory() throws {
        var random = SeededRandom(seed: 5)
        let wild: [Float] = [.nan, .infinity, -.infinity, 1e30, -1e6, 0, 1, -1]
        let noise = (0..<60_000).map { _ in
            Bool.random(using: &random)
                ? wild[Int.random(in: 0..<8, using: &random)] : Float.random(in: -1...1, using: &random)
        }
        for channels in [1, 2, 3, 8] {
            let frames = noise.prefix(noise.count / channels * channels)
            let events = try Sound.events(Array(frames), channelCount: channels)
            #expect(Sound.cards(events).isEmpty)
        }
        #expect(try Sound.events([], channelCount: 2).isEmpty)
        var empty = try HeadReader(configuration: .init(sampleRate: Self.rate))
        #expect(empty.skip(0).isEmpty && empty.finish().isEmpty && empty.finish().isEmpty)
    }

    @Test(arguments: [0, 7_999, 192_001, Double.nan]) func unsupportedSampleRatesAreRefused(rate: Double) {
        let error = #expect(throws: SwipeDecoderError.self) {
            try HeadReader(configuration: .init(sampleRate: rate, channelCount: 2))
        }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test func descriptionAndReflectionShowNoCard() throws {
        let sound = try Sound.swipe(.two, silence: 0.1)
        var reader = try HeadReader(configuration: .init(sampleRate: Self.rate))
        let events = reader.receive(sound.span) + reader.finish()
        #expect(Sound.cards(events).count == 1)
        var shown = "\(events)\(reader)"
        dump(events, to: &shown)
        dump(reader, to: &shown)
        for card in Sound.cards(events) { shown += "\(card) \(card.tracks)" }
        #expect(shown.contains("411111******1111"))
        #expect(!shown.contains("4111111111111111"))
        #expect(!shown.contains("=2912"))
    }
}

@Suite struct CardAssemblerTests {
    private func track(_ start: Double, _ end: Double, _ number: TrackNumber = .two, channel: Int = 0) -> HeadTrack {
        let span = SwipeSpan(startSample: Int(start * 1_000), endSample: Int(end * 1_000), sampleRate: 1_000)
        let decoded = DecodedTrack(
            track: number, code: .numeric, swipe: 0, direction: .forward, span: span,
            characters: WipedArray(Array(";4111111111111111=29121010000000000?".utf8)), parity: .ok, lrc: .ok,
            repairedCharacters: [], confidence: 1, speed: SpeedProfile(mean: 15, slowest: 15, fastest: 15),
            tier: .fast, cellBoundaries: [])
        return HeadTrack(decoded, channel: channel)
    }

    private func add(_ tracks: HeadTrack..., to assembler: inout CardAssembler) {
        for track in tracks {
            let full = assembler.add(track)
            #expect(full.map(\.span) == nil)
        }
    }

    @Test func tracksOfOnePassMakeOneCard() {
        var assembler = CardAssembler()
        add(track(1.0, 1.2, .three, channel: 1), track(1.1, 1.3, .two), track(3, 3.2), to: &assembler)
        let cards = assembler.completeCards(at: nil, patience: 2)
        #expect(cards.map { $0.tracks.map(\.decoded.track) } == [[.two, .three], [.two]])
        #expect(cards.map { [$0.span.start, $0.span.end] } == [[1, 1.3], [3, 3.2]])
        #expect(assembler.completeCards(at: nil, patience: 2).isEmpty)
    }

    @Test func aCardWaitsForItsTracks() {
        var assembler = CardAssembler()
        add(track(1, 1.2), track(2, 2.2), to: &assembler)
        #expect(assembler.completeCards(at: 2.5, patience: 2).count == 1)
        add(track(2.1, 2.3, .three), to: &assembler)
        #expect(assembler.completeCards(at: 3, patience: 2).isEmpty)
        #expect(assembler.completeCards(at: 60, patience: 2).map(\.tracks.count) == [2])
    }

    @Test func aCardWaitsAQuarterSecondIfThatIsThePatience() {
        var assembler = CardAssembler()
        add(track(1, 1.2), to: &assembler)
        #expect(assembler.completeCards(at: 1.3, patience: 0.25).isEmpty)
        #expect(assembler.isOpen)
        #expect(assembler.completeCards(at: 1.5, patience: 0.25).count == 1)
        #expect(!assembler.isOpen)
    }

    @Test func tracksAQuarterSecondApartAreOneCardAndFurtherApartTwo() {
        for (start, count) in [(1.45, 1), (1.452, 2)] {
            var assembler = CardAssembler()
            add(track(1, 1.2), track(start, start + 0.1), to: &assembler)
            #expect(assembler.completeCards(at: nil, patience: 2).count == count)
        }
    }

    /// Swipes without a pause, for hours, would otherwise be one card.
    @Test func aCardHasAGreatestNumberOfTracks() {
        var assembler = CardAssembler()
        let cards = (0..<1_000).compactMap { index in
            assembler.add(track(Double(index) * 0.3, Double(index) * 0.3 + 0.2))
        }
        #expect(cards.count == 1_000 / CardAssembler.maxTracks)
        #expect(cards.allSatisfy { $0.tracks.count == CardAssembler.maxTracks })
        #expect(assembler.completeCards(at: nil, patience: 2).map(\.tracks.count) == [1_000 % CardAssembler.maxTracks])
    }
}
