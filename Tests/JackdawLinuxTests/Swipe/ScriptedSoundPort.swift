import JackdawDSP
import JackdawReaders
import JackdawTestSupport
import JackdawTransport

/// A sound card in memory that gives what a test says, as fast as it is asked.
final class ScriptedSoundPort: AudioPort, PlaybackPort {
    let sampleRate = 48_000.0
    let channelCount: Int
    private let count = Shared(0)
    private let next: @Sendable (Int) -> (CaptureEvent, [Float])?

    /// The number of listeners so far.
    var receiptCount: Int { count.with { $0 } }

    /// - Parameters:
    ///   - channelCount: samples of a frame.
    ///   - next: what comes, by the number of earlier listeners; nil for nothing.
    init(channelCount: Int = 1, _ next: @escaping @Sendable (Int) -> (CaptureEvent, [Float])?) {
        self.channelCount = channelCount
        self.next = next
    }

    func receive(within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void) throws(LinkError) -> Bool {
        let number = count.with { count in
            defer { count += 1 }
            return count
        }
        guard let (event, samples) = next(number) else { return false }
        take(event, samples.span)
        return true
    }

    func change(_ change: @escaping @Sendable (inout PoweredLine) -> Void) {}

    /// A block of sound.
    static func sound(_ samples: [Float], frames: Int? = nil, lostBefore: Int64 = 0) -> (CaptureEvent, [Float]) {
        let block = CapturedBlock(frames: frames ?? samples.count, position: 0, lostBefore: lostBefore, time: 0)
        return (.sound(block), samples)
    }

    /// A hundredth of a second of silence.
    static var silence: (CaptureEvent, [Float]) { sound([Float](repeating: 0, count: 480)) }
}
