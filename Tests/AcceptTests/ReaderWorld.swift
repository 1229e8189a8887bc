import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept
@testable import jackdaw_pay

/// The host of a world.
protocol WorldHost {
    /// Asks the host, and reads its answer.
    func ask(_ request: HostRequest) async throws(HostFailure) -> HostReply
}

/// A sandbox in the same process.
final class SandboxTill: WorldHost {
    private(set) var till: AcceptTill

    init() throws { till = try AcceptTill() }

    func ask(_ request: HostRequest) async throws(HostFailure) -> HostReply { try till.ask(request) }
}

/// A sale of the SDK at a simulated reader with a virtual card, and at a host, in virtual time: the machines without their
/// shells.
final class ReaderWorld<Payment: ReaderPayment & ~Copyable, Terminal: ReaderModel> {
    private let host: any WorldHost
    private let plan: WorldPlan
    private let journal = MemoryJournal()
    private var desk: PaymentDesk
    private var pay: AcceptPayMachine
    private var terminal: ReaderTerminal<Payment>
    private var reader: TillReader<Terminal>
    private var now: Duration
    private let date: RecordedTime
    private var queue: [DeskEvent] = []
    private var asks: [(effect: Int, request: HostRequest)] = []
    /// Answers that are on their way.
    private var answers: [(due: Duration, event: DeskEvent)] = []
    private var acts: [WorldPlan.Place: WorldPlan.Act]
    private var choices: [Int?]
    private var isFrozen = false
    private var isKilled = false
    private var request: AttemptRequest?
    private let sealed: Lock<[[JackdawEMV.Tag]]>

    /// The steps that the user sees.
    private(set) var steps: [AcceptStateUpdate] = []
    /// The events that the payment flow took, without those that change nothing.
    private(set) var events: [PaymentEvent] = []
    /// The end of the payment, and its error; nil before it, and if the program was killed.
    private(set) var end: (report: AttemptReport, error: AcceptError?)?
    /// Whether the host was asked for the payment.
    private(set) var isHostAsked = false
    /// The tags of the objects that were sealed, in their order.
    var sealedTags: [[JackdawEMV.Tag]] { sealed.withLock { $0 } }

    /// - Parameters:
    ///   - driver: the payment at the reader.
    ///   - transaction: the payment.
    ///   - simulated: the reader.
    ///   - format: the format of its messages.
    ///   - host: the host.
    ///   - plan: the things that happen beside the payment. Default: none.
    ///   - date: the date of the till. Default: that of the sandbox's fixture.
    init(
        _ driver: consuming Payment, _ transaction: KernelTransaction, _ simulated: Terminal,
        _ format: any FrameFormat, _ host: any WorldHost, _ plan: WorldPlan = WorldPlan(),
        on date: RecordedTime = RecordedTime(seconds: 1_453_992_427, offset: 60)
    ) {
        self.host = host
        self.plan = plan
        self.date = date
        now = .seconds(date.seconds)
        acts = plan.acts
        choices = plan.choices
        desk = PaymentDesk(host: AcceptWire.profile, limits: plan.limits, policy: Accept.paymentPolicy)
        pay = AcceptPayMachine(exclusion: nil, entries: plan.entries)
        let sealed = Lock<[[JackdawEMV.Tag]]>([])
        self.sealed = sealed
        terminal = ReaderTerminal(driver, transaction) { objects in
            sealed.withLock { $0.append(objects.tags) }
            return .tagLengthValue(objects)
        }
        reader = TillReader(simulated, format, deck: plan.deck, faults: plan.faults)
    }

    /// The record of the payment in the journal; nil without one.
    var record: AttemptRecord? { try? journal.recordNow(of: attempt("A1")) }

    /// Pays, until nothing remains.
    func run(_ request: AttemptRequest) async {
        self.request = request
        desk.flowSteps = []
        // The reader's times count from its start.
        carryOut(desk.start(with: [], at: now, on: date))
        queue.append(.begin(request, identifier: attempt("A1"), call: 1))
        // Far more steps than any payment has.
        for _ in 0..<10_000 {
            if !queue.isEmpty {
                let event = queue.removeFirst()
                carryOut(desk.receive(event, at: now, on: date))
            } else if !asks.isEmpty {
                let (effect, request) = asks.removeFirst()
                await ask(request, effect)
            } else {
                let isOver = (end != nil || isKilled) && desk.unfinished.isEmpty && answers.isEmpty
                guard !isOver, let next = nextDeadline else { return }
                now = max(now, next)
                advance()
            }
        }
    }

