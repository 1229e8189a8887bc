import JackdawDSP
import JackdawTestSupport
import Testing

@Suite struct PoweredLineTests {
    private static let tone = Tone(2_000, .sine, channels: .antiphase(level: -6), isWholeFrames: true)

    /// The tone alone.
    private func tone(_ tone: Tone, frames: Int, rate: Double = 48_000) throws -> [Float] {
        var generator = try ToneGenerator(tone, sampleRate: rate, ramp: .none)
        var samples: [Float] = []
        generator.append(frames: frames, to: &samples)
        return samples
    }

    private func noise(_ frames: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<2 * frames).map { _ in Float.random(in: -0.4...0.4, using: &random) }
    }

    /// The command is there sample by sample between two whole periods, and the tone is as if it had only waited.
    @Test(arguments: toneRates) func insertedCommandsStandBetweenPeriods(rate: Double) throws {
        var line = try PoweredLine(Self.tone, sampleRate: rate, ramp: .none)
        let period = Int((rate / 2_000).rounded())
        let (first, second) = (noise(777, seed: 1), noise(5, seed: 2))
        var samples: [Float] = []
        line.append(frames: 10 * period + 1, to: &samples)
        try line.enqueue(first, .inserted)
        try line.enqueue(second, .inserted)
        #expect(line.commandCount == 2)
        line.append(frames: period + 790, to: &samples)
        #expect(line.commandCount == 0)
        line.append(frames: 800, to: &samples)

        let plain = try tone(Self.tone, frames: samples.count / 2, rate: rate)
        let join = 2 * 11 * period
        let expected = plain[..<join] + first + second + plain[join...]
        #expect(samples[...] == expected.prefix(samples.count))
    }

    /// A command's samples are handed out when it has ended or was forgotten, and not before; some are kept, not all.
    @Test func finishedCommandsAreHandedOut() throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000, ramp: .none)
        let (first, second) = (noise(300, seed: 1), noise(200, seed: 2))
        try line.enqueue(first, .added)
        try line.enqueue(second, .added)
        var samples: [Float] = []
        line.append(frames: 299, to: &samples)
        #expect(line.takeFinished() == nil)
        line.append(frames: 1, to: &samples)
        #expect(line.takeFinished() == first)
        #expect(line.takeFinished() == nil)
        line.reset()
        #expect(line.takeFinished() == second)
        for _ in 0...PoweredLine.commandsHeld {
            try line.enqueue([0.5, 0.5], .added)
            line.append(frames: 1, to: &samples)
        }
        #expect(line.commandCount == 0)
        for _ in 0..<PoweredLine.commandsHeld { #expect(line.takeFinished() == [0.5, 0.5]) }
        #expect(line.takeFinished() == nil)
    }

    @Test func addedCommandsLeaveTheToneAlone() throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000, ramp: .none)
        let command = noise(300, seed: 3)
        var samples: [Float] = []
        line.append(frames: 101, to: &samples)
        try line.enqueue(command, .added)
        line.append(frames: 1_000, to: &samples)
        var expected = try tone(Self.tone, frames: 1_101)
        for index in command.indices { expected[202 + index] += command[index] }
        #expect(samples == expected)
    }

    /// The command is there unchanged; the tone goes and comes softly around it and has run on after it.
    @Test(arguments: [ToneRamp.none, .soft, ToneRamp(.linear, seconds: 0.01)])
    func replacingCommandsHideTheTone(ramp: ToneRamp) throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000, ramp: .none)
        let commands = [noise(100, seed: 4), noise(50, seed: 5)]
        var samples: [Float] = []
        line.append(frames: 101, to: &samples)
        for command in commands { try line.enqueue(command, .replacing(ramp)) }
        line.append(frames: 2_000, to: &samples)
        let plain = try tone(Self.tone, frames: 2_101)
        let fade = Int(ramp.seconds * 48_000)
        #expect(Array(samples[2 * (101 + fade)..<2 * (251 + fade)]) == commands[0] + commands[1])
        #expect(samples[..<202] == plain[..<202])
        #expect(samples[(2 * (251 + 2 * fade))...] == plain[(2 * (251 + 2 * fade))...])
        for frame in 0..<fade {
            let (out, back) = (2 * (101 + frame), 2 * (251 + fade + frame))
            // Both ramps are their own mirror image.
            let mirrored = 2 * (251 + 2 * fade - frame)
            #expect(abs(samples[out]) <= abs(plain[out]) && abs(samples[back]) <= abs(plain[back]))
            if frame > 0, abs(plain[out]) > 0.1, abs(plain[mirrored]) > 0.1 {
                #expect(abs(samples[out] / plain[out] - samples[mirrored] / plain[mirrored]) < 1e-4)
            }
        }
    }

    @Test(arguments: [1, 7, 240]) func blockSizeMakesNoDifference(size: Int) throws {
        func render(_ size: Int) throws -> [Float] {
            var line = try PoweredLine(
                PowerToneProfile.uniMag.connecting, sampleRate: 44_100, ramp: ToneRamp(.linear, seconds: 0.02))
            var result: [Float] = []
            func go(_ frames: Int) {
                result += inBlocks(of: size, frames: frames, channels: 2) { line.render(into: &$0) }
            }
            try line.enqueue(noise(333, seed: 6), .inserted)
            go(1_500)
            try line.change(to: PowerToneProfile.uniMag.holding)
            try line.enqueue(noise(100, seed: 7), .replacing(.soft))
            try line.enqueue(noise(100, seed: 8), .added)
            try line.enqueue(noise(1, seed: 9), .inserted)
            go(2_500)
            try line.stop()
            try line.enqueue(noise(100, seed: 10), .added)
            go(1_000)
            #expect(line.commandCount == 0)
            return result
        }
        #expect(try render(size) == render(.max))
    }

    /// A reader without power does not listen: commands wait for the first ramp.
    @Test func commandsWaitForTheRamp() throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000, ramp: ToneRamp(.linear, seconds: 0.5))
        try line.enqueue([Float](repeating: 1, count: 20), .inserted)
        var samples: [Float] = []
        line.append(frames: 25_000, to: &samples)
        #expect(samples.firstIndex(of: 1) == 2 * 24_000)
        line.reset()
        #expect(line.commandCount == 0)
    }

    /// Neither a ramp nor a command that waits is silence.
    @Test func aStoppedLineIsSilentAfterItsRamp() throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000)
        #expect(!line.isSilent)
        var samples: [Float] = []
        line.append(frames: 480, to: &samples)
        #expect(!line.isSilent)
        try line.stop(ramp: .soft)
        line.append(frames: 239, to: &samples)
        #expect(!line.isSilent)
        line.append(frames: 1, to: &samples)
        #expect(line.isSilent)
        try line.enqueue(noise(10, seed: 1), .replacing(.soft))
        #expect(!line.isSilent)
        line.append(frames: 260, to: &samples)
        #expect(line.isSilent)
        samples.removeAll()
        line.append(frames: 1_000, to: &samples)
        #expect(samples.allSatisfy { $0 == 0 })
    }

    @Test func spreadsOneChannelOverSeveral() {
        let mono: [Float] = [0.5, -1]
        #expect(PoweredLine.spread(mono.span, gains: [1, -1, 0]) == [0.5, -0.5, 0, -1, 1, 0])
    }

    @Test(arguments: [[Float.nan, 0], [.infinity, 0], [0, 1.01], [0]])
    func refusesCommandsThatAreNoSound(samples: [Float]) throws {
        var line = try PoweredLine(Self.tone, sampleRate: 48_000)
        let error = #expect(throws: LineCodeError.self) { try line.enqueue(samples, .added) }
        #expect(error?.code == .outOfRange)
        #expect(throws: LineCodeError.self) {
            try line.enqueue([0, 0], .replacing(ToneRamp(.linear, seconds: .nan)))
        }
        try line.enqueue([], .added)
        #expect(line.commandCount == 0)
    }
}
