import Foundation

@testable import jackdaw_cli

/// A simulated reader in a process of its own, and `listen` in this one.
enum SimulatedListening {
    /// Offers a reader on a port of this computer and listens to it for as many swipes as are asked for.
    /// - Parameters:
    ///   - family: the reader's.
    ///   - options: of both.
    ///   - offering: options of the one that offers alone.
    ///   - listening: options of the one that listens alone.
    ///   - cards: that are swiped as soon as the reader waits, again and again: on a busy machine a swipe may come too
    ///     late. Where there are none, the deck is.
    ///   - most: how many swipes are waited for.
    /// - Returns: everything that either has written.
    /// - Throws: what the system says where it cannot be offered.
    static func run(
        _ family: String, _ options: [String], offering: [String] = [], listening: [String] = [],
        cards: [String] = [], most: Int = 1
    ) async throws -> (listening: String, offering: String) {
        let (output, messages) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = ChildProcess.executable
        process.arguments =
            ["simulate", family, "--link", "tcp:127.0.0.1:0", "--delay", "0.2"] + options
            + offering + Array(repeating: cards, count: 20).joined().flatMap { ["--card", $0] }
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        return try await onOwnThread {
            let first = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let link = first.firstMatch(of: /tcp:127\.0\.0\.1:[0-9]+/) else { throw CocoaError(.fileReadUnknown) }
            let run = CommandRun(
                ["listen", "--link", String(link.0), "--reader", family, "--swipes", "\(most)"] + options
                    + listening)
            process.terminate()
            process.waitUntilExit()
            let rest = [output, messages].map {
                String(decoding: (try? $0.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
            }
            return (run.output + run.messages, first + rest.joined())
        }
    }
}
