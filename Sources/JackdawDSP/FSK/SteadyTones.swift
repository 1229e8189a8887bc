import JackdawBytes

/// The steady tones in a band of sound, other than those that are keyed: hum and its overtones, a whistle.
///
/// They can be as loud in the band as strong noise, but unlike noise they do not fit a path by chance.
struct SteadyTones: Sendable, Wipeable {
    /// One of the steady tones.
    private struct Tone {
        /// Frequency in turns per sample.
        let turns: Double
        /// Real and imaginary part at the first sample.
        let amplitude: SIMD2<Double>
    }

    /// Middle of the band in turns per sample, and half of its width.
    private let middle: Double
    private let halfWidth: Double
    /// The keyed tones in turns per sample, and the least distance of a steady tone from each.
    private let keyed: SIMD2<Double>
    private let clearance: SIMD2<Double>
    /// Samples that are combined into one when the band is shifted to 0 Hz, and their weights.
    private let decimation: Int
    private let weights: [SIMD2<Float>]

    private var window: [Float] = []
    private var baseband: [SIMD2<Float>] = []
    private var spectrum: [SIMD2<Float>] = []
    private var powers: [Float] = []
    private var sorted: [Float] = []
    private var tones: [Tone] = []
    private var transform = FourierTransform()

    /// The least power of a tone, as a multiple of the median over the frequencies in the band: noise reaches it at one
    /// in 17 million of them.
    private static let leastPower: Float = 24
    /// Tones that are removed at most, and the largest number of peaks examined per tone.
    private static let maxTones = 16
    private static let peaksPerTone = 4
    /// Turns in the stretch by which two tones can be separated: half the main lobe of the window.
    private static let lobe = 3.0
    /// The search range from the middle of the band, in halves of its width: just outside the band, the filters leave
    /// some of the tones.
    private static let searchWidth = 1.5
    /// A tone must exceed the median within this distance on either side by the same factor, in halves of the band's
    /// width: noise may be loud in a part of the band.
    private static let neighbourhood = 0.2
    /// Samples of the band from which on tones can be distinguished from noise.
    private static let leastCount = 64

    /// - Parameters:
    ///   - band: the band in turns per sample.
    ///   - keyed: the keyed tones in turns per sample.
    ///   - clearance: turns per sample by which a steady tone must be away from each of them.
    init(band: ClosedRange<Double>, keyed: SIMD2<Double>, clearance: SIMD2<Double>) {
        middle = (band.lowerBound + band.upperBound) / 2
        halfWidth = (band.upperBound - band.lowerBound) / 2
        self.keyed = keyed
        self.clearance = clearance
        // The band occupies a quarter of the decimated spectrum, so that neither its mirror image nor the sound next to
        // it folds into it.
        decimation = max(1, Int(1 / (8 * halfWidth)))
        let length = decimation == 1 ? 1 : 4 * decimation
        var oscillator = Oscillator(turns: -middle)
        weights = (0..<length).map { index in
            let sine = Numerics.sineAndCosine(turns: (Double(index) + 0.5) / Double(2 * length)).sine
            return SIMD2<Float>(oscillator.next() * (2 * sine * sine / Double(length)))
        }
    }

    mutating func wipe() {
        window.wipeCapacity()
        baseband.wipeCapacity()
        spectrum.wipeCapacity()
        powers.wipeCapacity()
        sorted.wipeCapacity()
        tones.wipeCapacity()
    }

    /// Removes the steady tones from a stretch.
    /// - Parameter sound: the sound of the band.
    /// - Returns: whether there were any.
    @discardableResult
    mutating func remove(from sound: inout [Float]) -> Bool {
        tones.removeAll(keepingCapacity: true)
        let count = (sound.count - weights.count) / decimation + 1
        guard count >= Self.leastCount else { return false }
        prepareWindow(count)
        bringDown(sound, count: count)
        measureSpectrum()
        findTones()
        for tone in tones { Self.subtract(tone, from: &sound) }
        return !tones.isEmpty
    }

    private mutating func bringDown(_ sound: [Float], count: Int) {
        baseband.resize(count)
        var oscillator = Oscillator(turns: -middle * Double(decimation))
        for index in 0..<count {
            var sum = SIMD2<Float>.zero
            for offset in weights.indices { sum += weights[offset] * sound[index * decimation + offset] }
            baseband[index] = Self.product(sum, SIMD2<Float>(oscillator.next()))
        }
    }

    /// Computes the powers at frequencies from the middle of the band up, and then from below it up to the middle.
    private mutating func measureSpectrum() {
        let count = baseband.count
        var size = 1
        while size < count { size *= 2 }
        spectrum.resize(size)
        for index in 0..<count { spectrum[index] = baseband[index] * window[index] }
        for index in count..<size { spectrum[index] = .zero }
        transform.transform(&spectrum)
        powers.resize(size)
        for index in 0..<size { powers[index] = (spectrum[index] * spectrum[index]).sum() }
    }

