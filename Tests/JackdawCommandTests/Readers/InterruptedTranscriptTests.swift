import ArgumentParser
import JackdawLinux
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// A transcript of `listen` that Ctrl-C ended, as it was kept of a simulated reader, is played back to its end.
@Suite(.timeLimit(.minutes(30))) struct InterruptedTranscriptTests {
    /// A wait for a card that was ended, and the answer to that.
    private static let neo = """
        jackdaw-transcript 1 masked sim:neo
        0.014895 > ** ** ** ** ** ** ** ** ** ** ** ** ** ** b3 **
        0.025961 < 56 69 56 4f 74 65 63 68 32 00 18 00 00 00 fa 83
        0.026717 > ** ** ** ** ** ** ** ** ** ** ** ** ** ** ** ** **
        1.037097 < 56 69 56 4f 74 65 63 68 32 00 02 00 00 69 32 25 42 34 31 31 31 31 31 30 30 30 30 30 30 31 31 \
        31 31 5e 58 58 58 58 2f 58 58 58 58 5e 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f \
        27 3b 34 31 31 31 31 31 30 30 30 30 30 30 31 31 31 31 3d 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 \
        30 30 30 30 30 3f 00 00 9f 39 01 90 ff ee 01 04 df 30 01 0c 2f 98
        1.043264 > ** ** ** ** ** ** ** ** ** ** ** ** ** ** ** ** **
        1.601069 > ** ** ** ** ** ** ** ** ** ** ** ** ** ** ** **
        1.614730 < 56 69 56 4f 74 65 63 68 32 00 05 00 00 00 d8 a2
        1.614980 closed
        """

    @Test func itIsPlayedBackToItsEnd() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write((Self.neo + "\n").utf8, to: "session.txt")
        var system = BluetoothSystem()
        // The reader's times stand still: nothing but the transcript's end ends it.
        system.clock = ManualClock()
        let clock = LeapingClock(most: .milliseconds(1_500))
        let played = Shared("")
        system.connect = { link, _, _ throws(LinkError) in
            let transcript = try Transcript(contentsOf: path, link: link.description)
            let replay = ReplayTransport(transcript, link: link, clock: clock)
            return try RecordingTransport(replay, secrecy: .revealed, clock: clock) { line in played.with { $0 += line }
            }
        }
        system.isInterrupted = {
            // The wait after the swipe was asked for: no more comes from the program.
            if played.with({ $0.split(separator: "\n").count { $0.contains(" > ") } }) == 3 {
                clock.advance(by: .seconds(10))
            }
            return false
        }
        let run = try await onOwnThread { [system] in
            let recorder = ConsoleRecorder()
            let verb = try #require(
                try JackdawCommand.parseAsRoot(["listen", "--link", "replay:\(path)", "--reader", "neo"]) as? Listen)
            let status = try verb.run(on: recorder.console, system)
            recorder.console.flush()
            return (status: status, output: recorder.output, messages: recorder.messages)
        }
        #expect(run.status == .done, "\(run.messages)")
        #expect(run.output.split(separator: "\n").count { $0.hasSuffix(": swipe: neo 411111******1111") } == 1)
    }
}
