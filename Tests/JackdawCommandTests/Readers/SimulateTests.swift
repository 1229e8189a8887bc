import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw simulate`, and programs that connect to it.
@Suite struct SimulateTests {
    private typealias Status = jackdaw_cli.ExitStatus

    /// Two processes, connected by a socket of this computer.
    @Test func aReaderIsListenedToOverTheNetwork() async throws {
        let (listening, offering) = try await SimulatedListening.run("miura", [], cards: ["gift"])
        #expect(listening.contains("swipe: miura 999900******5678"), "\(listening)")
        #expect(offering.contains(": connected\n"))
        #expect(offering.contains(": ended\n"))
    }

    /// A program that connects again and again does not take the places of others.
    @Test(.timeLimit(.minutes(30))) func silentProgramsAreReplacedByOthers() async throws {
        let warnings = Shared<[String]>([])
        let programs = ConnectedPrograms(most: 3) { warning in warnings.with { $0.append(warning) } }
        func connect() async -> (ConnectedProgram, MemoryTransport) {
            let (near, far) = MemoryTransport.pair(link: LinkName(.tcp, "127.0.0.1:1"))
            return (await programs.add(near), far)
        }
        let (speaker, far) = await connect()
        try await far.send([1])
        _ = try await speaker.receive { _ in }
        let silent = [await connect(), await connect()]
        #expect(warnings.with { $0.isEmpty })
        for (number, next) in silent.enumerated() {
            // The new program gets its place once the closed one has ended.
            async let other = connect()
            #expect(try await next.1.received() == nil)
            #expect(warnings.with { $0.count } == 1)
            if number == 0 { #expect(silent[1].1.isOpen) }
            await programs.remove(next.0)
            let (program, end) = await other
            try await end.send([2])
            _ = try await program.receive { _ in }
        }
        // All programs have sent something: the one that has been idle longest is closed.
        #expect(far.isOpen)
        async let last = connect()
        #expect(try await far.received() == nil)
        await programs.remove(speaker)
        let (_, end) = await last
        #expect(warnings.with { $0.count } == 1)
        // The system is short of memory: only a program that has sent nothing is closed.
        for _ in 0..<2 { await programs.makeRoom(SystemFailure(code: 12)) }
        #expect(warnings.with { $0.count } == 2)
        #expect(try await end.received() == nil)
    }

    /// Idle programs do not keep others away, and the active one stays.
    @Test(.timeLimit(.minutes(30))) func programsThatSendOneByteGiveWayToOthers() async throws {
        let programs = ConnectedPrograms(most: 3) { _ in }
        func connect() async throws -> (near: ConnectedProgram, far: MemoryTransport) {
            let (near, far) = MemoryTransport.pair(link: LinkName(.tcp, "127.0.0.1:1"))
            let program = await programs.add(near)
            try await far.send([1])
            _ = try await program.receive { _ in }
            return (program, far)
        }
        let active = try await connect()
        var idle = [try await connect(), try await connect()]
        for _ in 0..<20 {
            // Traffic in either direction counts as activity.
            try await active.near.send([2])
            _ = try await active.far.received()
            async let next = connect()
            let oldest = idle.removeFirst()
            #expect(try await oldest.far.received() == nil)
            #expect(idle[0].far.isOpen && active.far.isOpen)
            await programs.remove(oldest.near)
            idle.append(try await next)
        }
        await programs.makeRoom(SystemFailure(code: 24))
        #expect(try await idle[0].far.received() == nil)
        #expect(active.far.isOpen)
    }

    /// Battery, firmware, card, manner and fault follow the options.
    @Test func theReaderIsAsTheOptionsSay() async throws {
        let link = LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/7")
        let events = Shared<[String]>([])
        var environment = CommandEnvironment()
        environment.clock = LeapingClock(most: .seconds(10))
        environment.wallClock.now = { .milliseconds(1_769_850_300_250) }
        environment.serve = { _, _, _, serve throws(LinkError) in
            let (here, there) = MemoryLink.pair(link: link)
            let served = Task { await serve(there) }
            let session = ReaderSession(here, MiuraDialect(), clock: ManualClock())
            await session.perform(.connect)
            for await event in session.events {
                events.with { $0.append(event.description) }
                if case .ready = event { await session.perform(.requestSwipe(within: .seconds(20))) }
                if case .badSwipe = event { break }
            }
            await session.close()
            await served.value
            throw LinkError(.serviceMissing, link: link.description, "bluetoothd ended")
        }
        let line = [
            "simulate", "miura", "--link", "rfcomm:7", "--battery", "12", "--firmware", "TEST 9.1", "--card", "amex",
            "--manner", "swiped-in-vain", "--fault", "duplicate:0", "--json",
        ]
        let (output, status) = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Simulate)
            var status = Status.done
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, in: environment)
            } catch {
                status = error.status
            }
            recorder.console.flush()
            return (recorder.output, status)
        }
        #expect(status == .unavailable)
        let reported = events.with { $0 }
        #expect(reported.contains { $0.contains("firmware TEST 9.1") && $0.contains("battery 12 %") }, "\(reported)")
        // The reader sent its first answer twice.
        #expect(reported.contains { $0.hasPrefix("dropped") })
        #expect(reported.last?.hasPrefix("bad swipe") == true)
        #expect(
            output.split(separator: "\n") == [
                #"{"link":"\#(link)","event":"connected","count":null,"time":"2026-01-31T09:05:00.250Z"}"#,
                #"{"link":"\#(link)","event":"ended","count":null,"time":"2026-01-31T09:05:00.250Z"}"#,
            ])
    }

    /// `simulate` encrypts, `listen` receives, and `frame` decrypts with the same key.
    @Test(arguments: [
        // The counter in the last 21 bits varies: on a busy machine swipes come before `listen` is connected.
        ("idtech", [], "FFFF9876543210E00"), ("idtech", ["--setting", "4C=32", "--setting", "85=30"], "3210E00"),
        ("magtek", ["--key-scheme", "data-request"], "3210E00"), ("ips", [], "the same for every swipe"),
    ])
    func swipesAreEncryptedWithAKey(family: String, options: [String], number: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789ABCDEF FEDCBA9876543210\n".utf8, to: "key")
        let (listening, offering) = try await SimulatedListening.run(
            family, ["--json"], offering: ["--key-file", path] + options, listening: ["--reveal"], cards: ["visa"])
        let line = try #require(listening.split(separator: "\n").first { $0.contains(#""event":"swipe""#) })
        let parts = try #require(try jsonObject(String(line))["parts"] as? [[String: Any]])
        #expect(!parts.contains { ($0["part"] as? String)?.hasPrefix("track") == true }, "\(line)")
        let frame = try #require(parts.first { $0["part"] as? String == "frame" }?["bytes"] as? String)
        #expect(!(listening + offering).contains("411111111111"))
        let run = CommandRun("frame", family, "--key-file", path, frame)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output.contains("  track 2  ;411111******1111="))
        #expect(run.output.contains(number))
        #expect(!(listening + offering).uppercased().contains("FEDCBA98"))
    }

    @Test(arguments: [
        ("miura", "0123456789ABCDEFFEDCBA9876543210", [], 64, "is not published"),
        ("magtek", "0123456789ABCDEFFEDCBA9876543210", ["--key-scheme", "fixed"], 64, "is not published"),
        ("idtech", "0123456789ABCDEFFEDCBA9876543210", ["--key-scheme", "aes-data-encryption"], 64, "AES's DUKPT"),
        ("idtech", "A1B2C3D4E5F60718293A4B5C6D7E8F90", [], 65, "published for tests only"),
        ("idtech", "0123", [], 65, "no key for these readers has 2 bytes"), ("idtech", "xyz", [], 65, "character 1 "),
    ])
    func invalidKeysAreReported(
        family: String, key: String, options: [String], status: Int32, message: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(key.utf8, to: "key")
        let run = CommandRun(["simulate", family, "--link", "tcp:127.0.0.1:0", "--key-file", path] + options)
        #expect(run.status == status)
        #expect(run.messages.contains(message), "\(run.messages)")
        #expect(!(run.output + run.messages).contains(key.prefix(8)) || key.count < 16)
    }

    @Test(arguments: [
        ("late", 0..<Int.max), ("late:2", 2..<3), ("late:2-4", 2..<5),
    ])
    func faultsHitTheMessagesThatAreNamed(argument: String, messages: Range<Int>) throws {
        let fault = try FaultArgument.read(argument)
        #expect(fault.fault == .late)
        #expect(fault.messages == messages)
    }

    @Test(arguments: [
        ["miura", "--link", "tcp:127.0.0.1:0", "--fault", "late:4-2"], ["miura", "--link", "pty:"],
        ["miura", "--link", "tcp:127.0.0.1:0", "--fault", "late:"], ["miura", "--link", "rfcomm:31"],
        ["miura", "--link", "tcp:127.0.0.1:0", "--fault", "nosuch"], ["nosuch", "--link", "pty"],
        ["miura", "--link", "pty", "--card", "nosuch"], ["miura", "--link", "pty", "--battery", "101"],
        ["miura", "--link", "pty", "--delay", "-1"], ["miura", "--link", "sim:miura"],
        ["echo", "--link", "pty", "--card", "visa"], ["idtech", "--link", "pty", "--setting", "4C"],
        ["idtech", "--link", "pty", "--setting", "4C=3"], ["idtech", "--link", "pty", "--setting", "G=31"],
        ["ips", "--link", "pty", "--key-file", "key", "--profile", "profile.json"],
        ["idtech", "--link", "pty", "--key-scheme", "pin"], ["echo", "--link", "pty", "--key-file", "key"],
    ])
    func invalidOptionsAreUsageErrors(arguments: [String]) {
        #expect(CommandRun(["simulate"] + arguments).status == Status.usage.rawValue)
    }

    /// A TCP link has no authentication, so that it is offered to this computer only.
    @Test func otherMachinesCannotConnect() async throws {
        let status = try await onOwnThread { CommandRun("simulate", "miura", "--link", "tcp:0.0.0.0:0").status }
        #expect(status == Status.unavailable.rawValue)
    }

    /// ALSA's null device imitates a sound card on which no program plays.
    @Test(arguments: ["unimag", "ips", "ipsenterprise"])
    func aReaderForTheJackIsSimulatedOnASoundCard(family: String) throws {
        var environment = CommandEnvironment()
        let polls = Shared(3)
        environment.isInterrupted = {
            polls.with { left in
                left -= 1
                return left < 0
            }
        }
        let recorder = ConsoleRecorder()
        let verb = try #require(
            try JackdawCommand.parseAsRoot(["simulate", family, "--link", "alsa:null"]) as? Simulate)
        let error = #expect(throws: CommandError.self) { _ = try verb.run(on: recorder.console, in: environment) }
        #expect(error?.status == .interrupted)
    }

    /// Readers whose families have other names, by their own, as at `sim:` links.
    @Test(arguments: [("posmate", "epos"), ("emvswiper", "bbpos"), ("spm20", "jsonpos")])
    func readersAreKnownByTheirOwnNames(reader: String, family: String) throws {
        let choice = try ReaderChoice.read(reader)
        #expect(choice.name == family)
        let link = LinkName(.sim, reader)
        #expect(link.simulatedFamily?.name == family)
        #expect(LinkName(recording: link, in: "a.txt").simulatedFamily?.name == family)
        #expect(LinkArgument.completions.contains("\(link)"))
        #expect(JackdawCommand.helpMessage(for: Listen.self).contains("\(link)"))
    }

    @Test(arguments: [
        ("miura", "alsa:null", "not a reader for the audio jack"), ("unimag", "pty", "offer it at alsa:DEVICE"),
        ("edynamo", "pty", "Bluetooth Low Energy"), ("echo", "alsa:null", "not a reader for the audio jack"),
    ])
    func readersAreRefusedAtLinksOfOtherKinds(reader: String, link: String, words: String) {
        let error = #expect(throws: (any Error).self) {
            _ = try JackdawCommand.parseAsRoot(["simulate", reader, "--link", link])
        }
        #expect(error.map { JackdawCommand.fullMessage(for: $0) }?.contains(words) == true)
    }
}
