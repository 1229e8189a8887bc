import JackdawDSP
import JackdawSpectrum

/// Looks at the sound of a channel beside its decoders: which line code is it likely to be?
final class LineWatch {
    private var survey: LineCodeSurvey?
    private var last: [LineGuess] = []

    /// - Throws: `SpectrumError` where there is no memory, or for a rate out of range.
    init(sampleRate: Double) throws(SpectrumError) {
        survey = try LineCodeSurvey(sampleRate: sampleRate, findsUnnamed: false)
    }

    /// What the sound seems to be, as far as it has been looked at: to within a second of the last sample.
    var guesses: [LineGuess] { survey?.guesses ?? last }

    func receive(_ samples: Span<Int16>) { survey?.receive(samples) }

    func receive(_ samples: Span<Float>) { survey?.receive(samples) }

    /// Drops what ended before a sample.
    func dropGuesses(before sample: Int) { survey?.dropGuesses(before: sample) }

    /// Looks at what is left. Where that cannot be done, the guesses are as they were: a race can do without.
    func finish() {
        last = guesses
        if let all = try? survey.take()?.finish() { last = all }
    }
}
