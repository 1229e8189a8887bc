#if Payments
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import JackdawTransport

@testable import Accept

/// A scenario as a sale by the public calls of the SDK: the payment service, a terminal over a link, and a host. Time stands
/// still, but for the limits that a scenario meets.
final class FlowSale: Sendable {
    private let host: TLSSandbox
    private let scenario: FlowScenario
    private let model: AcceptReaderTerminals.Model
    private let link: SimulatedLink
    private let journal: MemoryJournal
    private let life: Lock<Life>
    private let killed: AsyncSignal
    /// Sent after the terminal has reported that the card or the link is lost.
    private let lost = AsyncSignal()
    private let service: Lock<PaymentService>
    private let choices: Lock<[Int?]>
    private let again = Lock<AcceptPaymentRun?>(nil)
    private let sealed = Lock<[[JackdawEMV.Tag]]>([])
    private let holders = Lock<[String]>([])
    /// The steps at which something has happened: each place is met once.
    private let met = Lock<Set<AcceptStateUpdate>>([])

    /// The course of a program that is killed. A killed program writes nothing.
    private enum Life { case first, killed, second }

    private var accept: Accept { host.accept }
    private var setup: FlowSetup { scenario.setup }

    init(_ scenario: FlowScenario, at model: AcceptReaderTerminals.Model, _ host: TLSSandbox) async throws {
        let setup = scenario.setup
        self.host = host
        self.scenario = scenario
        self.model = model
        link = try SimulatedLink(
            FlowParts(setup).reader(model), deck: FlowParts.deck(setup, model),
            faults: FlowParts.faults(setup, model))
        let (killed, life) = (AsyncSignal(), Lock(Life.first))
        self.killed = killed
        self.life = life
        let isKilledThen = setup.plan.acts[.storing] != nil
        journal = MemoryJournal { record in
            let isKilled = life.withLock { life in
                if life == .first, isKilledThen, record.flow?.isRecordStored == true { life = .killed }
                return life == .killed
            }
            guard isKilled else { return .none }
            killed.send()
            return .notWritten
        }
        choices = Lock(setup.plan.choices)
        service = Lock(Self.service(journal, setup, host))
        let (link, clock, sealed) = (link, host.clock, sealed)
        var terminal = AcceptTerminal(uuid: "reader", displayName: "reader", configurationVersion: "1")
        if setup.card == "visa-tap" { terminal.entries = [.chip, .swipe, .tap] }
        if model == .uniMag { terminal.entries = [.swipe] }
        let terminals = AcceptReaderTerminals(
            [
                AcceptReaderTerminals.Reader(
                    vendor: AcceptTerminalVendor(uuid: "vendor", displayName: "vendor"), terminal: terminal,
                    model: model, profile: try FlowParts.profile(model), open: { () throws(LinkError) in link })
            ], clock: clock, date: { FlowParts.date },
            seal: { objects in
                sealed.withLock { $0.append(objects.tags) }
                return .tagLengthValue(objects)
            })
        let late = setup.isPresentedLate ? link : nil
        accept.use(WatchedTerminals(base: terminals, lost: lost, late: late, hasDeck: setup.hasDeck))
        host.interfere(
            PaymentInterference(
                fault: setup.fault, isWithoutIssuerData: setup.isWithoutIssuerData,
                isUnreachable: setup.plan.isHostUnreachable
            ) { [self] in
                await answered()
            })
    }

