import JackdawSystem
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

    let opener: ScriptedOpener
    let ring: BlockRing
    private var runner: EngineRunner<CaptureLoop<ScriptedPCM>>
    private var expected: Int64 = 0
    private(set) var seen: [Seen] = []
    /// Whether the reader takes what comes.
    var isReading = true

    init(_ card: ScriptedPCM, _ opener: ScriptedOpener = ScriptedOpener(), reopens: Bool = true, blocks: Int = 200) {
        self.opener = opener
        ring = BlockRing(blocks: blocks, framesPerBlock: card.format.periodFrames, channels: card.format.channels)
        let configuration = StreamConfiguration(device: "hw:1", reopens: reopens)
        runner = EngineRunner(CaptureEngine(card, opener, configuration, ring: ring), card.clock)
    }

    /// Lets so much time pass.
    /// - Parameters:
    ///   - milliseconds: how much.
    ///   - step: how often the device wakes the engine; 0 for never, so that only its patience ends.
    mutating func run(milliseconds: Int32, each step: Int32 = 5) {
        var reading = self
        runner.run(milliseconds: milliseconds, each: step) {
            if reading.isReading { reading.read() }
        }
        (seen, expected) = (reading.seen, reading.expected)
        if let failure = runner.failure, seen.last != .over(failure.code) { seen.append(.over(failure.code)) }
    }

    /// The device cannot be waited for any more.
    mutating func fail(_ code: Int32) { runner.fail(code) }

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
                // A gap is reported, to the frame.
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

    mutating func close() { runner.close() }
}
