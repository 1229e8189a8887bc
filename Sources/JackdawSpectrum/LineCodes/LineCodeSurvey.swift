import Glibc
public import JackdawDSP

/// Guesses the line codes in a recording, without decoding it. Apart from the guesses, memory is the same for a
/// recording of any length; block sizes make no difference.
///
/// ```swift
/// var survey = try LineCodeSurvey(sampleRate: 44_100)
/// survey.receive(samples.span)
/// for guess in try survey.finish() { print(guess.modeName, guess.baud) }
/// ```
public struct LineCodeSurvey: ~Copyable, Sendable {
    /// A limit against noise that looks like many senders.
    private static let maxGuesses = 1_000
    /// Seconds of sound that are searched together; windows overlap by half.
    private static let windowLength = 1.0
    /// Guesses of one sender differ by less than this, as a share of the baud, and of the measured tones.
    private static let stray = 0.03
    /// If levels keep to their rate this well, they are chips.
    private static let clearRegularity = 0.8

    /// Samples per second, in Hz.
    public let sampleRate: Double
    /// Whether the survey also searches for tones that belong to no named mode.
    private let findsUnnamed: Bool

    private var window: SampleBuffer
    private var transform: RealTransform
    private let shelf = TransformShelf()
    /// Samples before the first one in the window.
    private var past = 0
    private var hasNews = false
    /// The error that ended the search.
    private var failure: SpectrumError?
    /// The guesses so far, in the order of time; the last one may still grow.
    public private(set) var guesses: [LineGuess] = []

    /// A survey without samples.
    /// - Parameters:
    ///   - sampleRate: in Hz, within ``RecordingSurvey/sampleRates``.
    ///   - findsUnnamed: whether to search also for tones that belong to no named mode, which takes most of the time.
    /// - Throws: ``SpectrumError`` with code `unsupportedSampleRate` or `outOfMemory`.
    public init(sampleRate: Double, findsUnnamed: Bool = true) throws(SpectrumError) {
        guard RecordingSurvey.sampleRates.contains(sampleRate) else {
            throw SpectrumError(
                code: .unsupportedSampleRate,
                message: "the sample rate is \(sampleRate) Hz; line codes are identified from 8000 to 192000 Hz")
        }
        let capacity = 2 * Int(sampleRate * LineCodeSurvey.windowLength / 2)
        var count = 64
        while count < capacity { count *= 2 }
        // A noncopyable type is created here or not at all.
        let transform = try RealTransform(count: count)
        self.transform = transform
        self.sampleRate = sampleRate
        self.findsUnnamed = findsUnnamed
        window = SampleBuffer(capacity: capacity)
    }

    /// Adds the next samples, full scale ±1.
    ///
    /// If there is no memory for a transform, the search ends, and ``finish()`` throws the error.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while start < samples.count {
            window.take(samples, from: &start)
            advance()
        }
    }

    /// Adds the next 16-bit samples.
    public mutating func receive(_ samples: Span<Int16>) {
        var start = 0
        while start < samples.count {
            window.take(samples, from: &start)
            advance()
        }
    }

    /// Drops the guesses that ended before a sample of the recording, so that an endless recording has room for more.
    public mutating func dropGuesses(before sample: Int) {
        guesses.removeAll { $0.samples.upperBound < sample }
    }

    /// Ends the recording.
    /// - Returns: the guesses, in the order of time; one guess for consecutive stretches in one code.
    /// - Throws: ``SpectrumError`` with code `outOfMemory` if not all of the recording could be searched.
    public consuming func finish() throws(SpectrumError) -> [LineGuess] {
        if hasNews { survey() }
        if let failure { throw failure }
        return guesses
    }

    /// Searches the window when it is full.
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

    /// A guess, and its place in the window, in seconds.
    private typealias Found = (guess: LineGuess, place: Range<Double>)

    private static func search(_ window: SoundWindow, findsUnnamed: Bool) throws(SpectrumError) -> Found? {
        let levels = try LevelSearch(window).guess()
        if let levels, levels.guess.regularity > LineCodeSurvey.clearRegularity { return levels }
        // Two tones of whole half periods a bit look like chips, and chips somewhat like two tones: the better guess is
        // right.
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
        } else if guesses.count < LineCodeSurvey.maxGuesses {
            guesses.append(guess)
        }
    }
}

