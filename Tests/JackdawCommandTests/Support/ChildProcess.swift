import Foundation

/// The built command as a process of its own.
struct ChildProcess {
    let status: Int32
    let output: [UInt8]
    let messages: String

    /// The command, which the package manager builds beside the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("jackdaw")

    /// Runs the command by a shell.
    /// - Parameters:
    ///   - line: what the shell does; `$0` is the command.
    ///   - arguments: `$1` and those that follow.
    /// - Throws: what the system says where it cannot be run.
    init(shell line: String, _ arguments: String...) throws {
        try self.init(
            ["-c", line, Self.executable.path] + arguments, program: URL(fileURLWithPath: "/bin/sh"))
    }

    /// Runs the command to its end.
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - input: what standard input holds.
    ///   - source: a path that is standard input instead.
    ///   - sink: a path that is standard output; what goes there is not read back.
    ///   - environment: variables that the command sees otherwise.
    ///   - program: what is run instead of the command, by its path.
    /// - Throws: what the system says where it cannot be run.
    init(
        _ arguments: [String], input: [UInt8] = [], from source: String? = nil, to sink: String? = nil,
        environment: [String: String] = [:], program: URL = executable
    ) throws {
        let folder = try TemporaryFolder()
        let source = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: source ?? folder.write(input, to: "in")))
        // Files, not pipes: neither side ever waits for the other.
        _ = try folder.write([], to: "out")
        let sinks = try [sink ?? folder("out"), folder.write([], to: "err")].map {
            try FileHandle(forWritingTo: URL(fileURLWithPath: $0))
        }
        let process = Process()
        process.executableURL = program
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.arguments = arguments
        process.standardInput = source
        process.standardOutput = sinks[0]
        process.standardError = sinks[1]
        try process.run()
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        output = try folder.read("out")
        messages = String(decoding: try folder.read("err"), as: UTF8.self)
    }
}
