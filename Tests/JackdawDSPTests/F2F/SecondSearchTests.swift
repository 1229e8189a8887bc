import Foundation
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The rules by which the messages of several looks count, and the search within the extent of a swipe.
@Suite struct SecondSearchTests {
    private static let sampleRate = 16_000.0
    private static let text = ";4111111111111111=29121010000012300000?"
    private static let otherText = ";4111111111111111=29121010000045600000?"
    private static let shortText = ";4123456789012=2912?"
    private static let samples = [Float](repeating: 0, count: 300)

    private static func sound(of text: String, seed: UInt64, signalToNoise: Double = 20) throws -> [Float] {
        try SwipeBench.samples(
            .two, text: text, configuration: .init(sampleRate: sampleRate, signalToNoise: signalToNoise, seed: seed))
    }

    /// The cell boundaries of the message in a sound, and the mean length of its cells, in samples.
    private static func cells(in samples: [Float]) throws -> (boundaries: [Int], length: Double) {
        let tracks = SwipeBench.tracks(try SwipeBench.events(samples, sampleRate: sampleRate))
        let boundaries = try #require(tracks.first).cellBoundaries.map { Int($0) }
        return (boundaries, Double(boundaries[boundaries.count - 1] - boundaries[0]) / Double(boundaries.count - 1))
    }

    /// The clearest message of a swipe on the usual clock.
    private static func candidate(in samples: [Float]) throws -> MessageCandidate {
        var ladder = RateLadder()
        ladder.load(samples, lost: [])
        let step = RateLadder.plausibleSteps(for: samples, sampleRate: sampleRate)[0]
        let sound = ladder.sound(at: step)
        let path = try #require(TimingSearch().run(sound, tuning: .init(pulseShare: 0.5, rateCost: 20)))
        let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        let look = try #require(Look(at: sound, clock: clock, pace: .steady))
        return try #require(MessageCandidate.candidates(in: sound, clock: look.clock).first { _ in true })
    }

    private static func candidate(_ text: String = text, seed: UInt64 = 1) throws -> MessageCandidate {
        try candidate(in: sound(of: text, seed: seed))
    }

    private static func text(_ candidate: MessageCandidate?) -> String? {
        // The last value is the LRC.
        candidate.map { String(decoding: $0.reading.values.dropLast().map($0.reading.code.ascii), as: UTF8.self) }
    }

    @Test func aClearMessageStandsAloneButNotOnAClockFromTheLevel() throws {
        let clear = try Self.candidate()
        #expect(clear.isCertain && clear.standsAlone)
        var agreement = Agreement(nil)
        agreement.add(clear, .init(clock: .stiff))
        #expect(!agreement.isSettled && Self.text(agreement.result(in: Self.samples)) == Self.text)
        agreement = Agreement(nil)
        agreement.add(clear, .init(clock: .level))
        #expect(agreement.result(in: Self.samples) == nil && agreement.isUndecided(in: Self.samples))
    }

    /// Six of the ten zeros before the message are weak, and the ten before these are clear.
    @Test func fartherZerosShowWhereAMessageEnds() throws {
        var samples = try Self.sound(of: Self.text, seed: 1)
        let cells = try Self.cells(in: samples)
        for index in cells.boundaries[0] - Int(6 * cells.length)...cells.boundaries[0] { samples[index] *= 0.2 }
        #expect(try Self.candidate(in: samples).isCertain)
    }

    @Test func aNearlyCertainMessageNeedsLooksOfTwoKindsAndNoRival() throws {
        var samples = try Self.sound(of: Self.text, seed: 1, signalToNoise: 14)
        let cells = try Self.cells(in: samples)
        // Drop-outs in two characters beside each other.
        for character in [3, 4] {
            let middle = Double(cells.boundaries[5 * character]) + 0.5 * cells.length
            for index in Int(middle - 2.2 * cells.length)...Int(middle + 2.2 * cells.length) { samples[index] *= 0.15 }
        }
        let doubtful = try Self.candidate(in: samples)
        #expect(doubtful.isNearlyCertain && !doubtful.isCertain)
        var agreement = Agreement(doubtful)
        agreement.add(doubtful, .init())
        #expect(agreement.result(in: Self.samples) == nil)
        agreement.add(doubtful, .init(clock: .stiff))
        #expect(Self.text(agreement.result(in: Self.samples)) == Self.text)
        agreement.add(try Self.candidate(Self.otherText), .init(clock: .stiff))
        #expect(agreement.result(in: Self.samples) == nil)
    }

