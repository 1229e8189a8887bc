import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Every named mode is recognised by its sound, except those that sound alike.
@Suite struct AutomaticModeTests {
    private static let text = Array("Jackdaws love my big sphinx.".utf8)

    /// Packet radio has the tones of Bell 202; the name that is first in the list is reported.
    private static let twins = ["afsk1200": "bell202"]

    private static func bitRate(_ mode: LineMode) -> Double {
        switch mode.code {
        case .frequencyShift(let shift, _), .frequencyShiftBits(let shift): shift.baud
        case .nibbles(let line): line.chipRate / 2
        case .dynamo(let line): line.baud
        case .serialManchester(let line): line.baud
        }
    }

    private func read(_ samples: [Float], sampleRate: Double) throws -> (modes: Set<String>, bytes: [UInt8]) {
        let folder = try TemporaryFolder()
        try ModemSound.write([samples.map { 0.5 * $0 }], to: folder("a.wav"), sampleRate: sampleRate)
        let run = CommandRun("demodulate", "--json", folder("a.wav"))
        let objects = try run.lines.map(jsonObject)
        let digits = objects.compactMap { $0["bytes"] as? String }.joined()
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
        return (Set(objects.compactMap { $0["mode"] as? String }), bytes)
    }

    @Test(arguments: LineMode.all) func theModeOfCleanSoundIsDetected(mode: LineMode) throws {
        for sampleRate in [44_100.0, 48_000] {
            let samples = try ModemSound.samples(Self.text, mode, sampleRate: sampleRate, silence: 0.3)
            let (modes, bytes) = try read(samples, sampleRate: sampleRate)
            #expect(modes == [Self.twins[mode.name] ?? mode.name])
            #expect(bytes == Self.text)
        }
    }

    /// Noise is seldom white: that of a room has more power at low frequencies.
    @Test(arguments: [0.0, 0.9, 0.97]) func noiseOfAnyColourIsNoMode(colour: Double) throws {
        var noise = GaussianNoise(seed: 21)
        var last = 0.0
        let samples = (0..<480_000).map { _ -> Float in
            last = colour * last + noise.next()
            return Float(0.1 * (1 - colour * colour).squareRoot() * last)
        }
        let (modes, bytes) = try read(samples, sampleRate: 48_000)
        #expect(modes.isEmpty)
        #expect(bytes.isEmpty)
    }

    /// The decoder of the mode may read bytes in the noise beside the text; no byte may be in another mode.
    @Test(arguments: LineMode.all) func theModeOfNoisySoundIsDetected(mode: LineMode) throws {
        let clean = try ModemSound.samples(Self.text, mode, sampleRate: 48_000, silence: 0.3)
        let samples = ModemSound.noisy(
            clean, decibels: 14, bitRate: Self.bitRate(mode), sampleRate: 48_000, seed: 1)
        let (modes, bytes) = try read(samples, sampleRate: 48_000)
        #expect(modes == [Self.twins[mode.name] ?? mode.name])
        #expect(bytes.contains(Self.text))
    }
}
