import Foundation
import JackdawDSP
import JackdawSpectrum
import Testing

@Suite("Line codes")
struct LineCodeSurveyTests {
    private static let rates = [8_000.0, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000]

    /// All modes with two tones, those of equal keying once.
    private static let keyings: [(name: String, shift: FrequencyShift)] = {
        var found: [(name: String, shift: FrequencyShift)] = []
        for mode in LineMode.all {
            guard case .frequencyShift(let shift, _) = mode.code, !found.contains(where: { $0.shift == shift }) else {
                continue
            }
            found.append((mode.name, shift))
        }
        return found
    }()

    /// Every keying at every rate that holds it, with clocks that are off and with noise up to where one character
    /// in some hundreds is lost.
    @Test(arguments: keyings.indices, [12.0, 15, 30])
    func keyingsAreGuessed(index: Int, decibels: Double) throws {
        let (name, shift) = Self.keyings[index]
        let tones = [shift.mark, shift.space]
        for (place, rate) in Self.rates.enumerated() where 1.05 * (tones.max() ?? 0) + shift.baud / 2 < rate / 2 {
            // Each clock with each keying and each noise, at every third rate.
            do {
                let clock = [0.95, 1, 1.05][(place + index + Int(decibels)) % 3]
                let seed = UInt64(100 * index + 10 * place) + UInt64(20 * clock) + UInt64(decibels)
                let clean = try LineSound.keying(shift, clock: clock, sampleRate: rate, seconds: 0.6, seed: seed)
                let deviation = LineSound.deviation(
                    power: 0.126, samplesPerBit: rate / shift.baud / clock, decibels: decibels)
                let guesses = LineSound.guesses(
                    LineSound.noisy(clean, deviation: deviation, seed: seed), sampleRate: rate)
                #expect(guesses.map(\.modeName) == [name], "\(rate) Hz, clock \(clock)")
                guard let guess = guesses.first, case .tones(let found) = guess.carrier else { continue }
                #expect(isNear(guess.baud / shift.baud / clock, 1, 0.005), "\(rate) Hz, clock \(clock)")
                #expect(isNear(found.mark / shift.mark / clock, 1, 0.02), "\(rate) Hz, clock \(clock)")
                #expect(isNear(found.space / shift.space / clock, 1, 0.02), "\(rate) Hz, clock \(clock)")
                // Silence of 0.1 s, then 0.03 s of mark.
                #expect(isNear(Double(guess.samples.lowerBound) / rate, 0.12, 0.12))
                #expect(isNear(Double(guess.samples.upperBound) / rate, 0.73, 0.15))
            }
        }
    }

    /// Tones that are 3 % off while the baud is right, as one of the real recordings was said to have them.
    @Test func tonesAreMeasuredByThemselves() throws {
        let real = FrequencyShift(baud: 315, mark: 3_252, space: 1_626)
        let guesses = LineSound.guesses(
            try LineSound.keying(real, sampleRate: 44_100, seconds: 0.5, seed: 1), sampleRate: 44_100)
        let guess = try #require(guesses.first)
        #expect(guess.modeName == "softmodem-315")
        #expect(isNear(guess.baud, 315, 1))
        guard case .tones(let tones) = guess.carrier else {
            Issue.record("no tones")
            return
        }
        #expect(isNear(tones.mark, 3_252, 16))
        #expect(isNear(tones.space, 1_626, 8))
        #expect(guess.fit < 0.9)
    }

