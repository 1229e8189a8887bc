import JackdawAudioFile
import JackdawBytes
import JackdawDSP
import JackdawSpectrum

/// Collects the results of one channel during an inspection: its survey, its last seconds, its swipes and line codes.
final class ChannelRecord {
    /// Limit of swipes whose sound is kept, for swipes that were read and for failures each.
    private static let maxDrawn = SwipePicture.maxSwipes
    /// Limit of line codes whose sound is kept.
    private static let maxSounds = 12
    /// A regularity above this comes from a modem; no card is moved by hand as evenly.
    private static let clearRegularity = 0.95

    /// The sound at the beginning of a line code, or of the part of it that is drawn.
    private struct Sound {
        var samples: WipedArray<Float>
        var first: Int
        var isDrawn: Bool
    }

    private let history: SampleHistory
    private let sampleRate: Double
    private var survey: RecordingSurvey?
    private var lineSurvey: LineCodeSurvey?
    /// The sounds of the first line codes, and of the first ones that are drawn, by their index.
    private var sounds: [Int: Sound] = [:]
    /// The swipes as they are printed.
    private(set) var swipes: [SwipeSummary] = []
    /// The first swipes with their sound, if a picture is wanted.
    private(set) var drawn: [SwipeInspection] = []
    /// The part of the recording that is drawn; nil without a picture.
    private let part: PicturePart?
    private let texts = KeptTexts()

    /// - Parameters:
    ///   - format: the format of the recording.
    ///   - part: the part of it that is drawn; nil without a picture.
    /// - Throws: `SpectrumError` with code `outOfMemory`.
    init(_ format: AudioFormat, drawing part: PicturePart? = nil) throws(SpectrumError) {
        self.part = part
        // Reserved now, so that the array does not grow between the buffers of the first swipes' decoding.
        swipes.reserveCapacity(256)
        // Eight seconds hold any swipe and the search for it; with many channels, as much as fits in 64 MB.
        history = SampleHistory(capacity: min(Int(8 * format.sampleRate), (1 << 24) / format.channels))
        sampleRate = format.sampleRate
        survey = try RecordingSurvey(sampleRate: format.sampleRate)
        lineSurvey = try LineCodeSurvey(sampleRate: format.sampleRate)
    }

    func receive(_ samples: Span<Float>) {
        survey?.receive(samples)
        // The survey finds line codes a second at a time.
        let step = max(1, Int(sampleRate / 2))
        for start in stride(from: 0, to: samples.count, by: step) {
            let part = samples.extracting(start..<min(start + step, samples.count))
            history.append(part)
            lineSurvey?.receive(part)
            keepSounds(lineSurvey?.guesses ?? [])
        }
    }

    func receive(_ event: SwipeEvent, isRevealed: Bool) {
        let swipe =
            switch event {
            case .track(let track): SwipeInspection(track, history: history, isRevealed: isRevealed)
            case .failure(let failure): SwipeInspection(failure, history: history, isRevealed: isRevealed)
            }
        swipes.append(SwipeSummary(swipe, in: texts))
        guard part?.holds(swipe) == true else { return }
        let isRead = swipe.failure == nil
        // Counted separately: failures that turn out to be modem sound are removed, which must
        // leave enough swipes to draw.
        if drawn.count(where: { ($0.failure == nil) == isRead }) < Self.maxDrawn { drawn.append(swipe) }
    }

    /// Ends the recording.
    /// - Returns: the survey of the channel; nil on a second call.
    func finish() -> RecordingReport? { survey.take()?.finish() }

    /// Ends the search for line codes.
    ///
    /// Sound from which a track was read is a swipe. A failure without a single character, or in sound as regular as a
    /// modem's, is not a swipe.
    /// - Returns: the line codes outside swipes, each with its sound if that was kept.
    /// - Throws: `SpectrumError` with code `outOfMemory`.
    func finishLines(isRevealed: Bool) throws(SpectrumError) -> [LineInspection] {
        let guesses = try lineSurvey.take()?.finish() ?? []
        keepSounds(guesses)
        swipes.removeAll { swipe in
            guard let failure = swipe.failure else { return false }
            return guesses.contains { guess in
                guess.samples.overlaps(swipe.samples)
                    && (failure.isWithoutCharacters || guess.regularity > Self.clearRegularity)
            }
        }
        drawn.removeAll { swipe in !swipes.contains { $0.swipe == swipe.swipe } }
        return guesses.enumerated().compactMap { index, guess in
            guard !swipes.contains(where: { $0.track != nil && guess.samples.overlaps($0.samples) }) else {
                return nil
            }
            let sound = sounds[index]
            return LineInspection(
                guess, samples: sound?.samples ?? WipedArray([]), firstSample: sound?.first ?? 0,
                sampleRate: sampleRate,
                isRevealed: isRevealed)
        }
    }

    /// Keeps the beginning of each line code, or of the part of it that is drawn, until the sound is long enough.
    private func keepSounds(_ guesses: [LineGuess]) {
        let margin = Int(sampleRate / 20)
        let longest = Int(sampleRate * LineInspection.seconds)
        for (index, guess) in guesses.enumerated().suffix(2) {
            let (lower, upper) = (guess.samples.lowerBound - margin, guess.samples.upperBound + margin)
            let from = Int(min((part?.seconds.lowerBound ?? 0) * sampleRate, Double(upper)))
            let isDrawn = part.map { from < upper && $0.seconds.upperBound * sampleRate > Double(lower) } ?? true
            let start = max(0, lower, isDrawn ? from : 0)
            let range = start..<max(start, min(upper, start + longest))
            if let sound = sounds[index] {
                if sound.first == start, sound.samples.count >= range.count { continue }
            } else if sounds.values.count(where: { $0.isDrawn == isDrawn }) >= Self.maxSounds {
                continue
            }
            let (samples, first) = history.samples(in: range)
            guard first == start || sounds[index] == nil else { continue }
            sounds[index] = Sound(samples: samples, first: first, isDrawn: isDrawn)
        }
    }
}
