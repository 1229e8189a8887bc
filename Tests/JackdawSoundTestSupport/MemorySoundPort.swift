public import JackdawDSP
public import JackdawReaders
public import JackdawSimulator
package import JackdawTestSupport
public import JackdawTransport

/// A sound card in memory with a simulated reader in its jack: each time that sound is received ten milliseconds of the
/// clock pass.
public final class MemorySoundPort: AudioPort, PlaybackPort {
    private struct State: ~Copyable {
        var line: PoweredLine
        var reader: SimulatedAudioReader
        var position: Int64 = 0
        var isGone = false
    }

    /// Frames per second, both ways (Hz).
    public let sampleRate: Double
    public let channelCount = 1
    private let state: Lock<State>
    private let clock: ManualClock

    /// - Parameters:
    ///   - sound: what goes through the jack of the reader.
    ///   - sampleRate: frames per second, both ways (Hz).
    ///   - clock: whose time passes with the sound.
    ///   - makeReader: makes what answers.
    /// - Throws: what the reader has against the rate.
    package init(
        _ sound: ReaderSound, sampleRate: Double, clock: ManualClock, _ makeReader: @Sendable () -> SimulatedReader
    ) throws {
        self.sampleRate = sampleRate
        self.clock = clock
        let line = try ReaderModulator(sound, sampleRate: sampleRate).makeLine()
        var path = AudioPath()
        path.signalToNoise = 20
        let reader = try SimulatedAudioReader(sound, sampleRate: sampleRate, path: path, makeReader)
        state = Lock(State(line: line, reader: reader))
    }

    public var hasPower: Bool { state.withLock { $0.reader.hasPower } }

    /// A card goes through the reader.
    public func present(_ presentation: Presentation) { state.withLock { $0.reader.present(presentation) } }

    /// Pulls the card out.
    public func disconnect() { state.withLock { $0.isGone = true } }

    /// Changes what is played.
    public func change(_ change: @escaping @Sendable (inout PoweredLine) -> Void) {
        state.withLock { state in
            change(&state.line)
            while state.line.takeFinished() != nil {}
        }
    }

    /// Lets ten milliseconds of sound pass.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        let frames = Int(sampleRate / 100)
        var captured: [Float] = []
        let (position, isGone) = state.withLock { state in
            var played: [Float] = []
            state.line.append(frames: frames, to: &played)
            state.reader.exchange(played.span, into: &captured)
            defer { state.position += Int64(frames) }
            return (state.position, state.isGone)
        }
        clock.advance(by: .milliseconds(10))
        guard !isGone else {
            take(.disconnected, Span())
            return true
        }
        take(.sound(CapturedBlock(frames: frames, position: position, time: 0)), captured.span)
        return true
    }
}
