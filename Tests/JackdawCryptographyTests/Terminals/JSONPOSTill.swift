import JackdawCryptography
import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A till with a simulated SPm20 terminal at a link: the payment's flow, the machine of payments, the terminal with a
/// virtual card, and the issuer at the end of the terminal's tunnel, in virtual time. A link that breaks is opened
/// again after a second, as the terminal's SDK does.
struct JSONPOSTill: ~Copyable {
    private(set) var flow: PaymentFlow
    private(set) var now = Duration.zero
    private(set) var host: TerminalHost
    /// The events that the payment received.
    private(set) var events: [PaymentEvent] = []
    /// The steps that the terminal reported.
    private(set) var steps: [JSONPOSStatus.Step?] = []
    /// The results that the terminal sent.
    private(set) var results: [JSONPOSResult] = []
    /// The ends of payments that the flow had given up.
    private(set) var settlements: [JSONPOSSettlement] = []
    /// The number of records for settlement.
    private(set) var records = 0
    /// The frames that were sent.
    private(set) var sent: [[UInt8]] = []

    private var driver: JSONPOSPayment
    private var reader: SimulatedReader
    private var queue: [(due: Duration, event: PaymentEvent, effect: Int)] = []
    private var isConnected = true
    private var reconnection: Duration?
    private var connections: Set<Int> = []
    /// Whether the terminal's host can be reached.
    private let hasHost: Bool
    /// Bytes that come at a time.
    private let step: Int
    /// The event of the merchant, after so many events.
    private let interference: (PaymentEvent, after: Int)?

    init(
        _ file: ChipCardFile = .visa, amount: UInt64 = 6000, payer: String? = nil, faults: [PlannedFault] = [],
        step: Int = .max, hasHost: Bool = true, interference: (PaymentEvent, after: Int)? = nil
    ) throws {
        let parts = try TerminalParts(file, amount: amount, payer: payer)
        let terminal = JSONPOSTerminal(
            parts.settings, date: parts.transaction.date, card: parts.card, payer: parts.payer, parts.primitives,
            pinCipher: parts.pinCipher)
        let settings = JSONPOSPaymentSettings()
        flow = PaymentFlow(policy: settings.policy())
        host = TerminalHost(parts.issuer)
        driver = JSONPOSPayment(parts.transaction, receipt: 1, sequence: 1, settings)
        reader = SimulatedReader(terminal, faults: faults)
        self.step = step
        self.hasHost = hasHost
        self.interference = interference
    }

    /// Pays, in at most twenty minutes.
    mutating func run() -> PaymentOutcome? {
        deliver(.start)
        let end = now + .seconds(1200)
        while true {
            let next = [
                flow.nextDeadline, driver.nextDeadline, isConnected ? reader.nextDeadline : nil, host.nextDeadline,
                reconnection, queue.first?.due,
            ]
            .compactMap(\.self).min()
            guard let next, next <= end else { break }
            now = max(now, next)
            advance()
        }
        return flow.outcome
    }

    private mutating func advance() {
        if let deadline = flow.nextDeadline, deadline <= now { deliver(.timer) }
        while let first = queue.first, first.due <= now {
            queue.removeFirst()
            deliver(first.event, answering: first.effect)
        }
        if let due = reconnection, due <= now {
            reconnection = nil
            isConnected = true
            reader.reconnect()
            take(driver.reconnect(at: now))
        }
        take(driver.advance(to: now))
        for output in host.advance(to: now) {
            switch output {
            case .send(let bytes, let connection): take(driver.receive(bytes, from: connection))
            case .close(let connection): take(driver.closed(connection, reason: "closed"))
            }
        }
        guard isConnected else { return }
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes):
                for start in stride(from: 0, to: bytes.count, by: step) {
                    let part = start..<start + min(step, bytes.count - start)
                    take(driver.receive(bytes.span.extracting(part), at: now))
                }
            case .disconnect:
                isConnected = false
                reconnection = now + .seconds(1)
                take(driver.lose())
            }
        }
    }

    private mutating func take(_ outputs: [JSONPOSPayment.Output]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                sent.append(bytes)
                if isConnected { reader.receive(bytes.span, at: now) }
            case .event(let event, let effect): deliver(event, answering: effect)
            case .status(let status): steps.append(status.step)
            case .result(let result): results.append(result)
            case .refundDue: take(driver.sendRefund(at: now))
            case .settlement(let settlement): settlements.append(settlement)
            case .tunnel(let task): carryOut(task)
            case .note: break
            }
        }
    }

    private mutating func carryOut(_ task: JSONPOSTunnel.Output) {
        switch task {
        case .connect(let connection, let name, let port):
            let address = JSONPOSTerminal<LibCryptoPrimitives>.hostAddress
            guard hasHost, name == address.host, port == address.port else {
                return take(driver.closed(connection, reason: "there is no such host"))
            }
            connections.insert(connection)
            take(driver.opened(connection))
        case .send(let connection, let bytes):
            if connections.contains(connection) { host.receive(bytes, from: connection, at: now) }
        case .disconnect(let connection):
            connections.remove(connection)
            host.close(connection)
        }
    }

    private mutating func deliver(_ event: PaymentEvent, answering effect: Int? = nil) {
        events.append(event)
        for effect in flow.receive(event, answering: effect, at: now) { carryOut(effect) }
        if let (event, count) = interference, events.count == count { deliver(event) }
    }

    private mutating func carryOut(_ effect: PaymentEffect) {
        if effect.action == .storeRecord {
            records += 1
            let place = queue.firstIndex { $0.due > now } ?? queue.count
            queue.insert((now, .recordStored, effect.identifier), at: place)
        }
        take(driver.carryOut(effect, at: now))
    }

    /// The reasons for which the books of till and issuer do not agree; empty if they do.
    var disagreements: [String] {
        let entry = host.issuer.ledger["1-1"]
        let isApproved = flow.outcome?.isApproved == true
        var found: [String] = []
        if flow.outcome == nil { found.append("no outcome") }
        if host.issuer.ledger.held != 0 { found.append("\(host.issuer.ledger.held) are held") }
        if (entry?.captured ?? 0 > 0) != isApproved { found.append("captured: \(entry?.captured as Any)") }
        if records != (isApproved ? 1 : 0) { found.append("\(records) records") }
        if host.issuer.ledger.entries.count > 1 { found.append("the issuer knows other payments") }
        return found
    }
}