    @Test(arguments: [16_000.0, 22_050, 44_100, 48_000, 96_000, 192_000], [10.0, 12, 30])
    func chipsAreGuessed(rate: Double, decibels: Double) {
        let lines = [("unimag-2400", 2_400.0), ("unimag-4800", 4_800), ("unimag", 9_600), ("udynamo", 7_350)]
        for (name, chipRate) in lines where chipRate < rate / 2.2 {
            for clock in [0.96, 1, 1.04] {
                let bytes = LineSound.bytes(200, seed: UInt64(chipRate * clock))
                let isDynamo = name == "udynamo"
                let chips = isDynamo ? LineSound.dynamoBits(bytes) : LineSound.nibbles(bytes)
                do {
                    let sign: Float = clock == 1 ? -1 : 1
                    let clean = LineSound.levels(chips, rate: chipRate * clock, sampleRate: rate).map { sign * $0 }
                    // What a bit of Manchester is on the one line, a bit of the UART is on the other.
                    let deviation = LineSound.deviation(
                        power: 0.25, samplesPerBit: (isDynamo ? 1 : 2) * rate / chipRate / clock,
                        decibels: decibels + (isDynamo ? 2 : 0))
                    let guesses = LineSound.guesses(
                        LineSound.noisy(clean, deviation: deviation, seed: UInt64(rate)), sampleRate: rate)
                    #expect(guesses.map(\.modeName) == [name], "clock \(clock), sign \(sign)")
                    #expect(isNear((guesses.first?.baud ?? 0) / chipRate / clock, 1, 0.002))
                }
            }
        }
    }

    /// What the project's own encoders make of the readers' lines.
    @Test(arguments: ["unimag", "unimag-4800", "unimag-2400", "udynamo"], [24_000.0, 44_100, 48_000, 192_000])
    func readersAreGuessed(name: String, rate: Double) throws {
        var encoder = try LineMode(named: name).encoder(sampleRate: rate)
        var samples = [Float](repeating: 0, count: Int(rate / 10))
        let bytes = LineSound.bytes(120, seed: 9)
        encoder.encode(bytes.span, into: &samples)
        encoder.finish(into: &samples)
        samples += [Float](repeating: 0, count: Int(rate / 10))
        let sound = LineSound.noisy(samples, deviation: 0.02, seed: 9)
        #expect(LineSound.guesses(sound, sampleRate: rate).map(\.modeName) == [name])
    }

    // MARK: - Nothing

    @Test(arguments: [8_000.0, 44_100, 192_000])
    func noiseIsNoCode(rate: Double) {
        for seed in UInt64(1)...8 {
            let noise = Signal(seconds: 3, sampleRate: rate).noise(-20, seed: seed)
            #expect(LineSound.guesses(noise.samples, sampleRate: rate).isEmpty)
            let band = Signal(seconds: 3, sampleRate: rate).band(900...3_400, -20, seed: seed).noise(-60, seed: seed)
            #expect(LineSound.guesses(band.samples, sampleRate: rate).isEmpty)
        }
    }

    @Test func humTonesAndSilenceAreNoCode() {
        let hum = Signal(seconds: 2).tone(50, -10).tone(150, -20).tone(250, -25).noise(-60, seed: 1)
        #expect(LineSound.guesses(hum.samples, sampleRate: 44_100).isEmpty)
        let tones = Signal(seconds: 2).tone(1_200, -10).tone(2_200, -12).noise(-60, seed: 2)
        #expect(LineSound.guesses(tones.samples, sampleRate: 44_100).isEmpty)
        #expect(LineSound.guesses(Signal(seconds: 2).samples, sampleRate: 44_100).isEmpty)
        #expect(LineSound.guesses([], sampleRate: 8_000).isEmpty)
        #expect(LineSound.guesses([1], sampleRate: 192_000).isEmpty)
        let damaged = [Float](repeating: .nan, count: 50_000) + [Float](repeating: .infinity, count: 50_000)
        #expect(LineSound.guesses(damaged, sampleRate: 48_000).isEmpty)
    }

    /// Syllables of a gliding voice with its harmonics under two formants.
    @Test func voicesAreNoCode() {
        for seed in UInt64(1)...6 {
            let pitch = 90 + 25 * Double(seed)
            var voice = Signal(seconds: 3)
            var phase = 0.0
            for index in voice.values.indices {
                let time = Double(index) / voice.sampleRate
                phase += pitch * (1 + 0.2 * sin(2 * .pi * 1.3 * time)) / voice.sampleRate
                let syllable = max(0, sin(2 * .pi * 4 * time))
                for harmonic in 1...30 {
                    let frequency = pitch * Double(harmonic)
                    let first = (frequency - 600 - 200 * sin(2 * .pi * 2 * time)) / 150
                    let second = (frequency - 1_700) / 300
                    let weight = 1 / (1 + first * first) + 0.5 / (1 + second * second)
                    voice.values[index] += 0.1 * syllable * weight * sin(2 * .pi * phase * Double(harmonic))
                }
            }
            #expect(LineSound.guesses(voice.noise(-60, seed: seed).samples, sampleRate: 44_100).isEmpty)
        }
    }

