import Glibc
import JackdawBytes
package import JackdawSystem

/// The output of a verb: results go to standard output, messages to standard error.
///
/// No content of a card or a file name reaches a terminal as a control character.
package final class Console {
    /// Output of one part of a verb's work, which another console prints.
    package enum Output: Sendable {
        case results([UInt8])
        case message(String)

        /// The bytes that it takes in memory, about.
        package var size: Int {
            switch self {
            case .results(let bytes): bytes.count
            case .message(let line): line.utf8.count
            }
        }
    }

    private let writeResults: ([UInt8]) throws(SystemFailure) -> Void
    private let writeMessages: ([UInt8]) throws(SystemFailure) -> Void
    /// Whether messages go to a terminal.
    package let isWatched: Bool
    /// Whether results go to a terminal.
    package let showsResults: Bool
    /// The first error of writing a result, such as a full disk or a closed pipe.
    package private(set) var failure: SystemFailure?

    private let name: String
    /// Takes messages in place of standard error.
    private let relayMessage: ((String) -> Void)?
    private var results: [UInt8] = []
    /// Whether the terminal shows a progress line, which the next message must replace.
    private var showsStatus = false
    /// Whether the terminal shows data without a line end.
    private var showsData = false

    /// Creates a console.
    /// - Parameters:
    ///   - results: writes to standard output, and throws on errors.
    ///   - messages: writes to standard error, and throws on errors.
    ///   - isWatched: whether messages go to a terminal.
    ///   - showsResults: whether results go to a terminal.
    ///   - name: the program's name, before each message.
    package init(
        results: @escaping ([UInt8]) throws(SystemFailure) -> Void,
        messages: @escaping ([UInt8]) throws(SystemFailure) -> Void, isWatched: Bool, showsResults: Bool = false,
        name: String = "jackdaw"
    ) {
        self.name = name
        relayMessage = nil
        writeResults = results
        writeMessages = messages
        self.isWatched = isWatched
        self.showsResults = showsResults
    }

    /// A console whose output another one prints later (``print(_:)``), as if it had been printed there. It shows no
    /// progress.
    /// - Parameters:
    ///   - showsResults: whether results of the other console go to a terminal.
    ///   - relay: receives the output in its order; it may be card data.
    package init(showsResults: Bool, relay: @escaping (Output) -> Void) {
        name = ""
        isWatched = false
        self.showsResults = showsResults
        writeResults = { bytes in relay(.results(bytes)) }
        writeMessages = { _ in }
        relayMessage = { line in relay(.message(line)) }
    }

    /// The console of the process's own standard output and error.
    /// - Parameter name: the program's name, before each message.
    /// - Returns: a new console.
    package static func standard(name: String = "jackdaw") -> Console {
        Console(
            results: { bytes throws(SystemFailure) in try writeAll(bytes, to: STDOUT_FILENO) },
            messages: { bytes throws(SystemFailure) in try writeAll(bytes, to: STDERR_FILENO) },
            isWatched: isatty(STDERR_FILENO) == 1, showsResults: isatty(STDOUT_FILENO) == 1, name: name)
    }

    /// Whether a result could not be written.
    package var hasFailed: Bool { failure != nil }

    /// Adds a line to standard output; it is written with the next ``flush()``.
    package func result(_ line: String) { add(line.printable) }

    /// Adds an object, which has its control characters escaped, as a line of standard output.
    package func result(_ object: JSONObject) { add(object.text) }

    /// Adds unchanged bytes of data to standard output; on a terminal, bytes other than printable ASCII, tab and line
    /// feed are written as escapes.
    package func result(_ bytes: Span<UInt8>) {
        results.growWiping(toHold: results.count + bytes.count)
        guard showsResults else {
            unsafe bytes.withUnsafeBufferPointer { unsafe results.append(contentsOf: $0) }
            return
        }
        for index in bytes.indices {
            let byte = bytes[index]
            let isText = (0x20..<0x7F).contains(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
            if isText {
                results.appendWiping(byte)
            } else {
                let text = "\\x\(byte.lowercaseHexadecimal)".utf8
                results.growWiping(toHold: results.count + text.count)
                results.append(contentsOf: text)
            }
        }
    }

    private func add(_ line: String) {
        results.growWiping(toHold: results.count + line.utf8.count + 1)
        results.append(contentsOf: line.utf8)
        results.append(UInt8(ascii: "\n"))
    }

    /// Writes the collected standard output.
    package func flush() {
        guard !results.isEmpty else { return }
        clearStatus()
        write(results)
        showsData = showsResults && results.last != UInt8(ascii: "\n")
        // The results may be card data.
        results.wipe()
    }

    /// Writes a line to standard error, after the results that came before it. Numbers and keys in it are masked: it
    /// may repeat an argument, and a mistyped command line may have card data instead of a name.
    package func message(_ line: String) { write(message: line.hidingKeysAndNumbers) }

    /// Writes a line to standard error in which card data may show.
    package func revealedMessage(_ line: String) { write(message: line) }

    private func write(message line: String) {
        flush()
        if let relayMessage { return relayMessage(line) }
        clearStatus()
        if showsData && isWatched { try? writeMessages([UInt8(ascii: "\n")]) }
        showsData = false
        try? writeMessages(Array("\(name): \(line.printable)\n".utf8))
    }

    /// Prints output of a console that relays it to this one.
    package func print(_ output: consuming Output) {
        switch consume output {
        case .results(var bytes):
            flush()
            results.growWiping(toHold: bytes.count)
            results.append(contentsOf: bytes)
            bytes.wipe()
            flush()
        case .message(let line): write(message: line)
        }
    }

    /// Writes a help text, or an error of the command line, of several lines, as the only output.
    package func conclude(_ text: String, isResult: Bool) {
        guard !text.isEmpty else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let printable = Array(lines.map { String($0).printable + "\n" }.joined().utf8)
        if isResult { write(printable) } else { try? writeMessages(printable) }
    }

    /// Reports the error of writing results.
    /// - Returns: whether there was such an error.
    package func reportFailure() -> Bool {
        guard let failure else { return false }
        message("standard output: cannot be written (\(failure.message))")
        return true
    }

    /// Runs the work of a verb, prints its error as one line, and writes what remains.
    /// - Parameter verb: the work.
    /// - Returns: the status of the verb, or `inputOutput` if results could not be written.
    package func status(of verb: () throws(CommandError) -> ExitStatus) -> ExitStatus {
        var status: ExitStatus
        do throws(CommandError) {
            status = try verb()
        } catch {
            status = error.status
            if status != .interrupted { message(error.message) }
        }
        flush()
        clearStatus()
        // Work that was cancelled because the output failed also ends as `.interrupted`; the user did not interrupt it.
        if reportFailure(), status != .interrupted || !Interruption.isRequested { status = .inputOutput }
        return status
    }

    private func write(_ results: [UInt8]) {
        do throws(SystemFailure) {
            try writeResults(results)
        } catch {
            failure = failure ?? error
        }
    }

    /// Shows a line that the next one replaces; on a terminal only.
    package func status(_ line: String) {
        guard isWatched else { return }
        try? writeMessages(Array("\r\u{1B}[K\(line.hidingKeysAndNumbers.printable)".utf8))
        showsStatus = true
    }

    /// Clears the progress line.
    package func clearStatus() {
        guard showsStatus else { return }
        try? writeMessages(Array("\r\u{1B}[K".utf8))
        showsStatus = false
    }
}

/// Columns of text, as wide as their widest cell.
package struct Table {
    /// A column: its heading, and whether its cells are aligned right as numbers.
    package struct Column {
        package let heading: String
        package let isNumber: Bool

        package static func text(_ heading: String) -> Column { Column(heading: heading, isNumber: false) }
        package static func number(_ heading: String) -> Column { Column(heading: heading, isNumber: true) }
    }

    package let columns: [Column]
    package private(set) var rows: [[String]] = []

    package init(_ columns: Column...) { self.columns = columns }

    /// Adds a row of as many cells as there are columns.
    package mutating func add(_ cells: String...) { rows.append(cells) }

    /// The headings and the rows.
    package var lines: [String] {
        let headings = columns.map(\.heading)
        let widths = columns.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([headings] + rows).map { cells in
            let padded = columns.indices.map {
                cells[$0].padded(to: widths[$0], alignedRight: columns[$0].isNumber)
            }
            return padded.joined(separator: "  ").trimmingBlanksAtEnd
        }
    }
}

/// Shows the progress of a slow verb on a terminal: first after a second, then a few times a second.
package struct Progress {
    private let console: Console
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant

    /// Progress of a verb that begins now.
    /// - Parameters:
    ///   - console: shows the progress if it is a terminal.
    ///   - delay: the time before the first line; a faster verb shows no progress.
    package init(_ console: Console, after delay: Duration = .seconds(1)) {
        self.console = console
        next = clock.now + delay
    }

    /// Shows the progress if the next line is due.
    /// - Parameters:
    ///   - label: the current work, such as the file.
    ///   - fraction: the completed share, 0 to 1; nil if it is not known.
    package mutating func update(_ label: String, fraction: Double?) {
        guard console.isWatched, clock.now >= next else { return }
        next = clock.now + .milliseconds(200)
        let share = fraction.map { ", \(fixed(100 * min(max($0, 0), 1), 0)) %" } ?? ""
        console.status(label + share)
    }
}
