import JackdawDSP

/// Guesses which line codes a recording holds, without decoding it. Memory stays the same for a recording of any length but
/// for what is found, and block sizes make no difference.
///
/// ```swift
/// var survey = try LineCodeSurvey(sampleRate: 44_100)
/// survey.receive(samples.span)
/// for guess in try survey.finish() { print(guess.modeName, guess.baud) }
/// ```
public struct LineCodeSurvey: ~Copyable, Sendable {
    /// More would be noise that looks like much.
    private static let mostGuesses = 1_000
    /// Seconds of sound that are looked at together; half of them come again with the next.
    private static let windowLength = 1.0
    /// Guesses of one sender stray less than this, as a share of the baud, and of tones that were measured.
    private static let stray = 0.03
    /// Chips that keep to their rate this well are chips.
    private static let clearRegularity = 0.8

    /// Samples per second, in Hz.
    public let sampleRate: Double
    /// Whether tones of no mode that has a name are looked for.
    private let findsUnnamed: Bool

    private var window: SampleBuffer
    private var transform: RealTransform
    private let shelf = TransformShelf()
    /// Samples before those in the window.
    private var past = 0
    private var hasNews = false
    /// Why no more is looked for.
    private var failure: SpectrumError?
    /// What was found so far, in the order of time; the last may yet become longer.
    public private(set) var guesses: [LineGuess] = []

    /// A survey of nothing yet.
    /// - Parameters:
    ///   - sampleRate: in Hz, within ``RecordingSurvey/sampleRates``.
    ///   - findsUnnamed: whether to look for tones of no mode that has a name, too: the search that takes longest.
    /// - Throws: ``SpectrumError`` with code `unsupportedSampleRate` or `outOfMemory`.
    public init(sampleRate: Double, findsUnnamed: Bool = true) throws(SpectrumError) {
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
        self.findsUnnamed = findsUnnamed
        window = SampleBuffer(capacity: capacity)
    }

    /// Takes the next samples, full scale ±1.
    ///
    /// Without memory for a transform no more is looked for, and ``finish()`` says so.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while start < samples.count {
            window.take(samples, from: &start)
            advance()
        }
    }

    /// Takes the next 16-bit samples.
    public mutating func receive(_ samples: Span<Int16>) {
        var start = 0
        while start < samples.count {
            window.take(samples, from: &start)
            advance()
        }
    }

    /// Drops the guesses that ended before a sample of the recording, so that one without end has room for more.
    public mutating func dropGuesses(before sample: Int) {
        guesses.removeAll { $0.samples.upperBound < sample }
    }

    /// Ends the recording.
    /// - Returns: what was found, in the order of time; one guess for all that follows in one code.
    /// - Throws: ``SpectrumError`` with code `outOfMemory`: not all of it could be looked at.
    public consuming func finish() throws(SpectrumError) -> [LineGuess] {
        if hasNews { survey() }
        if let failure { throw failure }
        return guesses
    }

    /// Looks at the window once it is full.
    private mutating func advance() {
        hasNews = true
        guard window.isFull else { return }
        survey()
        past += window.capacity / 2
        window.keep(last: window.capacity / 2)
    }

    private mutating func survey() {
        guard failure == nil else { return }
        do throws(SpectrumError) {
            try look()
        } catch {
            failure = error
        }
    }

    private mutating func look() throws(SpectrumError) {
        hasNews = false
        window.replaceSamples(beyond: 1e6)
        let (rate, shelf, findsUnnamed) = (sampleRate, shelf, findsUnnamed)
        let last = guesses.last.flatMap { $0.samples.upperBound > past ? $0 : nil }
        let found = try window.withSamples { (samples) throws(SpectrumError) -> Found? in
            let window = SoundWindow(samples, sampleRate: rate, &transform, shelf)
            if let last, let again = try ToneSearch(window).guess(like: last) { return again }
            return try LineCodeSurvey.search(window, findsUnnamed: findsUnnamed)
        }
        guard let (guess, place) = found else { return }
        add(guess.placed(past + Int(place.lowerBound * sampleRate)..<past + Int(place.upperBound * sampleRate)))
    }

    /// A guess, and where in the window it was heard, in seconds.
    private typealias Found = (guess: LineGuess, place: Range<Double>)

    private static func search(_ window: SoundWindow, findsUnnamed: Bool) throws(SpectrumError) -> Found? {
        let levels = try LevelSearch(window).guess()
        if let levels, levels.guess.regularity > LineCodeSurvey.clearRegularity { return levels }
        // Two tones of whole half waves a bit look like chips, chips somewhat like two tones: the better one is right.
        guard let tones = try ToneSearch(window).guess() else {
            if let levels { return levels }
            if let phases = try PhaseSearch(window).guess() { return phases }
            return findsUnnamed ? try ToneSearch(window).unnamedGuess() : nil
        }
        guard let levels, levels.guess.regularity > tones.guess.regularity else { return tones }
        return levels
    }

    private mutating func add(_ guess: LineGuess) {
        if let last = guesses.last, last.isOfSender(of: guess, stray: LineCodeSurvey.stray),
            guess.samples.lowerBound < last.samples.upperBound + window.capacity / 2
        {
            guesses[guesses.count - 1] = last.joined(with: guess)
        } else if guesses.count < LineCodeSurvey.mostGuesses {
            guesses.append(guess)
        }
    }
}

extension LineGuess {
    /// Whether one sender may have made both. Without the name of a mode, the tones must be the same, too.
    fileprivate func isOfSender(of next: LineGuess, stray: Double) -> Bool {
        guard modeName == next.modeName, abs(baud - next.baud) < stray * next.baud else { return false }
        guard modeName == Self.unnamed, case .tones(let tones) = carrier, case .tones(let others) = next.carrier else {
            return true
        }
        return abs(tones.mark - others.mark) < stray * others.mark
            && abs(tones.space - others.space) < stray * others.space
    }

    /// The same at its place in the recording.
    fileprivate func placed(_ samples: Range<Int>) -> LineGuess {
        LineGuess(
            modeName: modeName, carrier: carrier, baud: baud, fit: fit, regularity: regularity,
            transitions: transitions, samples: samples)
    }
}
