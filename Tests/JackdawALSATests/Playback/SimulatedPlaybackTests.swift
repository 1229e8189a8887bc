import Foundation
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Streams with their threads play to a card with a clock, through libasound: what the card is given is what the
/// generator makes, each sample in its place, and each gap is reported.
@Suite(.enabled(if: SimulatedCard.isPossible, SimulatedCard.needs)) struct SimulatedPlaybackTests {
    @Test func theCardPlaysTheGeneratedSamples() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            for rate in [8_000.0, 44_100, 48_000, 192_000] {
                for encoding in [PCMEncoding.s16, .s24Packed, .s32] {
                    // A busy machine may be late, but a break changes nothing of what is given.
                    _ = try PlayedLine.expectSame(rate: rate, encoding: encoding) {
                        SimulatedCard.device(output: $0, rate: Int(rate))
                    }
                }
            }
        }
    }

    @Test func underrunsOfACardAreReported() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let files = try RecordingFiles()
            let output = files.path + "/played.raw"
            let meter = PCMMeter()
            meter.allow(.max / 2)
            let stream = try PlaybackStream(
                StreamConfiguration(device: SimulatedCard.device(output: output), sampleRate: 48_000, encoding: .s32),
                MeteredOpener(meter: meter)
            ) { format in CountingSource(channels: format.channels, frames: 24_000) }
            var gaps: [PlaybackGap] = []
            for round in 1...3 {
                meter.makeLate()
                while gaps.count < round {
                    switch try stream.receive(within: .seconds(60)) {
                    case .interrupted(let gap): gaps.append(gap)
                    case .disconnected, .reconnected: Issue.record("it has not gone")
                    case nil: break
                    }
                }
            }
            #expect(stream.finish(within: .seconds(60)))
            // Silence, and nothing that was not heard: what the card was given it has played.
            #expect(gaps.allSatisfy { $0.silence > 0 && $0.unheard == 0 })
            #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0.position < $1.position })
            #expect(stream.status.interruptions >= 3)

            let written = try [UInt8](Data(contentsOf: URL(filePath: output)))
            let frames = written.count / 4 / stream.format.channels
            #expect(frames >= 24_000)
            let numbers = (0..<24_000).flatMap { frame in
                (0..<stream.format.channels).flatMap { channel in
                    let number = Int32(frame << 8) * (channel == 0 ? 1 : -1)
                    return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
            }
            #expect(written.starts(with: numbers))
            #expect(written.dropFirst(numbers.count).allSatisfy { $0 == 0 })
        }
    }

    /// Both ways at the one rate that the card has.
    @Test func bothWaysOfOneCard() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let files = try RecordingFiles()
            let output = files.path + "/played.raw"
            let device = SimulatedCard.device(input: try files.writeNumbers(50_000), output: output, rate: 44_100)
            let stream = try DuplexStream(
                StreamConfiguration(device: device, channels: 1, encoding: .s32, secondsHeld: 60), playbackChannels: 2
            ) { format in
                #expect(format.sampleRate == 44_100)
                return CountingSource(channels: 2, frames: 4_410)
            }
            #expect(stream.sampleRate == 44_100)
            var number = 0
            while number < 8_820 {
                _ = try stream.receive(within: .seconds(60)) { event, samples in
                    guard case .sound(let block) = event else {
                        Issue.record("\(event)")
                        return
                    }
                    if block.lostBefore > 0 { number += stream.capture.format.bufferFrames }
                    #expect(samples.indices.allSatisfy { samples[$0] == Float(number + $0) / 0x1p23 })
                    number += block.frames
                }
            }
            #expect(stream.playback.finish(within: .seconds(60)))
            stream.close()
            let written = try [UInt8](Data(contentsOf: URL(filePath: output)))
            let numbers = (0..<4_410).flatMap { frame in
                [Int32(frame << 8), -Int32(frame << 8)].flatMap { number in
                    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
            }
            #expect(written.starts(with: numbers))
        }
    }
}
