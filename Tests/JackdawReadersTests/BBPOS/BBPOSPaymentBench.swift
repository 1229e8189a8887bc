@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at an EMVSwiper that a test plays: reports of the reader go in, and calls and events come out.
struct BBPOSPaymentBench: ~Copyable {
    var payment: BBPOSPayment
    let wire: BBPOSPaymentWire
    var now = Duration.zero
    /// The calls that were sent, and the names of the events with the effects that they answer.
    private(set) var log: [String] = []
    /// The reports of input that changed nothing.
    private(set) var notes: [String] = []
    private var next = 0

    init() throws {
        let settings = try Self.settings()
        let transaction = try miuraTransaction()
        wire = settings.wire
        payment = BBPOSPayment(transaction, settings)
    }

    /// The settings of the simulated reader.
    static func settings() throws -> BBPOSPaymentSettings {
        try BBPOSPaymentSettings(profile: try #require(ReaderFamily.named("bbpos")).simulatedProfile)
    }

    /// Carries out an action, whose effect has the next number.
    mutating func carryOut(_ action: PaymentAction, host: HostResponse? = nil) {
        next += 1
        take(
            payment.carryOut(PaymentEffect(identifier: next, action: action), host: host, isTapAllowed: false, at: now))
    }

    mutating func choose(_ index: Int) { take(payment.choose(index, at: now)) }

    /// Sends reports of the reader.
    mutating func report(_ reports: BBPOSReport...) {
        for report in reports { receive(wire.frame(report)) }
    }

    /// Sends a request of the reader with data objects.
    mutating func ask(_ request: BBPOSRequest, _ objects: String? = nil) {
        report(.request(request, objects.map { ReaderBytes($0) }))
    }

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
            case .send(let bytes): log.append("> " + (wire.call(bytes.span).map { "\($0)" } ?? "unknown"))
            case .event(let event, let identifier): log.append(event.rawValue + (identifier.map { " \($0)" } ?? ""))
            case .note(let text): notes.append(text)
            }
        }
    }

    /// Prepares the reader for a card: the effects 1 and 2.
    mutating func prepare() {
        carryOut(.prepare)
        report(.deviceInfo(["batteryPercentage": "80"]))
        carryOut(.acceptCard)
        report(.waitingForCard)
        log = []
    }

    /// Prepares the reader, inserts a card and begins its payment: the effects 1, 2 and 3.
    mutating func insertCard() {
        prepare()
        report(.card(.chip, nil))
        carryOut(.processCard)
        report(.started(true))
        log = []
    }

    /// Goes on to the question to the issuer, with these objects.
    mutating func askIssuer(_ objects: String = "9F270180") {
        ask(.issuer, objects)
        log = []
    }
}

/// A swipe in clear: track 2 only.
func bbposSwipe(_ track: String) -> ReaderSwipe {
    var builder = ReaderSwipe.Builder()
    let octets = Array(track.utf8)
    builder.add(.track(2), octets.span)
    return builder.finish(family: "bbpos", cipher: nil)
}

extension ReaderBytes {
    convenience init(_ digits: String) {
        let octets = hex(digits)
        self.init(copying: octets.span)
    }
}
