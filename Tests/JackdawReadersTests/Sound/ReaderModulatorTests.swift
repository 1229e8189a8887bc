import JackdawDSP
import JackdawReaders
import JackdawTransport
import Testing

@Suite struct ReaderModulatorTests {
    /// Power is removed from a reader before it is given again: for the whole pause, before the tone begins to come.
    @Test(arguments: ["unimag", "udynamo", "hijack", "flojack"], [44_100.0, 48_000])
    func powerReturnsAfterItsPause(family: String, sampleRate: Double) throws {
        let sound = try #require(try ReaderFamily.named(family)?.makeSound())
        let modulator = try ReaderModulator(sound, sampleRate: sampleRate)
        var line = try modulator.makeLine()
        var samples: [Float] = []
        modulator.change(to: .connecting).apply(to: &line)
        line.append(frames: Int(3 * sampleRate), to: &samples)
        #expect(Self.isHeard(samples.suffix(2_000)))
        modulator.change(to: .off).apply(to: &line)
        modulator.change(to: .connecting).apply(to: &line)
        samples = []
        line.append(frames: Int(4 * sampleRate), to: &samples)
        let channels = line.channelCount
        let pause = Int((sound.pause * sampleRate).rounded()) * channels
        // The longest stretch without a sound; zeros of the tone are alone.
        let silence = Self.longestSilence(samples)
        #expect(silence.count >= pause)
        #expect(silence.count <= pause + Int(sampleRate / 100) * channels)
        // What came before it only fades, and takes no time to speak of.
        #expect(silence.lowerBound < Int(sampleRate / 10) * channels)
        #expect(Self.isHeard(samples.suffix(2_000)))
    }

    private static func isHeard(_ samples: ArraySlice<Float>) -> Bool { samples.contains { abs($0) > 0.3 } }

    private static func longestSilence(_ samples: [Float]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in samples.indices {
            if samples[index] != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        return longest
    }
}