    @Test func aSearchWithoutAMessageEndsAfterItsWork() throws {
        var agreement = Agreement(nil, work: Agreement.mostWork - 1)
        #expect(!agreement.isSettled && agreement.isUndecided(in: Self.samples))
        agreement.work += 1
        #expect(agreement.isSettled && !agreement.isUndecided(in: Self.samples))
        // A message needs its confirmation or contradiction whatever that takes.
        agreement.add(try Self.candidate(), .init(clock: .level))
        #expect(!agreement.isSettled && agreement.isUndecided(in: Self.samples))
    }

    @Test func looksOfTwoKindsAgree() throws {
        let clear = try Self.candidate()
        var agreement = Agreement(nil)
        agreement.add(clear, .init(clock: .level))
        agreement.add(try Self.candidate(seed: 2), .init(clock: .usual))
        #expect(agreement.isSettled && !agreement.isContradicted)
        #expect(Self.text(agreement.result(in: Self.samples)) == Self.text)
    }

    @Test func differentMessagesContradictOneAnother() throws {
        var agreement = Agreement(nil)
        agreement.add(try Self.candidate(), .init(clock: .usual))
        agreement.add(try Self.candidate(Self.otherText), .init(clock: .stiff))
        #expect(agreement.isContradicted && agreement.isSettled)
        #expect(agreement.result(in: Self.samples) == nil && !agreement.isUndecided(in: Self.samples))
    }

    /// A short message has few checks: no look of it may stand alone, and two on the usual clock are one kind.
    @Test func aShortMessageNeedsALookOfAnotherKind() throws {
        let short = try Self.candidate(Self.shortText)
        #expect(short.isShort && !short.standsAlone && short.needsConfirmation(in: Self.samples))
        var agreement = Agreement(nil)
        agreement.add(short, .init(clock: .usual))
        agreement.add(try Self.candidate(Self.shortText, seed: 2), .init(clock: .usual))
        #expect(!agreement.isSettled && agreement.result(in: Self.samples) == nil)
        agreement.add(try Self.candidate(Self.shortText, seed: 3), .init(clock: .stiff))
        #expect(Self.text(agreement.result(in: Self.samples)) == Self.shortText)
    }

    @Test func twoCertainLooksOnEvenedSoundAgree() throws {
        var agreement = Agreement(nil)
        agreement.add(try Self.candidate(Self.shortText), .init(clock: .stiff))
        #expect(agreement.result(in: Self.samples) == nil)
        agreement.add(try Self.candidate(Self.shortText, seed: 2), .init(clock: .stiff))
        #expect(Self.text(agreement.result(in: Self.samples)) == Self.shortText)
    }

    /// More looks are more chances for a wrong message: with those within the extent, one that disputes it decides.
    @Test func anExtendedSearchAcceptsNoDisputedMessage() throws {
        // Drop-outs that hide the same bits in two equal characters make it unclear.
        let clear = try Self.candidate()
        var samples = try Self.sound(of: Self.text, seed: 1)
        for character in [5, 9] {
            let boundaries = clear.reading.boundaries[5 * character + 1...5 * character + 4]
            for index in Int(boundaries.first!)...Int(boundaries.last!) { samples[index] *= 0.05 }
        }
        let weak = try Self.candidate(in: samples)
        try #require(!weak.isPromising && weak.isSameMessage(as: clear))
        var agreement = Agreement(nil)
        agreement.add(clear, .init(clock: .level))
        agreement.add(try Self.candidate(seed: 2), .init(clock: .usual))
        agreement.add(weak, .init(version: .filled))
        #expect(Self.text(agreement.result(in: Self.samples)) == Self.text)
        agreement.isExtended = true
        #expect(agreement.result(in: Self.samples) == nil)
    }

