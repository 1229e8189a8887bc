import Foundation
import Glibc

/// A program that was run to its end.
struct ChildProgram {
    /// What it wrote to standard output.
    let output: [UInt8]
    /// Seconds that it spent computing, in user and kernel mode. Right only where no other child ran at the time.
    let processorSeconds: Double

    /// Runs a program; what it says on standard error is dropped.
    /// - Throws: ``CorpusError`` where it cannot be run, or its end is none of `accepted`.
    init(_ executable: String, _ arguments: [String], accepted: Set<Int32> = [0]) throws(CorpusError) {
        let before = Self.childrenSeconds()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            output = try pipe.fileHandleForReading.readToEnd().map { Array($0) } ?? []
        } catch {
            throw CorpusError(description: "\(executable): cannot be run: \((error as NSError).localizedDescription)")
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, accepted.contains(process.terminationStatus) else {
            throw CorpusError(description: "\(executable): ended with \(process.terminationStatus)")
        }
        processorSeconds = Self.childrenSeconds() - before
    }

    /// Where a program is, by `PATH`; nil where it is not installed.
    static func find(_ name: String) -> String? {
        guard !name.contains("/") else { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Seconds that ended children have spent computing.
    static func childrenSeconds() -> Double {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
