import JackdawBytes

/// Decodes the bits of one stretch after another, with the clock and tones learnt from the burst so far.
struct BitSequenceDecoder: Sendable, Wipeable {
    private let shift: FrequencyShift
    private let sampleRate: Double
    private var windows = BitWindows()
    private var energy: SoundEnergy
    private var trellis = BitTrellis()
    private var found: [BitTrellis.Found] = []
    private(set) var path = BitPath()
    private var gate = BurstGate()
    /// Positions of bits, for the estimate of the tones.
    private var places: [(tone: Int, step: Int)] = []
    /// Time of the first step in the stretch.
    private var offset = 0.0
    /// The carrier at the start of the next stretch.
    private var carrier: Carrier
    /// A carrier without any knowledge of its phase or level.
    private let unknown: Carrier
    /// Bit rate relative to the nominal one, and tones of space and mark in Hz, as learnt from the burst so far.
    private(set) var clock = 1.0
    private(set) var frequencies: SIMD2<Double>

    /// Clocks that are tried until one is known.
    private static let clocks = [1, 0.98, 1.02, 0.96, 1.04]
    /// Weight of the score of another clock and other tones: smeared bits may fit one by chance.
    private static let trustInOthers: Float = 0.985
    /// The range within which the clock is followed.
    private static let clockRange = 0.94...1.06
    /// Least number of bits from which the clock is estimated.
    private static let leastBits = 40
    /// Gains with which clock and tones are followed, from stretch to stretch.
    private static let clockGain = 0.5
    private static let tuningGain = 0.15
    /// Tones with which the tone estimate starts, relative to the nominal ones, and the largest number of estimates.
    private static let scales = [1, 0.96, 1.04]
    private static let estimates = 3
    /// Least offset that is corrected, in turns per bit.
    private static let leastOffset = 0.015
    /// Shift over baud up to which phases count. For tones further apart, the grid is too coarse for their phases,
    /// which carry little information.
    private static let maxCoherentShift = 2.5
    /// Least distance of the tones, as a share of the nominal one.
    private static let leastShift = 0.7
    /// Bits around a bit from which amplitude and noise are estimated.
    private static let evidenceBits = 40

    init(_ shift: FrequencyShift, sampleRate: Double) {
        self.shift = shift
        self.sampleRate = sampleRate
        energy = SoundEnergy(shift, sampleRate: sampleRate)
        frequencies = SIMD2(shift.space, shift.mark)
        unknown = Carrier(isCoherent: abs(shift.mark - shift.space) < Self.maxCoherentShift * shift.baud)
        carrier = unknown
    }

    private var nominal: SIMD2<Double> { SIMD2(shift.space, shift.mark) }
    private var samplesPerBit: Double { sampleRate / (shift.baud * clock) }

    /// The bits of bursts in the last stretch.
    var passages: [BurstGate.Passage] { gate.passages }

    mutating func wipe() {
        windows.wipe()
        energy.wipe()
        trellis.wipe()
        found.wipeCapacity()
        path.wipe()
        gate.wipe()
        places.wipeCapacity()
    }

    /// Starts a new recording; the caller must also wipe the data of the last one.
    mutating func reset() {
        gate.close()
        (clock, frequencies, carrier) = (1, nominal, unknown)
    }

    /// Decodes the bits that begin before a time.
    /// - Parameters:
    ///   - samples: the stretch, and the sound after it.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - limit: time in samples.
    /// - Returns: the time up to which everything is decoded.
    mutating func read(_ samples: Span<Float>, from offset: Double, before limit: Double) -> Double {
        self.offset = offset
        windows.forgetSound()
        energy.measure(samples)
        _ = energy.removeTones()
        if gate.isOpen {
            search(samples)
        } else {
            (clock, frequencies, carrier) = (1, nominal, unknown)
            search(samples)
            if path.strength.holdsSignal(windows.tones) { settle(samples) }
        }
        let count = path.bits.firstIndex { time($0.start) >= limit } ?? path.bits.count
        gate.pass(path, count: count, windows.tones)
        let end = count > 0 ? time(path.bits[count - 1].end) : limit
        carrier = path.carriers[count]
        followClock(gain: Self.clockGain)
        if gate.isOpen { tune(gain: Self.tuningGain) }
        return end
    }

