@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at an SPm20 terminal that a test plays: objects of the terminal go in, and messages and events come out.
struct JSONPOSPaymentBench: ~Copyable {
    var payment: JSONPOSPayment
    var now = Duration.zero
    /// The objects that were sent, and events, results and tasks in words.
    private(set) var log: [String] = []
    private var next = 0

    /// The payment of `JsonposTests.testPurchase` of pt-android-sdk, with another key.
    init(_ settings: JSONPOSPaymentSettings = JSONPOSPaymentSettings()) throws {
        let transaction = KernelTransaction(
            amount: 123, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 7, day: 28)))
        payment = JSONPOSPayment(transaction, receipt: 123, sequence: 321, settings)
    }

    /// Carries out an action, whose effect has the next number.
    mutating func carryOut(_ action: PaymentAction) {
        next += 1
        take(payment.carryOut(PaymentEffect(identifier: next, action: action), at: now))
    }

    /// Sends an object of the terminal.
    mutating func answer(_ object: String) throws { receive(try JSONPOSFormat.frame(Array(object.utf8))) }

    mutating func receive(_ bytes: [UInt8]) { take(payment.receive(bytes.span, at: now)) }

    mutating func lose() { take(payment.lose()) }

    mutating func reconnect() { take(payment.reconnect(at: now)) }

    /// Begins the conversation on a new link: the requests of two numbers.
    mutating func reconnect(_ synchronise: String, _ network: String) throws {
        reconnect()
        wait(.milliseconds(100))
        try answer(#"{"jsonrpc":"2.0","id":"\#(synchronise)","result":{}}"#)
        try answer(#"{"jsonrpc":"2.0","id":"\#(network)","result":{}}"#)
    }

    mutating func recover(isReversed: Bool, refunds: Int = 0) throws {
        take(payment.recover(isReversed: isReversed, refunds: refunds, restarts: 1, at: now))
        wait(.milliseconds(100))
        try answer(#"{"jsonrpc":"2.0","id":"1-1","result":{}}"#)
        try answer(#"{"jsonrpc":"2.0","id":"1-2","result":{}}"#)
    }

    mutating func opened(_ connection: Int) { take(payment.opened(connection)) }

    mutating func closed(_ connection: Int) { take(payment.closed(connection, reason: "gone")) }

    mutating func receive(_ bytes: [UInt8], from connection: Int) { take(payment.receive(bytes, from: connection)) }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) {
        now += duration
        take(payment.advance(to: now))
    }

    /// Returns what happened since the last call.
    mutating func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    private mutating func take(_ outputs: [JSONPOSPayment.Output]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                let object = bytes.allSatisfy { $0 == 0x0A } ? bytes.map { _ in "." }.joined() : Self.object(bytes)
                log.append("> " + object)
            case .event(let event, let identifier): log.append(event.rawValue + (identifier.map { " \($0)" } ?? ""))
            case .status(let status): log.append("status \(status.step?.rawValue ?? "none")")
            case .result(let result): log.append("\(result)")
            case .refundDue(let number):
                log.append("refund \(number)")
                take(payment.sendRefund(at: now))
            case .settlement(let settlement): log.append("\(settlement)")
            case .tunnel(let task): log.append("\(task)")
            case .note: break
            }
        }
    }

    private static func object(_ frame: [UInt8]) -> String {
        String(decoding: frame.dropFirst(9).dropLast(), as: UTF8.self)
    }

    /// Prepares the terminal, and sends `Purchase`: the effects 1, 2 and 3, and the requests 1, 2 and 3.
    mutating func purchase() throws {
        carryOut(.prepare)
        wait(.milliseconds(100))
        try answer(#"{"jsonrpc":"2.0","id":"1","result":{}}"#)
        try answer(#"{"jsonrpc":"2.0","id":"2","result":{}}"#)
        carryOut(.acceptCard)
        carryOut(.askHost)
        log = []
    }
}