    /// Characters among the ones of an idle line.
    @Test(arguments: ["hijack", "flojack"], [12.0, 15, 40])
    func serialManchesterIsGuessed(name: String, decibels: Double) throws {
        guard case .serialManchester(let nominal) = try LineMode(named: name).code else {
            Issue.record("\(name) is another line")
            return
        }
        for (place, rate) in Self.rates.enumerated() where rate > 4.5 * nominal.baud {
            for isInverted in [false, true] {
                let clock = [0.96, 1, 1.04][(place + Int(decibels)) % 3]
                var line = nominal
                line.baud *= clock
                let seed = UInt64(10 * place) + UInt64(decibels)
                var encoder = try SerialManchesterEncoder(line, sampleRate: rate, isInverted: isInverted)
                let silence = [Float](repeating: 0, count: Int(rate / 10))
                var clean = silence
                let bytes = LineSound.bytes(name == "hijack" ? 16 : 100, seed: seed)
                encoder.encode(bytes.span, into: &clean)
                let seconds = Double(clean.count) / rate - 0.1
                let deviation = LineSound.deviation(
                    power: 0.126, samplesPerBit: rate / line.baud, decibels: decibels)
                let guesses = LineSound.guesses(
                    LineSound.noisy(clean + silence, deviation: deviation, seed: seed), sampleRate: rate)
                #expect(guesses.map(\.modeName) == [name], "\(rate) Hz, clock \(clock), \(isInverted)")
                guard let guess = guesses.first else { continue }
                #expect(isNear(guess.baud / line.baud, 1, 0.002), "\(rate) Hz, clock \(clock)")
                #expect(guess.regularity > 0.8)
                #expect(isNear(Double(guess.samples.lowerBound) / rate, 0.1, 0.1))
                #expect(isNear(Double(guess.samples.upperBound) / rate, 0.1 + seconds, 0.1))
            }
        }
    }

    /// The tone of an idle line is any tone, and one that is keyed otherwise is none of these lines.
    @Test func tonesOfTheirFrequencyAreNoCode() {
        for frequency in [1_378.125, 1_380, 3_392, 3_400] {
            for length in [0.013, 0.0204, 0.05] {
                let sound = (0..<66_150).map { index in
                    let time = Double(index) / 44_100
                    // Upside down at times that are none of its own.
                    let sign: Float = Int(time / length) % 2 == 0 ? 0.3 : -0.3
                    return sign * Float(sin(2 * Double.pi * frequency * time))
                }
                let steady = sound.map(abs)
                #expect(LineSound.guesses(sound, sampleRate: 44_100).isEmpty, "\(frequency) Hz, \(length) s")
                #expect(LineSound.guesses(steady, sampleRate: 44_100).isEmpty, "\(frequency) Hz")
            }
        }
    }

    /// Swipes at all speeds, those of chips among them.
    @Test func swipesAreNoCode() throws {
        let text = ";4111111111111111=29121011000012345678?"
        let first = FluxStripe(try TrackMessage(text, code: .numeric), track: .two)
        let line = try TrackMessage("%B4111111111111111^DOE/JANE^29121010000000000000?", code: .alphanumeric)
        let second = FluxStripe(line, track: .one)
        for speed in stride(from: 4.0, through: 50, by: 2) {
            for stripe in [first, second] {
                let configuration = SwipeSynthesizer.Configuration(
                    sampleRate: 44_100, speed: speed, seed: UInt64(speed))
                let swipe = try SwipeSynthesizer(configuration: configuration).render(stripe)
                #expect(LineSound.guesses(swipe, sampleRate: 44_100).isEmpty, "\(speed) in/s")
            }
        }
    }

    // MARK: - Streams

