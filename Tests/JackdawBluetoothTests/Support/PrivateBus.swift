import Foundation
import JackdawSystem
import JackdawTestSupport
import Testing

@testable import JackdawBluetooth

/// A bus of a test's own, by the system's `dbus-daemon`.
final class PrivateBus: Sendable {
    /// Whether this machine can have one.
    static let isAvailable = FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/bin/dbus-daemon"

    /// Where it is found.
    let address: String
    private let process: SpawnedProcess
    private let folder: URL

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "jackdaw-bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><listen>unix:path=\(folder.path)/socket</listen>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        try settings.write(to: folder.appending(path: "bus.conf"), atomically: true, encoding: .utf8)
        let output = Pipe()
        let process = try SpawnedProcess(
            Self.program, ["--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile", "--print-address"],
            output: .pipe(output))
        // It prints its address when it listens.
        let line = output.fileHandleForReading.availableData
        self.address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        self.process = process
        self.folder = folder
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends it while clients are connected.
    func stop() { process.send(SIGKILL) }

    /// Lets it answer nothing any more, without ending it.
    func hang() { process.send(SIGSTOP) }

    func connect(on loop: EventLoop? = nil) async throws -> Bus {
        try await Bus.open(.at(address), on: loop ?? EventLoop())
    }
}

/// Rules that the bus keeps for a connection.
func rules(of bus: Bus) async throws -> Int {
    let name = await bus.uniqueName
    let call = BusCall(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats", "GetConnectionStats",
        BusBody([.string(name)]))
    let reply = try await bus.call(call)
    return try #require(reply.body[0]?.entries?["MatchRules"]?.integer)
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite where there can be no private bus.
    static var needsBus: Self { .enabled(if: PrivateBus.isAvailable, "dbus-daemon is not installed") }
}
