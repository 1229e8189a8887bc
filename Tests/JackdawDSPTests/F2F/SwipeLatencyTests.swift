import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// A swipe is answered for soon after its last flux transition, not when the line has long been silent.
@Suite struct SwipeLatencyTests {
    /// Seconds from the last transition to the event, at most, on top of the block in which it comes.
    private static let bound = 0.03
    private static let period = 0.005

    /// Seconds from the last transition of a swipe to the end of the block that brings its track; nil where none does.
    private static func latency(_ track: TrackNumber, _ configuration: SwipeSynthesizer.Configuration) throws -> Double?
    {
        let text = try #require(SwipeBench.texts[track])
        let message = try TrackMessage(text, code: track.characterCode)
        let stripe = FluxStripe(message, track: track)
        var clean = configuration
        clean.signalToNoise = nil
        let pulses = try SwipeSynthesizer(configuration: clean).render(stripe)
        let peak = pulses.reduce(0) { max($0, abs($1)) }
        let last = try #require(pulses.lastIndex { abs($0) > 0.5 * peak })
        let noise = configuration.signalToNoise.map { pow10(-$0 / 20) } ?? 0
        var random = SeededRandom(seed: configuration.seed)
        var samples = try SwipeSynthesizer(configuration: configuration).render(stripe)
        for _ in 0..<Int(configuration.sampleRate) {
            samples.append(peak * 0.3 * Float(noise) * Float.random(in: -1...1, using: &random))
        }
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: configuration.sampleRate))
        let block = Int(configuration.sampleRate * Self.period)
        for start in stride(from: 0, to: samples.count, by: block) {
            let end = min(start + block, samples.count)
            let events = decoder.receive(Array(samples[start..<end]).span)
            let hasTrack = events.contains { if case .track = $0 { true } else { false } }
            if hasTrack { return Double(end - last) / configuration.sampleRate }
        }
        return nil
    }

    private static func pow10(_ exponent: Double) -> Double { Numerics.exponential(exponent * 2.302585092994046) }

    @Test(arguments: [22_050.0, 44_100, 48_000, 96_000, 192_000]) func aSwipeIsAnsweredForAtOnce(rate: Double) throws {
        for track in TrackNumber.allCases {
            for (speed, direction) in [(5.0, SwipeDirection.forward), (15, .reverse), (30, .forward)] {
                for noise in [nil, 25, 15] as [Double?] {
                    let seconds = try #require(
                        try Self.latency(
                            track,
                            .init(
                                sampleRate: rate, speed: speed, direction: direction, signalToNoise: noise, seed: 4)),
                        "\(track) at \(speed) in/s was not read")
                    #expect(seconds <= Self.bound + Self.period, "\(track) at \(speed) in/s, noise \(noise ?? 99)")
                }
            }
        }
    }
}

/// What is answered for early must not hide what follows.
@Suite struct EarlyAnswerTests {
    private static let rate = 48_000.0

    /// A second pass soon after the first, in one segment with it, whose own zeros end too soon to
    /// count as whole at its pause.
    @Test(arguments: [0.04, 0.05, 0.06]) func aSecondPassIsReadToo(gap: Double) throws {
        let first = try SwipeBench.samples(.two, configuration: .init(sampleRate: Self.rate, silence: 0.002))
        let text = ";9999990000000015=29121010000000000000?"
        let message = try TrackMessage(text, code: .numeric)
        let second = try SwipeSynthesizer(configuration: .init(sampleRate: Self.rate, silence: 0.002)).render(
            FluxStripe(message, track: .two))
        let quiet = [Float](repeating: 0, count: Int(gap * Self.rate))
        // Cut within its trailing zeros: four or so are left.
        let tracks = SwipeBench.tracks(try SwipeBench.events(second, sampleRate: Self.rate))
        let end = try #require(tracks.first).span.endSample
        let cell = try #require(tracks.first).cellBoundaries.suffix(2)
        let cut = second[..<min(second.count, end + Int(4 * (cell.last! - cell.first!)))]
        let sound = first + quiet + cut + [Float](repeating: 0, count: 24_000)
        let events = try SwipeBench.events(sound, sampleRate: Self.rate, block: 240)
        #expect(SwipeBench.texts(events) == [SwipeBench.texts[.two], text])
    }
}

/// A pause is where the sound falls to half of what it was.
@Suite struct PauseWatchTests {
    /// Indices of the hops with which a pause begins.
    private static func pauses(_ watch: inout PauseWatch, _ energies: [Float]) -> [Int] {
        var pauses: [Int] = []
        for (index, energy) in energies.enumerated() where watch.receive(energy: energy) { pauses.append(index) }
        return pauses
    }

    @Test func aPauseBeginsThreeHopsAfterTheSoundEnds() {
        var watch = PauseWatch()
        let pauses = Self.pauses(&watch, Array(repeating: 1, count: 20) + Array(repeating: 0.1, count: 6))
        #expect(pauses == [22])
        #expect(watch.hopsSincePause == 3)
    }

    @Test func aShortDipIsNone() {
        var watch = PauseWatch()
        let pauses = Self.pauses(&watch, (0..<200).map { $0 % 6 < 2 ? 0.1 : 1 })
        #expect(pauses.isEmpty)
        #expect(watch.hopsSincePause == nil)
    }

    @Test func pausesOfAQuieterSwipeAfterALouderOneAreFound() {
        var watch = PauseWatch()
        let swipes: [Float] =
            Array(repeating: 200, count: 10) + [0, 0, 0] + Array(repeating: 1, count: 10) + [0, 0, 0]
        #expect(Self.pauses(&watch, swipes) == [12, 25])
    }

    @Test func aNewSegmentBeginsWithoutOne() {
        var watch = PauseWatch()
        #expect(Self.pauses(&watch, [1, 1, 1, 1, 1, 0, 0, 0]) == [7])
        watch.begin()
        #expect(watch.hopsSincePause == nil)
        #expect(Self.pauses(&watch, [0, 0, 0, 0, 0, 0]).isEmpty)
    }
}
