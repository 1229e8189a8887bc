import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import SwipeController
import Testing

@testable import JackdawLinux
@testable import jackdaw_cli

/// `jackdaw autodetect`: the reader that it finds on a jack, and its errors.
@Suite(.timeLimit(.minutes(30)))
struct AutodetectTests {
    private typealias Status = jackdaw_cli.ExitStatus

    /// A jack whose reader is found and does not start; or one whose search never ends by itself.
    private struct BadJack: ReaderJack {
        let isFound: Bool
        let isSearched = Shared(false)

        func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession {
            do throws(ReaderError) {
                let (near, _) = MemoryLink.pair(link: LinkName(.sim, family.name))
                return ReaderSession(near, try family.makeDialect(), clock: LeapingClock(most: .seconds(10)))
            } catch {
                throw LinkError(.unsupported, link: "bad", error.message)
            }
        }

        func search(
            _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
        ) async throws(LinkError) -> ReaderSearchReport {
            guard !isFound else { return ReaderSearchReport(found: "unimag") }
            isSearched.with { $0 = true }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw LinkError(.cancelled, link: "bad", "given up")
        }

        func environment(_ link: LinkName) -> LinuxSwipeEnvironment {
            LinuxSwipeEnvironment(link, self, JackAttachment(.always) { nil }, PlaybackVolume { nil }, nil)
        }
    }

    /// A jack whose reader is found, and whose link opens only after the controller has cancelled the opening. The end
    /// of the environment waits until the controller has received the result.
    private final class LateJack: ReaderJack {
        /// A link whose closing ends only then.
        private struct SlowLink: Transport {
            let link = LinkName(.sim, "slow")
            let mayClose: Shared<Bool>

            func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { false }
            func send(_ bytes: [UInt8]) async throws(LinkError) {}
            func endSending() async throws(LinkError) {}
            func close() async { await Task { [mayClose] in try? await mayClose.until { $0 } }.value }
        }

        /// Calls a closure each time that the controller reads the time, as it does for each event. Time passes only
        /// after the link has begun to open.
        struct Clock: _Concurrency.Clock {
            let base = LeapingClock(most: .seconds(10))
            let openings: Shared<Int>
            let onReading: @Sendable () -> Void

            var now: ManualClock.Instant {
                onReading()
                return base.now
            }
            var minimumResolution: Duration { base.minimumResolution }
            func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
                try await openings.until { $0 > 1 }
                try await base.sleep(until: deadline, tolerance: tolerance)
            }
        }

        private let openings = Shared(0)
        private let isGivenUp = Shared(false)
        private let isReceived = Shared(false)

        var clock: any _Concurrency.Clock<Duration> {
            Clock(openings: openings) { [isGivenUp, isReceived] in
                if isGivenUp.with({ $0 }) { isReceived.with { $0 = true } }
            }
        }

        func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession {
            let number = openings.with { openings in
                openings += 1
                return openings
            }
            guard number > 1 else {
                return ReaderSession(SlowLink(mayClose: isReceived), MiuraDialect(), clock: ManualClock())
            }
            // Ends when the task is cancelled.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            isGivenUp.with { $0 = true }
            let (near, _) = MemoryLink.pair(link: LinkName(.sim, family.name))
            return ReaderSession(near, MiuraDialect(), clock: ManualClock())
        }

