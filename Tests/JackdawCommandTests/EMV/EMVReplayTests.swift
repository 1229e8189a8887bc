import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Recorded payments, replayed on the command line.
@Suite struct EMVReplayTests {
    /// A recording of a payment that the issuer approves.
    private final class Recorded {
        let folder: TemporaryFolder
        let path: String

        init(_ card: String = "approved-online", _ link: String = "sim:kernel") throws {
            folder = try TemporaryFolder()
            path = folder("pay.txt")
            let run = CommandRun(EMVPayTests.line(card, link) + ["--record", path])
            try #require(run.status <= 1, "\(run.messages)")
        }

        var text: String {
            get throws { String(decoding: try folder.read("pay.txt"), as: UTF8.self) }
        }

        /// Replays the recording, or another text, without a terminal.
        func replay(_ options: String..., text: String? = nil) throws -> Run {
            var file = path
            if let text { file = try folder.write(text.utf8, to: "other.txt") }
            let line = ["emv", "replay", file] + options
            guard let verb = try? JackdawCommand.command(of: line) as? ReplayPayment else {
                // An error of usage, which has no terminal.
                let run = CommandRun(line)
                return Run(status: run.status, output: run.output, messages: run.messages)
            }
            var environment = CommandEnvironment()
            environment.isTerminal = false
            let recorder = ConsoleRecorder()
            let status = verb.status(on: recorder.console, in: environment)
            return Run(status: status.rawValue, output: recorder.output, messages: recorder.messages)
        }
    }

    private struct Run {
        let status: Int32
        let output: String
        let messages: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    @Test(arguments: EMVPayTests.links) func allStepsArePrinted(_ link: String) throws {
        let run = try Recorded("approved-online", link).replay()
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(run.lines.first?.hasPrefix("step 1 of ") == true)
        #expect(run.lines.first?.hasSuffix(", 0.000000 s: start") == true)
        #expect(
            run.lines.dropFirst().prefix(2) == [
                "  phase     Preparing, until 10.000000 s", "  journal   host not_asked",
            ])
        #expect(run.lines.last == "ends: approved, the issuer approved")
        #expect(run.output.contains("\n  sent      ") && run.output.contains("\n  received  "))
    }

    @Test func eachStepIsAnObject() throws {
        let run = try Recorded().replay("--json")
        #expect(run.status == 0)
        let first = try jsonObject(try #require(run.lines.first))
        #expect(first["step"] as? Int == 1 && first["name"] as? String == "start")
        #expect(first["phase"] as? String == "Preparing" && first["deadline"] as? Double == 10)
        #expect(
            try run.lines.dropLast().allSatisfy { try jsonObject($0)["equal"] as? Bool == true })
        #expect(run.lines.last == #"{"event":"end","outcome":"approved","reversed":false}"#)
    }

    @Test(arguments: ["declined-by-issuer", "issuer-silent", "tap-online-pin", "stripe-only", "removed-early"])
    func otherPaymentsReplayEqual(_ card: String) throws {
        let run = try Recorded(card).replay("--json")
        #expect(run.status == 0 && run.messages.isEmpty)
    }

