import Foundation
import JackdawTransport
import Testing

@testable import JackdawALSA

/// The stream itself, with its thread: the receiver gets the device's samples, each at its position, and a report of
/// each loss.
@Suite struct CaptureStreamTests {
    /// What the device has: the number of each frame, which 24 bits hold.
    private static let framesRecorded = 1_000_000

    /// A device whose frames are numbered, in a folder that is removed in the end.
    private struct Card {
        private let files: RecordingFiles
        let configuration: StreamConfiguration

        init() throws {
            files = try RecordingFiles()
            let path = try files.writeNumbers(framesRecorded)
            configuration = StreamConfiguration(
                device: FilePlugIn.device(playing: path), sampleRate: 48_000, encoding: .s32, secondsHeld: 1)
        }

        func stream(_ meter: PCMMeter) throws -> CaptureStream {
            try withExtendedLifetime(files) { try CaptureStream(configuration, MeteredOpener(meter: meter)) }
        }

        /// Without a meter: it has always more.
        func stream() throws -> CaptureStream { try withExtendedLifetime(files) { try CaptureStream(configuration) } }
    }

    /// What has been received, each block held against what the device had.
    private struct Received {
        private(set) var frames = 0
        private(set) var lost = 0
        /// Times at which a loss was reported.
        private(set) var gaps = 0

        /// Takes what comes next, if anything.
        mutating func receive(_ stream: CaptureStream, within timeout: Duration) throws -> Bool {
            try stream.receive(within: timeout) { event, samples in
                guard case .sound(let block) = event else {
                    Issue.record("\(event)")
                    return
                }
                #expect(block.position == Int64(frames + lost) + block.lostBefore)
                #expect(samples.count == block.frames)
                frames += block.frames
                lost += Int(block.lostBefore)
                gaps += block.lostBefore > 0 ? 1 : 0
                for index in [0, block.frames / 2, block.frames - 1] {
                    let number = Int(block.position) + index
                    if number < framesRecorded { #expect(samples[index] == Float(number) / 0x1p23) }
                }
            }
        }

        /// Takes so many frames, those that were lost included, however long they take to come.
        mutating func receive(_ stream: CaptureStream, until position: Int) throws {
            while frames + lost < position { _ = try receive(stream, within: .seconds(60)) }
        }

        /// Takes what a closed stream still has.
        /// - Returns: what it says in the end.
        mutating func receiveRest(_ stream: CaptureStream) -> LinkError? {
            do {
                while true { _ = try receive(stream, within: .seconds(60)) }
            } catch {
                return error as? LinkError
            }
        }
    }

    @Test func theSoundOfTheDeviceIsReceived() throws {
        let meter = PCMMeter()
        let stream = try Card().stream(meter)
        #expect(stream.sampleRate == 48_000)
        #expect(stream.channelCount == 1)
        #expect(stream.format.period == 0.005)
        var received = Received()
        for round in 1...20 {
            meter.allow(24_000)
            try received.receive(stream, until: round * 24_000)
        }
        #expect(received.frames == 480_000)
        #expect(received.lost == 0)
        stream.close()
    }

    @Test func aLateReaderReceivesTheNumberOfLostFrames() throws {
        let meter = PCMMeter()
        let stream = try Card().stream(meter)
        let period = stream.format.periodFrames
        var received = Received()
        var position = 0
        for round in 1...3 {
            meter.allow(120_000)
            position += 120_000
            meter.waitUntilLess(than: period)
            // With room again, the next block reports the loss.
            while try received.receive(stream, within: .zero) {}
            meter.allow(period)
            position += period
            try received.receive(stream, until: position)
            #expect(received.gaps == round)
        }
        #expect(Double(received.frames) >= 3 * stream.sampleRate)
        #expect(received.lost > 3 * 50_000)
        stream.close()
        #expect(meter.closings == 1)
    }

    /// The plug-in itself has always more: a slow reader gets a report of every loss.
    @Test func aDeviceWithoutAClockIsReceived() throws {
        let stream = try Card().stream()
        var received = Received()
        try received.receive(stream, until: 500_000)
        stream.close()
        #expect(received.frames >= 48_000)
    }

    @Test func aClosedStreamStillReturnsTheSoundThatItHolds() throws {
        let meter = PCMMeter()
        let card = try Card()
        let stream = try card.stream(meter)
        let period = stream.format.periodFrames
        meter.allow(Self.framesRecorded)
        var received = Received()
        try received.receive(stream, until: 10 * period)
        stream.close()
        #expect(meter.closings == 1)
        stream.close()
        #expect(meter.closings == 1)
        let error = received.receiveRest(stream)
        #expect(error?.code == .disconnected)
        #expect(error?.link == "alsa:\(card.configuration.device)")
        #expect(received.frames > 10 * period)
    }

    @Test func closedBeforeAnythingCameItIsOver() throws {
        let stream = try Card().stream(PCMMeter())
        stream.close()
        var received = Received()
        #expect(received.receiveRest(stream)?.code == .disconnected)
        #expect(received.frames == 0)
    }

    @Test func aReaderThatWaitsIsWokenByTheEnd() async throws {
        let stream = try Card().stream(PCMMeter())
        let (waiting, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            waiting.signal()
            while (try? stream.receive(within: .seconds(3_600), { _, _ in })) != nil {}
            ended.signal()
        }
        waiting.wait()
        stream.close()
        #expect(ended.wait(timeout: .now() + 60) == .success)
    }

    @Test func releasedStreamsCloseTheirDevice() throws {
        let meter = PCMMeter()
        let card = try Card()
        for round in 1...20 {
            meter.allow(Self.framesRecorded)
            let stream = try card.stream(meter)
            var received = Received()
            if round.isMultiple(of: 2) { _ = try received.receive(stream, within: .seconds(60)) }
            _ = consume stream
            #expect(meter.closings == round)
        }
    }

    /// A device that brings nothing at all brings silence, not what lay in memory.
    @Test func theDeviceOfSilenceIsSilent() throws {
        let stream = try CaptureStream(StreamConfiguration(device: "null"))
        var frames = 0
        while frames < 48_000 {
            _ = try stream.receive(within: .seconds(60)) { _, samples in
                frames += samples.count
                for index in samples.indices where samples[index] != 0 { Issue.record("sample \(index)") }
            }
        }
        stream.close()
    }
}
