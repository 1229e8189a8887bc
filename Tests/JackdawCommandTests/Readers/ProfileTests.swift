import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Profiles in files, for real and simulated readers.
@Suite struct ProfileTests {
    private typealias Status = jackdaw_cli.ExitStatus

    /// `listen` and `simulate` use the wire format of the same profile, which differs from the synthetic one.
    @Test func bothVerbsUseTheWireFormatOfAProfile() async throws {
        let family = try #require(ReaderFamily.named("epos"))
        var profile = family.simulatedProfile
        profile["frame.start"] = ProfileEntry("", .bytes([0xAA, 0x55]), .unknown, "for this test")
        profile["message.swipe"] = ProfileEntry("", .number(0xC4), .unknown, "for this test")
        let folder = try TemporaryFolder()
        let path = try folder.write(profile.json, to: "wire.json")
        let (listening, _) = try await SimulatedListening.run("epos", ["--profile", path], cards: ["gift"])
        #expect(listening.contains("swipe: epos 999900******5678"), "\(listening)")
    }

    /// The number of requests to a reader that does not answer.
    @Test(arguments: [(nil, 3), (#""times.answerTries": { "number": 2 }"#, 2)])
    func timesAreThoseOfTheProfile(values: String?, commands: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{ "name": "ours", "family": "miura", "values": { \#(values ?? "") } }"#.utf8, to: "ours.json")
        let sent = Shared("")
        var environment = CommandEnvironment()
        environment.clock = LeapingClock(most: .seconds(10))
        environment.isInterrupted = { false }
        environment.keep = { persistence, connect in
            KeptLink(persistence, backOff: BackOff(first: .nanoseconds(1)), connect: connect)
        }
        environment.connect = { link, _, _ throws(LinkError) in
            let silent = SimulatorHost.open(link, clock: ManualClock()) {
                SimulatedReader(MiuraModel(), faults: [PlannedFault(.noAnswer)])
            }
            return try RecordingTransport(silent, secrecy: .revealed, clock: ManualClock()) { line in
                sent.with { $0 += line }
            }
        }
        let line = ["listen", "--link", "tcp:192.0.2.7:4000", "--reader", "miura", "--profile", path]
        let status = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Listen)
            do throws(CommandError) {
                return try verb.run(on: recorder.console, in: environment)
            } catch {
                return error.status
            }
        }
        #expect(status == .unavailable)
        #expect(sent.with { $0.split(separator: "\n").count { $0.contains(" > ") } } == commands)
    }

    /// Contents of the file, and words of the message besides the path: the place of the error and the values.
    private static let wrong: [(String, [String])] = [
        ("[]", [": the profile: ", "an array", "an object"]),
        (#"{"name": "ours"}"#, [": family: ", "missing"]),
        (#"{"name": "ours", "family": "miura"}"#, ["\"ours\"", "miura", "neo"]),
        (
            #"{"name": "ours", "family": "neo", "values": {"times.answers": {"number": 1}}}"#,
            [" times.answers,", "neo"]
        ),
        (
            #"{"name": "ours", "family": "neo", "values": {"times.answer": {"text": "soon"}}}"#,
            ["values.times.answer ", "\"ours\" is text", "number"]
        ),
        (
            #"{"name": "ours", "family": "neo", "values": {"times.answer": {"number": "soon"}}}"#,
            [": values.times.answer.number: ", "a text", "a number"]
        ),
        (
            #"{"name": "ours", "family": "neo", "values": {"times.answer": {"number": 0}}}"#,
            ["values.times.answer ", "\"ours\" is 0", "from 1"]
        ),
        (String(repeating: " ", count: 65_537), ["too long for a profile"]),
    ]

    @Test(arguments: wrong)
    func anErrorOfAProfileNamesItsPlace(json: String, values: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(json.utf8, to: "ours.json")
        for line in [
            ["listen", "--link", "tcp:192.0.2.7:4000", "--reader", "neo"],
            ["simulate", "neo", "--link", "tcp:127.0.0.1:0"],
        ] {
            let run = CommandRun(line + ["--profile", path])
            #expect(run.status == Status.badData.rawValue)
            #expect(run.messages.contains("\(path): "), "\(run.messages)")
            for value in values { #expect(run.messages.contains(value), "\(run.messages)") }
        }
    }

    /// The profile of a family without a published protocol must be complete; the message names the missing values.
    @Test func missingValuesOfTheProfileAreNamed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{"name": "half", "family": "epos", "values": {"frame.start": {"bytes": "02"}}}"#.utf8, to: "half.json")
        let run = CommandRun("listen", "--link", "tcp:192.0.2.7:4000", "--reader", "epos", "--profile", path)
        #expect(run.status == Status.badData.rawValue)
        #expect(run.messages.contains("frame.lengthSize"))
        #expect(!run.messages.contains("frame.start"))
    }

    @Test func aFileThatIsNotThereIsNoInput() throws {
        let folder = try TemporaryFolder()
        let line = ["listen", "--link", "tcp:192.0.2.7:4000", "--reader", "neo", "--profile"]
        #expect(CommandRun(line + [folder("none")]).status == Status.noInput.rawValue)
        #expect(CommandRun(line + [folder.path]).status == Status.inputOutput.rawValue)
    }

    @Test(arguments: [
        ["listen", "--link", "tcp:h:1", "--profile", "f"], ["listen", "--link", "sim:epos", "--profile", "f"],
        ["listen", "--link", "sim:epos", "--reader", "epos", "--profile", "f"],
        ["simulate", "echo", "--link", "pty", "--profile", "f"],
    ])
    func invalidOptionsAreUsageErrors(arguments: [String]) {
        #expect(CommandRun(arguments).status == Status.usage.rawValue)
    }
}