    private var nextDeadline: Duration? {
        let atReader = isFrozen || isKilled ? nil : reader.nextDeadline
        let atTerminal = isKilled ? nil : terminal.nextDeadline
        return [desk.nextDeadline, atTerminal, atReader, answers.map(\.due).min()].compactMap(\.self).min()
    }

    private func advance() {
        for (due, event) in answers where due <= now { queue.append(event) }
        answers.removeAll { $0.due <= now }
        if let deadline = desk.nextDeadline, deadline <= now { queue.append(.timer) }
        guard !isKilled else { return }
        take(terminal.advance(to: now))
        guard !isFrozen else { return }
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes): take(terminal.receive(bytes.span, at: now))
            case .disconnect: unplug()
            }
        }
    }

    // MARK: the things that happen beside the payment

    private func interfere(_ place: WorldPlan.Place) {
        switch acts.removeValue(forKey: place) {
        case .unplug: unplug()
        case .cancel: carryOut(pay.receive(.cancel))
        case .freeze: isFrozen = true
        case .kill: kill()
        case .beginAgain: if let request { queue.append(.begin(request, identifier: attempt("B1"), call: 2)) }
        case nil: break
        }
    }

    private func unplug() {
        reader.lose()
        take(terminal.lose(LinkError(.disconnected, link: "test", "unplugged"), at: now))
    }

    /// Kills the program, and starts it again: the journal alone stays.
    private func kill() {
        isKilled = true
        (queue, asks, answers) = ([], [], [])
        reader.lose()
        desk = PaymentDesk(host: AcceptWire.profile, limits: plan.limits, policy: Accept.paymentPolicy)
        desk.flowSteps = []
        carryOut(desk.start(with: (try? journal.all { $0.isNeeded }) ?? [], at: now, on: date))
    }

    // MARK: the questions to the host

    private func ask(_ request: HostRequest, _ effect: Int) async {
        let isPayment = request.operation == .authorise
        var event: DeskEvent
        if isPayment, plan.isHostUnreachable {
            event = .unanswered(
                HostFailure(.unreachable, isCertainlyNotSent: true, message: "There is no network."), effect: effect)
        } else {
            if isPayment { isHostAsked = true }
            do throws(HostFailure) { event = .answered(try await host.ask(request), effect: effect) } catch {
                event = .unanswered(error, effect: effect)
            }
        }
        guard isPayment else { return queue.append(event) }
        interfere(.asked)
        guard !isKilled else { return }
        if plan.answerDelay > .zero { answers.append((now + plan.answerDelay, event)) } else { queue.append(event) }
    }

    // MARK: effects of the machines

    private func take(_ outputs: [ReaderTerminalOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): if !isFrozen { _ = reader.send(bytes, at: now) }
            case .power(let power): reader.setPower(power != .off, at: now)
            case .event(let event): carryOut(pay.receive(.terminal(event)))
            }
        }
    }

    private func carryOut(_ effects: [DeskEffect]) {
        noteSteps()
        let wasKilled = isKilled
        for effect in effects {
            let number = effect.identifier
            switch effect.action {
            case .lookUp(let attempt, let sale):
                let found = try? journal.all { $0.identifier == attempt || $0.request.sale == sale }
                queue.append(.found(found ?? [], effect: number))
            case .write(let record):
                if record.flow?.isRecordStored == true { interfere(.storing) }
                // The program that wanted this is no more.
                guard wasKilled == isKilled else { return }
                try? journal.writeNow(record)
                queue.append(.written(effect: number))
            case .ask(let request): asks.append((number, request))
            case .reader(_, let task, let forCard):
                guard !isKilled else { continue }
                carryOut(pay.receive(.task(task, forCard: forCard)))
            case .report(let report): if !isKilled { carryOut(pay.receive(.report(report))) }
            case .refused(_, let refusal): if refusal.code == .saleInProgress { events.append(.start) }
            case .mintIdentifier, .accepted, .ignored: break
            }
        }
    }

    private func noteSteps() {
        let steps = desk.flowSteps ?? []
        desk.flowSteps = []
        for step in steps {
            guard case .event(let event, _) = step.cause else {
                events.append(.crash)
                continue
            }
            let isIgnored = step.effects.contains { if case .ignore = $0.action { true } else { false } }
            // Readers may report the removal of a card and the end of the payment by it.
            let isRepeated = event == .cardRemoved && events.last == .cardRemoved
            guard !isIgnored, !isRepeated else { continue }
            events.append(event)
            interfere(.taken(event))
        }
    }

    private func carryOut(_ effects: [AcceptPayEffect]) {
        for effect in effects {
            switch effect {
            case .progress(let step):
                steps.append(step)
                interfere(.step(step))
            case .carryOut(let effect, let forCard): take(terminal.carryOut(effect, forCard, at: now))
            case .choose(let index): take(terminal.choose(index, at: now))
            case .send(let event, let answered, let sealed):
                queue.append(.payment(attempt("A1"), event, answering: answered, sealed: sealed))
            case .askSignature(_, _, _, let request):
                carryOut(pay.receive(.signature(plan.isSigned ? [1] : nil, request: request)))
            case .askVerification(let request):
                let result: AcceptSignatureVerificationResult = plan.isSignatureRight ? .approved : .rejected
                carryOut(pay.receive(.verification(result, request: request)))
            case .askApplication(_, let request):
                guard !choices.isEmpty, let choice = choices.removeFirst() else { continue }
                carryOut(pay.receive(.application(choice, request: request)))
            case .cancelled, .sendDecline: break
            case .end(let report, let error, _): end = (report, error)
            }
        }
    }
}

