import Glibc
import JackdawDSP
import JackdawReaders
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Streams open and close what they should, with threads of their own.
@Suite struct PlaybackStreamTests {
    private struct Refusal: Error {}

    @Test func aCardWhoseSourceCannotBeMadeIsClosed() {
        let card = ScriptedPCM(.playback, VirtualClock())
        let opener = ScriptedOpener(card)
        #expect(throws: Refusal.self) {
            _ = try PlaybackStream<CountingSource>(StreamConfiguration(device: "hw:31"), opener) { _ in throw Refusal()
            }
        }
        #expect(card.record.isClosed)
    }

    @Test func aMapThatDoesNotFitIsRefused() {
        let card = ScriptedPCM(.playback, VirtualClock())
        let opener = ScriptedOpener(card)
        let error = #expect(throws: LinkError.self) {
            _ = try PlaybackStream(
                StreamConfiguration(device: "hw:31"), opener, map: ChannelMap(gains: [[1, 0], [0, 1]])
            ) { _ in CountingSource(channels: 2) }
        }
        #expect(error?.code == .unsupported)
        #expect(card.record.isClosed)
        // The map has as many channels as are requested.
        #expect(opener.lastConfiguration?.channels == 2)
    }

    @Test func aMissingCardIsNotFound() {
        let error = #expect(throws: LinkError.self) {
            _ = try PlaybackStream(StreamConfiguration(device: "hw:31"), ScriptedOpener()) { _ in CountingSource() }
        }
        #expect(error?.code == .notFound)
    }

    @Test func whereOneWayCannotBeOpenedTheOtherIsClosed() {
        let card = ScriptedPCM(.capture, VirtualClock())
        let opener = ScriptedOpener(card)
        let error = #expect(throws: LinkError.self) {
            _ = try DuplexStream(StreamConfiguration(device: "hw:31"), opener, playbackChannels: 2) { _ in
                CountingSource(channels: 2)
            }
        }
        #expect(error?.code == .notFound)
        #expect(card.record.isClosed)
        // The second way is asked for at the rate of the first.
        #expect(opener.lastConfiguration?.sampleRate == 48_000)
        #expect(opener.lastConfiguration?.channels == 2)
    }

    /// A stream whose device goes for good says so, after all that happened before.
    @Test func theOwnerLearnsOfTheEnd() throws {
        let card = ScriptedPCM(.playback, VirtualClock())
        card.fail(.prepare, ENODEV)
        let stream = try PlaybackStream(
            StreamConfiguration(device: "hw:31", reopens: false), ScriptedOpener(card)
        ) { _ in CountingSource() }
        var events: [PlaybackEvent] = []
        let error = #expect(throws: LinkError.self) {
            while true { if let event = try stream.receive(within: .seconds(10)) { events.append(event) } }
        }
        #expect(error?.code == .disconnected)
        #expect(events == [.disconnected])
        #expect(!stream.finish(within: .seconds(10)))
        #expect(!stream.finish(within: .seconds(10)))
        #expect(card.record.isClosed)
    }

    /// Both ways through the library, on a device that takes everything and gives silence.
    @Test func bothWaysOfOneCardShareRateAndClock() throws {
        let before = SystemWaiting().now()
        let stream = try DuplexStream(
            StreamConfiguration(device: "null", sampleRate: 44_100, channels: 1), playbackChannels: 2
        ) { format in
            try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: format.sampleRate)
        }
        #expect(stream.sampleRate == 44_100)
        #expect(stream.playback.format.sampleRate == 44_100)
        #expect(stream.channelCount == 1)
        #expect(stream.playback.format.channels == 2)
        let change = stream.perform { try? $0.stop() }
        var times: [Int64] = []
        while times.isEmpty || change.beginning == nil {
            _ = try stream.receive(within: .seconds(10)) { event, _ in
                if case .sound(let block) = event { times.append(block.time) }
            }
        }
        let heard = try #require(change.beginning).time
        #expect(stream.playback.finish(within: .seconds(10)))
        stream.close()
        let after = SystemWaiting().now()
        // What is played is heard later than it is made, by a buffer at most.
        #expect(heard > before && heard < after + 1_000_000_000)
        #expect(times[0] > before - 1_000_000_000 && times[0] < after)
    }
}
