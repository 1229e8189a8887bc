import JackdawAudioFile
import JackdawDSP
import JackdawSpectrum

/// What comes together of one channel while it is inspected: its survey, its last seconds, its swipes.
final class ChannelRecord {
    private let history: SampleHistory
    private var survey: RecordingSurvey?
    private(set) var swipes: [SwipeInspection] = []

    init(_ format: AudioFormat) throws(SpectrumError) {
        // Eight seconds hold any swipe and the search for it; of many channels, as much as fits 64 MB.
        history = SampleHistory(capacity: min(Int(8 * format.sampleRate), (1 << 24) / format.channels))
        survey = try RecordingSurvey(sampleRate: format.sampleRate)
    }

    func receive(_ samples: Span<Float>) {
        history.append(samples)
        survey?.receive(samples)
    }

    func receive(_ event: SwipeEvent, isRevealed: Bool) {
        switch event {
        case .track(let track):
            swipes.append(SwipeInspection(track, history: history, isRevealed: isRevealed))
        case .failure(let failure):
            swipes.append(SwipeInspection(failure, history: history, isRevealed: isRevealed))
        }
    }

    /// Ends the recording.
    /// - Returns: what the channel is like; nil the second time.
    func finish() -> RecordingReport? { survey.take()?.finish() }
}
