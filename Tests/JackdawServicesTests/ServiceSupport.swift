#if Payments
import JackdawEMV
import JackdawPayments
import JackdawServices
import JackdawTestSupport
import JackdawTransport
import Logging

/// Keeps log lines: the level, the message, and the metadata as text.
struct KeptLog: LogHandler {
    struct Line: Sendable, Hashable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
        let error: String?
    }

    let lines: Shared<[Line]>
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.trace

    init(_ lines: Shared<[Line]>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let line = Line(
            level: event.level, message: event.message.description, metadata: all.mapValues(\.description),
            error: event.error.map { "\($0)" })
        lines.with { $0.append(line) }
    }
}

extension Logger {
    /// A logger that keeps the lines of the redacting handler.
    static func kept(_ lines: Shared<[KeptLog.Line]>) -> Logger {
        Logger(label: "test") { _ in RedactingLogHandler(KeptLog(lines)) }
    }
}

/// A host that gives no usable answer to payments, and takes their reversals while it can be reached.
final class DoubtfulHost: HostWire, HTTPClient {
    private let reachable = Shared(true)

    var isReachable: Bool {
        get { reachable.with { $0 } }
        set { reachable.with { $0 = newValue } }
    }

    func encode(_ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        HTTPRequest(.post, request.operation == .reverse ? "reverse" : "pay")
    }

    func decode(_ answer: HTTPAnswer, to request: HostRequest) throws(HostFailure) -> HostReply {
        guard request.operation == .reverse else {
            throw HostFailure(.unreadable, isCertainlyNotSent: false, message: "no answer")
        }
        return .acknowledged
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        guard request.path == "pay" || isReachable else {
            throw HTTPFailure(.unreachable, message: "no connection")
        }
        return HTTPAnswer(status: 200)
    }
}

/// A till with a swiped card, at a doubtful host, in virtual time.
struct DoubtfulTill {
    let clock = ManualClock()
    let host = DoubtfulHost()
    let journal = MemoryJournal()
    let payments: PaymentService

    init() {
        let (tasks, input) = AsyncStream<ReaderTask>.makeStream()
        let payments = PaymentService(
            host: .unknownHost, wire: host, client: host, journal: journal, clock: clock,
            date: { RecordedTime(seconds: 0, offset: 0) }, reader: { input.yield($0) })
        self.payments = payments
        Task {
            for await task in tasks {
                let event: PaymentEvent
                switch task.effect.action {
                case .prepare: event = .prepared
                case .acceptCard: event = .cardSwiped
                default: continue
                }
                await payments.receive(event, of: task.attempt, answering: task.effect.identifier)
            }
        }
    }

    /// Pays, and waits until the outcome is not known.
    func pay(_ name: String) async throws {
        let reports = payments.reports
        let request = try AttemptRequest(
            sale: SaleIdentifier(rawValue: name)!, kind: .purchase,
            amount: Amount(minorUnits: 1000, currencyCode: 978))
        _ = try await payments.begin(request, identifier: AttemptIdentifier(rawValue: name)!)
        for await report in reports where report.state == .unknown { break }
    }
}
#endif
