import Foundation
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Payments with a card in a PC/SC reader: `jackdaw pcsc` puts a virtual card into the virtual reader of vsmartcard.
@Suite(
    .serialized, .enabled(if: PCSCDaemon.obstacle == nil, "pcscd cannot be started: see PCSCDaemon.obstacle"),
    .timeLimit(.minutes(30)))
struct EMVPayCardTests {
    @Test(arguments: [("approved-online", "approved"), ("declined-by-card", "declined_offline")])
    func theCardInTheReaderPays(_ card: String, _ outcome: String) async throws {
        let file = "\(EMVPayTests.root)/cards/deck/\(card).json"
        let daemon = try await PCSCDaemon()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["pcsc", "--card", file, "--port", "\(daemon.port)"],
            output: .pipe(Pipe()), messages: .pipe(Pipe()))
        defer { process.send(SIGTERM) }
        try await daemon.noticeCard()
        let (ending, output) = try await daemon.run([
            ChildProcess.executable.path, "emv", "pay", "--link", "pcsc:0", "--card", file, "--json",
        ])
        #expect(ending == .exit(outcome == "approved" ? 0 : 1), "\(output)")
        let result = try jsonObject(output.split(separator: "\n").last.map(String.init) ?? "")
        #expect(result["outcome"] as? String == outcome)
        #expect(result["entry"] as? String == "chip")
        #expect(result["settled"] as? Bool == true)
        #expect(!output.contains("4761739001010010"))
    }
}
