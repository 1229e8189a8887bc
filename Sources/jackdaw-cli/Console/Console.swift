import Glibc
import JackdawSystem

/// Where a verb writes: results to standard output, messages to standard error.
///
/// Nothing that a card or a file name holds reaches a terminal as a control character.
final class Console {
    private let writeResults: ([UInt8]) throws(SystemFailure) -> Void
    private let writeMessages: ([UInt8]) throws(SystemFailure) -> Void
    /// Whether a person watches the messages.
    let isWatched: Bool
    /// Whether results go to a terminal.
    private let showsResults: Bool
    /// Why a result could not be written, the first time: the disk is full, the pipe closed.
    private var failure: SystemFailure?

    private var results: [UInt8] = []
    /// Whether a progress line stands where the next message goes.
    private var showsStatus = false
    /// Whether data without a line end stands there.
    private var showsData = false

    /// A console.
    /// - Parameters:
    ///   - results: takes standard output, and throws why it cannot be written.
    ///   - messages: takes standard error, and throws why it cannot be written.
    ///   - isWatched: whether messages go to a terminal.
    ///   - showsResults: whether results do.
    init(
        results: @escaping ([UInt8]) throws(SystemFailure) -> Void,
        messages: @escaping ([UInt8]) throws(SystemFailure) -> Void, isWatched: Bool, showsResults: Bool = false
    ) {
        writeResults = results
        writeMessages = messages
        self.isWatched = isWatched
        self.showsResults = showsResults
    }

    /// The process's own standard output and error.
    static func standard() -> Console {
        Console(
            results: { bytes throws(SystemFailure) in try writeAll(bytes, to: STDOUT_FILENO) },
            messages: { bytes throws(SystemFailure) in try writeAll(bytes, to: STDERR_FILENO) },
            isWatched: isatty(STDERR_FILENO) == 1, showsResults: isatty(STDOUT_FILENO) == 1)
    }

    /// Whether a result could not be written.
    var hasFailed: Bool { failure != nil }

    /// Adds a line to standard output; it is written with the next ``flush()``.
    func result(_ line: String) { add(line.printable) }

    /// Adds an object, which has its control characters escaped, as a line of standard output.
    func result(_ object: JSONObject) { add(object.text) }

    /// Adds a byte of data to standard output as it is; on a terminal, one that would steer it is written out.
    func result(_ byte: UInt8) {
        let isText = (0x20..<0x7F).contains(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
        if isText || !showsResults {
            results.growWiping(by: 1)
            results.append(byte)
        } else {
            let text = "\\x\(byte.hexadecimal)".utf8
            results.growWiping(by: text.count)
            results.append(contentsOf: text)
        }
    }

    private func add(_ line: String) {
        results.growWiping(by: line.utf8.count + 1)
        results.append(contentsOf: line.utf8)
        results.append(UInt8(ascii: "\n"))
    }

    /// Writes what has come together of standard output.
    func flush() {
        guard !results.isEmpty else { return }
        clearStatus()
        write(results)
        showsData = showsResults && results.last != UInt8(ascii: "\n")
        // They may be card data.
        results.removeWiping()
    }

    /// Writes a line to standard error, after the results that came before it. Numbers and keys in it are masked: it may
    /// repeat an argument, and a mistyped command line may have card data instead of a name.
    func message(_ line: String) { write(message: line.hidingKeysAndNumbers) }

    /// Writes a line to standard error in which card data may show.
    func revealedMessage(_ line: String) { write(message: line) }

    private func write(message line: String) {
        flush()
        clearStatus()
        if showsData && isWatched { try? writeMessages([UInt8(ascii: "\n")]) }
        showsData = false
        try? writeMessages(Array("jackdaw: \(line.printable)\n".utf8))
    }

    /// Writes a help text or what is wrong with the command line, of several lines, and no more.
    func conclude(_ text: String, isResult: Bool) {
        guard !text.isEmpty else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let printable = Array(lines.map { String($0).printable + "\n" }.joined().utf8)
        if isResult { write(printable) } else { try? writeMessages(printable) }
    }

    /// Reports why results could not be written.
    /// - Returns: whether that is so.
    func reportFailure() -> Bool {
        guard let failure else { return false }
        message("standard output: cannot be written (\(failure.message))")
        return true
    }

    private func write(_ results: [UInt8]) {
        do throws(SystemFailure) {
            try writeResults(results)
        } catch {
            failure = failure ?? error
        }
    }

    /// Shows a line that the next one replaces; on a terminal only.
    func status(_ line: String) {
        guard isWatched else { return }
        try? writeMessages(Array("\r\u{1B}[K\(line.hidingKeysAndNumbers.printable)".utf8))
        showsStatus = true
    }

    /// Takes the progress line away.
    func clearStatus() {
        guard showsStatus else { return }
        try? writeMessages(Array("\r\u{1B}[K".utf8))
        showsStatus = false
    }
}

/// Columns of text, as wide as their widest cell.
struct Table {
    /// A column: its heading, and which side its cells keep to.
    struct Column {
        let heading: String
        let isNumber: Bool

        static func text(_ heading: String) -> Column { Column(heading: heading, isNumber: false) }
        static func number(_ heading: String) -> Column { Column(heading: heading, isNumber: true) }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    /// Adds a row of as many cells as there are columns.
    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The headings and the rows.
    var lines: [String] {
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

/// Tells a person at a terminal how far a slow verb has come: after a second, then a few times a second.
struct Progress {
    private let console: Console
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant

    /// Progress of a verb that begins now.
    /// - Parameters:
    ///   - console: where it is shown, if somebody watches.
    ///   - delay: a verb that ends before that shows nothing.
    init(_ console: Console, after delay: Duration = .seconds(1)) {
        self.console = console
        next = clock.now + delay
    }

    /// Shows how far it is, if it is time to.
    /// - Parameters:
    ///   - label: what is being done.
    ///   - fraction: share that is done, 0 to 1; nil where that is not known.
    mutating func update(_ label: String, fraction: Double?) {
        guard console.isWatched, clock.now >= next else { return }
        next = clock.now + .milliseconds(200)
        let share = fraction.map { ", \(fixed(100 * min(max($0, 0), 1), 0)) %" } ?? ""
        console.status(label + share)
    }
}