    private static func service(_ journal: MemoryJournal, _ setup: FlowSetup, _ host: TLSSandbox) -> PaymentService {
        let service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: host.accept.paymentClient, journal: journal,
            limits: setup.plan.limits, policy: Accept.paymentPolicy, clock: host.clock, date: { FlowParts.date },
            reader: host.accept.reader)
        host.accept.use(service)
        return service
    }

    /// Sells, until the host has all messages.
    /// - Returns: the error of the call, and the record in the journal.
    func sell() async throws -> (error: AcceptError?, record: AttemptRecord?) {
        try await service.withLock { $0 }.start()
        let run = accept.startPay(config("A1"), handlers: handlers)
        if scenario.model.events.contains(.crash) {
            await killed.wait(after: 0)
            await service.withLock { $0 }.shutDown()
            life.withLock { $0 = .second }
            let next = Self.service(journal, setup, host)
            service.withLock { $0 = next }
            try await next.start()
        }
        let error = await failure { () throws(AcceptError) in try await run.result() }
        try await settle()
        return (error, try await journal.record(of: attempt("A1")))
    }

    /// The tags of the objects that were sealed for the host, in their order.
    var sealedTags: [[JackdawEMV.Tag]] { sealed.withLock { $0 } }
    /// The names of the cardholders who were asked to sign.
    var signers: [String] { holders.withLock { $0 } }

    /// The error of the second call of the same sale; nil without one.
    func secondError() async -> AcceptError? {
        guard let run = again.withLock({ $0 }) else { return nil }
        return await failure { () throws(AcceptError) in try await run.result() }
    }

    private func config(_ name: String) -> AcceptPaymentConfig {
        AcceptPaymentConfig(
            vendorUUID: "vendor", terminalUUID: "reader", backendConfig: host.config,
            basket: AcceptBasket(
                currencyAsISO4217Code: "EUR",
                items: [AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: Int64(setup.amount)))],
                transactionUniqueId: name),
            accessToken: host.token)
    }

    /// Waits until the service has brought the payment to its end, and moves the clock if nothing else happens.
    private func settle() async throws {
        let service = service.withLock { $0 }
        // Far more steps than any payment has.
        for _ in 0..<1_000 {
            guard await !service.unfinished.isEmpty else { break }
            let seen = service.changes.count
            let (requests, isBusy) = await service.activity
            if requests == 0, !isBusy, let wait = await service.untilDeadline {
                host.clock.advance(by: max(wait, .zero))
            }
            await service.changes.wait(after: seen)
        }
        await service.shutDown()
        // It would keep the connections open.
        host.interfere(nil)
    }

    // MARK: the people, and the things that happen beside the payment

    private var handlers: AcceptPaymentHandlers {
        let plan = setup.plan
        return AcceptPaymentHandlers(
            progress: { [self] in progress($0) },
            signature: { [self] request in
                holders.withLock { $0.append(request.cardHolderName) }
                request.signatureCallback(plan.isSigned ? [1] : nil, nil)
            },
            signatureVerification: { $1(plan.isSignatureRight ? .approved : .rejected) },
            appSelection: { [self] request in
                let choice = choices.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let choice { request.appSelectionCallback(choice, nil) }
            })
    }

    private func progress(_ step: AcceptStateUpdate) {
        guard met.withLock({ $0.insert(step).inserted }) else { return }
        if let act = setup.plan.acts[.step(step)] { carryOut(act) }
        // The event of this step is before all later ones.
        if step == .askingForPIN, let act = setup.plan.acts[.taken(.pinRequested)] { carryOut(act) }
        switch step {
        case .initialize where model == .uniMag && !setup.plan.faults.isEmpty: Task { await powerUp() }
        // The reader waits for a person, or is silent.
        case .processingData where setup.plan.acts[.step(step)] == nil: break
        case .applicationSelectionStarted, .cardholderSignatureCheck, .processingData:
            let isLimited = scenario.model.events.contains(.timer) && setup.plan.answerDelay == .zero
            Task {
                if isLimited {
                    await eventsTaken()
                    host.clock.advance(by: .seconds(30))
                }
                await removeCard()
            }
        default: break
        }
    }

    /// Lets a UniMag without power have all its attempts.
    private func powerUp() async {
        // The limit of each attempt, beside the lifetime of the token and the limit of the payment flow.
        for _ in 0..<ReaderTimes().powerUpTries { await host.clock.advance(toFirstOf: 3) }
    }

    /// Waits until the payment flow has taken all events that came: it refuses a cancellation after them. Before the host
    /// is asked it would not refuse it, and nothing must be waited for.
    private func eventsTaken() async {
        guard scenario.model.isHostAsked else { return }
        _ = await accept.run?.cancel()
    }

    /// Has the cardholder remove the card, if the scenario is that.
    private func removeCard() async {
        guard setup.payer["removal"] != nil else { return }
        await link.step(within: SimulatedLink.wide)
    }

    private func carryOut(_ act: WorldPlan.Act) {
        switch act {
        case .unplug: link.unplug()
        case .cancel: accept.cancelPay()
        case .freeze: link.freeze()
        case .kill: killed.send()
        case .beginAgain:
            let run = accept.startPay(config("B1"))
            again.withLock { $0 = run }
        }
    }

    /// The host has answered the payment, and the till does not have the answer yet.
    private func answered() async {
        let isReported = scenario.model.events.contains(.linkLost) || scenario.model.events.contains(.cardRemoved)
        switch setup.plan.acts[.asked] {
        case .kill:
            killed.send()
            // The answer never comes: the request ends with its program.
            let (silence, voice) = AsyncStream<Never>.makeStream()
            for await _ in silence {}
            voice.finish()
            return
        case let act?: carryOut(act)
        case nil: break
        }
        if setup.plan.answerDelay > .zero, setup.payer["removal"] == nil {
            host.clock.advance(by: .seconds(45))
        } else if setup.plan.acts[.asked] != nil || setup.plan.answerDelay > .zero, isReported {
            await removeCard()
            await lost.wait(after: 0)
            await eventsTaken()
        }
    }
}

