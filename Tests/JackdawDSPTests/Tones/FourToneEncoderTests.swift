import JackdawDSP
import JackdawTestSupport
import Testing

@Suite struct FourToneEncoderTests {
    /// The rates at which the four tones have different whole periods.
    private static let wholeRates = [24_000.0, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000]
    private static let preamble: [UInt8] = [255, 0, 255, 0, 255, 0]

    private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test(arguments: wholeRates) func commandsAreUnderstood(rate: Double) throws {
        // Rounding moves an edge by half a frame at most.
        let listener = FourToneListener(sampleRate: rate, tolerance: 0.5)
        for (seed, profile) in [UniMagCommandProfile(), .init(leadingPeriods: 1, trailingPeriods: 2)].enumerated() {
            var encoder = try FourToneEncoder(profile: profile, sampleRate: rate)
            for length in [0, 1, 60] {
                let command = randomBytes(length, seed: UInt64(seed))
                var samples: [Float] = []
                encoder.encodeCommand(command.span, into: &samples)
                #expect(samples.allSatisfy { abs($0) == 1 || $0 == 0 })
                encoder.idle(seconds: 0.001, into: &samples)
                let heard = try #require(listener.command(samples))
                #expect(heard.bytes == Self.preamble + command)
                #expect(heard.leading == (seed == 0 ? 720 : 1))
                // The last period that was idled has no end that is heard.
                #expect(heard.trailing == (seed == 0 ? 12_001 : 3))
            }
        }
    }

    /// Every byte value, and every symbol before every other.
    @Test(arguments: [24_000.0, 48_000]) func allBytesAreUnderstood(rate: Double) throws {
        var encoder = try FourToneEncoder(
            profile: UniMagCommandProfile(leadingPeriods: 3, trailingPeriods: 4), sampleRate: rate, level: -12)
        let command = (0...255).map { UInt8($0) }
        var samples: [Float] = []
        encoder.encodeCommand(command.span, into: &samples)
        encoder.idle(seconds: 0.001, into: &samples)
        let heard = try #require(FourToneListener(sampleRate: rate, tolerance: 0.5).command(samples))
        #expect(heard.bytes == Self.preamble + command)
        #expect([heard.leading, heard.trailing] == [3, 5])
    }

    /// Tones as they are named, their periods between samples: any rate that holds them.
    @Test(arguments: toneRates.dropFirst() + [22_050, 16_000, 37_800.5])
    func exactSinesAreUnderstood(rate: Double) throws {
        let profile = UniMagCommandProfile(
            shift: FourToneShift(waveform: .sine, isWholeFrames: false), leadingPeriods: 20, trailingPeriods: 30)
        var encoder = try FourToneEncoder(profile: profile, sampleRate: rate, level: -3)
        let command = randomBytes(200, seed: 9)
        var samples: [Float] = []
        encoder.encodeCommand(command.span, into: &samples)
        let count = samples.count
        encoder.idle(seconds: 0.001, into: &samples)
        // A straight line through two samples of a sine misses its crossing a little.
        let heard = try #require(FourToneListener(sampleRate: rate, tolerance: 0.35).command(samples))
        #expect(heard.bytes == Self.preamble + command)
        #expect([heard.leading, heard.trailing] == [20, 31])
        // No period is lost or stretched over the whole command.
        let tones = [2_400.0, 3_000, 3_400, 4_000]
        var seconds = 50 / 2_000.0
        for byte in Self.preamble + command {
            for place in [0, 2, 4, 6] { seconds += 10 / tones[Int(byte) >> place & 3] }
        }
        #expect(abs(Double(count) - seconds * rate) < 1)
    }

    /// As a reader hears it: power on both channels, commands in it now and then, and not a period of another length.
    @Test(arguments: wholeRates) func commandsInAPowerToneAreUnderstood(rate: Double) throws {
        let profile = UniMagCommandProfile(leadingPeriods: 10, trailingPeriods: 20)
        var encoder = try FourToneEncoder(profile: profile, sampleRate: rate)
        var line = try PoweredLine(PowerToneProfile.uniMag.holding, sampleRate: rate, ramp: .none)
        var random = SeededRandom(seed: 21)
        var samples: [Float] = []
        var commands: [[UInt8]] = []
        for _ in 0..<5 {
            let command = randomBytes(.random(in: 1...20, using: &random), seed: random.next())
            var sound: [Float] = []
            encoder.encodeCommand(command.span, into: &sound)
            try line.enqueue(PoweredLine.spread(sound.span, gains: [1, -1]), .inserted)
            commands.append(command)
            while line.commandCount > 0 {
                let frames = Int.random(in: 1...300, using: &random)
                samples += inBlocks(of: frames, frames: frames, channels: 2) { line.render(into: &$0) }
            }
        }
        line.append(frames: 200, to: &samples)
        let (left, right) = (channel(0, of: samples, count: 2), channel(1, of: samples, count: 2))
        #expect(right == left.map { -$0 })

        let runs = try #require(FourToneListener(sampleRate: rate, tolerance: 0.5).runs(left))
        var (heard, symbols): ([[UInt8]], [Int]) = ([], [])
        for run in runs {
            if let value = [2_400.0, 3_000, 3_400, 4_000].firstIndex(of: run.tone) {
                symbols += [Int](repeating: value, count: run.periods / 10)
            } else if !symbols.isEmpty {
                heard.append(
                    stride(from: 0, to: symbols.count, by: 4).map { start in
                        UInt8(symbols[start..<start + 4].reversed().reduce(0) { 4 * $0 + $1 })
                    })
                symbols = []
            }
        }
        #expect(heard == commands.map { Self.preamble + $0 })
        // The power before, between and after: nothing but whole periods.
        #expect(runs.filter { $0.tone == 2_000 }.count == 6)
        #expect(runs.filter { $0.tone != 2_000 }.allSatisfy { $0.periods % 10 == 0 })
    }

