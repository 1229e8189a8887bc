import ArgumentParser
import Foundation
import JackdawDSP
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// The ends of `jackdaw listen` with their exit codes, and its waits for a device.
@Suite struct ListenEndTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The number of swipes in a block makes no difference.
    @Test(arguments: [240, 1_000_000], [[], ["--json"]])
    func theCommandEndsAfterTheRequestedSwipes(block: Int, json: [String]) throws {
        let sound = try ScriptedListening.swipe(.two) + ScriptedListening.silence
        let all = (0..<3).flatMap { _ in sound }
        for (options, expected) in [(["--once"], 1), (["--swipes", "2"], 2), (["--swipes", "9"], 3)] {
            let run = try ScriptedListening.run(options + json, to: ScriptedPort(block: block, [.sound(all)]))
            #expect(run.status == 0)
            #expect(run.lines.count { $0.hasPrefix("alsa:default: ") || $0.hasPrefix("{") } == expected, "\(run.lines)")
        }
    }

    /// All tracks of the last wanted swipe are printed.
    @Test(arguments: [[], ["--json"]]) func aSwipeHasAllOfItsTracks(json: [String]) throws {
        let (first, second) = (try ScriptedListening.swipe(.one), try ScriptedListening.swipe(.two))
        let frames = max(first.count, second.count)
        let both = (0..<frames).flatMap { [$0 < first.count ? first[$0] : 0, $0 < second.count ? second[$0] : 0] }
        let quiet = [Float](repeating: 0, count: 192_000)
        let port = ScriptedPort(channelCount: 2, [.sound(both + quiet + both + quiet)])
        let run = try ScriptedListening.run(["--once"] + json, to: port)
        #expect(run.lines.count { $0.hasPrefix("  track") || $0.hasPrefix("{") } == 2, "\(run.lines)")
    }

    @Test func theCommandEndsWhenItsTimeIsOver() throws {
        let nothing = try ScriptedListening.run(
            ["--timeout", "30"],
            to: ScriptedPort(
                [.passes(.seconds(29)), .sound(ScriptedListening.silence), .passes(.seconds(1))]
                    + ScriptedListening.swipes(1)))
        #expect(nothing.status == 1)
        #expect(nothing.lines.isEmpty)
        #expect(nothing.messages == "jackdaw: alsa:default: no swipe within 30.0 s\n")
        let late = try ScriptedListening.swipes(1) + [.passes(.seconds(30))] + ScriptedListening.swipes(1)
        let one = try ScriptedListening.run(["--timeout", "30"], to: ScriptedPort(late))
        #expect(one.status == 0)
        #expect(one.lines.count { $0.hasPrefix("alsa:default: ") } == 1)
    }

    @Test(arguments: [
        ["--swipes", "0"], ["--once", "--swipes", "2"], ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "1e9"],
        ["--timeout", "nan"],
    ])
    func numbersThatMakeNoSenseAreUsage(options: [String]) {
        #expect(CommandRun(["listen"] + options).status == 64)
    }

    @Test func eachTrackHasItsTime() throws {
        let run = try ScriptedListening.run(["--json", "--failures"], to: ScriptedPort(ScriptedListening.swipes(1)))
        #expect(try run.lines.map { try jsonObject($0)["time"] as? String } == [ScriptedListening.time])
        #expect(run.lines.allSatisfy { $0.hasSuffix(#","time":"\#(ScriptedListening.time)"}"#) })
        let whole = try ScriptedListening.swipe(.two)
        let part = Array(whole[..<(whole.count / 2)])
        let failure = try ScriptedListening.run(
            ["--json", "--failures"], to: ScriptedPort([.sound(part), .sound(ScriptedListening.silence)]))
        #expect(try jsonObject(try #require(failure.lines.first))["time"] as? String == ScriptedListening.time)
    }

    /// Listens to a sound card whose first attempts to open fail. Time passes by the waits, and by a step each time
    /// that the clock is read.
    private func listen(
        failing tries: Int, _ code: LinkError.Code, _ options: [String], step: Duration = .zero
    ) throws -> (status: Int32, lines: [String], messages: [String], tries: Int) {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + options) as? Listen)
        var environment = ScriptedListening.environment(ScriptedPort(try ScriptedListening.swipes(1)))
        let (attempts, elapsed) = (Shared(0), Shared(Duration.zero))
        let capture = environment.capture
        environment.capture = { link, configuration, isWanted throws(LinkError) in
            let attempt = attempts.with { attempts in
                attempts += 1
                return attempts
            }
            guard attempt > tries else { throw LinkError(code, link: link.description, "cannot be opened") }
            return try capture(link, configuration, isWanted)
        }
        let start = ContinuousClock.now
        environment.now = {
            elapsed.with { elapsed in
                defer { elapsed += step }
                return start + elapsed
            }
        }
        environment.sleep = { wait in
            #expect(wait > .zero)
            elapsed.with { $0 += wait }
        }
        let recorder = ConsoleRecorder(isWatched: true)
        let status = ScriptedListening.status(of: verb, recorder, environment)
        let messages = recorder.messages.split(separator: "\n").filter { $0.contains("cannot be opened") }
        return (
            status, recorder.output.split(separator: "\n").map(String.init), messages.map(String.init),
            attempts.with(\.self)
        )
    }

    @Test(arguments: [LinkError.Code.notFound, .notPermitted, .busy])
    func aCardThatCannotBeOpenedEndsItUnlessItIsToKeepTrying(code: LinkError.Code) throws {
        let once = try listen(failing: 20, code, [])
        #expect(once.status == 69)
        #expect(once.tries == 1)
        let kept = try listen(failing: 20, code, ["--keep-trying", "--once"])
        #expect(kept.status == 0)
        #expect(kept.tries == 21)
        // The waits are 1, 2, 4, 8, 16 and then 30 s each: the reason is printed at once and then once a minute.
        #expect(kept.messages.count == 8, "\(kept.messages)")
        let json = try listen(failing: 1, code, ["--keep-trying", "--once", "--json"])
        #expect(try jsonObject(json.lines[0])["event"] as? String == "waiting")
        #expect(try jsonObject(json.lines[0])["reason"] as? String == code.name)
        #expect(try jsonObject(json.lines[0])["time"] as? String == ScriptedListening.time)
    }

    /// The process is stopped between two readings of the clock.
    @Test(arguments: [7, 130, 900, 40_000])
    func aWaitForASoundCardIsNeverNegative(milliseconds: Int) throws {
        let run = try listen(
            failing: 20, .notFound, ["--keep-trying", "--once"], step: .milliseconds(milliseconds))
        #expect(run.status == 0)
        #expect(run.tries == 21)
    }

    /// A file does not appear or grow by itself, so it is opened once.
    @Test func aFileThatCannotBeOpenedIsNotTriedAgain() throws {
        let run = try listen(failing: 20, .notFound, ["--link", "wav:\(folder("none.wav"))", "--keep-trying"])
        #expect(run.status == 69)
        #expect(run.tries == 1)
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let whole = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--keep-trying")
        #expect(whole.status == 0)
        #expect(whole.lines.count { $0.hasPrefix("wav:") } == 1)
    }

    /// A writer keeps a FIFO open and sends nothing, a part of the header, or the header and half a sample.
    @Test(.timeLimit(.minutes(30)), arguments: [[], [0x52, 0x49], nil] as [[UInt8]?])
    func theTimeoutEndsItWhileAPipeSendsNothing(beginning: [UInt8]?) throws {
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        // Nil stands for a header and half of a sample.
        try input.write(contentsOf: beginning ?? Array(try folder.read("a.wav")[..<45]))
        let line = ["listen", "--link", "wav:\(folder("in"))", "--timeout", "60"]
        let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Listen)
        var environment = CommandEnvironment()
        environment.mixer = { _ throws(LinkError) in nil }
        environment.jacks = { _ throws(LinkError) in nil }
        let time = Shared(ContinuousClock.now)
        environment.now = {
            time.with { time in
                defer { time += .seconds(20) }
                return time
            }
        }
        let recorder = ConsoleRecorder()
        #expect(ScriptedListening.status(of: verb, recorder, environment) == 1)
        #expect(recorder.messages.contains("no swipe within 60.0 s"))
        try input.close()
    }

    @Test func aCardThatIsNotThereInTimeIsNoSwipe() throws {
        let run = try listen(failing: 1_000, .notFound, ["--keep-trying", "--timeout", "100"])
        #expect(run.status == 1)
        #expect(run.lines.isEmpty)
    }

    @Test func aFileIsReadForAsManySwipes() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--once", "--timeout", "600", "--json")
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(try jsonObject(run.lines[0])["time"] as? String != nil)
    }

    /// An interrupted verb is ended after a second, unless it has begun to restore the levels.
    @Test func anInterruptLeavesTimeToPutTheLevelsBack() throws {
        alarm(1_000)
        let run = try ScriptedListening.run(
            to: ScriptedPort([.sound(ScriptedListening.silence)]), isInterrupted: { true })
        #expect(run.status == 130)
        #expect(alarm(0) == 0)
    }

    @Test func outputThatCannotBeWrittenEndsIt() throws {
        let error = LinkError(.disconnected, link: "alsa:hw:1", "the device has gone")
        let steps: [ScriptedPort.Step] = [
            .sound(try ScriptedListening.swipe(.two)), .sound(ScriptedListening.silence), .fails(error),
        ]
        #expect(try ScriptedListening.run(["--json"], to: ScriptedPort(steps)).status == 69)
        #expect(try ScriptedListening.run(["--json"], to: ScriptedPort(steps), isFull: true).status == 0)
    }

    @Test func aClosedPipeIsAnErrorOfWriting() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let output = Pipe()
        let messages = Pipe()
        try output.fileHandleForReading.close()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["listen", "--link", "wav:\(folder("a.wav"))"], output: .pipe(output),
            messages: .pipe(messages))
        #expect(process.end() == .exit(74))
        let text = String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self)
        #expect(text.hasSuffix("jackdaw: standard output: cannot be written (Broken pipe)\n"))
    }
}