extension LineGuess {
    /// Whether both guesses may be of one sender. If no named mode matches, the tones must be the same, too.
    fileprivate func isOfSender(of next: LineGuess, stray: Double) -> Bool {
        guard modeName == next.modeName, abs(baud - next.baud) < stray * next.baud else { return false }
        guard modeName == Self.unnamed, case .tones(let tones) = carrier, case .tones(let others) = next.carrier else {
            return true
        }
        return abs(tones.mark - others.mark) < stray * others.mark
            && abs(tones.space - others.space) < stray * others.space
    }

    /// The same guess with its place in the recording.
    fileprivate func placed(_ samples: Range<Int>) -> LineGuess {
        LineGuess(
            modeName: modeName, carrier: carrier, baud: baud, fit: fit, regularity: regularity,
            transitions: transitions, samples: samples)
    }
}

/// The most likely line code of a stretch of sound, found by a ``LineCodeSurvey`` without decoding.
public struct LineGuess: Sendable, Hashable {
    /// The kind of signal that carries the symbols.
    public enum Carrier: Sendable, Hashable {
        /// Two tones: the measured frequencies of 1 and 0, in Hz.
        case tones(LineBurst.Tones)
        /// Two levels: Manchester chips, bits that carry them, or bits of a Manchester UART.
        case levels
    }

    /// The mode name of a guess whose tones belong to no named mode: the tones are measured, and the higher one is the
    /// mark if the line is idle at it.
    public static let unnamed = "fsk"

    /// Name of the nearest mode, for `LineMode(named:)`; or ``unnamed``.
    public let modeName: String
    /// The signal that carries the symbols.
    public let carrier: Carrier
    /// Symbols per second: bits of tones and of a Manchester UART, chips (half bits) of Manchester nibbles.
    public let baud: Double
    /// How near the tones and the baud are to those of the mode, 0 to 1. A sender whose whole clock is off by some
    /// percent is nearer than one whose tones and baud disagree.
    public let fit: Double
    /// How well the transitions keep to the baud, 0 to 1: 1 without noise, about 0.7 if one bit in a hundred is lost.
    public let regularity: Double
    /// Number of transitions that were measured.
    public let transitions: Int
    /// The place of the signal, in samples from the start of the recording, to about a twentieth of a second.
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

/// The features of a named mode that identify its sound.
enum LineSignature {
    struct Tones {
        let name: String
        let shift: FrequencyShift

        var low: Double { min(shift.mark, shift.space) }
        var high: Double { max(shift.mark, shift.space) }
    }

    /// Two levels, each of which lasts one chip or two.
    struct Levels {
        let name: String
        /// Chips or bits per second, by the kind of line code.
        let baud: Double
        /// Symbols from one start symbol to the next; each start symbol begins with the same transition.
        let frame: Double
    }

    /// One tone, upright or inverted for each bit, one period per bit.
    struct Phases {
        let name: String
        /// Bits per second, equal to the tone's Hz.
        let baud: Double
    }

    /// The modes with tones; each keying once, under its first name.
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

    /// The modes with levels whose frames are contiguous.
    static let levels: [Levels] = LineMode.all.compactMap { mode in
        switch mode.code {
        case .nibbles(let line): Levels(name: mode.name, baud: line.chipRate, frame: 10)
        case .dynamo(let line): Levels(name: mode.name, baud: line.baud, frame: 10)
        case .frequencyShift, .frequencyShiftBits, .serialManchester: nil
        }
    }

    /// The modes with bits of one period, whose characters come at any time among many ones.
    static let phases: [Phases] = LineMode.all.compactMap { mode in
        guard case .serialManchester(let line) = mode.code else { return nil }
        return Phases(name: mode.name, baud: line.baud)
    }

    /// How near measured values are to nominal ones. A clock error moves all values alike, by a few percent; each value
    /// by itself is off by less.
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
