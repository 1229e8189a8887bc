import ArgumentParser
import Glibc
import JackdawSystem
import JackdawTestSupport

@testable import jackdaw_cli

/// A run of the command within this process, with its exit status and output.
struct CommandRun {
    let status: Int32
    let output: String
    let messages: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Runs a command line.
    init(_ arguments: String...) { self.init(arguments) }

    /// Runs a command line.
    init(_ arguments: [String], on recorder: ConsoleRecorder = ConsoleRecorder()) {
        do {
            let command = try JackdawCommand.command(of: arguments)
            if let verb = command as? any Verb {
                status = verb.status(on: recorder.console).rawValue
            } else {
                var other = command
                try other.run()
                status = 0
            }
        } catch {
            let code = JackdawCommand.exitCode(for: error)
            let text = JackdawCommand.fullMessage(for: error)
            recorder.console.conclude(code.isSuccess ? text : text.hidingKeysAndNumbers, isResult: code.isSuccess)
            status = code.rawValue
        }
        output = recorder.output
        messages = recorder.messages
    }
}

/// A console that keeps the text that is written to it.
final class ConsoleRecorder {
    private(set) var output = ""
    private(set) var messages = ""
    private let isWatched: Bool
    private let isFull: Bool
    private let showsResults: Bool
    private let printed: (@Sendable (String) -> Void)?

    /// Creates a recorder.
    /// - Parameters:
    ///   - isWatched: whether standard error counts as a terminal.
    ///   - isFull: whether writing to standard output fails.
    ///   - showsResults: whether standard output counts as a terminal.
    ///   - printed: receives each part of the output at once.
    init(
        isWatched: Bool = false, isFull: Bool = false, showsResults: Bool = false,
        printed: (@Sendable (String) -> Void)? = nil
    ) {
        self.isWatched = isWatched
        self.printed = printed
        self.isFull = isFull
        self.showsResults = showsResults
    }

    private(set) lazy var console = Console(
        results: { [unowned self] bytes throws(SystemFailure) in
            let text = String(decoding: bytes, as: UTF8.self)
            output += text
            printed?(text)
            if isFull { throw SystemFailure(code: ENOSPC) }
        },
        messages: { [unowned self] in messages += String(decoding: $0, as: UTF8.self) },
        isWatched: isWatched, showsResults: showsResults)
}
