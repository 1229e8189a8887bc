internal import JackdawDSP
internal import JackdawReaders
internal import JackdawSimulator
internal import JackdawTransport
internal import Synchronization

/// A sound card in memory, with or without a simulated reader in its jack. It runs as fast as the caller receives.
final class SimulatedSoundPort: AudioPort, PlaybackPort {
    private struct State: ~Copyable {
        var line: PoweredLine
        var reader: SimulatedAudioReader?
        var position: Int64 = 0
    }

    let sampleRate: Double
    let channelCount = 1
    private let state: Mutex<State>

    /// Frames of a block.
    private static let blockFrames = 480

    /// - Parameters:
    ///   - name: the family of the reader; nil for an empty jack. A family that is not on an audio jack also leaves it
    ///     empty.
    ///   - profile: values that replace those of the simulated reader.
    /// - Throws: `ReaderError` or `LineCodeError` if a value is invalid.
    init(_ name: String?, _ profile: ReaderProfile? = nil) throws {
        let rate = 48_000.0
        var reader: SimulatedAudioReader?
        if let name, let family = ReaderFamily.named(name), let simulated = SimulatedFamily.named(name) {
            let values = try profile.map { (profile) throws(ReaderError) in
                try family.simulatedProfile.with(profile)
            }
            if let sound = try family.makeSound(values ?? family.simulatedProfile) {
                let model = try simulated.makeModel(values ?? family.simulatedProfile)
                reader = try SimulatedAudioReader(sound, sampleRate: rate) { SimulatedReader(model) }
            }
        }
        sampleRate = rate
        state = Mutex(State(line: try ReaderSearch.makeLine(sampleRate: rate), reader: reader))
    }

    func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        let (captured, position) = state.withLock { state in
            var played: [Float] = []
            state.line.append(frames: Self.blockFrames, to: &played)
            while state.line.takeFinished() != nil {}
            var captured: [Float] = []
            if state.reader != nil {
                state.reader?.exchange(played.span, into: &captured)
            } else {
                captured = [Float](repeating: 0, count: Self.blockFrames)
            }
            defer { state.position += Int64(Self.blockFrames) }
            return (captured, state.position)
        }
        let time = Int64(Double(position) / sampleRate * 1e9)
        take(.sound(CapturedBlock(frames: captured.count, position: position, time: time)), captured.span)
        return true
    }

    func change(_ change: @escaping @Sendable (inout PoweredLine) -> Void) {
        state.withLock { change(&$0.line) }
    }
}
