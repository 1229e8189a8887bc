import JackdawDSP
import JackdawTransport

/// What one family is heard and spoken to with, in a search.
final class SearchEar {
    /// What was heard of it.
    enum Sign {
        /// The answer to the test, by so many bytes.
        case answer(byteCount: Int)
        /// What only such a reader sends by itself.
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

    /// How long the reader may take to tell that it has power.
    var powerUp: Duration { dialect.times.powerUp - .seconds(sound.pause) }

    var isPowered: Bool { if case .power = test { true } else { false } }

    /// What the test is played with.
    /// - Returns: it, and how long it is where it ends, in seconds.
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

    /// What ends the power.
    func end() -> ReaderModulator.Change { modulator.change(to: .off) }

    /// Takes the next samples.
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

    /// Forgets the past, as where sound was lost.
    func reset() {
        demodulator.reset()
        frames.reset()
        dialect.reset()
    }

    private func sign(_ meaning: ReaderMeaning, byteCount: Int) -> Sign {
        switch meaning {
        case .poweredUp, .done: .answer(byteCount: byteCount)
        case .swipe: .unasked
        case .refused, .more, .badSwipe, .gaveUp, .card, .told, .poweringDown, .reply, .unknown:
            .unknown(byteCount: byteCount)
        }
    }
}

extension ReaderSound {
    /// The same where the reader had no power for long.
    fileprivate var withoutPause: ReaderSound {
        var sound = self
        sound.pause = 0
        return sound
    }
}

extension ReaderModulator.Change {
    /// How long a command sounds; 0 for what lasts.
    fileprivate func seconds(_ channelCount: Int, _ sampleRate: Double) -> Double {
        guard case .command(let samples, _) = kind else { return 0 }
        return Double(samples.count / channelCount) / sampleRate
    }
}
