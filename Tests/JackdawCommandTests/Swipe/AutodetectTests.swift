import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import SwipeController
import Testing

@testable import JackdawLinux
@testable import jackdaw_cli

/// What `jackdaw autodetect` reports about the reader on a jack.
@Suite(.timeLimit(.minutes(30)))
struct AutodetectTests {
    private typealias Status = jackdaw_cli.ExitStatus

    /// A jack with a reader that is found and does not start; or one at which a search ends by itself never.
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

    /// A jack at which a reader is found whose link is open only when it is given up. The end of the environment waits until
    /// the controller has received what became of that.
    private final class LateJack: ReaderJack {
        /// A link that is closed no sooner.
        private struct SlowLink: Transport {
            let link = LinkName(.sim, "slow")
            let mayClose: Shared<Bool>

            func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { false }
            func send(_ bytes: [UInt8]) async throws(LinkError) {}
            func endSending() async throws(LinkError) {}
            func close() async { await Task { [mayClose] in try? await mayClose.until { $0 } }.value }
        }

        /// Reports when a controller reads it, as it does whenever it receives something. Time passes only after the link has
        /// begun to open.
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
    ) async throws -> CommandRun.Told {
        try await run(arguments) { environment in
            environment.isTerminal = isTerminal
            if let jack {
                environment.isInterrupted = { jack.isSearched.with { $0 } }
                environment.clock = LeapingClock(most: .seconds(10))
            } else {
                // However slow the machine is, the reader has time to power up.
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
    ) async throws -> CommandRun.Told {
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
            return CommandRun.Told(status: status.rawValue, output: recorder.output, messages: recorder.messages)
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

    @Test(arguments: [false, true]) func nothingIsFoundWhereNothingAnswers(isJSON: Bool) async throws {
        let reported = try await run(["--link", "sim:none", "--yes"] + (isJSON ? ["--json"] : []))
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.output.contains(isJSON ? #""found":null"# : "no reader after"))
    }

    @Test func aReaderThatIsFoundAndDoesNotStartIsToldOf() async throws {
        let reported = try await run(["--link", "alsa:hw:1", "--yes"], at: BadJack(isFound: true))
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.messages.contains("the unimag reader was found and not powered up"), "\(reported)")
    }

    /// What the end of the search does to an opening that goes on is not the reason why the reader was not powered up.
    @Test func aReaderWhoseLinkOpensTooLateIsToldOf() async throws {
        let jack = LateJack()
        let openings = LinuxSwipeEnvironment(
            LinkName(.alsa, "hw:1"), jack, JackAttachment(.always) { nil }, PlaybackVolume { nil }, nil)
        // The end of the environment closes it, too, and so waits for it.
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

    /// There is no user who could answer.
    @Test func withoutATerminalTonesAreNotPlayed() async throws {
        let reported = try await run(["--link", "sim:unimag"])
        #expect(reported.status == Status.nothingFound.rawValue)
        #expect(reported.messages.contains("no terminal"))
        #expect(reported.messages.contains("--yes"))
        #expect(reported.output.contains("unimag: not tried"))
    }

    @Test(arguments: [("sim:nosuch", 69), ("tcp:localhost:1", 69), ("alsa:hw:nonexistent", 69)])
    func whatIsNoJackIsToldOf(link: String, status: Int32) async throws {
        let reported = try await run(["--link", link, "--yes"])
        #expect(reported.status == status, "\(reported)")
        #expect(reported.messages.contains(link))
        #expect(reported.output.isEmpty)
    }

    @Test(arguments: [
        (#"{"name": "x", "family": "miura"}"#, 65, "not a family that autodetect tries"), ("{", 65, "the profile"),
        (#"{"name": "x", "family": "unimag", "values": {"nosuch": {"number": 1}}}"#, 65, "nosuch"),
    ])
    func profilesThatDoNotDoAreToldOf(json: String, status: Int32, words: String) async throws {
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
    func whatMakesNoSenseIsUsage(arguments: [String]) {
        #expect(CommandRun(["autodetect"] + arguments).status == Status.usage.rawValue)
    }
}

extension CommandRun {
    /// How a run has ended, and what it wrote.
    struct Told: Sendable {
        let status: Int32
        let output: String
        let messages: String
    }
}
