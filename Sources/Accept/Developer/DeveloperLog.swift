import JackdawPayments
import JackdawTransport

/// The developer mode of a program's calls: it shows lines, and collects those of the payment that is under way.
final class DeveloperLog: Sendable {
    private struct Collection {
        let fileName: String
        let began: Duration
        var lines: [String] = []
        var leftOut = 0

        mutating func add(_ text: String, at now: Duration, isLast: Bool = false) {
            guard isLast || lines.count < AcceptTransactionLog.maxLines - 1 else {
                leftOut += 1
                return
            }
            lines.append(DeveloperLog.shortened("\(DeveloperLog.seconds(now - began)) \(text)"))
        }
    }

    private let mode: AcceptDeveloperMode
    private let clock: ElapsedClock
    private let collection = Lock<Collection?>(nil)

    init(_ mode: AcceptDeveloperMode, _ clock: ElapsedClock) {
        self.mode = mode
        self.clock = clock
    }

    /// Shows a line about a request, and adds it to the log of the payment.
    func show(_ kind: AcceptDeveloperLine.Kind, _ text: String) {
        let line = AcceptDeveloperLine(kind: kind, text: Self.shortened(text))
        mode.show(line)
        note(line.description)
    }

    // MARK: the log of a payment

    /// Begins the log of a payment. One payment is under way at a time.
    func begin(_ payment: String, at terminal: String) {
        let now = clock.now()
        collection.withLock {
            $0 = Collection(fileName: "\(Self.part(terminal))-\(Self.part(payment)).log", began: now)
        }
    }

    /// Adds a line to the log of the payment; without a payment nothing happens.
    func note(_ text: String) {
        let now = clock.now()
        collection.withLock { $0?.add(text, at: now) }
    }

    /// Ends the log of the payment, and hands it to the program.
    func end(_ text: String) {
        let now = clock.now()
        let ended = collection.withLock { collection in
            collection?.add(text, at: now, isLast: true)
            defer { collection = nil }
            return collection
        }
        guard let ended else { return }
        mode.keep(AcceptTransactionLog(fileName: ended.fileName, lines: ended.lines, leftOut: ended.leftOut))
    }

    // MARK: pieces of texts

    /// A part of a file's name: letters, digits, `-` and `_`; other characters are `-`.
    private static func part(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(64).map { scalar in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain || scalar == "_" ? Character(scalar) : "-"
        }
        return scalars.isEmpty ? "terminal" : String(scalars)
    }

    /// The time since the payment began: `+1.250 s`.
    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = "\(attoseconds / 1_000_000_000_000_000)"
        return "+\(seconds).\(String(repeating: "0", count: 3 - min(milliseconds.utf8.count, 3)))\(milliseconds) s"
    }

    /// The text in printable ASCII: other bytes are `?`, and bytes beyond the limit are left out.
    private static func shortened(_ text: String) -> String {
        let bytes = text.utf8.prefix(AcceptTransactionLog.maxLineBytes).map { byte in
            (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A client whose requests and answers the developer mode shows.
struct ShownClient: HTTPClient {
    let client: any HTTPClient
    let log: DeveloperLog

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        log.show(.request, MaskedExchange.text(of: request))
        do throws(HTTPFailure) {
            let answer = try await client.send(request, limit: limit)
            log.show(
                (200...299).contains(answer.status) ? .response : .error, MaskedExchange.text(of: answer, to: request))
            return answer
        } catch {
            log.show(.error, "\(request.method.rawValue) \(request.path) \(error.code.name)")
            throw error
        }
    }
}
