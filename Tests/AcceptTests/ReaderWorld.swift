import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport

@testable import Accept

/// A sale of the SDK at a simulated reader with a virtual card, and at a sandbox, in virtual time: the machines without
/// their shells.
final class ReaderWorld<Payment: ReaderPayment & ~Copyable, Terminal: KernelTerminal> {
    private(set) var till: AcceptTill
    private var desk: PaymentDesk
    private var pay: AcceptPayMachine
    private var terminal: ReaderTerminal<Payment>
    private var reader: TillReader<Terminal>
    private var queue: [DeskEvent] = []
    /// The steps that the user sees.
    private(set) var steps: [AcceptStateUpdate] = []
    /// The end of the payment, and its error.
    private(set) var end: (report: AttemptReport, error: AcceptError?)?
    /// The tags of the objects that were sealed, in their order.
    var sealedTags: [[JackdawEMV.Tag]] { sealed.withLock { $0 } }
    private let sealed: Lock<[[JackdawEMV.Tag]]>
    /// The step after which the reader's link is lost; nil to keep it.
    var unplugsAt: AcceptStateUpdate?

    init(_ driver: consuming Payment, _ simulated: Terminal, _ format: any FrameFormat) throws {
        till = try AcceptTill()
        desk = PaymentDesk(host: AcceptWire.profile, limits: .none, policy: Accept.paymentPolicy)
        pay = AcceptPayMachine(exclusion: nil, entries: [.chip, .swipe])
        let sealed = Lock<[[JackdawEMV.Tag]]>([])
        self.sealed = sealed
        terminal = ReaderTerminal(driver) { objects in
            sealed.withLock { $0.append(objects.tags) }
            return .tagLengthValue(objects)
        }
        reader = TillReader(simulated, format)
    }

    private var now: Duration { till.fixture.now }
    private let date = RecordedTime(seconds: 1_453_992_427, offset: 60)

    /// Pays, until nothing remains.
    func run(_ request: AttemptRequest) {
        carryOut(desk.start(with: [], at: now, on: date))
        queue.append(.begin(request, identifier: attempt("A1"), call: 1))
        // Far more steps than any payment has.
        for _ in 0..<10_000 {
            if !queue.isEmpty {
                carryOut(desk.receive(queue.removeFirst(), at: now, on: date))
                continue
            }
            let deadlines = [desk.nextDeadline, terminal.nextDeadline, reader.nextDeadline].compactMap(\.self)
            guard let next = deadlines.min(), end == nil || !desk.unfinished.isEmpty else { return }
            till.fixture.now = max(now, next)
            if let deadline = desk.nextDeadline, deadline <= now { queue.append(.timer) }
            take(terminal.advance(to: now))
            for output in reader.advance(to: now) {
                switch output {
                case .send(let bytes): take(terminal.receive(bytes.span, at: now))
                case .disconnect: unplug()
                }
            }
        }
    }

    private func unplug() {
        reader.lose()
        take(terminal.lose())
    }

    private func take(_ outputs: [ReaderTerminalOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): _ = reader.send(bytes, at: now)
            case .event(let event): carryOut(pay.receive(.terminal(event)))
            }
        }
    }

    private func carryOut(_ effects: [DeskEffect]) {
        for effect in effects {
            let number = effect.identifier
            switch effect.action {
            case .lookUp: queue.append(.found([], effect: number))
            case .write: queue.append(.written(effect: number))
            case .ask(let request):
                do throws(HostFailure) { queue.append(.answered(try till.ask(request), effect: number)) } catch {
                    queue.append(.unanswered(error, effect: number))
                }
            case .reader(_, let task, let forCard): carryOut(pay.receive(.task(task, forCard: forCard)))
            case .report(let report): carryOut(pay.receive(.report(report)))
            case .mintIdentifier, .accepted, .refused, .ignored: break
            }
        }
    }

    private func carryOut(_ effects: [AcceptPayEffect]) {
        for effect in effects {
            switch effect {
            case .progress(let step):
                steps.append(step)
                if step == unplugsAt { unplug() }
            case .carryOut(let effect, let forCard): take(terminal.carryOut(effect, forCard, at: now))
            case .choose(let index): take(terminal.choose(index, at: now))
            case .send(let event, let answered, let sealed):
                queue.append(.payment(attempt("A1"), event, answering: answered, sealed: sealed))
            case .askSignature(_, _, _, let request): carryOut(pay.receive(.signature([1], request: request)))
            case .askVerification(let request): carryOut(pay.receive(.verification(.approved, request: request)))
            case .askApplication(_, let request): carryOut(pay.receive(.application(0, request: request)))
            case .cancelled, .sendDecline: break
            case .end(let report, let error, _): end = (report, error)
            }
        }
    }
}

