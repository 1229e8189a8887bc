import ArgumentParser
import JackdawLinux
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Transcripts of `listen` with a simulated reader, ended by Ctrl-C, are played back to their ends.
@Suite(.timeLimit(.minutes(30))) struct InterruptedTranscriptTests {
    /// The last wait for a card was cancelled, and the reader confirmed that.
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

    /// Two commands follow the swipe. A third one cancelled the wait and was not answered.
    private static let miura = """
        jackdaw-transcript 1 masked sim:miura
        0.000583 > ** ** ** ** ** ** ** **
        0.031196 < 01 00 42 e1 3e 9f 1e 08 4d 30 30 30 30 30 30 31 ef 1b df 0d 11 4a 41 43 4b 44 41 57 2d 53 49 4d \
        55 4c 41 54 45 44 df 7f 04 31 2e 30 30 ef 14 df 0d 0a 4a 41 43 4b 44 41 57 2d 4f 53 df 7f 04 31 2e 30 30 \
        90 00 ab
        0.032083 > ** ** ** ** ** ** ** **
        0.055135 < 01 00 0e e1 0a df a2 09 01 00 df a2 0a 01 50 90 00 27
        0.063053 > ** ** ** ** ** ** 00 aa
        0.073451 < 01 40 08 e1 04 48 02 00 00 90 00 76
        1.084114 < 01 40 67 e1 63 48 02 00 07 5f 21 32 25 42 34 31 31 31 31 31 30 30 30 30 30 30 31 31 31 31 5e 58 \
        58 58 58 2f 58 58 58 58 5e 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 5f 22 27 3b 34 \
        31 31 31 31 31 30 30 30 30 30 30 31 31 31 31 3d 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 \
        30 3f 90 00 21
        1.086991 > ** ** ** ** ** ** ** **
        1.088113 > ** ** ** ** ** ** ** **
        1.107156 < 01 40 08 e1 04 48 02 00 00 90 00 76
        1.503361 > ** ** ** ** ** ** ** **
        1.503618 closed
        """

    /// A card was tapped, then the wait was cancelled.
    private static let flojack = """
        jackdaw-transcript 1 masked sim:flojack
        1.523271 > ** ** ** **
        1.534081 < 01 06 01 01 00 07
        1.534508 > ** ** ** **
        1.544737 < 01 06 02 01 00 04
        1.546170 > ** ** ** **
        4.565159 < 05 08 20 00 00 00 00 2d
        4.998047 > ** ** ** **
        4.998335 closed
        """

    /// The reader has no command that requests a card, and none that cancels it.
    private static let udynamo = """
        jackdaw-transcript 1 masked sim:udynamo
        2.500646 > ** ** ** ** ** ** ** ** ** ** **
        2.531237 < 99 00 31 30 30 31 36 34 41 34 31 34 33 34 42 34 34 34 31 35 37 32 30 35 33 34 39 34 44 35 35 34 \
        43 34 31 35 34 34 35 34 34 32 30 33 31 32 45 33 30 33 30 0d 40
        2.532029 > ** ** ** ** ** ** ** ** ** ** **
        2.546150 < 99 01 19 30 30 30 41 35 33 34 39 34 44 33 30 33 30 33 30 33 30 33 30 33 30 33 31 0d 6c
        3.051170 < 99 02 e5 25 42 34 31 31 31 30 30 30 30 30 30 30 30 31 31 31 31 5e 58 58 58 58 2f 58 58 58 58 5e \
        30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 3b 34 31 31 31 30 30 30 30 30 30 30 30 31 \
        31 31 31 3d 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 7c 30 32 30 30 7c 25 42 34 31 \
        31 31 31 31 30 30 30 30 30 30 31 31 31 31 5e 58 58 58 58 2f 58 58 58 58 5e 30 30 30 30 30 30 30 30 30 30 \
        30 30 30 30 30 30 30 30 30 30 3f 7c 3b 34 31 31 31 31 31 30 30 30 30 30 30 31 31 31 31 3d 30 30 30 30 30 \
        30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 3f 7c 7c 7c 7c 53 49 4d 30 30 30 30 30 30 31 7c 30 30 30 30 \
        30 30 30 30 30 30 30 30 30 30 30 30 7c 7c 35 32 36 46 7c 7c 31 30 30 30 0d c3
        3.423408 closed
        """

    /// A transcript, the number of requests that its playback sends, the exit status, and a line that is printed once.
    private typealias Case = (family: String, text: String, sent: Int, status: jackdaw_cli.ExitStatus, line: String)

    private static let cases: [Case] = [
        ("neo", neo, 3, .done, "swipe: neo 411111******1111"),
        ("miura", miura, 5, .done, "swipe: miura 411111******1111"),
        ("flojack", flojack, 3, .nothingFound, "card: tapped"),
        ("udynamo", udynamo, 2, .done, "swipe: udynamo 411111******1111"),
    ]

    @Test(arguments: cases.indices) func anInterruptedTranscriptIsPlayedBackToItsEnd(_ index: Int) async throws {
        let (family, text, sent, status, line) = Self.cases[index]
        let isOnJack = ReaderFamily.named(family)?.carriers == [.audio]
        let folder = try TemporaryFolder()
        let path = try folder.write((text + "\n").utf8, to: "session.txt")
        var environment = CommandEnvironment()
        // The driver's clock stands still, so that only the end of the transcript ends the command.
        let readerClock = ManualClock()
        environment.clock = readerClock
        let clock = LeapingClock(most: .milliseconds(3_200))
        // When the program of the transcript sent the first request.
        let start = try #require(Transcript(contentsOf: path, link: "a:b").entries.first).time
        let played = Shared("")
        environment.connect = { link, _, _ throws(LinkError) in
            let transcript = try Transcript(contentsOf: path, link: link.description)
            let replay = ReplayTransport(transcript, link: link, clock: clock)
            return try RecordingTransport(replay, secrecy: .revealed, clock: clock) { line in played.with { $0 += line }
            }
        }
        environment.isInterrupted = {
            switch played.with({ $0.split(separator: "\n").count { $0.contains(" > ") } }) {
            // A reader on a jack gets power before the first request. Time passes only while the driver waits for that,
            // and no longer: the answer to the request would be late.
            case 0 where isOnJack:
                guard let deadline = readerClock.nextDeadline?.offset, deadline <= start else { break }
                readerClock.advance(by: deadline - readerClock.now.offset)
            // The program sends nothing more.
            case sent: clock.advance(by: .seconds(10))
            default: break
            }
            return false
        }
        let run = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let verb = try #require(
                try JackdawCommand.parseAsRoot(["listen", "--link", "replay:\(path)", "--reader", family]) as? Listen)
            let status = try verb.run(on: recorder.console, in: environment)
            recorder.console.flush()
            return (status: status, output: recorder.output, messages: recorder.messages)
        }
        #expect(run.status == status, "\(run.messages)")
        #expect(run.output.split(separator: "\n").count { $0.hasSuffix(": \(line)") } == 1, "\(run.output)")
    }

    /// The disk becomes full within a line, which a limit of the file size imitates: the link is not opened again, and
    /// the transcript has only whole lines.
    @Test func aFullDiskEndsIt() throws {
        let folder = try TemporaryFolder()
        let line = """
            trap '' XFSZ; ulimit -f 2
            exec "$0" listen --link "record:$1,sim:miura" --reader miura --keep-trying > /dev/null
            """
        let run = try ChildProcess(shell: line, folder("session.txt"))
        #expect(run.status == 74, "\(run.messages)")
        let transcript = try Transcript(contentsOf: folder("session.txt"), link: "a:b")
        #expect(transcript.entries.count > 3)
        #expect(try folder.read("session.txt").last == UInt8(ascii: "\n"))
    }
}
