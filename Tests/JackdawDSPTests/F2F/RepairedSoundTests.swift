import Foundation
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Sound without the hum and the rails that hid a swipe.
@Suite struct RepairedSoundTests {
    private static let sampleRate = 44_100.0

    /// Abramowitz and Stegun, Handbook of Mathematical Functions, tables 26.1 and 26.2: probabilities of a value below
    /// a limit, of the normal distribution.
    @Test(arguments: [
        (0.0, 0.5), (1, 0.841344746068543), (2, 0.977249868051821), (-1, 0.158655253931457),
        (-2, 0.022750131948179), (-3, 0.001349898031630), (-5, 2.866515718791939e-7),
    ])
    func normalTailIsThatOfTheTables(limit: Double, probability: Double) {
        #expect(abs(NormalTail.logarithm(below: limit) - log(probability)) < 2e-7 / probability.squareRoot())
        let density = exp(-limit * limit / 2) / (2 * Double.pi).squareRoot()
        #expect(abs(NormalTail.ratio(at: limit) * probability / density - 1) < 2e-6)
    }

    @Test func eachRailIsDetectedAlone() {
        let sine = (0..<4_000).map { Float(sin(0.01 * Double($0))) }
        let both = Rails(of: sine.map { min(max(2 * $0, -1), 1) })
        #expect(both.upper < 1 && both.upper > 0.99 && both.lower > -1 && both.lower < -0.99)
        let one = Rails(of: sine.map { min(0.6 * $0 + 0.5, 1) })
        #expect(one.upper < 1.01 && one.sign(of: 1) == 1 && one.sign(of: 0.5) == 0)
        var random = SeededRandom(seed: 3)
        let noise = (0..<4_000).map { _ in
            (0..<12).reduce(Float(0)) { sum, _ in sum + Float.random(in: -0.05...0.05, using: &random) }
        }
        #expect(!Rails(of: noise).exist)
        #expect(!Rails(of: both.exist ? sine.map { 0.01 * $0 } : []).exist)
    }

    /// A whole number of samples a cell, or nearly so: many peaks have the same highest sample.
    @Test(arguments: [(44_100.0, 15.0), (48_000, 10), (48_000, 16), (8_000, 10), (192_000, 5), (192_000, 20)])
    func equalPeaksWithoutNoiseAreNotClipped(sampleRate: Double, speed: Double) throws {
        for track in TrackNumber.allCases {
            let samples = try SwipeBench.samples(track, configuration: .init(sampleRate: sampleRate, speed: speed))
            #expect(!Rails(of: samples).exist)
        }
    }

    @Test(arguments: [8_000.0, 44_100, 192_000], [1.5, 4]) func clippedPeaksAreARail(
        sampleRate: Double, clipping: Double
    ) throws {
        let samples = try SwipeBench.samples(
            .two,
            configuration: .init(
                sampleRate: sampleRate, speed: 10, clipping: clipping, signalToNoise: 25, humLevel: -20))
        let rails = Rails(of: samples)
        #expect(rails.upper.isFinite && rails.lower.isFinite)
    }

    /// Three quarters of the pulses are beyond the rails.
    @Test(arguments: [50.0, 60.0], [0.0, 0.15])
    func humIsFittedThroughClippedPulses(mains: Double, offset: Float) {
        var random = SeededRandom(seed: 8)
        let count = 22_050
        let hum = (0..<count).map { index in
            let turns = mains * Double(index) / Self.sampleRate
            return Float(0.6 * sin(2 * .pi * turns + 1) + 0.2 * sin(6 * .pi * turns)) + offset
        }
        let sound = (0..<count).map { index -> Float in
            let isSwipe = (6_000..<16_000).contains(index)
            let pulse: Float = isSwipe && index % 15 < 6 ? (index / 15 % 2 == 0 ? 1.5 : -1.5) : 0
            return min(max(hum[index] + pulse + Float.random(in: -0.02...0.02, using: &random), -1), 1)
        }
        let fit = CensoredHumFit(sound, rails: Rails(of: sound), sampleRate: Self.sampleRate)
        let errors = zip(fit.hum, hum).map { ($0 - $1) * ($0 - $1) }
        #expect((errors.reduce(0, +) / Float(count)).squareRoot() < 0.03)
    }

