import ArgumentParser
import Foundation
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

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

/// A suite that runs `listen` in this process, with simulated readers at its links.
protocol ListeningSuite {}

extension ListeningSuite {
    /// Runs `listen` in an environment.
    /// - Parameters:
    ///   - arguments: those after `listen`.
    ///   - environment: its clocks and links.
    ///   - printed: also receives the output, for a task that waits for a line.
    /// - Returns: the exit status and what was written.
    /// - Throws: if the arguments are refused.
    func run(
        _ arguments: [String], by environment: CommandEnvironment, printed: Shared<String>? = nil
    ) async throws -> (status: jackdaw_cli.ExitStatus, lines: [String], messages: String) {
        try await onOwnThread {
            let recorder = ConsoleRecorder(printed: printed)
            let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
            var status: jackdaw_cli.ExitStatus
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, in: environment)
            } catch {
                status = error.status
                recorder.console.message(error.message)
            }
            recorder.console.flush()
            return (status, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
        }
    }

    /// An environment at whose links simulated readers are, one after the other; the session's time stands still.
    /// - Parameters:
    ///   - readers: the cards and the faults of each.
    ///   - family: the readers'.
    ///   - clock: the session's.
    /// - Returns: the environment.
    /// - Throws: where the family is not simulated.
    func environment(
        _ readers: [(deck: [Presentation], faults: [PlannedFault])], family: String = "miura",
        clock: any Clock<Duration> = ManualClock()
    ) throws -> CommandEnvironment {
        let family = try #require(SimulatedFamily.named(family))
        let keepsPackets = ReaderFamily.named(family.name)?.needsPackets ?? false
        let attempts = Shared(0)
        var environment = CommandEnvironment()
        environment.clock = clock
        environment.keep = { persistence, connect in
            KeptLink(persistence, backOff: BackOff(first: .nanoseconds(1)), connect: connect)
        }
        environment.isInterrupted = { false }
        environment.connect = { link, _, _ throws(LinkError) in
            let number = attempts.with { attempts in
                defer { attempts += 1 }
                return attempts
            }
            guard number < readers.count else {
                throw LinkError(.notPermitted, link: link.description, "may not")
            }
            return SimulatorHost.open(link, keepsPackets: keepsPackets, clock: LeapingClock(most: .seconds(10))) {
                SimulatedReader(family.makeModel(), deck: readers[number].deck, faults: readers[number].faults)
            }
        }
        return environment
    }
}
