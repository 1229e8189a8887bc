import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// What `jackdaw simulate` does for programs that connect.
@Suite struct SimulateTests {
    private typealias Status = jackdaw_cli.ExitStatus

    /// Two processes and a socket of this computer.
    @Test func aReaderIsListenedToOverTheNetwork() async throws {
        let (listening, offering) = try await SimulatedListening.run("miura", [], cards: ["gift"])
        #expect(listening.contains("swipe: miura 999900******5678"), "\(listening)")
        #expect(offering.contains(": connected\n"))
        #expect(offering.contains(": ended\n"))
    }

    /// What the options say is what the reader does.
    @Test func theReaderIsAsTheOptionsSay() async throws {
        let link = LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/7")
        let events = Shared<[String]>([])
        var system = BluetoothSystem()
        system.clock = LeapingClock(most: .seconds(10))
        system.serve = { _, _, serve throws(LinkError) in
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
        let (output, status) = try await onOwnThread { [system] in
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Simulate)
            var status = Status.done
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, system)
            } catch {
                status = error.status
            }
            recorder.console.flush()
            return (recorder.output, status)
        }
        #expect(status == .unavailable)
        let told = events.with { $0 }
        #expect(told.contains { $0.contains("firmware TEST 9.1") && $0.contains("battery 12 %") }, "\(told)")
        // The first answer came twice.
        #expect(told.contains { $0.hasPrefix("dropped") })
        #expect(told.last?.hasPrefix("bad swipe") == true)
        #expect(
            output.split(separator: "\n") == [
                #"{"link":"\#(link)","event":"connected","count":null}"#,
                #"{"link":"\#(link)","event":"ended","count":null}"#,
            ])
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
        ["echo", "--link", "pty", "--card", "visa"],
    ])
    func whatMakesNoSenseIsUsage(arguments: [String]) {
        #expect(CommandRun(["simulate"] + arguments).status == Status.usage.rawValue)
    }

    /// Nobody has to say who they are on such a link.
    @Test func otherMachinesCannotConnect() {
        #expect(CommandRun("simulate", "miura", "--link", "tcp:0.0.0.0:0").status == Status.unavailable.rawValue)
    }
}
