import JackdawTransport
import Synchronization

/// A port that delivers the steps of a test, sound in blocks of a given size.
final class ScriptedPort: AudioPort {
    /// A step, in the order in which the port is read.
    enum Step: Sendable {
        /// Sound, channels interleaved.
        case sound([Float])
        /// This many frames are lost.
        case lost(Int)
        case event(CaptureEvent)
        /// The link breaks for good.
        case fails(LinkError)
        /// Nothing comes for this time.
        case passes(Duration)
        /// Nothing comes in one wait.
        case nothing
    }

    private struct State {
        /// In reverse order, because the removal of the first element would move all others.
        var steps: [Step]
        var position: Int64 = 0
        var lost: Int64 = 0
        var elapsed = Duration.zero
    }

    let sampleRate: Double
    let channelCount: Int
    private let state: Mutex<State>

    /// The time that has passed, by the steps alone.
    var elapsed: Duration { state.withLock { $0.elapsed } }

    init(sampleRate: Double = 48_000, channelCount: Int = 1, block: Int = 240, _ steps: [Step]) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        let cut = steps.flatMap { step -> [Step] in
            guard case .sound(let samples) = step else { return [step] }
            let size = block * channelCount
            return stride(from: 0, to: samples.count, by: size).map {
                .sound(Array(samples[$0..<min($0 + size, samples.count)]))
            }
        }
        state = Mutex(State(steps: cut.reversed()))
    }

    func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        let nothing: [Float] = []
        var step: Step?
        var block: CapturedBlock?
        state.withLock { state in
            step = state.steps.popLast()
            switch step {
            case .sound(let samples):
                let frames = samples.count / channelCount
                block = CapturedBlock(
                    frames: frames, position: state.position, lostBefore: state.lost, time: state.position)
                state.position += Int64(frames)
                state.lost = 0
            case .lost(let frames):
                state.position += Int64(frames)
                state.lost += Int64(frames)
            case .passes(let time): state.elapsed += time
            default: break
            }
        }
        switch step {
        case .sound(let samples): take(.sound(block!), samples.span)
        case .event(let event): take(event, nothing.span)
        case .fails(let error): throw error
        case .lost, .passes, .nothing: return false
        case nil: take(.ended, nothing.span)
        }
        return true
    }
}