    /// Time of a grid step in samples of the stretch.
    func time(_ step: Int) -> Double { offset + Double(step) * windows.tones.stepLength }

    /// The carrier and the noise around a bit, within its burst.
    func evidence(around index: Int, in passage: BurstGate.Passage) -> CarrierStrength.Evidence {
        let around = index - Self.evidenceBits / 2..<index + Self.evidenceBits / 2
        return path.evidence(in: around.clamped(to: passage.heard), windows.tones)
    }

    /// Searches with the current clock and tones.
    @discardableResult
    private mutating func search(_ samples: Span<Float>) -> Float {
        load(samples)
        let score = trellis.search(
            windows, from: carrier, level: gate.level, startsAnywhere: !gate.isOpen, found: &found)
        path.follow(found, windows, from: carrier)
        return score
    }

    private mutating func load(_ samples: Span<Float>) {
        windows.load(
            samples, energy, from: offset, frequencies: frequencies / sampleRate, samplesPerBit: samplesPerBit)
    }

    /// Tries other tones and other clocks.
    private mutating func settle(_ samples: Span<Float>) {
        var best = (score: search(samples), clock: 1.0, frequencies: nominal)
        let tuned = estimatedFrequencies(samples)
        for candidate in tuned == nominal ? [nominal] : [nominal, tuned] {
            for other in Self.clocks where other != 1 || candidate != nominal {
                (clock, frequencies) = (other, candidate)
                let score = search(samples) * Self.trustInOthers
                if score > best.score { best = (score, clock, frequencies) }
            }
        }
        (clock, frequencies) = (best.clock, best.frequencies)
        search(samples)
        // The positions of the burst's bits give the clock more exactly than the clocks that were tried.
        gate.look(path, windows.tones)
        followClock(gain: 1)
        search(samples)
    }

    /// The tones that explain most, estimated from their phases without a decision on any bit.
    private mutating func estimatedFrequencies(_ samples: Span<Float>) -> SIMD2<Double> {
        var best = (score: -Float.infinity, frequencies: nominal)
        for scale in Self.scales {
            frequencies = nominal * scale
            if scale != 1 { load(samples) }
            // With better tones, more of the sound contributes to the estimate.
            for _ in 0..<Self.estimates {
                let estimate = ToneEstimate(windows.tones, turnsPerBit: turnsPerBit).offsets
                let next = FSKSender.bounded(frequencies + estimate * shift.baud, shift)
                // A steady tone between the two would pull them together.
                guard abs(next.x - next.y) > Self.leastShift * abs(shift.space - shift.mark),
                    max(abs(estimate.x), abs(estimate.y)) > Self.leastOffset
                else { break }
                frequencies = next
                load(samples)
            }
            guard frequencies != nominal else { continue }
            let score = search(samples)
            if score > best.score { best = (score, frequencies) }
        }
        return best.frequencies
    }

    private var turnsPerBit: SIMD2<Double> { frequencies / sampleRate * samplesPerBit }

    /// Follows the clock by the distance between the first and the last bit of a burst.
    private mutating func followClock(gain: Double) {
        guard let heard = gate.passages.last?.heard, heard.count > Self.leastBits else { return }
        let steps = path.bits[heard.upperBound - 1].start - path.bits[heard.lowerBound].start
        let nominal = (heard.count - 1) * ToneCorrelations.stepsPerBit
        let error = Double(steps - nominal) / Double(nominal)
        clock = min(max(clock / (1 + gain * error), Self.clockRange.lowerBound), Self.clockRange.upperBound)
    }

    /// Follows the tones by the change of their phase from bit to bit.
    private mutating func tune(gain: Double) {
        guard let heard = gate.passages.last?.heard else { return }
        places.removeAll(keepingCapacity: true)
        places.growWiping(toHold: heard.count)
        for bit in path.bits[heard] where bit.start < windows.tones.count {
            places.append((bit.value, bit.start))
        }
        let estimate = ToneEstimate(windows.tones, turnsPerBit: turnsPerBit, bits: places).offsets
        for tone in 0..<2 where abs(estimate[tone]) > Self.leastOffset {
            frequencies[tone] += gain * shift.baud * estimate[tone]
        }
        // A louder sender next to this one would pull them away.
        frequencies = FSKSender.bounded(frequencies, shift)
    }
}