/// A sale at a simulated UniMag on an audio jack.
func uniMagWorld(
    _ transaction: KernelTransaction, _ host: any WorldHost, _ plan: WorldPlan,
    on date: RecordedTime = RecordedTime(seconds: 1_453_992_427, offset: 60)
) throws -> ReaderWorld<SwipePayment, UniMagModel> {
    let family = try #require(ReaderFamily.named("unimag"))
    let settings = try SwipePaymentSettings(family.makeDialect(family.simulatedProfile))
    return ReaderWorld(
        SwipePayment(settings), transaction, UniMagModel(), settings.dialect.format(awaiting: nil), host, plan, on: date
    )
}

/// The things that happen beside a payment, and the answers of people.
struct WorldPlan: Sendable {
    /// A place in the course of a payment.
    enum Place: Sendable, Hashable {
        /// The user sees this step.
        case step(AcceptStateUpdate)
        /// The payment flow took this event.
        case taken(PaymentEvent)
        /// The host has the request, and the till has no answer yet.
        case asked
        /// The record for settlement is about to be written.
        case storing
    }

    enum Act: Sendable {
        /// The link to the reader is lost.
        case unplug
        /// The merchant cancels the payment.
        case cancel
        /// The reader sends and hears nothing any more.
        case freeze
        /// The program is killed, and started again.
        case kill
        /// The merchant starts the same sale again.
        case beginAgain
    }

    /// The ways in which the terminal reads cards.
    var entries: Set<CardEntry> = [.chip, .swipe]
    /// The things that happen, each once.
    var acts: [Place: Act] = [:]
    /// The time on the way of the answer to the payment.
    var answerDelay = Duration.zero
    /// Whether the payment cannot be sent.
    var isHostUnreachable = false
    /// The choices of an application; nil, and after the last one, for no answer.
    var choices: [Int?] = [0]
    /// Whether the cardholder signs in the app.
    var isSigned = true
    /// Whether the merchant finds that signature right.
    var isSignatureRight = true
    /// The limits of payments without the host.
    var limits = OfflineLimits.none
    /// Cards that are presented beside the virtual one.
    var deck: [Presentation] = []
    /// The faults of the reader.
    var faults: [JackdawSimulator.PlannedFault] = []
}
/// The parts of a sale at a simulated reader: a card of the sandbox's issuer, which goes online, and a terminal for it.
enum ReaderParts {
    /// The card of the command's simulated readers, with the account of the sandbox's fixture.
    static let card = PaymentSetup.readyText.replacing("4761739001010010", with: "9999990000000014")
        .replacing("A0000000031010", with: "A0000009990101")

    static func transaction(_ hundredths: UInt64) throws -> KernelTransaction {
        guard
            let transaction = KernelTransaction(
                Amount(minorUnits: hundredths, currencyCode: 978), on: RecordedTime(seconds: 1_453_992_427, offset: 60))
        else { throw AcceptError(.amountInvalid, "no transaction") }
        return transaction
    }

    static func parts(_ hundredths: UInt64, card: String = card) throws -> ReaderTillParts {
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