/// Terminals that signal the loss of a card or a link after they have reported it, and at which cards are presented when the
/// terminal waits for one.
private struct WatchedTerminals: AcceptTerminals {
    let base: AcceptReaderTerminals
    let lost: AsyncSignal
    /// The reader, if its cards are presented only when the terminal waits for one.
    let late: SimulatedLink?
    /// Whether another card is presented before the virtual one.
    let hasDeck: Bool

    private struct Session: AcceptTerminalSession {
        let base: ReaderTerminalSession
        let late: SimulatedLink?
        let hasDeck: Bool
        let counts = Lock((effects: 0, waits: 0))

        func carryOut(_ effect: PaymentEffect, forCard: HTTPBody) {
            let isWait = effect.action == .acceptCard
            let counts = counts.withLock { counts in
                counts.effects += 1
                if isWait { counts.waits += 1 }
                return counts
            }
            base.carryOut(effect, forCard: forCard)
            guard let late, isWait else { return }
            Task {
                // The reader waits for a card after the messages of the effect.
                await carriedOut(counts.effects)
                // The virtual card comes after 8 s, and another one before it.
                if hasDeck, counts.waits == 1 {
                    await late.step(within: .seconds(6))
                } else {
                    await late.widen()
                }
            }
        }

        /// Waits until the terminal has carried out a number of effects.
        private func carriedOut(_ number: Int) async {
            while true {
                let seen = base.carriedOut.count
                guard seen < number else { return }
                await base.carriedOut.wait(after: seen)
            }
        }

        func choose(application index: Int) { base.choose(application: index) }
        func close() { base.close() }
    }

    func vendors() async -> [AcceptTerminalVendor] { await base.vendors() }

    func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        try await base.terminals(of: vendorUUID)
    }

    func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel { await base.batteryLevel(of: vendorUUID) }

    func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus {
        await base.connectionStatus(of: vendorUUID)
    }

    func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        let session = try await base.open(terminal, of: vendorUUID, amount: amount, as: attempt) { event in
            events(event)
            if case .payment(let event, _, _) = event, event == .linkLost || event == .cardRemoved { lost.send() }
        }
        guard let session = session as? ReaderTerminalSession else { preconditionFailure("the terminals have links") }
        return Session(base: session, late: late, hasDeck: hasDeck)
    }
}
#endif
