import Foundation
import JackdawTestSupport
import Testing

/// A program of the system, and its end.
struct Program {
    /// Whether a program is in the search path and runs with these arguments.
    static func runs(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Runs a program to its end.
    /// - Returns: the exit status, and all that it wrote.
    static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        // Not `waitUntilExit`, which can wait for ever in a process with many threads.
        let status = Shared<Int32?>(nil)
        process.terminationHandler = { ended in status.with { $0 = ended.terminationStatus } }
        try process.run()
        let output = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile()) }
        }
        return (try await status.first { $0 }, String(decoding: output, as: UTF8.self))
    }
}

/// pcscd with a virtual reader of vsmartcard, in a mount namespace of its own: it disturbs no other pcscd of the
/// machine, and it ends with this process.
final class PCSCDaemon: Sendable {
    /// The reason for which there can be no such daemon; nil if there can be one.
    static let obstacle: String? = {
        let library = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
        guard FileManager.default.fileExists(atPath: library) else { return "vsmartcard-vpcd is not on this machine" }
        guard Program.runs(["pcscd", "--version"]) else { return "pcscd is not on this machine" }
        guard Program.runs(["unshare", "--mount", "true"]), Program.runs(["nsenter", "--version"]) else {
            return "this user may not make a mount namespace"
        }
        return nil
    }()

    /// The port of the virtual reader.
    let port: UInt16
    /// The path of the socket on which libpcsclite finds the daemon from outside its namespace, if the environment
    /// names it before the first call: `PCSCLITE_CSOCK_NAME`.
    var socket: String { sockets.appendingPathComponent("pcscd.comm").path }
    private let sockets: URL
    private let process: Process
    /// The input of the daemon's shell: the daemon ends when it is closed.
    private let life = Pipe()
    private let output = Shared("")
    private let folder: URL

    /// Starts the daemon, and waits until it is ready.
    /// - Parameter number: the number of the daemon in this process, which selects its ports.
    /// - Throws: the error of a file, a process or a failed requirement.
    init(_ number: UInt16) async throws {
        port = 20_000 + UInt16(ProcessInfo.processInfo.processIdentifier % 1_000) * 16 + 2 * (number % 8)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("jackdaw-pcscd-\(UUID().uuidString)")
        sockets = folder.appendingPathComponent("run")
        try FileManager.default.createDirectory(at: sockets, withIntermediateDirectories: true)
        let configuration = folder.appendingPathComponent("reader.conf")
        let text = """
            FRIENDLYNAME "Virtual PCD"
            DEVICENAME   /dev/null:\(port)
            LIBPATH      /usr/lib/pcsc/drivers/serial/libifdvpcd.so
            CHANNELID    \(port)

            """
        try Data(text.utf8).write(to: configuration)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The shell ends the daemon at the end of its input, so also if this process is killed.
        let script = """
            mkdir -p /run/pcscd && mount --bind "$1" /run/pcscd || exit
            pcscd -f -i -c "$0" & daemon=$!
            read -r line; kill $daemon; wait $daemon
            """
        process.arguments = ["unshare", "--mount", "sh", "-c", script, configuration.path, sockets.path]
        let pipe = Pipe()
        process.standardInput = life
        process.standardOutput = pipe
        process.standardError = pipe
        pipe.fileHandleForReading.readabilityHandler = { [output] handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return output.with { $0 += "daemon ready: ended" }
            }
            output.with { $0 += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
        try await output.until { $0.contains("daemon ready") }
        try #require(process.isRunning, "\(output.with { $0 })")
    }

    /// Waits until the daemon has noticed a card in the reader.
    func noticeCard() async throws { try await output.until { $0.contains("Card inserted into") } }

    /// Ends the daemon.
    func stop() {
        try? life.fileHandleForWriting.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a program that sees this daemon.
    func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await Program.run(["nsenter", "--target", "\(process.processIdentifier)", "--mount"] + arguments)
    }
}
