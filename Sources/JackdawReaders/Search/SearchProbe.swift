import JackdawDSP
import JackdawTransport

/// Plays the test and decodes the answers of one family in a search.
final class SearchProbe {
    /// A sign of a reader of the family.
    enum Sign {
        /// The answer to the test, with this number of bytes.
        case answer(byteCount: Int)
        /// A message that only such a reader sends, without a request.
        case unasked
        case unknown(byteCount: Int)
    }

    let test: ReaderSearchCandidate.Test
    let sound: ReaderSound
    private var dialect: any ReaderDialect
    private var demodulator: ReaderDemodulator
    private var modulator: ReaderModulator
    private var frames: FrameReader<AnyFrameFormat>
    private var isAsked = false

    init(
        _ dialect: any ReaderDialect, _ sound: ReaderSound, _ test: ReaderSearchCandidate.Test, playbackRate: Double,
        captureRate: Double
    ) throws(LineCodeError) {
        self.dialect = dialect
        self.test = test
        self.sound = sound
        demodulator = try ReaderDemodulator(sound, sampleRate: captureRate)
        modulator = try ReaderModulator(sound.withoutPause, sampleRate: playbackRate)
        frames = FrameReader(AnyFrameFormat(dialect.format(awaiting: nil)))
    }

    /// Timeout of the power-up message.
    var powerUp: Duration { dialect.times.powerUp - .seconds(sound.pause) }

    var isPowered: Bool { if case .power = test { true } else { false } }

    /// Begins a test.
    /// - Returns: the sound of the test, and its length in seconds, or 0 if it has no end.
    func begin() -> (ReaderModulator.Change, seconds: Double) {
        isAsked = true
        frames.reset()
        switch test {
        case .power: return (modulator.change(to: .connecting), 0)
        case .request(let request):
            frames.format = AnyFrameFormat(dialect.format(awaiting: request))
            let change = modulator.change(sending: dialect.encode(request).span)
            return (change, change.seconds(sound.commandGains.count, modulator.sampleRate))
        }
    }

    /// Returns the change that removes the power.
    func end() -> ReaderModulator.Change { modulator.change(to: .off) }

    /// Decodes the next samples.
    func hear(_ samples: Span<Float>, _ take: (Sign) -> Void) {
        var request: ReaderRequest?
        if isAsked, case .request(let asked) = test { request = asked }
        demodulator.receive(samples) { bytes in
            frames.receive(bytes) { event, frame in
                guard case .frame = event else { return }
                for meaning in dialect.understand(frame, answering: request) {
                    take(sign(meaning, byteCount: frame.count))
                }
            }
        }
    }

    /// Discards all state, for example after lost sound.
    func reset() {
        demodulator.reset()
        frames.reset()
        dialect.reset()
    }

    private func sign(_ meaning: ReaderMeaning, byteCount: Int) -> Sign {
        switch meaning {
        case .poweredUp, .done: .answer(byteCount: byteCount)
        case .swipe: .unasked
        case .refused, .more, .badSwipe, .gaveUp, .card, .reported, .poweringDown, .reply, .unknown:
            .unknown(byteCount: byteCount)
        }
    }
}

extension ReaderSound {
    /// The same sound for a reader that has had no power for some time.
    fileprivate var withoutPause: ReaderSound {
        var sound = self
        sound.pause = 0
        return sound
    }
}

extension ReaderModulator.Change {
    /// Returns the length of a command in seconds; 0 for tones.
    fileprivate func seconds(_ channelCount: Int, _ sampleRate: Double) -> Double {
        guard case .command(let samples, _) = kind else { return 0 }
        return Double(samples.count / channelCount) / sampleRate
    }
}
