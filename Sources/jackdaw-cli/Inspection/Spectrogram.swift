import JackdawDSP
import JackdawSpectrum

/// Levels over time and frequency, as fine as a picture shows.
struct Spectrogram {
    private static let columns = 600

    /// In dBFS, a row for each frequency from 0 Hz, in it a level for each time.
    private(set) var levels: [[Double]] = []
    /// Time of the first column in seconds from the start of the recording, and the distance of two.
    let firstTime: Double
    let timeStep: Double
    /// Distance of two rows in Hz, and where they end.
    let frequencyStep: Double
    let topFrequency: Double
    /// The highest level there is.
    private(set) var loudest = Decibels.silence

    init(_ line: LineInspection) throws(SpectrumError) {
        let rate = line.sampleRate
        var top = 3 * line.guess.baud
        if case .tones(let tones) = line.guess.carrier { top = max(top, 1.8 * max(tones.mark, tones.space)) }
        topFrequency = min(top, rate / 2)
        // Two bits tell tones apart that one bit's time would blur, and still show where they change.
        var count = 64
        while Double(count) < 2 * rate / line.guess.baud { count *= 2 }
        frequencyStep = rate / Double(count)
        let rows = min(count / 2, Int(topFrequency / frequencyStep)) + 1
        let hop = max(1, (line.samples.count - count) / Self.columns)
        timeStep = Double(hop) / rate
        firstTime = (Double(line.firstSample) + Double(count) / 2) / rate
        let weights = WindowFunction.hann.weights(count: count)
        let scale = 8 / (Double(count) * Double(count))
        var transform = try RealTransform(count: count)
        var power = [Float](repeating: 0, count: transform.binCount)
        var columns: [[Double]] = []
        line.samples.withElements { samples in
            for start in stride(from: 0, through: samples.count - count, by: hop) {
                var target = power.mutableSpan
                transform.power(
                    of: samples.extracting(start..<start + count), weightedBy: weights.span, into: &target)
                columns.append(power.prefix(rows).map { Decibels.level(ofPower: Double($0) * scale) })
            }
        }
        if columns.isEmpty { columns = [[Double](repeating: Decibels.silence, count: rows)] }
        levels = (0..<rows).map { row in columns.map { $0[row] } }
        loudest = columns.joined().max() ?? Decibels.silence
    }
}