    /// A sine's neighbours are never further apart than its highest tone has them: no join jumps.
    @Test(arguments: [24_000.0, 44_100, 48_000, 192_000], [false, true])
    func joinsDoNotJump(rate: Double, isWholeFrames: Bool) throws {
        let profile = UniMagCommandProfile(
            shift: FourToneShift(waveform: .sine, isWholeFrames: isWholeFrames), leadingPeriods: 5, trailingPeriods: 5)
        var encoder = try FourToneEncoder(profile: profile, sampleRate: rate)
        var samples: [Float] = [0]
        encoder.encodeCommand(randomBytes(100, seed: 3).span, into: &samples)
        let highest = (0..<4).map { profile.shift.frequency(of: $0, atSampleRate: rate) }.max() ?? 0
        #expect(largestStep(samples) <= Float(2 * .pi * highest / rate))
    }

    /// Symbols of 2,400/17 and 160 frames in turn: with every seventeenth byte one ends on a frame, and that frame is
    /// the first one of the next.
    @Test func endsThatFallOnAFrameAreMet() throws {
        let shift = FourToneShift(waveform: .sine, isWholeFrames: false)
        var encoder = try FourToneEncoder(profile: UniMagCommandProfile(shift: shift), sampleRate: 48_000)
        for count in 1...20 {
            var samples: [Float] = []
            encoder.encode([UInt8](repeating: 0b01_10_01_10, count: 17).span, into: &samples)
            #expect(samples.count == 17 * (2 * 160) + 2 * 2_400, "after \(17 * count) bytes")
        }
    }

    @Test func partsSoundAsTheWhole() throws {
        let bytes = randomBytes(30, seed: 5)
        for isWholeFrames in [true, false] {
            let profile = UniMagCommandProfile(shift: FourToneShift(isWholeFrames: isWholeFrames))
            var encoder = try FourToneEncoder(profile: profile, sampleRate: 44_100)
            var (whole, parts): ([Float], [Float]) = ([], [])
            encoder.idle(seconds: 0.9, into: &whole)
            encoder.encode(bytes.span, into: &whole)
            encoder.reset()
            for _ in 0..<1_000 { encoder.idle(seconds: 0.000_9, into: &parts) }
            for byte in bytes { encoder.encode([byte].span, into: &parts) }
            #expect(parts == whole)
        }
    }

    @Test func idleIsWholePeriods() throws {
        var encoder = try FourToneEncoder(sampleRate: 48_000)
        var samples: [Float] = []
        encoder.idle(seconds: 1, into: &samples)
        #expect(samples.count == 48_000)
        encoder.idle(seconds: 0.000_3, into: &samples)
        #expect(samples.count == 48_000)
        encoder.idle(seconds: 0.000_3, into: &samples)
        #expect(samples.count == 48_024)
        for seconds in [-5, 0, .nan, .infinity] { encoder.idle(seconds: seconds, into: &samples) }
        #expect(samples.count == 48_024)
    }

    @Test func the3400HertzSymbolIsHigherInWholeFrames() {
        let shift = FourToneShift()
        for rate in [24_000.0, 48_000] {
            #expect(abs(shift.frequency(of: 2, atSampleRate: rate) - 3_428.571_43) < 1e-4)
            for (value, tone) in [(0, 2_400.0), (1, 3_000), (3, 4_000)] {
                #expect(shift.frequency(of: value, atSampleRate: rate) == tone)
            }
        }
    }

    @Test func refusesValuesOutOfRange() {
        func refuses(_ profile: UniMagCommandProfile, rate: Double = 48_000, level: Double = 0) {
            let error = #expect(throws: LineCodeError.self) {
                try FourToneEncoder(profile: profile, sampleRate: rate, level: level)
            }
            #expect(error?.code == .outOfRange)
        }
        // At these rates whole frames make one tone of two, or there is no room for the tones.
        for rate in [8_000, 16_000, 22_050, 0, .nan] { refuses(UniMagCommandProfile(), rate: rate) }
        for level in [1, -121, .nan] { refuses(UniMagCommandProfile(), level: level) }
        for frequency in [0, 24_001, .nan] { refuses(UniMagCommandProfile(powerFrequency: frequency)) }
        for periods in [-1, 1_000_001] {
            refuses(UniMagCommandProfile(leadingPeriods: periods))
            refuses(UniMagCommandProfile(trailingPeriods: periods))
        }
        for periods in [0, 1_001] { refuses(UniMagCommandProfile(shift: FourToneShift(periodsPerSymbol: periods))) }
        let tones: [SIMD4<Double>] = [[1_000, 1_000, 2_000, 3_000], [0, 1, 2, 3], [1_000, 2_000, 3_000, .nan]]
        for tones in tones {
            for isWholeFrames in [false, true] {
                refuses(UniMagCommandProfile(shift: FourToneShift(tones: tones, isWholeFrames: isWholeFrames)))
            }
        }
    }
}