    /// Clipped sound with noise: a search of the whole segment, with the noise at its ends, does not prove the message.
    @Test(arguments: [2, 10, 11] as [UInt64]) func aSearchWithinTheExtentReadsMore(seed: UInt64) throws {
        let samples = try SwipeBench.samples(
            .two, text: Self.text,
            configuration: .init(
                sampleRate: Self.sampleRate, speed: 14, clipping: 4, signalToNoise: 6, humLevel: -12, seed: seed))
        #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: Self.sampleRate)) == [Self.text])
    }

    /// Noise, a swipe, and more noise: the search finds no cells in the noise.
    @Test(arguments: [8.0, 15, 30]) func theExtentOfASwipeIsFound(signalToNoise: Double) throws {
        let samples = try SwipeBench.samples(
            .two,
            configuration: .init(sampleRate: Self.sampleRate, signalToNoise: signalToNoise, silence: 0.2, seed: 5))
        let quiet = Float(0.2 * Self.sampleRate)
        let sound = WorkingSound(samples: samples, step: 0, lost: [])
        let extent = try #require(SwipeExtent.find(in: sound))
        // A dozen blocks of 32 samples are kept at each end.
        #expect(abs(extent.lowerBound - (quiet - 12 * 32)) < 200)
        #expect(abs(extent.upperBound - (Float(samples.count) - quiet + 12 * 32)) < 200)
        let tuning = TimingSearch.Tuning(pulseShare: 0.5, rateCost: 20)
        let path = try #require(TimingSearch().run(sound, tuning: tuning, within: extent))
        #expect(path.boundaries.allSatisfy { extent.contains($0) })
        let all = try #require(TimingSearch().run(sound, tuning: tuning))
        let middle = Float(samples.count / 2)
        let near = try #require(path.boundaries.min { abs($0 - middle) < abs($1 - middle) })
        #expect(all.boundaries.contains { abs($0 - near) < 2 })
    }

    @Test func noiseAndAFilledSegmentHaveNoExtent() {
        var random = SeededRandom(seed: 4)
        let noise = (0..<20_000).map { _ in Float.random(in: -0.1...0.1, using: &random) }
        #expect(SwipeExtent.find(in: WorkingSound(samples: noise, step: 0, lost: [])) == nil)
        #expect(SwipeExtent.find(in: WorkingSound(samples: Array(noise.prefix(500)), step: 0, lost: [])) == nil)
        let filled = noise.indices.map { (500..<19_500).contains($0) ? 10 * noise[$0] : noise[$0] }
        #expect(SwipeExtent.find(in: WorkingSound(samples: filled, step: 0, lost: [])) == nil)
    }

    /// A part of a sound has the times of the whole, before and after its speed was evened out.
    @Test func aPartOfASoundKeepsItsTimes() throws {
        let samples = (0..<4_000).map { Float(sin(0.02 * Double($0))) }
        let sound = WorkingSound(samples: samples, step: 1, lost: [])
        var grid: [Float] = [0]
        while grid[grid.count - 1] < 3_900 { grid.append(grid[grid.count - 1] + 20 + Float(grid.count % 7)) }
        for whole in [sound, try #require(sound.evened(by: grid))] {
            for place in stride(from: Float(3), to: Float(whole.samples.count - 1), by: 97) {
                #expect(abs(whole.place(ofSegmentTime: whole.segmentTime(place)) - place) < 0.01)
            }
            let (part, start) = try #require(whole.part(400...1_200))
            #expect(part.samples == Array(whole.samples[start..<start + part.samples.count]))
            #expect(abs(part.segmentTime(50) - whole.segmentTime(Float(start + 50))) < 0.01)
            #expect(abs(part.segmentTime(0) - 400) < 20 && part.segmentTime(Float(part.samples.count)) <= 1_201)
            #expect(whole.part(5_000...6_000) == nil)
        }
    }
}