    /// Another phase, another effect, and a line less.
    @Test func aChangedRecordingIsDetected() throws {
        let recorded = try Recorded()
        let text = try recorded.text
        let changes = [
            text.replacing("\"phase\":\"AwaitHost\"", with: "\"phase\":\"Kernel2\""),
            text.replacing("store record", with: "stop reader"),
            text.replacing(#/\n[^\n]*"event":"host_approved"[^\n]*/#, with: ""),
        ]
        for changed in changes {
            #expect(changed != text)
            let run = try recorded.replay(text: changed)
            #expect(run.status == 1)
            #expect(run.messages.contains(#/step [0-9]+ differs from the recording: /#))
            #expect(try recorded.replay("--json", text: changed).output.contains("\"equal\":false"))
        }
    }

    @Test func aSingleStepIsPrinted() throws {
        let recorded = try Recorded()
        let run = try recorded.replay("--step", "2")
        #expect(run.status == 0)
        #expect(run.lines.first?.contains(": prepare_ok, answers 1") == true)
        #expect(run.lines.filter { $0.hasPrefix("step ") }.count == 1)
        for wrong in ["0", "-1", "999"] { #expect(try recorded.replay("--step=\(wrong)").status == 64) }
    }

    /// The step in which the issuer was asked, from which the payment goes on.
    private func question(_ recorded: Recorded) throws -> String {
        let lines = try recorded.replay().lines.filter { $0.hasPrefix("step ") }
        let index = try #require(lines.firstIndex { $0.contains("ac1_arqc") })
        return "\(index + 1)"
    }

    @Test(arguments: [
        ("host_declined", "ends: declined_online, the issuer declined"),
        ("host_approved,ac2_aac", "ends: declined_by_card, reversed, the issuer approved, and the card declined"),
        ("host_unreachable,ac2_tc", "ends: approved_offline, the card approved without the issuer"),
        ("timer", "ends: failed_host_timeout, reversed, no usable answer of the issuer came in time"),
        ("crash", "ends: failed_recovered, reversed, the program was killed during the payment"),
    ])
    func thePaymentGoesOnWithAnotherAnswer(_ answers: String, _ end: String) throws {
        let recorded = try Recorded()
        let run = try recorded.replay("--step", try question(recorded), "--answer", answers)
        #expect(run.status == 0)
        #expect(run.lines.last == end)
        #expect(run.lines.contains { $0.hasPrefix("then 1, ") })
    }

    @Test func unknownAnswersAreRefused() throws {
        let recorded = try Recorded()
        for answer in ["pay", "", "host_declined,", "4761739001010010"] {
            let run = try recorded.replay("--step", "1", "--answer", answer)
            #expect(run.status == 64 && !run.messages.contains("4761739001010010"))
        }
        #expect(try recorded.replay("--answer", "timer").status == 64)
    }

    // MARK: on a terminal

    private func turn(_ recorded: Recorded, _ typed: String...) throws -> (lines: [String], messages: String) {
        let rest = Shared(typed[...])
        var environment = CommandEnvironment()
        environment.isTerminal = true
        environment.typedLine = { rest.with { $0.popFirst() } }
        let recorder = ConsoleRecorder(showsResults: true)
        let verb = try #require(try JackdawCommand.command(of: ["emv", "replay", recorded.path]) as? ReplayPayment)
        #expect(verb.status(on: recorder.console, in: environment) == .done)
        return (recorder.output.split(separator: "\n").map(String.init), recorder.messages)
    }

    @Test func stepsAreTurnedForwardAndBack() throws {
        let recorded = try Recorded()
        let (lines, messages) = try turn(recorded, "n", "", "p", "p", "p", "4", "x", "99", "q", "n")
        let shown = lines.filter { $0.hasPrefix("step ") }.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(shown == ["1", "2", "3", "2", "1", "4"])
        #expect(messages.contains("there are steps 1 to ") && messages.contains("a ANSWER"))
    }

    @Test func afterTheLastStepTheEndIsShown() throws {
        let recorded = try Recorded()
        let count = try recorded.replay().lines.filter { $0.hasPrefix("step ") }.count
        let (lines, _) = try turn(recorded, "\(count)", "n")
        #expect(lines.last == "ends: approved, the issuer approved")
    }

    @Test func thePaymentGoesOnWithATypedAnswer() throws {
        let recorded = try Recorded()
        let (lines, messages) = try turn(recorded, try question(recorded), "a host_declined", "a pay", "a")
        #expect(lines.last == "ends: declined_online, the issuer declined")
        #expect(messages.contains("unknown answer"))
    }

    // MARK: files that are no recordings

    @Test(arguments: ["", "{}", "RIFF1234", "\u{0}\u{1}", "{\"applications\": []}", "4761739001010010\n"])
    func otherFilesAreRefused(_ text: String) throws {
        let run = try Recorded().replay(text: text)
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(run.messages.contains("other.txt: not a valid recording of a payment (line 1"))
        #expect(!run.messages.contains("4761739001010010"))
    }

    @Test func aTranscriptOfALinkIsNamed() throws {
        let run = try Recorded().replay(text: "jackdaw-transcript 1 masked tcp:a:1\n")
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(run.messages.contains("other.txt: this is the transcript of a link"))
    }

    @Test func theLineOfAnErrorIsNamed() throws {
        let recorded = try Recorded()
        let run = try recorded.replay(text: try recorded.text.replacing("\"AwaitCard\"", with: "\"Await\""))
        #expect(run.status == 65 && run.messages.contains(#/line [0-9]+\.phase/#))
        #expect(CommandRun("emv", "replay", "/nonexistent/pay.txt").status == 66)
    }

    @Test func standardInputIsRead() throws {
        let child = try ChildProcess(["emv", "replay", "-"], input: Array(try Recorded().text.utf8))
        #expect(child.status == 0)
        #expect(String(decoding: child.output, as: UTF8.self).hasSuffix("ends: approved, the issuer approved\n"))
    }
}
