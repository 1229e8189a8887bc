import JackdawBytes

/// Versions of a segment for another search, without hum, and with the pulses made visible again that rails or a
/// coupling capacitor have changed.
enum RepairedSound {
    /// How changed pulses are treated.
    enum Version: CaseIterable {
        /// Nothing was cut off.
        case plain
        /// Expansion towards the rails (the inverse of a hyperbolic tangent), so that the tops of pulses regain their
        /// height over the hum.
        case expanded
        /// A cubic over each clipped run, from the values and slopes on both sides.
        case filled
        /// The low frequencies that a coupling capacitor took from a slow swipe are restored, after the expansion if the
        /// sound was clipped.
        case restored
    }

    /// The versions of one segment, each made when it is first needed.
    struct Versions {
        /// Those that are worth a search, in the order of their success.
        let all: [Version]
        let sampleRate: Double
        @Wiped private var samples: [Float]
        @Wiped private var silence: [Float]
        private var made: [Version: WorkingSound] = [:]

        /// - Parameters:
        ///   - samples: the segment.
        ///   - silence: the sound after it, from which the hum is estimated, too; default: none.
        ///   - sampleRate: samples per second (Hz).
        init(of samples: [Float], before silence: [Float] = [], sampleRate: Double) {
            all = RepairedSound.versions(of: samples, sampleRate: sampleRate)
            self.sampleRate = sampleRate
            self.samples = samples
            self.silence = silence
        }

        /// The samples of a version; must not be kept longer than the versions.
        subscript(version: Version) -> [Float] {
            mutating get {
                if let sound = made[version] { return sound.samples }
                var whole = samples + silence
                defer { whole.wipe() }
                var sound = RepairedSound.make(whole, version: version, sampleRate: sampleRate)
                sound.removeLast(silence.count)
                made[version] = WorkingSound(samples: sound, step: 0, lost: [])
                return sound
            }
        }
    }

    /// Samples at the peak have this share of it before the expansion, which makes full scale infinite.
    private static let fullScale: Float = 0.9995
    /// A cubic does not exceed this multiple of the largest other sample.
    private static let highestFill: Float = 4

    /// The versions that are worth a search, in the order of their success.
    static func versions(of samples: [Float], sampleRate: Double) -> [Version] {
        guard samples.count > 200 else { return [] }
        let isSlow = CouplingCapacitor.distorts(cell: RateLadder.coarseCell(samples) / sampleRate)
        return (Rails(of: samples).exist ? [.expanded, .filled] : [.plain]) + (isSlow ? [.restored] : [])
    }

    /// Makes a version of a segment.
    /// - Parameters:
    ///   - samples: the segment, more than 200 samples.
    ///   - version: the treatment of changed pulses.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: the samples, 0 for each that the hum alone would have brought to its rail.
    static func make(_ samples: [Float], version: Version, sampleRate: Double) -> [Float] {
        var sound = samples
        if version == .expanded || version == .restored && Rails(of: samples).exist {
            let peak = samples.reduce(Float(1e-9)) { max($0, abs($1)) }
            for index in sound.indices { sound[index] = expanded(sound[index] / peak * fullScale) }
        }
        let rails = Rails(of: sound)
        let signs = sound.map(rails.sign)
        let hum = CensoredHumFit(sound, rails: rails, sampleRate: sampleRate).hum
        for index in sound.indices {
            sound[index] -= hum[index]
            // The sound is at least at the rail. If the hum alone is beyond it, it can be anything.
            switch signs[index] {
            case 1: sound[index] = max(sound[index], 0)
            case -1: sound[index] = min(sound[index], 0)
            default: break
            }
        }
        if version == .filled { fill(&sound, signs) }
        if version == .restored { CouplingCapacitor.compensate(&sound, sampleRate: sampleRate) }
        return sound
    }

    /// The inverse of a hyperbolic tangent.
    private static func expanded(_ value: Float) -> Float {
        let value = Double(value)
        return Float(0.5 * Numerics.logarithm((1 + value) / (1 - value)))
    }

    private static func fill(_ sound: inout [Float], _ signs: [Int8]) {
        var highest: Float = 0
        for index in sound.indices where signs[index] == 0 { highest = max(highest, abs(sound[index])) }
        var first = 0
        while first < signs.count {
            var end = first + 1
            while end < signs.count, signs[end] == signs[first] { end += 1 }
            if signs[first] != 0, first >= 2, end + 2 <= sound.count {
                fill(&sound, first..<end, sign: Float(signs[first]), limit: Self.highestFill * highest)
            }
            first = end
        }
    }

    /// Fills a clipped run by a Hermite cubic, never below what the rail shows.
    private static func fill(_ sound: inout [Float], _ run: Range<Int>, sign: Float, limit: Float) {
        let (before, after) = (sound[run.lowerBound - 1], sound[run.upperBound])
        let length = Float(run.count + 1)
        let slopeBefore = (before - sound[run.lowerBound - 2]) * length
        let slopeAfter = (sound[run.upperBound + 1] - after) * length
        for index in run {
            let time = Float(index - run.lowerBound + 1) / length
            let rest = 1 - time
            let cubic =
                before * (1 + 2 * time) * rest * rest + after * time * time * (3 - 2 * time)
                + slopeBefore * time * rest * rest - slopeAfter * time * time * rest
            sound[index] = sign * min(max(sign * cubic, sign * sound[index]), max(limit, sign * sound[index]))
        }
    }
}
