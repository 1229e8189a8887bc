import ArgumentParser
import Foundation
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// A virtual card in a virtual reader, without pcscd: the reader is the far end of a link in memory.
@Suite struct VirtualCardVerbTests {
    private typealias Status = jackdaw_cli.ExitStatus

    private static let cards =
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/") + "/cards"

    /// Runs the verb while a reader uses the card and then closes the link.
    private func run(
        _ options: [String], _ reader: @escaping @Sendable (MemoryTransport) async throws -> Void
    ) async throws -> (output: String, messages: String, status: Status) {
        let (near, far) = MemoryTransport.pair(link: LinkName(.tcp, "127.0.0.1:35963"))
        var environment = CommandEnvironment()
        environment.wallClock.now = { .milliseconds(1_769_850_300_250) }
        environment.isInterrupted = { false }
        environment.connect = { link, _, _ throws(LinkError) in
            guard link == near.link else { throw LinkError(.badName, link: link.description, "another port") }
            return near
        }
        let reading = Task {
            try await reader(far)
            await far.close()
        }
        let line = ["pcsc", "--card", "\(Self.cards)/visa-dda.json"] + options
        let result = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.command(of: line) as? VirtualCardVerb)
            let status = verb.status(on: recorder.console, in: environment)
            return (recorder.output, recorder.messages, status)
        }
        try await reading.value
        return result
    }

    /// Powers the card on, selects the application and reads the record with the account number.
    private static func read(_ far: MemoryTransport) async throws {
        try await far.send(hex("000101" + "000C" + "00A4040007A0000000031010"))
        #expect(try await far.received() == hex("00026130"))
        try await far.send(hex("0005" + "00B2011400"))
        let length = try #require(try await far.received())
        #expect(length.starts(with: hex("00026C")))
        try await far.send(hex("0005" + "00B20114") + length.suffix(1))
        _ = try await far.received()
    }

    @Test(.timeLimit(.minutes(30))) func theEventsAreReported() async throws {
        let (output, messages, status) = try await run(["--json"]) { far in
            try await far.send(hex("000101" + "000C" + "00A4040007A0000000031010"))
            #expect(try await far.received() == hex("00026130"))
            try await far.send(hex("0004" + "80100000"))
            #expect(try await far.received() == hex("00026D00"))
            try await far.send(hex("000102" + "000100"))
        }
        #expect(status == .unavailable)
        #expect(messages.contains("tcp:127.0.0.1:35963"))
        let link = #""link":"tcp:127.0.0.1:35963""#
        let time = #""time":"2026-01-31T09:05:00.250Z""#
        let hidden = #""count":0,"command":null,"response":null"#
        #expect(
            output.split(separator: "\n").map(String.init) == [
                "{\(link),\"event\":\"connected\",\(time)}", "{\(link),\"event\":\"powered_on\",\(time)}",
                "{\(link),\"event\":\"command\",\"instruction\":\"SELECT\",\"header\":\"00A40400\",\"status\":\"6130\","
                    + "\(hidden),\(time)}",
                "{\(link),\"event\":\"command\",\"instruction\":null,\"header\":\"80100000\",\"status\":\"6D00\","
                    + "\(hidden),\(time)}",
                "{\(link),\"event\":\"reset\",\(time)}", "{\(link),\"event\":\"powered_off\",\(time)}",
            ])
    }

    @Test(.timeLimit(.minutes(30)), arguments: [[], ["--json"]])
    func cardDataIsShownOnlyIfItIsRevealed(_ options: [String]) async throws {
        let masked = try await run(options, Self.read)
        #expect(!masked.output.contains("4761739001010010"))
        #expect(masked.output.contains("READ RECORD"))
        let revealed = try await run(options + ["--reveal"], Self.read)
        #expect(revealed.output.contains("4761739001010010"))
    }

    @Test(.timeLimit(.minutes(30)), arguments: [[], ["--json"]])
    func aPINIsNeverShown(_ options: [String]) async throws {
        let (output, messages, _) = try await run(options + ["--reveal"]) { far in
            try await far.send(hex("000101" + "000C" + "00A4040007A0000000031010"))
            #expect(try await far.received() == hex("00026130"))
            try await far.send(hex("0007" + "80A80000028300"))
            #expect(try await far.received()?.starts(with: hex("000261")) == true)
            try await far.send(hex("000D" + "0020008008241234FFFFFFFFFF"))
            #expect(try await far.received() == hex("00029000"))
            try await far.send(hex("000D" + "8020008008241234FFFFFFFFFF"))
            #expect(try await far.received() == hex("00026E00"))
        }
        #expect(output.contains("VERIFY") && output.contains("A0000000031010"))
        for text in [output, messages] { #expect(!text.contains("1234FF") && !text.contains("241234")) }
    }

    @Test func aMissingReaderIsExplained() async throws {
        var environment = CommandEnvironment()
        environment.connect = { link, _, _ throws(LinkError) in
            throw LinkError(.refused, link: link.description, "no program listens at this port")
        }
        let (messages, status) = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let line = ["pcsc", "--card", "\(Self.cards)/m-chip-cda.json", "--port", "35999"]
            let verb = try #require(try JackdawCommand.command(of: line) as? VirtualCardVerb)
            let status = verb.status(on: recorder.console, in: environment)
            return (recorder.messages, status)
        }
        #expect(status == .unavailable)
        #expect(messages.contains("127.0.0.1:35999") && messages.contains("vsmartcard-vpcd"))
    }

    @Test func otherFilesAreRefused() throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: "\(Self.cards)/visa-dda.json", encoding: .utf8)
        let wrong = try folder.write(text.replacing("\"3C00\"", with: "\"3C\"").utf8, to: "wrong.json")
        let run = CommandRun("pcsc", "--card", wrong)
        #expect(run.status == 65)
        #expect(run.messages.contains("applications[0].profile"))
        let own = text.replacing("2315208C9110AD402315208C9110AD40", with: "0011223344556677FFEEDDCCBBAA9988")
        let unknown = CommandRun("pcsc", "--card", try folder.write(own.utf8, to: "own.json"))
        #expect(unknown.status == 65)
        #expect(unknown.messages.contains("--own-keys") && !unknown.messages.contains("0011223344556677"))
        #expect(CommandRun("pcsc", "--card", "\(folder.path)/missing.json").status == 66)
        #expect(CommandRun("pcsc", "--card", wrong, "--port", "0").status == 64)
        #expect(CommandRun("pcsc").status == 64)
    }
}
