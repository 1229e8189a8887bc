import Foundation
import JackdawAudioFile
import JackdawDSP
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Streams with their threads capture from a card with a clock, through libasound: the very sound, and the very swipes,
/// that the files give. The losses of a card are reported.
@Suite(.enabled(if: SimulatedCard.isPossible, SimulatedCard.needs)) struct SimulatedCaptureTests {
    @Test func recordingsAreTheirFiles() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            var count = 0
            for folder in [Recordings.own, Recordings.shared] {
                for name in Recordings.files(below: folder) {
                    let sound = try FileSound(path: "\(folder)/\(name)")
                    // The card has no floating point.
                    guard let encoding = Recordings.encoding(of: sound), encoding != .float else { continue }
                    let files = try RecordingFiles()
                    let played = try files.write(Recordings.data(ofWAV: "\(folder)/\(name)"), to: "played.raw")
                    let configuration = StreamConfiguration(channels: sound.format.channels, encoding: encoding)
                    // The rate is the card's: the test requests none.
                    let live = try SimulatedCard.capture(
                        played, configuration, frames: sound.frames, rate: Int(sound.format.sampleRate))
                    #expect(live.format.sampleRate == sound.format.sampleRate)
                    let found = try sound.expectSame(live, encoding)
                    if folder == Recordings.own { #expect(found.joined().count { $0.text != nil } == 1, "\(name)") }
                    count += 1
                }
            }
            #expect(count >= Recordings.files(below: Recordings.own).count)
        }
    }

    @Test(arguments: [8_000.0, 44_100, 48_000, 96_000, 192_000])
    func generatedSwipesAreTheirFiles(rate: Double) async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String, rate = rate as Double] in
            PlugIns.use(in: path)
            for (place, encoding) in [PCMEncoding.s16, .s24Packed, .s32].enumerated() {
                let channels = 1 + place % 2
                let swipes = try GeneratedSwipes(
                    3, rate: rate, channels: channels, seed: 1 + UInt64(rate) + UInt64(place))
                let files = try RecordingFiles()
                let (played, file) = try swipes.write(to: files, encoding)
                let configuration = StreamConfiguration(sampleRate: rate, channels: channels, encoding: encoding)
                let live = try SimulatedCard.capture(
                    played, configuration, frames: file.frames, usesStrongTier: place == 0)
                let found = try file.expectSame(live, encoding, usesStrongTier: place == 0).joined()
                    .compactMap(\.text)
                #expect(!found.isEmpty)
                #expect(swipes.texts.isSuperset(of: found))
            }
        }
    }

    /// A card of another rate than is wanted: converted where its name says so, and refused where not.
    @Test func aRateThatTheCardHasNot() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let own = try CaptureStream(StreamConfiguration(device: SimulatedCard.device(rate: 44_100)))
            #expect(own.format.sampleRate == 44_100)
            #expect(!own.format.isResampled)
            own.close()
            let error = #expect(throws: LinkError.self) {
                _ = try CaptureStream(
                    StreamConfiguration(device: SimulatedCard.device(rate: 44_100), sampleRate: 48_000))
            }
            #expect(error?.code == .unsupported)

            let swipe = try GeneratedSwipes(3, rate: 44_100, channels: 1, seed: 7)
            let files = try RecordingFiles()
            let (played, file) = try swipe.write(to: files, .s16)
            let configuration = StreamConfiguration(
                device: SimulatedCard.device("plugjd", input: played, rate: 44_100), sampleRate: 48_000, encoding: .s16,
                secondsHeld: 60)
            // At the card's own speed: half a second of sound waits for a late stream.
            let live = try #require(
                try LibraryCapture(configuration, streaming: file.frames * 48_000 / 44_100 + 480, usesStrongTier: true))
            #expect(live.format.isResampled)
            let texts = live.swipes.joined().compactMap { SwipeAccount($0).text }
            #expect(try texts == file.swipes(usesStrongTier: true).joined().compactMap { SwipeAccount($0).text })
            #expect(!texts.isEmpty)
        }
    }

    /// Whenever the stream is late, the card's buffer is lost, all of it, and the next block says that something is.
    @Test func lossesOfALateStreamAreReported() async throws {
        let lab = try SimulatedCard.make()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let files = try RecordingFiles()
            let configuration = StreamConfiguration(
                device: SimulatedCard.device(input: try files.writeNumbers(2_000_000), speed: 4), sampleRate: 48_000,
                encoding: .s32, secondsHeld: 60)
            let meter = PCMMeter()
            meter.allow(.max / 2)
            let stream = try CaptureStream(configuration, MeteredOpener(meter: meter))
            defer { stream.close() }
            var (gaps, position, number) = (0, Int64(0), 0)
            for round in 1...3 {
                meter.makeLate()
                var framesSince = 0
                while gaps < round || framesSince < 4_800 {
                    _ = try stream.receive(within: .seconds(60)) { event, samples in
                        guard case .sound(let block) = event else {
                            Issue.record("\(event)")
                            return
                        }
                        #expect(block.position == position + block.lostBefore)
                        position = block.position + Int64(block.frames)
                        if block.lostBefore > 0 {
                            gaps += 1
                            framesSince = 0
                            number += stream.format.bufferFrames
                        }
                        // Each sample is the number of its frame.
                        let isNext = samples.indices.allSatisfy { samples[$0] == Float(number + $0) / 0x1p23 }
                        #expect(isNext, "at frame \(number)")
                        number += block.frames
                        framesSince += block.frames
                    }
                }
            }
        }
    }
}
