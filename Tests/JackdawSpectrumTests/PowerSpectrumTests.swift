import JackdawSpectrum
import JackdawTestSupport
import Testing

@Suite("Power spectrum")
struct PowerSpectrumTests {
    private func power(
        of samples: [Float], blockSize: Int, segmentCount: Int = 1_024, window: WindowFunction = .hann
    ) throws -> [Double] {
        var spectrum = try PowerSpectrum(sampleRate: 44_100, segmentCount: segmentCount, window: window)
        for start in stride(from: 0, to: samples.count, by: blockSize) {
            spectrum.receive(samples.span.extracting(start..<min(start + blockSize, samples.count)))
        }
        spectrum.finish()
        return spectrum.power
    }

    /// The bins of a tone add up to A² / 2, on a bin and between two.
    @Test(arguments: [WindowFunction.hann, .blackmanHarris], [100.0, 100.5, 100.25])
    func toneLevel(window: WindowFunction, bin: Double) throws {
        let signal = Signal(seconds: 1).tone(bin * 44_100 / 1_024, -6)
        let power = try power(of: signal.samples, blockSize: 10_000, window: window)
        let level = Decibels.level(ofPower: power[90...110].reduce(0, +))
        #expect(isNear(level, -6, 0.01), "\(level)")
    }

    @Test func whiteNoise() throws {
        let signal = Signal(seconds: 4).noise(-20, seed: 1)
        let power = try power(of: signal.samples, blockSize: 10_000)
        #expect(isNear(Decibels.level(ofPower: power.reduce(0, +)), -20, 0.1))
        // Each bin has its share, within what 340 segments stray.
        let each = power.reduce(0, +) / 512
        #expect(power[2..<510].allSatisfy { $0 > each * 0.7 && $0 < each * 1.4 })
    }

    @Test func blockSizeMakesNoDifference() throws {
        let samples = Signal(seconds: 0.5).noise(-20, seed: 2).tone(1_000, -10).samples
        let whole = try power(of: samples, blockSize: samples.count)
        for blockSize in [1, 7, 240] { #expect(try power(of: samples, blockSize: blockSize) == whole) }
    }

    /// The first and the last bin stand for one frequency, the others for two.
    @Test func ends() throws {
        let alternating = (0..<10_000).map { Float($0 % 2 == 0 ? 0.5 : -0.5) }
        #expect(try isNear(power(of: alternating, blockSize: 10_000).reduce(0, +), 0.25, 1e-5))
        let constant = [Float](repeating: 0.5, count: 10_000)
        #expect(try isNear(power(of: constant, blockSize: 10_000).reduce(0, +), 0.25, 1e-5))
    }

    @Test func segmentsOverlapByHalf() throws {
        var spectrum = try PowerSpectrum(sampleRate: 8_000, segmentCount: 100)
        for (count, segments) in [(99, 0), (1, 1), (49, 1), (1, 2), (50, 3), (250, 8)] {
            spectrum.receive([Float](repeating: 0.1, count: count).span)
            #expect(spectrum.segments == segments)
        }
        spectrum.finish()
        #expect(spectrum.segments == 8)
        #expect(spectrum.binWidth == 80)
    }

    @Test(arguments: [0.0, -1, .nan]) func refusesNoRate(sampleRate: Double) {
        let error = #expect(throws: SpectrumError.self) {
            _ = try PowerSpectrum(sampleRate: sampleRate, segmentCount: 100)
        }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test func shortStreams() throws {
        let signal = Signal(seconds: 0.01).tone(5_000, -12)
        let power = try power(of: signal.samples, blockSize: 1_000, segmentCount: 4_096)
        #expect(isNear(Decibels.level(ofPower: power.reduce(0, +)), -12, 0.2))
        #expect(try self.power(of: [], blockSize: 1).allSatisfy { $0 == 0 })
        #expect(try self.power(of: [0.5], blockSize: 1).allSatisfy { $0.isFinite })
    }
}
