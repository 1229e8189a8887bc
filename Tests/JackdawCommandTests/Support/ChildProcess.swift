import Foundation
import JackdawTestSupport

/// The built command as a process of its own.
struct ChildProcess {
    let status: Int32
    let output: [UInt8]
    let messages: String

    /// The command, which the package manager builds beside the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("jackdaw")

    /// Runs a shell that may run the command.
    /// - Parameters:
    ///   - line: the commands of the shell; `$0` is the path of the built command.
    ///   - arguments: the shell's arguments from `$1` on.
    /// - Throws: the error of a process that cannot be run.
    init(shell line: String, _ arguments: String...) throws {
        try self.init(
            ["-c", line, Self.executable.path] + arguments, program: URL(fileURLWithPath: "/bin/sh"))
    }

    /// Runs the command to its end.
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - input: the bytes of standard input.
    ///   - source: the path of a file that is standard input instead.
    ///   - sink: the path of a file that is standard output; ``output`` is empty then.
    ///   - environment: environment variables that differ from those of this process.
    ///   - program: the path of another program to run.
    /// - Throws: the error of a process that cannot be run.
    init(
        _ arguments: [String], input: [UInt8] = [], from source: String? = nil, to sink: String? = nil,
        environment: [String: String] = [:], program: URL = executable
    ) throws {
        let folder = try TemporaryFolder()
        let source = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: source ?? folder.write(input, to: "in")))
        // Files instead of pipes, so that neither side waits for the other.
        _ = try folder.write([], to: "out")
        let sinks = try [sink ?? folder("out"), folder.write([], to: "err")].map {
            try FileHandle(forWritingTo: URL(fileURLWithPath: $0))
        }
        let process = try SpawnedProcess(
            program.path, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .file(source), output: .file(sinks[0]), messages: .file(sinks[1]))
        switch process.end() {
        case .exit(let status): self.status = status
        case .signal(let signal): status = -signal
        }
        output = try folder.read("out")
        messages = String(decoding: try folder.read("err"), as: UTF8.self)
    }
}
