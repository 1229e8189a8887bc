import ArgumentParser
import JackdawLinux
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Transcripts of `listen` that Ctrl-C ended, as they were kept of simulated readers: they are played back to their ends.
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

    /// Packets through an audio jack, of a reader whose messages only the simulated one explains.
    private static let udynamo = """
        jackdaw-transcript 1 masked sim:udynamo
        2.500748 > ** ** ** ** ** ** ** ** ** ** **
        2.511425 < 99 00 31 30 30 31 36 34 41 34 31 34 33 34 42 34 34 34 31 35 37 32 30 35 33 34 39 34 44 35 35 \
        34 43 34 31 35 34 34 35 34 34 32 30 33 31 32 45 33 30 33 30 0d 40
        2.511966 > ** ** ** ** ** ** ** ** ** ** **
        2.522196 < 99 01 19 30 30 30 41 35 33 34 39 34 44 33 30 33 30 33 30 33 30 33 30 33 30 33 31 0d 6c
        3.015184 < 69 02 ff 25 42 34 31 31 31 31 31 30 30 30 30 30 30 31 31 31 31 5e 58 58 58 58 2f 58 58 58 58 \
        5e 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 3b 34 31 31 31 31 31 30 30 30 30 30 \
        30 31 31 31 31 3d 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 7c 30 30 30 30 7c 32 \
        35 34 32 33 34 33 31 33 31 33 31 33 31 33 31 33 30 33 30 33 30 33 30 33 30 33 30 33 31 33 31 33 31 33 \
        31 35 45 35 38 35 38 35 38 35 38 32 46 35 38 35 38 35 38 35 38 35 45 33 30 33 30 33 30 33 30 33 30 33 \
        30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 46 7c 33 42 \
        33 34 33 31 33 31 33 31 33 31 33 31 33 30 33 30 33 30 33 30 33 30 33 30 33 31 33 31 33 31 33 31 33 44 \
        33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 10
        3.015400 < 99 03 47 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 30 33 46 7c 7c 30 30 30 30 30 30 30 \
        30 7c 7c 53 49 4d 30 30 30 30 30 30 31 7c 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 7c 7c 33 35 \
        46 44 7c 7c 30 30 30 30 0d 87
        5.822250 closed
        """

    private static let flojack = """
        jackdaw-transcript 1 masked sim:flojack
        1.500598 > ** ** ** **
        1.511338 < 01 06 01 01 00 07
        1.511679 > ** ** ** **
        1.521926 < 01 06 02 01 00 04
        1.522357 > ** ** ** **
        4.532754 < 05 08 20 00 00 00 00 2d
        5.660378 > ** ** ** **
        5.660785 closed
        """

    @Test(arguments: [("neo", neo, 1), ("udynamo", udynamo, 1), ("flojack", flojack, 0)])
    func itIsPlayedBackToItsEnd(family: String, text: String, swipes: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write((text + "\n").utf8, to: "session.txt")
        var system = BluetoothSystem()
        // The reader's times stand still: nothing but the transcript's end ends it.
        system.clock = ManualClock()
        system.isInterrupted = { false }
        system.connect = { link, _, _ throws(LinkError) in
            let transcript = try Transcript(contentsOf: path, link: link.description)
            return ReplayTransport(transcript, link: link, clock: LeapingClock(most: .seconds(100)))
        }
        let run = try await onOwnThread { [system] in
            let recorder = ConsoleRecorder()
            let verb = try #require(
                try JackdawCommand.parseAsRoot(["listen", "--link", "replay:\(path)", "--reader", family]) as? Listen)
            let status = try verb.run(on: recorder.console, system)
            recorder.console.flush()
            return (status: status, output: recorder.output, messages: recorder.messages)
        }
        #expect(run.status == (swipes > 0 ? .done : .nothingFound), "\(run.messages)")
        #expect(run.output.split(separator: "\n").count { $0.contains(": swipe: ") } == swipes, "\(run.output)")
        #expect(run.output.contains("411111******1111") == (swipes > 0))
    }
}
