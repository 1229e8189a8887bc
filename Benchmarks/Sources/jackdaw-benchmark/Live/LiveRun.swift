import Foundation
import JackdawALSA
import JackdawDSP
import JackdawTransport

/// A recording that was captured and decoded live, and what that took.
struct LiveRun {
    /// Swipes whose text was read.
    private(set) var read = 0
    /// Messages that were reported as good and are on no card.
    private(set) var wrong = 0
    /// Stretches that were reported not to be readable.
    private(set) var failures = 0
    /// Seconds from the last flux transition of a swipe to the end of the block that brought its text, of each.
    private(set) var delays: [Double] = []
    /// Seconds of processor time in user and kernel mode, those of playing left out.
    private(set) var processorSeconds = 0.0
    /// Seconds that it took.
    private(set) var elapsed = 0.0
    /// What memory it took after a minute of sound, after each half hour and at the end.
    private(set) var memory: [LiveMemory] = []
    /// Frames that did not reach the decoder.
    private(set) var lost: Int64 = 0

    private let recording: LiveRecording

    init(_ recording: LiveRecording, path: String) throws {
        self.recording = recording
        let feed = try LiveFeed()
        let stream = try CaptureStream(
            StreamConfiguration(device: feed.device, sampleRate: recording.rate, channels: 1, encoding: .s16))
        let period = stream.format.periodFrames
        let frames = Int64(recording.rate * recording.seconds) / Int64(period) * Int64(period)
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: stream.sampleRate))
        let start = (processor: jackdaw_benchmark.processorSeconds(), clock: ContinuousClock.now)
        try feed.play(path, period: period)
        var position: Int64 = 0
        var readings = [60] + stride(from: 1_800, to: recording.seconds, by: 1_800)
        while position < frames {
            _ = try stream.receive(within: .seconds(10)) { event, samples in
                guard case .sound(let block) = event else { return }
                lost += block.lostBefore
                position = block.position + Int64(block.frames)
                for event in decoder.receive(samples) { count(event, at: Int(position)) }
                feed.take()
            }
            if let next = readings.first, position >= Int64(recording.rate * next) {
                memory.append(try LiveMemory(after: readings.removeFirst()))
            }
        }
        for event in decoder.finish() { count(event, at: Int(position)) }
        memory.append(try LiveMemory(after: recording.seconds))
        let playing = feed.end()
        processorSeconds = jackdaw_benchmark.processorSeconds() - start.processor - playing
        elapsed = (ContinuousClock.now - start.clock) / .seconds(1)
        stream.close()
    }

    private mutating func count(_ event: SwipeEvent, at position: Int) {
        switch event {
        case .failure: failures += 1
        case .track(let track):
            let swipe = recording.swipes.first {
                track.span.startSample < $0.last && $0.first < track.span.endSample
            }
            guard let swipe, swipe.text == track.text else {
                wrong += 1
                return
            }
            read += 1
            delays.append(Double(position - swipe.last) / recording.rate)
        }
    }
}
