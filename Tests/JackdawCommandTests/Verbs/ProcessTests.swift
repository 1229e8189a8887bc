import Foundation
import Testing

@testable import jackdaw_cli

/// What only a process of its own shows: standard input and output, signals, exit codes.
@Suite struct ProcessTests {
    @Test func soundPassesThroughPipes() throws {
        let sound = try ChildProcess(["synth", "-o", "-", "--reverse"])
        #expect(sound.status == 0)
        #expect(sound.output.starts(with: Array("RIFF".utf8)))
        let decoded = try ChildProcess(["decode", "--json", "-"], input: sound.output)
        #expect(decoded.status == 0)
        let line = String(decoding: decoded.output, as: UTF8.self)
        #expect(line.contains("\"file\":\"-\""))
        #expect(line.contains("\"pan\":\"411111******1111\""))
        let inspected = try ChildProcess(["inspect", "--json", "-"], input: sound.output)
        #expect(inspected.status == 0)
        #expect(try ChildProcess(["bench", "-"], input: sound.output).status == 0)
    }

    @Test func cardTextComesFromStandardInput() throws {
        let folder = try TemporaryFolder()
        let text = Array(";9999990123456789011=2912?\n".utf8)
        let run = try ChildProcess(["synth", "-o", folder("a.wav"), "--track2", "@-"], input: text)
        #expect(run.status == 0, "\(run.messages)")
        #expect(CommandRun("decode", "--json", "--reveal", folder("a.wav")).output.contains("9999990123456789011"))
    }

    private static let exitCodes: [([String], Int32)] = [
        (["decode", "/nonexistent.wav"], 66), (["decode", "/"], 66), (["decode"], 64), (["nonsense"], 64),
        (["decode", "--help"], 0), (["--version"], 0), (["inspect", "/dev/null"], 66), (["decode", "-"], 65),
        (["demodulate", "-"], 65), (["demodulate", "/"], 66), (["demodulate"], 64), (["demodulate", "--list"], 0),
        (["modulate"], 64), (["modulate", "--mode", "v21", "-o", "/nonexistent/a.wav"], 74),
    ]

    @Test(arguments: exitCodes)
    func exitCodesReachTheShell(arguments: [String], status: Int32) throws {
        let run = try ChildProcess(arguments)
        #expect(run.status == status, "\(run.messages)")
        #expect((status == 0) == !run.output.isEmpty)
    }

    @Test func usageErrorsOfTheProcessHideAccountNumbers() throws {
        let run = try ChildProcess(["synth", ";4012888888881881=2912?"])
        #expect(run.status == 64)
        #expect(!run.messages.contains("888888"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func anInterruptEndsItInGoodOrder(signal: Int32) throws {
        let process = try waitingForSound()
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 128 + signal)
    }

    /// Card data in memory must not reach the disk when it crashes; a limit of 0 would not keep them from a program that
    /// takes cores.
    @Test func aCrashLeavesNoCore() throws {
        let process = try waitingForSound()
        let limits = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
        process.terminate()
        process.waitUntilExit()
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        let limit = line.dropFirst("Max core file size".count).split(separator: " ").prefix(2)
        #expect(["0", "1"].contains(limit[0]) && limit[0] == limit[1])
    }

    /// The command, after a swipe that it has read: it waits for more.
    private func waitingForSound() throws -> Process {
        let input = Pipe()
        let output = Pipe()
        let process = Process()
        process.executableURL = ChildProcess.executable
        process.arguments = ["decode", "--json", "--raw", "44100,s16,1", "-"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()

        let folder = try TemporaryFolder()
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let sound = try folder.read("a.wav").dropFirst(44) + [UInt8](repeating: 0, count: 4 * 65_536)
        try input.fileHandleForWriting.write(contentsOf: Data(sound))
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        return process
    }
}
