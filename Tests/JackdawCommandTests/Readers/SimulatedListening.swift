import ArgumentParser
import Foundation
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `simulate` in a process of its own, and `listen` in this one.
enum SimulatedListening {
    /// Offers a simulated reader on a port of this computer, and listens to it until a swipe is read.
    ///
    /// On a busy machine all cards may be swiped before `listen` waits for one; each connection
    /// begins with the first card.
    /// - Parameters:
    ///   - family: the family of the reader.
    ///   - options: options of both verbs.
    ///   - offering: further options of `simulate`.
    ///   - listening: further options of `listen`.
    ///   - cards: names of the cards that are swiped, repeatedly, because a swipe may be missed on a busy machine;
    ///     empty for all test cards.
    ///   - most: the number of swipes after which `listen` ends.
    /// - Returns: standard output and standard error of each verb.
    /// - Throws: the error of a process that cannot be started, or that offers no link.
    static func run(
        _ family: String, _ options: [String], offering: [String] = [], listening: [String] = [],
        cards: [String] = [], most: Int = 1
    ) async throws -> (listening: String, offering: String) {
        let (output, messages) = (Pipe(), Pipe())
        let process = try SpawnedProcess(
            ChildProcess.executable.path,
            ["simulate", family, "--link", "tcp:127.0.0.1:0", "--delay", "0.2"] + options
                + offering + Array(repeating: cards, count: 20).joined().flatMap { ["--card", $0] },
            output: .pipe(output), messages: .pipe(messages))
        defer { process.send(SIGTERM) }
        return try await onOwnThread {
            let first = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let link = first.firstMatch(of: /tcp:127\.0\.0\.1:[0-9]+/) else { throw CocoaError(.fileReadUnknown) }
            let arguments =
                ["listen", "--link", String(link.0), "--reader", family, "--swipes", "\(most)", "--timeout", "20"]
                + options + listening
            var run: CommandRun
            repeat { run = CommandRun(arguments) } while run.status == jackdaw_cli.ExitStatus.nothingFound.rawValue
            process.send(SIGTERM)
            process.end()
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
    ///   - arguments: the arguments after `listen`.
    ///   - environment: the clocks and links.
    ///   - printed: also receives the output, for a task that waits for a line.
    /// - Returns: the exit status, the lines of standard output, and standard error.
    /// - Throws: the error of invalid arguments.
    func run(
        _ arguments: [String], by environment: CommandEnvironment, printed: Shared<String>? = nil
    ) async throws -> (status: jackdaw_cli.ExitStatus, lines: [String], messages: String) {
        try await onOwnThread {
            let recorder = ConsoleRecorder(printed: { text in printed?.with { $0 += text } })
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

    /// An environment whose links lead to simulated readers: each connection to the next one, and then to an error.
    /// - Parameters:
    ///   - readers: the cards and the faults of each reader.
    ///   - family: the family of the readers.
    ///   - clock: the clock of the driver; by default it stands still.
    /// - Returns: the environment.
    /// - Throws: an error if no reader of the family is simulated.
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
        environment.wallClock.now = { .milliseconds(1_769_850_300_250) }
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
