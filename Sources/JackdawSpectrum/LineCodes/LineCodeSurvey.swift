/// Guesses which line codes a recording holds, without decoding it. Memory stays the same for a recording of any length but
/// for what is found, and block sizes make no difference.
///
/// ```swift
/// var survey = try LineCodeSurvey(sampleRate: 44_100)
/// survey.receive(samples.span)
/// for guess in survey.finish() { print(guess.modeName, guess.baud) }
/// ```
public struct LineCodeSurvey: ~Copyable, Sendable {
    /// More would be noise that looks like much.
    private static let mostGuesses = 1_000
    /// Seconds of sound that are looked at together; half of them come again with the next.
    private static let windowLength = 1.0
    /// Guesses of one sender stray less than this, as a share of the baud.
    private static let strayOfBaud = 0.03
    /// Chips that keep to their rate this well are chips.
    private static let clearRegularity = 0.8

    /// Samples per second, in Hz.
    public let sampleRate: Double

    private var window: SampleBuffer
    private var transform: RealTransform
    private let shelf = TransformShelf()
    /// Samples before those in the window.
    private var past = 0
    private var hasNews = false
    /// What was found so far, in the order of time; the last may yet become longer.
    public private(set) var guesses: [LineGuess] = []

    /// A survey of nothing yet.
    /// - Parameter sampleRate: in Hz, within ``RecordingSurvey/sampleRates``.
    /// - Throws: ``SpectrumError`` with code `unsupportedSampleRate` or `outOfMemory`.
    public init(sampleRate: Double) throws(SpectrumError) {
        guard RecordingSurvey.sampleRates.contains(sampleRate) else {
            throw SpectrumError(
                code: .unsupportedSampleRate,
                description: "the sample rate is \(sampleRate) Hz; line codes are told from 8000 to 192000 Hz")
        }
        let capacity = 2 * Int(sampleRate * LineCodeSurvey.windowLength / 2)
        var count = 64
        while count < capacity { count *= 2 }
        // A type that cannot be copied is made at once or not at all.
        let transform = try RealTransform(count: count)
        self.transform = transform
        self.sampleRate = sampleRate
        window = SampleBuffer(capacity: capacity)
    }

    /// Takes the next samples, full scale ±1.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while start < samples.count {
            window.take(samples, from: &start)
            hasNews = true
            if window.isFull {
                survey()
                past += window.capacity / 2
                window.keep(last: window.capacity / 2)
            }
        }
    }

    /// Ends the recording.
    /// - Returns: what was found, in the order of time; one guess for all that follows in one code.
    public consuming func finish() -> [LineGuess] {
        if hasNews { survey() }
        return guesses
    }

    private mutating func survey() {
        hasNews = false
        window.replaceSamples(beyond: 1e6)
        let (rate, shelf) = (sampleRate, shelf)
        let last = guesses.last.flatMap { $0.samples.upperBound > past ? $0 : nil }
        let found = window.withSamples { samples in
            let window = SoundWindow(samples, sampleRate: rate, &transform, shelf)
            return last.flatMap(ToneSearch(window).guess) ?? LineCodeSurvey.search(window)
        }
        guard let (guess, place) = found else { return }
        add(guess.placed(past + Int(place.lowerBound * sampleRate)..<past + Int(place.upperBound * sampleRate)))
    }

    private static func search(_ window: SoundWindow) -> (guess: LineGuess, place: Range<Double>)? {
        let levels = LevelSearch(window).guess()
        if let levels, levels.guess.regularity > LineCodeSurvey.clearRegularity { return levels }
        // Two tones of whole half waves a bit look like chips, chips somewhat like two tones: the better one is right.
        guard let tones = ToneSearch(window).guess() else { return levels }
        guard let levels, levels.guess.regularity > tones.guess.regularity else { return tones }
        return levels
    }

    private mutating func add(_ guess: LineGuess) {
        if let last = guesses.last, last.modeName == guess.modeName,
            abs(last.baud - guess.baud) < LineCodeSurvey.strayOfBaud * guess.baud,
            guess.samples.lowerBound < last.samples.upperBound + window.capacity / 2
        {
            guesses[guesses.count - 1] = last.joined(with: guess)
        } else if guesses.count < LineCodeSurvey.mostGuesses {
            guesses.append(guess)
        }
    }
}

extension LineGuess {
    /// The same at its place in the recording.
    fileprivate func placed(_ samples: Range<Int>) -> LineGuess {
        LineGuess(
            modeName: modeName, carrier: carrier, baud: baud, fit: fit, regularity: regularity,
            transitions: transitions, samples: samples)
    }
}
