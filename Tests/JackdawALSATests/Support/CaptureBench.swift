import Testing

@testable import JackdawALSA

/// Runs a capture engine on scripted cards and a virtual clock, and writes down what its reader sees.
struct CaptureBench {
    /// What the reader sees: marks, and stretches of sound that continue each other.
    enum Seen: Equatable {
        case sound(frames: Int64)
        case lost(Int64)
        case disconnected
        case reconnected
        case over(Int32)
    }

    let clock: VirtualClock
    let opener: ScriptedOpener
    let ring: BlockRing
    private var engine: CaptureEngine<ScriptedOpener>
    private var next: CaptureEngine<ScriptedOpener>.Next?
    /// What is left of a rest that the last run has begun (ms).
    private var resting: Int32?
    private var expected: Int64 = 0
    private(set) var seen: [Seen] = []
    /// Whether the reader takes what comes.
    var isReading = true

    init(_ card: ScriptedPCM, _ opener: ScriptedOpener = ScriptedOpener(), reopens: Bool = true, blocks: Int = 200) {
        clock = card.clock
        self.opener = opener
        ring = BlockRing(blocks: blocks, framesPerBlock: card.format.periodFrames, channels: card.format.channels)
        engine = CaptureEngine(card, opener, StreamConfiguration(device: "hw:1", reopens: reopens), ring: ring)
    }

    /// Lets so much time pass.
    /// - Parameters:
    ///   - milliseconds: how much.
    ///   - step: how often the device wakes the engine; 0 for never, so that only its patience ends.
    mutating func run(milliseconds: Int32, each step: Int32 = 5) {
        var left = milliseconds
        while left > 0 {
            let next = next ?? engine.begin(now: clock.now)
            let wait: Int32
            var isAnswered = false
            switch next {
            case .device(let patience):
                isAnswered = step > 0 && step <= patience
                wait = min(isAnswered ? step : patience, left)
            case .time(let milliseconds):
                let rest = (resting ?? milliseconds)
                guard rest <= left else {
                    resting = rest - left
                    clock.advance(milliseconds: left)
                    return
                }
                resting = nil
                wait = rest
            case .over(let failure):
                if seen.last != .over(failure.code) { seen.append(.over(failure.code)) }
                clock.advance(milliseconds: left)
                return
            }
            clock.advance(milliseconds: max(1, wait))
            left -= max(1, wait)
            self.next = engine.step(isAnswered ? .readable : [], now: clock.now)
            if isReading { read() }
        }
        if case .over(let failure) = next, seen.last != .over(failure.code) { seen.append(.over(failure.code)) }
    }

    /// The device cannot be waited for any more.
    mutating func fail(_ code: Int32) {
        next = engine.fail(SystemFailure(code: code), now: clock.now)
    }

    /// Reads all blocks, and holds each against what the card captured at that time.
    mutating func read() {
        var blocks: [(BlockRing.Header, [Float])] = []
        while ring.read({ header, samples in blocks.append((header, samples.indices.map { samples[$0] })) }) {}
        for (header, samples) in blocks {
            switch header.kind {
            case .disconnected: seen.append(.disconnected)
            case .reconnected: seen.append(.reconnected)
            case .sound:
                if header.lost > 0 { seen.append(.lost(header.lost)) }
                // What is not continued is told of, to the frame.
                #expect(header.position == expected + header.lost)
                expected = header.position + Int64(header.frames)
                let channels = samples.count / header.frames
                for frame in [0, header.frames - 1] {
                    let wanted = ScriptedPCM.sample(header.position + Int64(frame))
                    let found = samples[frame * channels..<(frame + 1) * channels]
                    #expect(found.allSatisfy { $0 == wanted }, "frame \(header.position) + \(frame)")
                }
                if case .sound(let before) = seen.last {
                    seen[seen.count - 1] = .sound(frames: before + Int64(header.frames))
                } else {
                    seen.append(.sound(frames: Int64(header.frames)))
                }
            }
        }
    }

    mutating func close() { engine.close() }
}
