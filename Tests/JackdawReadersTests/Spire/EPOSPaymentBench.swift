@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at a PosMate that a test plays: messages of the terminal go in, and messages and events come out.
struct EPOSPaymentBench: ~Copyable {
    var payment: EPOSPayment
    let wire: EPOSPaymentWire
    var now = Duration.zero
    /// The messages that were sent, and the names of the events with the effects that they answer.
    private(set) var log: [String] = []
    private var next = 0

    init() throws {
        let settings = try Self.settings()
        let transaction = try miuraTransaction()
        wire = settings.wire
        payment = EPOSPayment(transaction, settings)
    }

    /// The settings of the simulated terminal.
    static func settings() throws -> EPOSPaymentSettings {
        try EPOSPaymentSettings(profile: try #require(ReaderFamily.named("epos")).simulatedProfile)
    }

    /// Carries out an action, whose effect has the next number.
    mutating func carryOut(_ action: PaymentAction, host: HostResponse? = nil) {
        next += 1
        take(
            payment.carryOut(PaymentEffect(identifier: next, action: action), host: host, isTapAllowed: false, at: now))
    }

    /// Sends a message of the terminal.
    mutating func send(_ message: EPOSPaymentMessage) { receive(wire.frame(message)) }

    /// Sends a status report of the terminal, with the number of the status as its sequence number.
    mutating func report(_ status: EPOSStatus) { send(.status(sequence: status.rawValue, status)) }

    mutating func receive(_ bytes: [UInt8]) { take(payment.receive(bytes.span, at: now)) }

    mutating func lose() { take(payment.lose()) }

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

    private mutating func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): log.append("> " + name(bytes))
            case .event(let event, let identifier): log.append(event.rawValue + (identifier.map { " \($0)" } ?? ""))
            case .note: break
            }
        }
    }

    private func name(_ frame: [UInt8]) -> String {
        switch wire.read(frame.span, from: .till) {
        case .request(let name, let data)?: "\(name.rawValue) \(hexadecimal(data))"
        case .answer(let name, let data)?: "\(name.rawValue)! \(hexadecimal(data))"
        case .refusal(let name, let error)?: "\(name.rawValue)? \(error)"
        case .reply(let sequence, let isCancel)?: "\(hexadecimal([sequence])) \(isCancel ? "cancel" : "go on")"
        case .status?, nil: "unknown"
        }
    }

    /// Prepares the terminal, and inserts a card: the effects 1, 2 and 3.
    mutating func insertCard() {
        prepare()
        report(.smartcardInserted)
        carryOut(.processCard)
        log = []
    }

    /// Prepares the terminal for a card: the effects 1 and 2.
    mutating func prepare() {
        carryOut(.prepare)
        send(.answer(.terminateTransaction, []))
        send(.answer(.initTransaction, []))
        send(.request(.getAmount, []))
        carryOut(.acceptCard)
        report(.cardEntryPrompted)
        log = []
    }
}
