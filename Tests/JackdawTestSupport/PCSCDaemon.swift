public import Foundation
internal import JackdawTransport

/// pcscd with a virtual reader of vsmartcard with two slots, in name spaces in which it has its own `/run/pcscd`. It
/// disturbs no other pcscd, and it ends with this process.
///
/// libpcsclite reads the path of the socket once, from the environment: a program or an exit test uses the daemon, after
/// ``use(_:)``.
public final class PCSCDaemon: Sendable {
    private static let program = "/usr/sbin/pcscd"
    private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

    /// The reason for which there can be no such daemon; nil if there can be one. Some containers allow no name spaces.
    public static let obstacle: String? = {
        guard FileManager.default.fileExists(atPath: driver) else { return "vsmartcard-vpcd is not on this machine" }
        guard FileManager.default.fileExists(atPath: program) else { return "pcscd is not on this machine" }
        let end = try? SpawnedProcess("unshare", ["--user", "--map-root-user", "--mount", "true"]).end()
        return end == .exit(0) ? nil : "this user may not make name spaces"
    }()

    /// The path of the socket.
    public let socket: String
    /// The TCP port of the first slot; the second slot has the next one.
    public let port: UInt16
    private let process: SpawnedProcess
    private let folder: URL
    /// Its end ends the daemon.
    private let input = Pipe()
    private let printed = Shared("")

    /// Starts the daemon, and waits until its socket listens.
    /// - Throws: the error of a file or a process, `LinkError` if the daemon does not start, or `CancellationError`.
    public init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "jackdaw-pcscd-\(UUID().uuidString.prefix(8))")
        let sockets = folder.appending(path: "run")
        try FileManager.default.createDirectory(at: sockets, withIntermediateDirectories: true)
        socket = sockets.path + "/pcscd.comm"
        port = try Self.freePorts()
        let readers = folder.appending(path: "reader.conf")
        let number = "0x" + String(port, radix: 16)
        let text = """
            FRIENDLYNAME "Virtual PCD"
            DEVICENAME /dev/null:\(number)
            LIBPATH \(Self.driver)
            CHANNELID \(number)

            """
        try text.write(to: readers, atomically: true, encoding: .utf8)
        // The shell ends at the end of its input, so also if this process is killed, and the daemon ends with the shell.
        let script = """
            mount -t tmpfs none /run && mkdir /run/pcscd && mount --bind "$1" /run/pcscd || exit
            setpriv --pdeathsig KILL "$2" --foreground --info --config "$0" &
            read -r line
            """
        let output = Pipe()
        output.fileHandleForReading.readabilityHandler = { [printed] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            printed.with { $0 += data.isEmpty ? Self.end : String(decoding: data, as: UTF8.self) }
        }
        process = try SpawnedProcess(
            "unshare",
            ["--user", "--map-root-user", "--mount", "sh", "-c", script, readers.path, sockets.path, Self.program],
            input: .pipe(input), output: .pipe(output), messages: .pipe(output))
        let start = try await printed.first { [end = Self.end] printed in
            printed.contains("daemon ready") || printed.hasSuffix(end) ? printed : nil
        }
        guard start.contains("daemon ready") else { throw LinkError(.system, link: "pcsc", start) }
    }

    /// What is noted for the end of the output.
    private static let end = "\u{4}"

    deinit {
        try? input.fileHandleForWriting.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The number of a process: if it is killed, the daemon ends too.
    public var identifier: pid_t { process.identifier }

    /// Waits until the daemon has noticed a card in the reader. It reports no insertion if the card is there before it
    /// looks for the first time, so this waits for the card's ATR.
    public func noticeCard() async throws { try await printed.until { $0.contains("Card ATR: 3B") } }

    /// Lets libpcsclite of this process find a daemon's socket.
    public static func use(_ socket: String) { unsafe setenv("PCSCLITE_CSOCK_NAME", socket, 1) }

    /// Runs a program that uses this daemon.
    /// - Returns: how it ended, and all that it wrote.
    public func run(_ words: [String]) async throws -> (ending: SpawnedProcess.Ending, output: String) {
        let output = Pipe()
        let process = try SpawnedProcess(
            words[0], Array(words.dropFirst()),
            environment: ProcessInfo.processInfo.environment.merging(["PCSCLITE_CSOCK_NAME": socket]) { $1 },
            output: .pipe(output), messages: .pipe(output))
        let text = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: output.fileHandleForReading.readDataToEndOfFile()) }
        }
        return (try await process.end(), String(decoding: text, as: UTF8.self))
    }

    /// A port that no program listens on, with the next one.
    private static func freePorts() throws -> UInt16 {
        func bound(_ port: UInt16) -> (descriptor: Int32, port: UInt16)? {
            let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
                }
            }
            guard isBound else {
                close(descriptor)
                return nil
            }
            return (descriptor, UInt16(bigEndian: address.sin_port))
        }
        for _ in 0..<100 {
            guard let first = bound(0) else { continue }
            defer { close(first.descriptor) }
            guard first.port < .max, let second = bound(first.port + 1) else { continue }
            close(second.descriptor)
            return first.port
        }
        throw LinkError(.system, link: "tcp", "no two ports are free")
    }
}
