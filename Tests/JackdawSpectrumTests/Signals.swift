import Foundation
import JackdawSpectrum
import JackdawTestSupport

/// Signals whose truth is known, added up in double precision.
struct Signal {
    let sampleRate: Double
    var values: [Double]

    init(seconds: Double, sampleRate: Double = 44_100) {
        self.sampleRate = sampleRate
        values = [Double](repeating: 0, count: Int(seconds * sampleRate))
    }

    var samples: [Float] { values.map { Float($0) } }

    /// A sine of a level in dBFS, over a part of the signal in seconds with soft ends (hard ones would spread it).
    func tone(_ frequency: Double, _ level: Double, in part: Range<Double> = 0..<1e9, phase: Double = 0.3) -> Signal {
        var result = self
        let amplitude = pow(10, level / 20)
        let (whole, ramp) = (part.upperBound >= 1e9 && part.lowerBound <= 0, 0.05)
        for index in indices(part) {
            let time = Double(index) / sampleRate
            let distance = min(time - part.lowerBound, part.upperBound - time)
            let fade = whole ? 1 : sin(.pi / 2 * min(1, distance / ramp))
            result.values[index] += fade * fade * amplitude * sin(2 * .pi * frequency * time + phase)
        }
        return result
    }

    /// White Gaussian noise of an RMS level in dBFS (a sine of full scale has 0 dBFS).
    func noise(_ level: Double, seed: UInt64, in part: Range<Double> = 0..<1e9) -> Signal {
        var result = self
        var random = SeededRandom(seed: seed)
        let deviation = pow(10, level / 20) / 2.0.squareRoot()
        for index in indices(part) {
            let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &random))).squareRoot()
            result.values[index] += deviation * radius * cos(.random(in: 0..<2 * .pi, using: &random))
        }
        return result
    }

    /// Many sines of random phase, 20 Hz apart: noise with sharp edges.
    func band(_ range: ClosedRange<Double>, _ level: Double, seed: UInt64, in part: Range<Double> = 0..<1e9) -> Signal {
        var result = self
        var random = SeededRandom(seed: seed)
        let frequencies = Array(stride(from: range.lowerBound, through: range.upperBound, by: 20))
        let each = level - 10 * log10(Double(frequencies.count))
        for frequency in frequencies {
            result = result.tone(frequency, each, in: part, phase: .random(in: 0..<6, using: &random))
        }
        return result
    }

    func offset(_ value: Double) -> Signal { mapped { $0 + value } }

    func scaled(_ factor: Double) -> Signal { mapped { $0 * factor } }

    func clipped() -> Signal { mapped { min(max($0, -1), 1) } }

    /// Rounded to 16 bits, as most recordings are.
    func sixteenBit() -> Signal {
        mapped { min(max(($0 * 32_768).rounded(), -32_768), 32_767) / 32_768 }
    }

    func report(blockSize: Int? = nil) throws -> RecordingReport {
        try survey(samples, sampleRate: sampleRate, blockSize: blockSize)
    }

    private func mapped(_ change: (Double) -> Double) -> Signal {
        var result = self
        result.values = values.map(change)
        return result
    }

    private func indices(_ part: Range<Double>) -> Range<Int> {
        let range = part.clamped(to: 0..<Double(values.count) / sampleRate)
        return Int(range.lowerBound * sampleRate)..<min(values.count, Int(range.upperBound * sampleRate))
    }
}

/// Surveys samples in blocks of a size, or at once.
func survey(_ samples: [Float], sampleRate: Double = 44_100, blockSize: Int? = nil) throws -> RecordingReport {
    var survey = try RecordingSurvey(sampleRate: sampleRate)
    let size = max(1, blockSize ?? samples.count)
    for start in stride(from: 0, to: samples.count, by: size) {
        survey.receive(samples.span.extracting(start..<min(start + size, samples.count)))
    }
    return survey.finish()
}

/// Whether two numbers differ by no more than a tolerance.
func isNear(_ first: Double, _ second: Double, _ tolerance: Double) -> Bool { abs(first - second) <= tolerance }
