public import JackdawDSP

/// The line code that a stretch of sound is most likely in, found by a ``LineCodeSurvey`` without decoding it.
public struct LineGuess: Sendable, Hashable {
    /// What carries the symbols.
    public enum Carrier: Sendable, Hashable {
        /// Two tones: those of 1 and 0, in Hz, as measured.
        case tones(LineBurst.Tones)
        /// Two levels: Manchester chips, bits that carry them, or bits of a Manchester UART.
        case levels
    }

    /// The name of a mode whose tones are those of no mode that has a name: they are measured, and the higher one is taken for
    /// the mark if the line rests on it.
    public static let unnamed = "fsk"

    /// Name of the nearest mode, as `LineMode(named:)` takes it; or ``unnamed``.
    public let modeName: String
    /// What carries the symbols.
    public let carrier: Carrier
    /// Symbols a second: bits of tones and of a Manchester UART, chips (half bits) of Manchester nibbles.
    public let baud: Double
    /// How near the tones and the baud are to those of the mode, 0 to 1; a sender whose clock is off by some percent, and
    /// everything with it, is nearer than one whose tones and baud disagree.
    public let fit: Double
    /// How well the transitions keep to the baud, 0 to 1: 1 without noise, about 0.7 where one bit in a hundred is lost.
    public let regularity: Double
    /// Transitions that were measured.
    public let transitions: Int
    /// Where it was heard, in samples from the start of the recording, to about a twentieth of a second.
    public let samples: Range<Int>

    /// One guess for two stretches of the same line.
    func joined(with next: LineGuess) -> LineGuess {
        let share = Double(next.transitions) / Double(transitions + next.transitions)
        func mean(_ first: Double, _ second: Double) -> Double { first + share * (second - first) }
        var carrier = carrier
        if case .tones(let mine) = carrier, case .tones(let others) = next.carrier {
            carrier = .tones(
                LineBurst.Tones(mark: mean(mine.mark, others.mark), space: mean(mine.space, others.space)))
        }
        return LineGuess(
            modeName: modeName, carrier: carrier, baud: mean(baud, next.baud), fit: mean(fit, next.fit),
            regularity: mean(regularity, next.regularity), transitions: transitions + next.transitions,
            samples: min(samples.lowerBound, next.samples.lowerBound)..<max(samples.upperBound, next.samples.upperBound)
        )
    }
}
