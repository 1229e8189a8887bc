import JackdawCards
import JackdawConsole
import JackdawSandbox
import JackdawTransport

/// Prints the events of a sandbox: lines for people, or one JSON object a line. The route of a request is that of the
/// table, so that nothing a client wrote is printed.
final class SandboxPrinter: Sendable {
    /// The facts that a client needs.
    struct Start: Sendable {
        /// The base address, with the path before that of a route.
        let url: String
        /// The names for logging in.
        let users: [String]
        /// The file of the authority that clients trust; nil without one.
        let authorityFile: String?
        /// The directory of the books; nil if they are in memory.
        let books: String?
        /// The payments that are in the books already.
        let payments: Int
    }

    private let console: Lock<Console>
    private let isJSON: Bool
    private let reveals: Bool

    /// - Parameters:
    ///   - console: prints the lines.
    ///   - isJSON: whether events are JSON objects.
    ///   - reveals: whether messages to people are printed with address and text, such as a new password.
    init(_ console: sending Console, isJSON: Bool, reveals: Bool) {
        self.console = Lock(console)
        self.isJSON = isJSON
        self.reveals = reveals
    }

    /// Whether results cannot be written any more.
    var hasFailed: Bool { console.withLock { $0.hasFailed } }

    /// Prints the start of the server.
    func print(_ start: Start, at time: Duration) {
        guard !isJSON else {
            var object = Self.object("listening", at: time)
            object.add("url", start.url)
            object.add("users", start.users)
            object.add("ca", start.authorityFile)
            object.add("books", start.books)
            object.add("payments", start.payments)
            return print(object)
        }
        var lines = ["listening on \(start.url)", "users: \(start.users.joined(separator: ", "))"]
        if let file = start.authorityFile { lines.append("certificate authority: \(file)") }
        if let books = start.books { lines.append("books: \(books), \(counted(start.payments, "payment"))") }
        print(lines)
    }

    /// Prints an event in one line.
    func print(_ event: SandboxEvent) {
        switch event {
        case .request(let request): print(request)
        case .message(let message, let time): print(message, time)
        case .callback(let ending, let time): print(ending, time)
        }
    }

    private func print(_ request: SandboxEvent.Request) {
        guard !isJSON else {
            var object = Self.object("request", at: request.time)
            object.add("route", request.route)
            object.add("status", request.status)
            object.add("cut", request.cut)
            object.add("delay_ms", Int(request.delay / .milliseconds(1)))
            return print(object)
        }
        var line = "\(request.route ?? "no route"): \(request.status.map { "\($0)" } ?? "no answer")"
        if let cut = request.cut { line += ", cut after \(counted(cut, "byte"))" }
        if request.delay > .zero { line += ", after \(Int(request.delay / .milliseconds(1))) ms" }
        print([line])
    }

    private func print(_ message: SandboxMessage, _ time: Duration) {
        let text =
            reveals
            ? message.text.withRevealedText { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            } : nil
        guard !isJSON else {
            var object = Self.object("message", at: time)
            object.add("kind", message.kind.rawValue)
            if reveals {
                object.add("to", message.address)
                object.add("text", text)
            }
            return print(object)
        }
        print(["message: \(message.kind.rawValue)" + (text.map { " for \(message.address): \($0)" } ?? "")])
    }

    private func print(_ ending: SandboxEvent.CallbackEnding, _ time: Duration) {
        let (word, status): (String, Int?) =
            switch ending {
            case .answered(let status): ("answered", status)
            case .refused: ("refused", nil)
            case .dropped: ("dropped", nil)
            case .failed: ("failed", nil)
            }
        guard !isJSON else {
            var object = Self.object("callback", at: time)
            object.add("result", word)
            object.add("status", status)
            return print(object)
        }
        print(["callback: \(word)" + (status.map { " with \($0)" } ?? "")])
    }

    private static func object(_ event: String, at time: Duration) -> JSONObject {
        var object = JSONObject()
        object.add("event", event)
        object.add(time: time)
        return object
    }

    private func print(_ object: JSONObject) {
        console.withLock { console in
            console.result(object)
            console.flush()
        }
    }

    private func print(_ lines: [String]) {
        console.withLock { console in
            for line in lines { console.result(line) }
            console.flush()
        }
    }
}