/// The parts of a sale at a simulated reader: a card of the sandbox's issuer, which goes online, and a terminal for it.
enum ReaderParts {
    static let card = """
        {
          "atr": "3B6700004A41434B444157",
          "applications": [
            {
              "aid": "A0000009990101", "label": "TEST", "priority": "01", "profile": "1C00", "format": 1,
              "records": [
                {"file": 1, "record": 1, "objects": {"57": "9999990000000014D30121011234500000"}},
                {
                  "file": 2, "record": 1,
                  "objects": {
                    "5A": "9999990000000014", "5F34": "01", "5F24": "301231", "5F25": "100101", "5F28": "0528",
                    "5F30": "0201", "9F07": "FF80", "9F08": "0096", "9F42": "0978", "9F44": "02",
                    "8C": "9F02069F03069F1A0295055F2A029A039C019F3704",
                    "8D": "8A029F02069F03069F1A0295055F2A029A039C019F3704", "8E": "00000000000000001F00",
                    "9F0D": "0000000000", "9F0E": "0000000000", "9F0F": "0000000000"
                  }
                }
              ],
              "cryptograms": {
                "scheme": "visa-10", "key_index": "01",
                "issuer_keys": {
                  "cryptogram": "00112233445566778899AABBCCDDEEFF", "integrity": "00112233445566778899AABBCCDDEEFF",
                  "confidentiality": "00112233445566778899AABBCCDDEEFF"
                }
              },
              "limits": {
                "online_above": 1, "decline_above": 80000, "consecutive_offline": 5, "new_card_online": false,
                "issuer_required": false
              }
            }
          ]
        }
        """

    static func transaction(_ hundredths: UInt64) throws -> KernelTransaction {
        guard
            let transaction = KernelTransaction(
                Amount(minorUnits: hundredths, currencyCode: 978), on: RecordedTime(seconds: 1_453_992_427, offset: 60))
        else { throw AcceptError(.amountInvalid, "no transaction") }
        return transaction
    }

    static func parts(_ hundredths: UInt64) throws -> ReaderTillParts {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: TerminalCapabilities(rawValue: 0xE0F8C8),
            additionalCapabilities: AdditionalTerminalCapabilities(rawValue: 0xF0_00F0_F001), country: [0x05, 0x28],
            applicationVersion: [0x00, 0x96])
        configuration.limits = RiskLimits(floorLimit: 1)
        // An amount above the floor limit goes to the issuer.
        configuration.actionCodes.online = TerminalVerificationResults(rawValue: 0x00_0000_8000)
        let application = try SupportedApplication([0xA0, 0, 0, 0x09, 0x99], allowsPartialName: true)
        return ReaderTillParts(
            settings: TillSettings(applications: [TerminalApplication(application, configuration)]), reference: "A1",
            transaction: try transaction(hundredths),
            card: try VirtualCard(json: Array(card.utf8), PlainIssuerCryptography(), seed: 1),
            payer: try SimulatedPayer(
                json: Array(#"{"presents": ["insert"], "delays": {"card": 500, "signature": 1000}}"#.utf8)),
            issuer: try SimulatedIssuer(json: Array(SandboxFixture.issuerText.utf8), PlainIssuerCryptography()))
    }

    static func request(_ hundredths: UInt64) throws(AcceptError) -> AttemptRequest {
        try ConfigurationTests.payment(
            AcceptBasket(
                currencyAsISO4217Code: "EUR",
                items: [AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: Int64(hundredths)))])
        ).attemptRequest(for: SaleIdentifier(rawValue: "sale")!)
    }
}
