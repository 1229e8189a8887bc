import JackdawDSP
import Glibc

/// What the sound of a named mode is known by.
enum LineSignature {
    /// Two tones.
    struct Tones {
        let name: String
        let shift: FrequencyShift

        var low: Double { min(shift.mark, shift.space) }
        var high: Double { max(shift.mark, shift.space) }
    }

    /// Two levels, each for one chip or two.
    struct Levels {
        let name: String
        /// Chips or bits a second.
        let baud: Double
        /// Symbols from one start symbol to the next, each of which begins with the same transition.
        let frame: Double
    }

    /// One tone, upright or upside down for each bit, a turn of it long.
    struct Phases {
        let name: String
        /// Bits a second.
        let baud: Double
    }

    /// The modes with tones, each keying once, under its first name.
    static let tones: [Tones] = {
        var found: [Tones] = []
        for mode in LineMode.all {
            guard case .frequencyShift(let shift, _) = mode.code, !found.contains(where: { $0.shift == shift }) else {
                continue
            }
            found.append(Tones(name: mode.name, shift: shift))
        }
        return found
    }()

    /// The modes with levels whose frames follow each other.
    static let levels: [Levels] = LineMode.all.compactMap { mode in
        switch mode.code {
        case .nibbles(let line): Levels(name: mode.name, baud: line.chipRate, frame: 10)
        case .dynamo(let line): Levels(name: mode.name, baud: line.baud, frame: 10)
        case .frequencyShift, .frequencyShiftBits, .serialManchester: nil
        }
    }

    /// The modes with bits of one turn, whose characters come at any time among many ones.
    static let phases: [Phases] = LineMode.all.compactMap { mode in
        guard case .serialManchester(let line) = mode.code else { return nil }
        return Phases(name: mode.name, baud: line.baud)
    }

    /// How near measured values are to nominal ones: a clock that is off moves all of them alike, by a few percent; each by
    /// itself is off by less.
    /// - Returns: 0 to 1.
    static func fit(_ measured: [Double], to nominal: [Double]) -> Double {
        let (clock, each) = (0.05, 0.02)
        let ratios = zip(measured, nominal).map { log($0 / $1) }
        let common = ratios.reduce(0, +) / Double(ratios.count)
        let cost = ratios.reduce(common * common / (clock * clock)) { sum, ratio in
            sum + (ratio - common) * (ratio - common) / (each * each)
        }
        return exp(-cost / 4)
    }
}
