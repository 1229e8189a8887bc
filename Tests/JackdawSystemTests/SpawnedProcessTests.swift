import Foundation
import JackdawTestSupport
import Testing

/// The programs that tests start.
struct SpawnedProcessTests {
    @Test func itInheritsItsThreeStreamsOnly() throws {
        let output = Pipe()
        // 3 is the folder itself.
        let process = try SpawnedProcess("ls", ["/proc/self/fd"], output: .pipe(output))
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "0\n1\n2\n3\n")
        #expect(process.end() == .exit(0))
        #expect(!process.isRunning)
    }

    @Test func exitStatusAndSignalAreReported() async throws {
        #expect(try await SpawnedProcess("sh", ["-c", "exit 3"]).end() == .exit(3))
        let waiting = try SpawnedProcess("sleep", ["1000"])
        #expect(waiting.isRunning)
        waiting.send(SIGTERM)
        #expect(try await waiting.end() == .signal(SIGTERM))
        waiting.send(SIGTERM)
        #expect(throws: POSIXError(.ENOENT)) { try SpawnedProcess("/nowhere/nothing") }
    }
}
