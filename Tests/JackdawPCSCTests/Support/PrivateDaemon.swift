import Foundation
import JackdawTransport
import Testing

/// A pcscd of a test's own, with a virtual reader of two slots, in name spaces in which it has its own `/run/pcscd`.
///
/// libpcsclite reads the path of the socket once, from the environment: a program or an exit test uses it, after
/// ``use(_:)``.
final class PrivateDaemon: Sendable {
    /// The programs and the driver that it takes (Debian: pcscd, vsmartcard-vpcd, util-linux).
    private static let needed = [program, driver, "/usr/bin/unshare"]
    private static let program = "/usr/sbin/pcscd"
    private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

    /// Whether this machine can have one: some containers allow no name spaces.
    static let isPossible =
        needed.allSatisfy(FileManager.default.fileExists) && (try? exitStatus(unshared("true"))) == 0

    /// The path of the socket.
    let socket: String
    /// The TCP port of the first slot; the second slot has the next one.
    let port: UInt16
    private let process: Process
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "jackdaw-pcscd-\(UUID().uuidString.prefix(8))")
        for name in ["run", "conf"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        port = try Self.freePorts()
        socket = folder.path + "/run/pcscd.comm"
        let number = "0x" + String(port, radix: 16)
        let readers = """
            FRIENDLYNAME "Virtual PCD"
            DEVICENAME /dev/null:\(number)
            LIBPATH \(Self.driver)
            CHANNELID \(number)

            """
        try readers.write(to: folder.appending(path: "conf/vpcd"), atomically: true, encoding: .utf8)
        let output = Pipe()
        process = try Self.unshared(
            """
            mount -t tmpfs none /run && mkdir /run/pcscd && mount --bind '\(folder.path)/run' /run/pcscd && \
            exec \(Self.program) --foreground --info --config '\(folder.path)/conf'
            """)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // It prints this when its socket listens.
        var text = ""
        while !text.contains("daemon ready") {
            let part = output.fileHandleForReading.availableData
            try #require(!part.isEmpty, "pcscd does not start: \(text)")
            text += String(decoding: part, as: UTF8.self)
        }
        // A full pipe would stop it.
        output.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends it while programs use it.
    func stop() {
        // Threads of Swift's pool hold signals off, and so does what they start: only this one gets through.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The number of its process.
    var identifier: Int32 { process.processIdentifier }

    /// Lets libpcsclite of this process find it.
    static func use(_ socket: String) { unsafe setenv("PCSCLITE_CSOCK_NAME", socket, 1) }

    /// Runs a program that uses it.
    /// - Returns: what it prints.
    func output(_ path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PCSCLITE_CSOCK_NAME": socket]) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    private static func unshared(_ script: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script]
        return process
    }

    private static func exitStatus(_ process: Process) throws -> Int32 {
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
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

extension Trait where Self == ConditionTrait {
    /// Skips a suite where there can be no pcscd of its own.
    static var needsDaemon: Self {
        .enabled(if: PrivateDaemon.isPossible, "it needs pcscd, vsmartcard-vpcd and user name spaces")
    }
}