    /// Blackman's window: the side lobes of a tone are 58 dB below its main lobe.
    private mutating func prepareWindow(_ count: Int) {
        guard window.count != count else { return }
        window.resize(count)
        var oscillator = Oscillator(turns: 1 / Double(count + 1))
        _ = oscillator.next()
        for index in 0..<count {
            let cosine = oscillator.next().x
            window[index] = Float(0.42 - 0.5 * cosine + 0.08 * (2 * cosine * cosine - 1))
        }
    }

    private mutating func findTones() {
        // Turns per sample from one frequency to the next, and the number of frequencies on either side of the middle.
        let spacing = 1 / Double(powers.count * decimation)
        let half = min(Int(halfWidth / spacing), powers.count / 2 - 1)
        let least = Self.leastPower * medianPower(in: -half...half)
        let lobe = Self.lobe * Double(powers.count) / Double(baseband.count)
        // Tones exist only between 0 Hz and half the sample rate.
        let most = Int(min(Self.searchWidth * halfWidth / spacing, Double(powers.count / 2 - 1)))
        let range = max(-most, Int(-middle / spacing) + 1)...min(most, Int((0.5 - middle) / spacing) - 1)
        tones.growWiping(toHold: Self.maxTones)
        for _ in 0..<Self.peaksPerTone * Self.maxTones where tones.count < Self.maxTones {
            var loudest = 0
            var power = least
            for index in range where self[index] > power { (loudest, power) = (index, self[index]) }
            guard power > least else { return }
            let place = Double(loudest) + peak(around: loudest)
            let turns = middle + place * spacing
            let neighbours = Int(Self.neighbourhood * Double(half))
            if abs(turns - keyed.x) > clearance.x, abs(turns - keyed.y) > clearance.y,
                power > Self.leastPower * medianPower(in: loudest - neighbours...loudest + neighbours)
            {
                tones.append(tone(turns))
            }
            for index in Int(place - lobe)...Int(place + lobe) { self[index] = 0 }
        }
    }

    /// The median power over a range, without the tones that were already found.
    private mutating func medianPower(in range: ClosedRange<Int>) -> Float {
        sorted.removeAll(keepingCapacity: true)
        sorted.growWiping(toHold: range.count)
        for index in range where self[index] > 0 { sorted.append(self[index]) }
        sorted.sort()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// Power at a frequency index, counted from the middle of the band.
    private subscript(index: Int) -> Float {
        get { powers[index & (powers.count - 1)] }
        set { powers[index & (powers.count - 1)] = newValue }
    }

    /// Position of the maximum of a parabola through the logarithms of three powers, -1/2 to 1/2.
    private func peak(around index: Int) -> Double {
        func level(_ index: Int) -> Double {
            Numerics.logarithm(Double(min(max(self[index], .leastNormalMagnitude), .greatestFiniteMagnitude)))
        }
        let (before, here, behind) = (level(index - 1), level(index), level(index + 1))
        let curvature = before - 2 * here + behind
        return curvature < 0 ? max(-0.5, min((before - behind) / (2 * curvature), 0.5)) : 0
    }

    /// Estimates the amplitude of a tone in the stretch.
    private func tone(_ turns: Double) -> Tone {
        var (sum, total) = (SIMD2<Double>.zero, 0.0)
        var oscillator = Oscillator(turns: (middle - turns) * Double(decimation))
        for index in baseband.indices {
            sum += Self.product(SIMD2<Double>(baseband[index]), oscillator.next()) * Double(window[index])
            total += Double(window[index])
        }
        // The gain of the tone through the decimation.
        var response = SIMD2<Double>.zero
        oscillator = Oscillator(turns: turns)
        for weight in weights { response += Self.product(SIMD2<Double>(weight), oscillator.next()) }
        let scale = 2 / (total * (response * response).sum())
        return Tone(turns: turns, amplitude: Self.product(sum, SIMD2(response.x, -response.y)) * scale)
    }

    private static func subtract(_ tone: Tone, from sound: inout [Float]) {
        var oscillator = Oscillator(turns: tone.turns)
        for index in sound.indices { sound[index] -= Float(product(tone.amplitude, oscillator.next()).x) }
    }

    @inline(__always)
    private static func product<Scalar>(_ first: SIMD2<Scalar>, _ second: SIMD2<Scalar>) -> SIMD2<Scalar>
    where Scalar: BinaryFloatingPoint {
        SIMD2(first.x * second.x - first.y * second.y, first.x * second.y + first.y * second.x)
    }
}