    /// Hum drives the sound into the rails; the usual search loses the pulses there.
    @Test(arguments: RepairedSound.Version.allCases) func aRepairedSoundHasNoHum(version: RepairedSound.Version) throws
    {
        let samples = try SwipeBench.samples(
            .two, configuration: .init(sampleRate: Self.sampleRate, clipping: 2, signalToNoise: 30, humLevel: 0))
        #expect(RepairedSound.versions(of: samples, sampleRate: Self.sampleRate) == [.expanded, .filled])
        let repaired = RepairedSound.make(samples, version: version, sampleRate: Self.sampleRate)
        #expect(repaired.count == samples.count)
        #expect(repaired.allSatisfy { $0.isFinite })
        func silence(_ sound: [Float]) -> Float { sound.prefix(3_000).reduce(0) { $0 + $1 * $1 } / 3_000 }
        func level(_ sound: [Float]) -> Float { sound.reduce(0) { max($0, abs($1)) } }
        #expect(silence(repaired) / level(repaired) < 0.1 * silence(samples) / level(samples))
    }

    /// Only one look proves this message, beyond doubt.
    @Test func aClearMessageOfTheSecondSearchStandsAlone() throws {
        let text = ";4111111111111111=29121010000012300000?"
        let samples = try SwipeBench.samples(
            .two, text: text,
            configuration: .init(
                sampleRate: 16_000, speed: 17, motion: .linear(change: 0.3), clipping: 4.9,
                signalToNoise: 12, humLevel: -4, seed: 33))
        #expect(SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 16_000)) == [text])
    }

    @Test func tooShortASoundHasNoVersion() {
        #expect(RepairedSound.versions(of: [Float](repeating: 1, count: 200), sampleRate: Self.sampleRate).isEmpty)
    }

    /// A hand that slows down to a fifth: each cell has the length that the level gives.
    @Test func cellsFollowTheLevel() throws {
        let (usual, slow) = (30, 150)
        var sound = [Float](repeating: 0, count: 2_000)
        var starts: [Int] = []
        for cell in 0..<120 {
            let isSlow = (50..<70).contains(cell)
            starts.append(sound.count)
            let height: Float = isSlow ? 0.2 : 1
            let length = isSlow ? slow : usual
            sound += (0..<length).map { index in
                let distance = Float(min(index, length - index)) / Float(length)
                return (cell % 2 == 0 ? height : -height) * max(0, 1 - 6 * distance)
            }
        }
        sound += [Float](repeating: 0, count: 2_000)
        let working = WorkingSound(samples: sound, step: 0, lost: [])
        let clock = try #require(LevelClock(working, cell: Float(usual)))
        let inside = clock.boundaries.filter { $0 > Float(starts[0]) && $0 < Float(sound.count - 2_000) }
        #expect(abs(inside.count - 120) < 25)
        let slowCells = clock.boundaries.filter { $0 > Float(starts[54]) && $0 < Float(starts[66]) }
        #expect((8...20).contains(slowCells.count))
        #expect(zip(clock.boundaries, clock.boundaries.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Evening out changes no place: a time of the evened sound is that of the segment.
    @Test func evenedSoundKeepsItsTimes() throws {
        let samples = (0..<4_000).map { Float(sin(0.02 * Double($0))) }
        let sound = WorkingSound(samples: samples, step: 1, lost: [])
        var grid: [Float] = [0]
        while grid[grid.count - 1] < 3_900 { grid.append(grid[grid.count - 1] + 20 + Float(grid.count % 7)) }
        let evened = try #require(sound.evened(by: grid))
        for index in stride(from: 100, to: evened.samples.count - 100, by: 37) {
            let time = 2 * evened.segmentTime(Float(index))
            #expect(abs(evened.samples[index] - Float(sin(0.02 * Double(time)))) < 1e-3)
        }
    }
}