    /// Two senders one after the other whose tones are those of no mode: their tones were averaged.
    @Test func unnamedSendersAreSeparatedByTheirTones() throws {
        let shifts = [
            FrequencyShift(baud: 2_400, mark: 1_800, space: 3_800), .init(baud: 2_400, mark: 2_300, space: 4_500),
        ]
        let sound = try shifts.enumerated().flatMap { index, shift in
            try LineSound.keying(shift, sampleRate: 48_000, seconds: 2.2, seed: UInt64(index))
        }
        let guesses = LineSound.guesses(sound, sampleRate: 48_000)
        #expect(guesses.count >= 2)
        // A second that holds both of them is in the next guess.
        for (guess, shift) in zip(guesses, shifts).prefix(1) {
            guard case .tones(let tones) = guess.carrier else {
                Issue.record("no tones")
                continue
            }
            // Which one is the mark is not always known.
            #expect(isNear(min(tones.mark, tones.space) / shift.mark, 1, 0.02))
            #expect(isNear(max(tones.mark, tones.space) / shift.space, 1, 0.02))
        }
        // A survey that does not look for them finds none.
        var survey = try LineCodeSurvey(sampleRate: 48_000, findsUnnamed: false)
        survey.receive(sound.span)
        #expect(try survey.finish().isEmpty)
    }

    @Test func blockSizesMakeNoDifference() throws {
        let shift = FrequencyShift.bell202
        let sound = try LineSound.keying(shift, sampleRate: 22_050, seconds: 2.5, seed: 4)
        let whole = LineSound.guesses(sound, sampleRate: 22_050)
        #expect(whole.count == 1)
        for size in [1, 7, 240] { #expect(LineSound.guesses(sound, sampleRate: 22_050, blockSize: size) == whole) }
    }

    @Test func wholeNumbersMakeNoDifference() throws {
        let whole = try LineSound.keying(.bell202, sampleRate: 22_050, seconds: 1.2, seed: 5).map { Int16($0 * 32_767) }
        let floats = whole.map { Float($0) / 32_768 }
        var survey = try LineCodeSurvey(sampleRate: 22_050)
        survey.receive(whole.span)
        let guesses = try survey.finish()
        #expect(guesses.map(\.modeName) == ["bell202"])
        #expect(guesses == LineSound.guesses(floats, sampleRate: 22_050))
    }

    @Test func oldGuessesCanBeDropped() throws {
        let pause = [Float](repeating: 0, count: 44_100)
        let first = try LineSound.keying(.bell202, sampleRate: 22_050, seconds: 1, seed: 1)
        let second = try LineSound.keying(.bell103, sampleRate: 22_050, seconds: 1, seed: 2)
        var survey = try LineCodeSurvey(sampleRate: 22_050)
        survey.receive((first + pause).span)
        #expect(survey.guesses.map(\.modeName) == ["bell202"])
        survey.dropGuesses(before: 10_000)
        #expect(survey.guesses.count == 1)
        survey.dropGuesses(before: first.count + 22_050)
        #expect(survey.guesses.isEmpty)
        survey.receive((second + pause).span)
        let guesses = try survey.finish()
        #expect(guesses.map(\.modeName) == ["bell103"])
        let start = Double(guesses.first?.samples.lowerBound ?? 0) / 22_050
        #expect(isNear(start, Double(first.count + pause.count) / 22_050 + 0.12, 0.12))
    }

    @Test func sendersAfterAnotherAreSeparated() throws {
        let rate = 44_100.0
        let pause = [Float](repeating: 0, count: 88_200)
        let first = try LineSound.keying(.bell202, sampleRate: rate, seconds: 1.5, seed: 1)
        let second = try LineSound.keying(.bell103, sampleRate: rate, seconds: 2, seed: 2)
        let guesses = LineSound.guesses(first + pause + first + second, sampleRate: rate)
        #expect(guesses.map(\.modeName) == ["bell202", "bell202", "bell103"])
        #expect(zip(guesses, guesses.dropFirst()).allSatisfy { $0.samples.lowerBound < $1.samples.lowerBound })
    }
}
