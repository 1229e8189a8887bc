package import JackdawEMV

/// A payment at an SPm20 terminal, which processes it as a whole: card, PIN, and the message to its own host. A machine
/// without I/O that carries out the effects of a `PaymentFlow` with requests of JSONPOS, and makes the events of the
/// payment from what the terminal sends.
///
/// The till cannot see when the terminal asks its host. So `Purchase` is the flow's request to the host
/// (`PaymentAction.askHost`): the journal is written before it, and a result that does not come is an unknown
/// decision of the host. The flow learns of no kernel; it treats the payment as one by a card that is read once.
///
/// A payment that the flow reverses is taken back at the terminal: `Abort` ends it before the terminal asks its host,
/// `Check` says whether it was approved nevertheless, and `Refund` then gives the money back. What cannot be refunded
/// stays open (``isOpen``) for a person.
///
/// The terminal's bytes for its host come as ``Output/tunnel(_:)``; the caller opens the connections. Times count from
/// any start, and never decrease.
package struct JSONPOSPayment: FramedPayment, ~Copyable {
    /// A task for the caller, or a report to it.
    package enum Output: Sendable {
        /// Bytes for the terminal.
        case send([UInt8])
        /// An event for the payment, with the identifier of the effect that it answers.
        case event(PaymentEvent, answering: Int?)
        /// The state of the terminal.
        case status(JSONPOSStatus)
        /// The result of the payment. Also of one that the flow has ended without it.
        case result(JSONPOSResult)
        /// The terminal has the money of a payment that the flow has reversed: write durably that a refund was begun, the
        /// first, second and so on, and then call ``JSONPOSPayment/sendRefund(at:)``.
        case refundDue(Int)
        /// The end of a payment that the terminal approved and the flow has given up.
        case settlement(JSONPOSSettlement)
        /// A task for the terminal's connection to its host.
        case tunnel(JSONPOSTunnel.Output)
        /// Input that changes nothing, in a few words without card data.
        case note(String)
    }

    /// The state of the link to the terminal.
    enum Link {
        case down
        /// The conversation could not be begun, and is begun again at a time.
        case waiting(until: Duration)
        /// Line feeds were sent, and `_Sync` follows after a pause.
        case pausing(until: Duration)
        /// `_Sync` or `NetworkStart` waits for its answer.
        case opening
        case open
    }

    /// The stage of the payment.
    enum Stage {
        case idle
        /// The link is opened for the payment.
        case preparing
        case ready
        /// `Purchase` was sent, and the flow waits for its result.
        case paying
        /// `Purchase` was sent, and the flow has ended without its result.
        case settling
        /// The terminal approved a payment that the flow has reversed, and refunds it.
        case refunding
        case over
    }

    enum Purpose {
        case synchronise
        case network
        case purchase
        case check
        case refund
        case refundCheck
        case status

        /// Whether the request stays open after an answer.
        var isTransaction: Bool { self == .purchase || self == .refund }
    }

    struct Request {
        let id: String
        let purpose: Purpose
        /// The time at which the request is given up; nil if the terminal may take as long as it needs.
        let deadline: Duration?
    }

    /// The result of the payment; nil before it.
    package internal(set) var result: JSONPOSResult?
    /// The terminal's number of the approved transaction, as it sent it: `Refund` needs all its characters.
    var transactionName: String?
    /// Whether the terminal has the money of a payment that the flow has given up, and gives it back no more.
    package private(set) var isOpen = false
    /// Whether `Purchase` or `Refund` was sent, and its result is not known, so that the terminal must be asked.
    package var isResultAwaited: Bool { stage == .paying || stage == .settling || stage == .refunding }

    private let transaction: KernelTransaction
    private let receipt: Int
    private let sequence: Int
    let settings: JSONPOSPaymentSettings
    var link = Link.down
    var stage = Stage.idle
    /// The identifier of the effect under way.
    private var task: Int?
    var requests: [Request] = []
    private var count = 0
    /// The number of times that the program was started again in the payment.
    private var restarts = 0
    /// The time of the next `Check`; nil if none is planned.
    var checkTime: Duration?
    /// Whether the flow has reversed the payment.
    var isReversed = false
    /// The number of refunds that were begun.
    var refunds = 0
    /// The time of the next refund after one that the terminal refused; nil if none is planned.
    var refundTime: Duration?
    /// The last state that the terminal reported.
    var status: JSONPOSStatus?
    var tunnel = JSONPOSTunnel()
    var frames = FrameReader(JSONPOSFormat())
    private var silenceDeadline: Duration?
    var outputs: [Output] = []

    /// A payment that has not started.
    /// - Parameters:
    ///   - transaction: amount, currency and number.
    ///   - receipt: `receipt_id`. Default: the number of the transaction.
    ///   - sequence: `sequence_id`. Default: the number of the transaction.
    ///   - settings: the values that may change.
    package init(
        _ transaction: KernelTransaction, receipt: Int? = nil, sequence: Int? = nil,
        _ settings: JSONPOSPaymentSettings = JSONPOSPaymentSettings()
    ) {
        self.transaction = transaction
        self.receipt = receipt ?? Int(clamping: transaction.sequenceNumber)
        self.sequence = sequence ?? Int(clamping: transaction.sequenceNumber)
        self.settings = settings
    }

    // MARK: the effects of the payment

    /// Carries out an effect of the payment.
    /// - Parameters:
    ///   - effect: any effect; those on journal and app are ignored.
    ///   - now: the current time.
    /// - Returns: the outputs.
    package mutating func carryOut(_ effect: PaymentEffect, at now: Duration) -> [Output] {
        switch effect.action {
        case .prepare:
            task = effect.identifier
            stage = .preparing
            open(at: now)
        case .acceptCard:
            task = effect.identifier
            // The terminal reads the card itself, after `Purchase`.
            emit(.cardSwiped)
        case .askHost:
            task = effect.identifier
            purchase(at: now)
        // The flow cannot cancel a request to the host. The terminal can, while it waits for card or PIN.
        case .reject(.cancelled): if stage == .paying { send("Abort") }
        case .reverse: reverse(at: now)
        case .stopReader, .end:
            switch stage {
            case .paying: stage = .settling
            case .settling, .refunding: break
            case .idle, .preparing, .ready, .over: stage = .over
            }
        case .processCard, .chooseApplication, .completeCard, .captureSignature, .verifySignature, .storeRecord,
            .writeJournal, .useNewAmount, .prompt, .ignore, .reject:
            break
        }
        return takeOutputs()
    }

    /// Opens the conversation again on a new link, after ``lose()``.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    package mutating func reconnect(at now: Duration) -> [Output] {
        open(at: now)
        return takeOutputs()
    }

    /// Goes on with a payment of a program that was killed after the journal said that the host was asked, on a new link.
    /// - Parameters:
    ///   - isReversed: whether the flow has reversed it (`PaymentJournal.isReversalQueued`): the terminal is asked how it
    ///     ended, and an approval is refunded. Otherwise the link only serves the terminal's messages to its host.
    ///   - refunds: the number of refunds that were begun.
    ///   - restarts: the number of times that the program was started again in the payment.
    ///   - now: the current time.
    /// - Returns: the outputs.
    package mutating func recover(
        isReversed: Bool, refunds: Int, restarts: Int, at now: Duration
    ) -> [Output] {
        guard stage == .idle else { return [] }
        (self.isReversed, self.refunds, self.restarts) = (isReversed, refunds, restarts)
        stage = isReversed ? .settling : .over
        open(at: now)
        return takeOutputs()
    }

    /// Sends the refund that ``Output/refundDue(_:)`` has announced.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    package mutating func sendRefund(at now: Duration) -> [Output] {
        // Without a link it is announced again, once there is one.
        guard stage == .refunding, case .open = link, let transactionName,
            !requests.contains(where: { $0.purpose == .refund }),
            let currency = Currency.find(transaction.currency.span)
        else { return takeOutputs() }
        refunds += 1
        var parameters = identity(receipt: refundReceipt)
        parameters["amount"] = .number(Double(transaction.amount))
        parameters["currency"] = .text(currency.alphabeticCode)
        parameters["transaction_id"] = .text(transactionName)
        request("Refund", .object(parameters), .refund, at: now)
        checkTime = now + settings.checkDelay
        return takeOutputs()
    }

    /// Asks the terminal for its state. The answer comes as ``Output/status(_:)``.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    package mutating func askStatus(at now: Duration) -> [Output] {
        if case .open = link { askState(at: now) }
        return takeOutputs()
    }

    mutating func open(at now: Duration) {
        outputs.append(.send([UInt8](repeating: UInt8(ascii: "\n"), count: 64)))
        link = .pausing(until: now + .milliseconds(100))
    }

    private mutating func purchase(at now: Duration) {
        guard stage == .ready, let currency = Currency.find(transaction.currency.span) else {
            note("no payment is possible")
            return emit(.hostUnreachable)
        }
        stage = .paying
        var parameters = identity(receipt: receipt)
        parameters["amount"] = .number(Double(transaction.amount))
        parameters["currency"] = .text(currency.alphabeticCode)
        request("Purchase", .object(parameters), .purchase, at: now)
        checkTime = now + settings.checkDelay
    }

    /// Asks the terminal for the result of the payment, or of its refund.
    mutating func check(at now: Duration) {
        checkTime = nil
        let isRefund = stage == .refunding
        let purpose = isRefund ? Purpose.refundCheck : .check
        guard case .open = link, !requests.contains(where: { $0.purpose == purpose }) else { return }
        request("Check", .object(identity(receipt: isRefund ? refundReceipt : receipt)), purpose, at: now)
    }

    /// The number of a refund, which is not that of the payment.
    private var refundReceipt: Int { receipt + settings.refundOffset }

    private func identity(receipt: Int) -> [String: JSONValue] {
        [
            "api_key": .text(settings.apiKey), "receipt_id": .number(Double(receipt)),
            "sequence_id": .number(Double(sequence)),
        ]
    }

    // MARK: payments that the flow has given up

    private mutating func reverse(at now: Duration) {
        isReversed = true
        switch stage {
        case .paying:
            stage = .settling
            send("Abort")
            check(at: now)
        // The approval came too late for the flow.
        case .over: if result?.isApproval == true { takeBack(at: now) }
        case .idle, .preparing, .ready, .settling, .refunding: break
        }
    }

    /// The terminal has the money of a payment that the flow has given up.
    mutating func takeBack(at now: Duration) {
        guard isReversed else { return settle(.open("the flow has not reversed it")) }
        stage = .refunding
        // A refund of the program before may have reached the terminal.
        if refunds > 0 { check(at: now) } else { announceRefund() }
    }

    mutating func announceRefund() {
        refundTime = nil
        guard transactionName != nil else { return settle(.open("the transaction has no name")) }
        guard refunds < settings.maxRefunds else { return settle(.open("no refund is left")) }
        outputs.append(.refundDue(refunds + 1))
    }

    /// The terminal refused a refund: no money has moved.
    mutating func refuseRefund(_ text: String, at now: Duration) {
        requests.removeAll { $0.purpose == .refund || $0.purpose == .refundCheck }
        checkTime = nil
        guard refunds < settings.maxRefunds else { return settle(.open("refused: \(text)")) }
        refundTime = now + settings.checkInterval
    }

    mutating func settle(_ settlement: JSONPOSSettlement) {
        requests.removeAll { $0.purpose == .refund || $0.purpose == .refundCheck }
        (checkTime, refundTime) = (nil, nil)
        stage = .over
        if case .open = settlement { isOpen = true }
        outputs.append(.settlement(settlement))
    }

    // MARK: bytes and time

    /// The time at which ``advance(to:)`` has work to do; nil if there is no deadline.
    package var nextDeadline: Duration? {
        var times = requests.compactMap(\.deadline)
        switch link {
        case .pausing(let end), .waiting(let end): times.append(end)
        case .open: times += [checkTime, refundTime].compactMap(\.self)
        case .down, .opening: break
        }
        if let silenceDeadline { times.append(silenceDeadline) }
        return times.min()
    }

    /// Handles bytes from the terminal.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the current time.
    /// - Returns: the outputs.
    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [Output] {
        cut(at: now) { reader, take in reader.receive(bytes, take) }
        silenceDeadline = frames.pendingCount > 0 ? now + settings.silence : nil
        return takeOutputs()
    }

    /// Handles the deadlines up to a time.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    package mutating func advance(to now: Duration) -> [Output] {
        if let deadline = silenceDeadline, deadline <= now {
            silenceDeadline = nil
            cut(at: now) { reader, take in reader.finish(take) }
        }
        switch link {
        case .pausing(let end) where end <= now:
            link = .opening
            request("_Sync", .object([:]), .synchronise, at: now)
        case .waiting(let end) where end <= now: open(at: now)
        default: break
        }
        let late = requests.filter { $0.deadline.map { $0 <= now } ?? false }
        for request in late {
            requests.removeAll { $0.id == request.id }
            giveUp(request.purpose, at: now)
        }
        guard case .open = link else { return takeOutputs() }
        if let time = checkTime, time <= now { check(at: now) }
        if let time = refundTime, time <= now { announceRefund() }
        return takeOutputs()
    }

    /// Handles the loss of the link.
    /// - Returns: the outputs: the event for the payment, and the end of the terminal's connections.
    package mutating func lose() -> [Output] {
        link = .down
        requests = []
        checkTime = nil
        status = nil
        frames.reset()
        silenceDeadline = nil
        carryOut(tunnel.reset())
        if stage == .idle || stage == .preparing || stage == .ready { stage = .over }
        emit(.linkLost)
        return takeOutputs()
    }

    // MARK: the terminal's connections

    /// The caller has opened a connection for the terminal.
    /// - Parameter connection: the number of the connection.
    /// - Returns: the outputs.
    package mutating func opened(_ connection: Int) -> [Output] {
        carryOut(tunnel.opened(connection))
        return takeOutputs()
    }

    /// The caller received bytes for the terminal.
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - connection: the number of the connection.
    /// - Returns: the outputs.
    package mutating func receive(_ bytes: [UInt8], from connection: Int) -> [Output] {
        carryOut(tunnel.receive(bytes, from: connection))
        return takeOutputs()
    }

    /// A connection could not be opened, or was closed by its peer.
    /// - Parameters:
    ///   - connection: the number of the connection.
    ///   - reason: the reason in a few words, without card data.
    /// - Returns: the outputs.
    package mutating func closed(_ connection: Int, reason: String) -> [Output] {
        carryOut(tunnel.closed(connection, reason))
        return takeOutputs()
    }

    mutating func carryOut(_ step: JSONPOSTunnel.Step) {
        for message in step.messages { outputs.append(.send(message.frame)) }
        for output in step.outputs { outputs.append(.tunnel(output)) }
    }

    // MARK: what the parts of the machine use

    mutating func request(
        _ method: String, _ parameters: JSONValue, _ purpose: Purpose, at now: Duration
    ) {
        count += 1
        // An answer to a request of the program before must not count.
        let id = restarts == 0 ? "\(count)" : "\(restarts)-\(count)"
        let deadline = purpose.isTransaction ? nil : now + settings.answerLimit
        requests.append(Request(id: id, purpose: purpose, deadline: deadline))
        outputs.append(.send(JSONPOSMessage.request(method: method, parameters: parameters, id: id).frame))
    }

    /// Sends a notification without parameters.
    mutating func send(_ method: String) {
        outputs.append(.send(JSONPOSMessage.request(method: method, parameters: .object([:]), id: nil).frame))
    }

    /// Closes the request with an identifier. That of a refund stays open until its result is known, and that of a payment
    /// until it is approved.
    mutating func close(_ id: String) -> Purpose? {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return nil }
        let purpose = requests[index].purpose
        if !purpose.isTransaction { requests.remove(at: index) }
        return purpose
    }

    mutating func emit(_ event: PaymentEvent) {
        outputs.append(.event(event, answering: event.isAnswer ? task : nil))
    }

    mutating func note(_ text: String) { outputs.append(.note(text)) }

    /// The bytes first: an event makes the caller hand in effects, whose bytes must come after these.
    private mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs.filter(\.isBytes) + outputs.filter { !$0.isBytes }
    }
}