        func search(
            _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
        ) async throws(LinkError) -> ReaderSearchReport { ReaderSearchReport(found: "unimag") }
    }

    /// Runs the verb on clocks that do not depend on the speed of the machine.
    private func run(
        _ arguments: [String], isTerminal: Bool = false, at jack: BadJack? = nil
    ) async throws -> CommandRun.Outcome {
        try await run(arguments) { environment in
            environment.isTerminal = isTerminal
            if let jack {
                environment.isInterrupted = { jack.isSearched.with { $0 } }
                environment.clock = LeapingClock(most: .seconds(10))
            } else {
                // The clock stands still, so that the reader always has time to power up.
                environment.clock = ManualClock()
            }
            environment.swipeEnvironment = { link, profiles, memory throws(LinkError) in
                if let jack { return jack.environment(link) }
                return try LinuxDevices().swipeEnvironment(
                    link, profiles: profiles, memory: .none, clock: LeapingClock(most: .seconds(2)))
            }
        }
    }

    private func run(
        _ arguments: [String], _ change: @escaping @Sendable (inout CommandEnvironment) -> Void
    ) async throws -> CommandRun.Outcome {
        try await onOwnThread {
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.parseAsRoot(["autodetect"] + arguments) as? Autodetect)
            var environment = CommandEnvironment()
            change(&environment)
            var status = Status.done
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, in: environment)
            } catch {
                status = error.status
                recorder.console.message(error.message)
            }
            recorder.console.flush()
            return CommandRun.Outcome(status: status.rawValue, output: recorder.output, messages: recorder.messages)
        }
    }

    @Test func theReaderIsFound() async throws {
        let reported = try await run(["--link", "sim:unimag", "--yes", "--no-memory"])
        #expect(reported.status == 0, "\(reported)")
        let lines = reported.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("unimag after ") == true)
        #expect(lines.contains { $0.hasPrefix("unimag: an answer after ") && $0.contains("asked once") })
        #expect(lines.contains { $0.hasPrefix("before any tone -") })
        #expect(reported.messages.isEmpty)
    }

    @Test func programsGetAnObject() async throws {
        let reported = try await run(["--link", "sim:unimag", "--yes", "--json"])
        let lines = reported.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 1)
        let object = try jsonObject(try #require(lines.first))
        #expect(Set(object.keys) == ["link", "found", "activated", "seconds", "quiet_level", "attempts", "time"])
        let time = try #require(object["time"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        #expect(object["found"] as? String == "unimag")
        #expect(object["activated"] as? Bool == true)
        let attempts = try #require(object["attempts"] as? [[String: Any]])
        let keys: Set = ["family", "outcome", "tests", "after", "bytes", "level", "reason"]
        #expect(attempts.allSatisfy { Set($0.keys) == keys })
        let found = try #require(attempts.first { $0["family"] as? String == "unimag" })
        #expect(found["outcome"] as? String == "answered")
        #expect(found["tests"] as? Int == 1)
    }

    @Test(arguments: [false, true]) func aSilentJackHasNoReader(isJSON: Bool) async throws {
        let reported = try await run(["--link", "sim:none", "--yes"] + (isJSON ? ["--json"] : []))
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.output.contains(isJSON ? #""found":null"# : "no reader after"))
    }

    @Test func aReaderThatIsFoundAndNotPoweredUpIsReported() async throws {
        let reported = try await run(["--link", "alsa:hw:1", "--yes"], at: BadJack(isFound: true))
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.messages.contains("the unimag reader was found and not powered up"), "\(reported)")
    }

    /// The end of the search cancels the opening; the message still has the reason why the reader is not ready.
    @Test func aReaderWhoseLinkOpensTooLateIsReported() async throws {
        let jack = LateJack()
        let openings = LinuxSwipeEnvironment(
            LinkName(.alsa, "hw:1"), jack, JackAttachment(.always) { nil }, PlaybackVolume { nil }, nil)
        // The end of the environment also closes this link, and waits for that.
        let earlier = try await openings.open(.unimag)
        let reported = try await run(["--link", "alsa:hw:1", "--yes"]) { environment in
            environment.isTerminal = false
            environment.clock = jack.clock
            environment.swipeEnvironment = { _, _, _ throws(LinkError) in openings }
        }
        await earlier.close()
        #expect(reported.status == Status.nothingFound.rawValue, "\(reported)")
        #expect(reported.messages.contains("the unimag reader was found and not powered up"), "\(reported)")
    }

    @Test func aSearchIsInterrupted() async throws {
        let reported = try await run(["--link", "alsa:hw:1", "--yes"], at: BadJack(isFound: false))
        #expect(reported.status == Status.interrupted.rawValue, "\(reported)")
        #expect(reported.output.isEmpty)
    }

    /// Without a terminal no user can agree to the tones.
    @Test func withoutATerminalTonesAreNotPlayed() async throws {
        let reported = try await run(["--link", "sim:unimag"])
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.messages.contains("no terminal"))
        #expect(reported.messages.contains("--yes"))
        #expect(reported.output.contains("unimag: not tried"))
    }

    @Test(arguments: [("sim:nosuch", 69), ("tcp:localhost:1", 69), ("alsa:hw:nonexistent", 69)])
    func linksWithoutAJackAreRefused(link: String, status: Int32) async throws {
        let reported = try await run(["--link", link, "--yes"])
        #expect(reported.status == status, "\(reported)")
        #expect(reported.messages.contains(link))
        #expect(reported.output.isEmpty)
    }

    @Test(arguments: [
        (#"{"name": "x", "family": "miura"}"#, 65, "not a family that autodetect tries"), ("{", 65, "the profile"),
        (#"{"name": "x", "family": "unimag", "values": {"nosuch": {"number": 1}}}"#, 65, "nosuch"),
    ])
    func invalidProfilesAreReported(json: String, status: Int32, words: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(json.utf8, to: "profile.json")
        let reported = try await run(["--link", "sim:unimag", "--yes", "--profile", path])
        #expect(reported.status == status)
        #expect(reported.messages.contains(words), "\(reported)")
        #expect(try await run(["--link", "sim:unimag", "--profile", folder("missing")]).status == 66)
    }

    @Test func aProfileIsUsed() async throws {
        let folder = try TemporaryFolder()
        let json = #"{"name": "slower", "family": "unimag", "values": {"unimag.periodsPerSymbol": {"number": 12}}}"#
        let path = try folder.write(json.utf8, to: "profile.json")
        let reported = try await run(["--link", "sim:unimag", "--yes", "--profile", path])
        #expect(reported.status == 0, "\(reported)")
    }

    @Test(arguments: [["--link", "nosuch:x"], ["--link", "sim"], ["unimag"]])
    func invalidOptionsAreUsageErrors(arguments: [String]) {
        #expect(CommandRun(["autodetect"] + arguments).status == Status.usage.rawValue)
    }
}

extension CommandRun {
    /// The exit status and the output of a run.
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let messages: String
    }
}
