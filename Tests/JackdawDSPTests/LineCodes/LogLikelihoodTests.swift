import Testing

@testable import JackdawDSP

struct LogLikelihoodTests {
    /// What is three times as likely as its opposite is right in three cases of four.
    @Test(
        arguments: [
            (0, 0.5), (1.098_612_3, 0.75), (4.595_12, 0.99), (200, 1), (.infinity, 1), (-1, 0.5),
        ] as [(Float, Float)])
    func confidenceIsAProbability(ratio: Float, confidence: Float) {
        #expect(abs(LogLikelihood.confidence(ratio) - confidence) < 1e-6)
    }

    /// One meaning on every line: a coin toss is a half.
    @Test func allLinesMeanTheSame() throws {
        let bytes = BasebandBench.random(60, seed: 1)
        for name in ["bell202", "unimag", "hijack"] {
            let mode = try LineMode(named: name)
            let clean = BasebandBench.samples(bytes, try mode.encoder(sampleRate: 44_100, level: -26.0206))
            let samples = BasebandBench.spoil(clean, sampleRate: 44_100, .init(noise: 0.035, seed: 2))
            let reading = BasebandBench.receive(samples, try mode.decoder(sampleRate: 44_100))
            #expect(!reading.characters.isEmpty)
            #expect(reading.characters.allSatisfy { (0.5...1).contains($0.confidence) }, "\(name)")
        }
    }
}
