package import JackdawEMV
package import JackdawReaders

/// An SPm20 terminal with a virtual card and its cardholder: it processes a payment as a whole, and reaches its host
/// through the program (`NetworkConnect`). A machine without I/O that ``SimulatedReader`` runs, with its faults.
///
/// Its bytes for the host are invented (`TerminalHostMessage`), and so are the texts of its errors, its limits and the
/// order of its notifications; docs/readers/jsonpos.md lists them.
package struct JSONPOSTerminal<Primitives: AuthenticationPrimitives>: KernelTerminal {
    package let family = "jsonpos"

    enum State {
        case idle
        /// The cardholder must insert the card.
        case awaitingCard
        /// The kernel runs up to the first cryptogram.
        case running
        /// The host was asked, and has not answered.
        case authorising
        /// The kernel runs up to the second cryptogram.
        case completing
    }

    /// A payment, by the numbers of the program.
    struct Purchase: Equatable {
        let receipt: Int
        let sequence: Int

        /// The identifier of the payment for the host.
        var reference: String { "\(receipt)-\(sequence)" }
    }

    /// A payment that took place.
    struct Approval {
        let purchase: Purchase
        let amount: UInt64
        /// The currency, ISO 4217 numeric.
        let currency: [UInt8]
    }

    /// An exchange with the host.
    enum Job {
        case authorisation(IssuerRequest)
        case message(IssuerRequest, attempt: Int)

        var request: IssuerRequest {
            switch self {
            case .authorisation(let request), .message(let request, _): request
            }
        }
    }

    /// The connection to the host; one at a time.
    enum HostLink {
        case idle
        case opening(id: String, Job)
        case open(Job)
    }

    /// Something that happens at a time.
    enum Happening {
        /// The limit of a step of the exchange with the host.
        case hostLimit(Int)
        /// The next attempt to deliver a message to the host.
        case delivery
    }

    /// The end of an exchange with the host.
    enum HostEnd {
        case reply(TerminalHostMessage.Reply)
        /// The request was not sent.
        case unreachable
        /// The request was sent, and no reply came.
        case lost
    }

    /// The wait for the card, after which the terminal gives up.
    static var cardLimit: Duration { .seconds(60) }
    /// The limit for a connection to the host: that of the programs of the SDK.
    static var connectLimit: Duration { .seconds(10) }
    /// The limit for a reply of the host.
    static var replyLimit: Duration { .seconds(30) }
    /// The address of the host.
    package static var hostAddress: (host: String, port: Int) { ("host.example", 8443) }
    /// The tag of the PIN for the issuer (EMV Book 3, annex A).
    static var pinTag: Tag { 0x99 }

    /// The card, with its counters and blocks.
    package var card: VirtualCard { slot.card }
    package var reasons: [PaymentReason] { slot.course.all }
    package var candidates: [ApplicationCandidate] { slot.candidates }
    /// Whether no message to its host waits.
    package var isSettled: Bool { outbox.items.isEmpty }

    var slot: TerminalSlot<Primitives>
    var state = State.idle
    /// The payment under way, or the last one.
    var purchase: Purchase?
    /// The identifier of the request that waits for the result.
    var purchaseID: String?
    /// The transaction of the payment under way.
    var transaction: KernelTransaction?
    /// The payments that were approved.
    var approvals: [Approval] = []
    /// The refunds, with the payments that they gave back.
    var refunds: [(numbers: Purchase, of: Purchase)] = []
    /// The step that was reported last; nil without one.
    private var step: JSONPOSStatus.Step?
    /// Whether the host approved the payment under way.
    var isHostApproved = false
    /// Whether the host may have approved it.
    var isHostAsked = false
    var outbox = IssuerOutbox()
    var hostLink = HostLink.idle
    var hostStream = TerminalHostMessage.Stream()
    /// The authorisation that waits for the connection.
    var waitingRequest: IssuerRequest?
    /// Whether the program carries the terminal's bytes.
    var hasNetwork = false
    /// The number of connections.
    var connections = 0
    /// The number of the last limit of an exchange: earlier ones do not count.
    var lastLimit = 0
    /// The number of requests to the program.
    private var count = 0
    var queue = EventQueue<Happening>()
    private var messages: [[UInt8]] = []
    private let date: CardDate
    private let base = JSONPOSModel()

    /// A terminal in which no card is.
    /// - Parameters:
    ///   - settings: the terminal: applications, the time of an exchange with the card, the seed.
    ///   - date: the local day.
    ///   - card: the card that the cardholder inserts.
    ///   - payer: the cardholder.
    ///   - primitives: RSA and SHA-1 for the terminal.
    ///   - pinCipher: enciphers PINs for the issuer; nil for a terminal without a key for PINs.
    package init(
        _ settings: TillSettings, date: CardDate, card: VirtualCard, payer: SimulatedPayer, _ primitives: Primitives,
        pinCipher: TerminalPINCipher? = nil
    ) {
        self.date = date
        slot = TerminalSlot(settings, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    package var commandFormat: any FrameFormat { base.commandFormat }

    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { base.refuse(command) }

    /// Reports nothing: the terminal handles cards by itself.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] { [] }

    /// Answers without a clock: a payment needs one, all other requests do not.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        answer(command, &device, at: .zero)
    }

    package mutating func answer(
        _ command: Span<UInt8>, _ device: inout SimulatedDevice, at now: Duration
    ) -> [[UInt8]] {
        guard let message = try? JSONPOSMessage(command) else { return [] }
        switch message {
        case .request(let method, let parameters, let id):
            if method == "Status", let id {
                var members = self.members
                members["battery"] = .number(Double(device.battery))
                send(.result(.object(members), id: id))
            } else if !execute(method, parameters, id: id, at: now) {
                messages += base.answer(command, &device)
            }
        case .result(_, let id): takeResult(id, at: now)
        case .failure(_, _, let id, _): takeFailure(id, at: now)
        }
        return takeMessages()
    }

    package var nextDeadline: Duration? { [slot.nextDeadline, queue.nextDeadline].compactMap(\.self).min() }

    package mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]] {
        while let due = nextDeadline, due <= now {
            if queue.nextDeadline == due {
                happen(queue.removeFirst(), at: due)
            } else {
                take(slot.advance(), at: due)
            }
        }
        return takeMessages()
    }

    private mutating func takeMessages() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }

    /// Executes a request of the program.
    /// - Returns: false if the request is not about payments.
    private mutating func execute(_ method: String, _ parameters: JSONValue, id: String?, at now: Duration) -> Bool {
        switch method {
        case "_Sync":
            // A program that connects may use the identifier of an earlier request: it asks for the result with `Check`.
            purchaseID = nil
            hasNetwork = false
            endExchange(.lost, at: now)
            return false
        case "NetworkStart":
            hasNetwork = true
            succeed(id)
            deliver(at: now)
        case "NetworkStop":
            hasNetwork = false
            endExchange(.lost, at: now)
            succeed(id)
        case "NetworkDisconnected":
            succeed(id)
            if parameters["connection_id"] == .number(Double(connections)) { endExchange(.lost, at: now) }
        case "Data": takeData(parameters, at: now)
        case "Purchase": buy(parameters, id: id, at: now)
        case "Refund": refund(parameters, id: id, at: now)
        case "Check": check(parameters, id: id)
        case "Abort":
            let isPossible = state == .awaitingCard || state == .running
            if isPossible { end("the payment was aborted", at: now) }
            if isPossible { succeed(id) } else { fail(id, "it is too late") }
        default: return false
        }
        return true
    }

    private mutating func buy(_ parameters: JSONValue, id: String?, at now: Duration) {
        guard let id else { return }
        guard let (amount, currency) = Self.money(parameters), let purchase = Purchase(parameters),
            parameters["api_key"]?.text != nil
        else { return refuse(id) }
        guard state == .idle else { return fail(id, "a payment is under way") }
        guard !isDone(purchase) else { return fail(id, "the payment is done") }
        var transaction = KernelTransaction(amount: amount, currency: currency, type: .purchase, date: date)
        transaction.isOnlineForced = parameters["forced_authorization"] == .flag(true)
        transaction.sequenceNumber = UInt64(clamping: purchase.receipt)
        self.transaction = transaction
        self.purchase = purchase
        purchaseID = id
        (isHostApproved, isHostAsked) = (false, false)
        slot.beginPayment()
        awaitCard(at: now)
    }

    /// The amount in minor units and the currency in the parameters of a request; nil if they are missing or invalid.
    private static func money(_ parameters: JSONValue) -> (amount: UInt64, currency: [UInt8])? {
        guard let amount = parameters["amount"]?.number.flatMap({ UInt64(exactly: $0) }), amount > 0,
            let currency = Currency.all.first(where: { $0.alphabeticCode == parameters["currency"]?.text })
        else { return nil }
        let code = currency.numericCode
        return (amount, [UInt8(code / 100), UInt8(code / 10 % 10) << 4 | UInt8(code % 10)])
    }

    /// Whether there is a payment or a refund with these numbers.
    private func isDone(_ numbers: Purchase) -> Bool {
        approvals.contains { $0.purchase == numbers } || refunds.contains { $0.numbers == numbers }
    }

    /// Gives the money of a whole payment back, once and without the card. It is a transaction with numbers of its own.
    private mutating func refund(_ parameters: JSONValue, id: String?, at now: Duration) {
        guard let id else { return }
        guard let (amount, currency) = Self.money(parameters), let numbers = Purchase(parameters),
            parameters["api_key"]?.text != nil, let transaction = parameters["transaction_id"]?.text
        else { return refuse(id) }
        guard state == .idle else { return fail(id, "a payment is under way") }
        guard !isDone(numbers) else { return fail(id, "the numbers are those of another transaction") }
        guard let approval = approvals.first(where: { $0.purchase.reference == transaction }),
            approval.amount == amount, approval.currency == currency
        else { return fail(id, "there is no such payment") }
        guard !refunds.contains(where: { $0.of == approval.purchase }) else {
            return fail(id, "the payment is refunded")
        }
        refunds.append((numbers, approval.purchase))
        outbox.append(.refund, IssuerRequest(reference: approval.purchase.reference, .refund))
        send(.result(Self.result(of: numbers), id: id))
        report(nil)
        deliver(at: now)
    }

    private mutating func awaitCard(at now: Duration) {
        state = .awaitingCard
        slot.isOpen = true
        report(.cardAwaited)
        slot.presentCard(at: now)
        slot.limitWait(until: now + Self.cardLimit)
    }

    private mutating func check(_ parameters: JSONValue, id: String?) {
        guard let id else { return }
        guard let wanted = Purchase(parameters) else { return refuse(id) }
        if isDone(wanted) { return send(.result(Self.result(of: wanted), id: id)) }
        guard state == .idle || purchase != wanted else { return fail(id, "the payment is under way") }
        send(.failure(code: 1, message: "no such transaction", id: id, name: "TRANSACTION_NOT_FOUND"))
    }

    // MARK: card, kernel and cardholder

    mutating func take(_ notices: [TerminalSlot<Primitives>.Notice], at now: Duration) {
        for notice in notices {
            switch notice {
            case .inserted: insert(at: now)
            case .removed: remove(at: now)
            case .event(let event): take(event, at: now)
            case .pinAsked, .transactionNeeded, .tapped: break
            case .pinCancelled: end("the cardholder cancelled", at: now)
            case .waitEnded: if state == .awaitingCard { end("no card was inserted", at: now) }
            }
        }
    }

    private mutating func insert(at now: Duration) {
        guard state == .awaitingCard, let transaction else { return }
        state = .running
        report(.processing)
        take(slot.start(transaction, at: now), at: now)
    }

    private mutating func remove(at now: Duration) {
        switch state {
        case .idle: report(nil)
        case .awaitingCard: break
        case .running, .authorising, .completing: end("the card was removed", at: now)
        }
    }

    private mutating func take(_ event: PaymentEvent, at now: Duration) {
        switch event {
        case .applicationsFound: slot.askForApplication(at: now)
        case .noCommonApplication, .chipUnreadable: askAgain(at: now)
        case .cardBlocked, .applicationBlocked: end("the card is blocked", at: now)
        case .kernelFailed: end("the card cannot be used", at: now)
        case .firstARQC: authorise(at: now)
        case .firstTC, .firstTCWithSignature, .secondTC, .secondTCWithSignature: approve(at: now)
        case .firstAAC, .secondAAC: end("declined", at: now)
        default: break
        }
    }

    /// The card could not be used: the cardholder inserts it again.
    private mutating func askAgain(at now: Duration) {
        slot.endProcess()
        report(.removalAwaited)
        slot.takeCardOut(after: now)
        state = .awaitingCard
        slot.presentCard(at: now + TerminalSlot<Primitives>.takingCard * 2)
        slot.limitWait(until: now + Self.cardLimit)
    }

    private mutating func authorise(at now: Duration) {
        guard let purchase else { return }
        state = .authorising
        let objects = slot.authorisation(pinTag: Self.pinTag)
        let request = IssuerRequest(
            reference: purchase.reference, .authorisation(objects, pinBlock: objects[Self.pinTag]))
        if case .idle = hostLink { begin(.authorisation(request), at: now) } else { waitingRequest = request }
    }

    private mutating func approve(at now: Duration) {
        guard let purchase, let transaction, let objects = slot.outcome?.objects else { return }
        outbox.append(
            isHostApproved ? .confirmation : .advice,
            IssuerRequest(
                reference: purchase.reference, isHostApproved ? .confirmation(objects) : .advice(objects)))
        approvals.append(
            Approval(purchase: purchase, amount: transaction.amount, currency: transaction.currency))
        if let id = purchaseID { send(.result(Self.result(of: purchase), id: id)) }
        finish(at: now)
    }

    /// Ends a payment that does not take place. One that the host may have approved is reversed.
    private mutating func end(_ text: String, at now: Duration) {
        if isHostAsked, let purchase {
            outbox.append(.reversal, IssuerRequest(reference: purchase.reference, .reversal()))
        }
        if let id = purchaseID { fail(id, text) }
        finish(at: now)
    }

    private mutating func finish(at now: Duration) {
        state = .idle
        slot.isOpen = false
        slot.endProcess()
        slot.takeCardOut(after: now)
        (purchaseID, transaction, waitingRequest) = (nil, nil, nil)
        report(nil)
        if case .open(.authorisation) = hostLink { endExchange(.lost, at: now) }
        if case .opening(_, .authorisation) = hostLink { endExchange(.lost, at: now) }
        deliver(at: now)
    }

    // MARK: messages to the program

    mutating func send(_ message: JSONPOSMessage) { messages.append(message.frame) }

    private mutating func succeed(_ id: String?) {
        if let id { send(.result(.object([:]), id: id)) }
    }

    private mutating func refuse(_ id: String) {
        send(.failure(code: -32602, message: "parameters are missing or invalid", id: id))
    }

    private mutating func fail(_ id: String?, _ text: String) {
        if let id { send(.failure(code: 1, message: text, id: id, name: "UNKNOWN")) }
    }

    /// Sends a request.
    /// - Returns: its identifier.
    mutating func request(_ method: String, _ parameters: [String: JSONValue]) -> String {
        count += 1
        let id = "terminal-\(count)"
        send(.request(method: method, parameters: .object(parameters), id: id))
        return id
    }

    mutating func report(_ step: JSONPOSStatus.Step?) {
        self.step = step
        send(.request(method: "StatusEvent", parameters: .object(members), id: nil))
    }

    /// The members of a report on the terminal's state.
    private var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "ready_for_transaction": .flag(state == .idle), "chip_card_in": .flag(slot.isCardIn),
            "pending_transaction_count": .number(Double(outbox.items.count)),
        ]
        if let step { members["transaction_status"] = .text(step.rawValue) }
        return members
    }

    private static func result(of purchase: Purchase) -> JSONValue {
        .object(["response_text": .text("Approved"), "transaction_id": .text(purchase.reference)])
    }
}

extension JSONPOSTerminal.Purchase {
    /// The numbers in the parameters of a request; nil if they are missing.
    fileprivate init?(_ parameters: JSONValue) {
        guard let receipt = parameters["receipt_id"]?.number.flatMap({ Int(exactly: $0) }),
            let sequence = parameters["sequence_id"]?.number.flatMap({ Int(exactly: $0) })
        else { return nil }
        self.init(receipt: receipt, sequence: sequence)
    }
}
