public import JackdawEMV
public import JackdawPayments
public import JackdawReaders
public import JackdawTransport

/// SPm20 terminals of Spire (the family `jsonpos`), which carry a payment out as a whole and ask a host of their own: the outcome
/// of a payment is the terminal's result, and not that of the Accept host, which does not know of it.
///
/// The object is the program's terminals and, for their payments, the payment service's host (`AttemptHost`):
///
/// ```swift
/// let terminals = AcceptSPm20Terminals([spm20], journal: journal, date: date) { attempt, reason in
///     notifyOperator("\(attempt): \(reason)")
/// }
/// let service = PaymentService(
///     host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
///     policy: terminals.policy(Accept.paymentPolicy), otherHost: terminals, date: date, reader: accept.reader)
/// accept.use(terminals)
/// ```
///
/// The journal has a payment before `Purchase` is sent. A result that does not come is asked for by `Check`, also over a new link;
/// a payment that is given up is aborted, asked for, and refunded. No real terminal has been tried.
public final class AcceptSPm20Terminals: AcceptTerminals, AttemptHost {
    /// A terminal, its link, and the way to its host.
    public struct Terminal: Sendable {
        /// The vendor, under which the terminal is found.
        public var vendor: AcceptTerminalVendor
        /// The terminal as the SDK shows it; it has ``AcceptTerminal/hasOwnHost``.
        public var terminal: AcceptTerminal
        /// The values of the protocol that are not public or may change; nil for those of simulated terminals.
        public var profile: ReaderProfile?
        /// Opens the link to the terminal, for a payment and again after it was lost.
        public var open: @Sendable () async throws(LinkError) -> any Transport
        /// Opens a connection to a host that the terminal names. The program decides which hosts it may reach.
        public var connect: @Sendable (_ host: String, _ port: Int) async throws(LinkError) -> any Transport

        /// Makes a terminal with a host of its own.
        /// - Parameters:
        ///   - vendor: the vendor.
        ///   - terminal: the terminal, with the ways in which it reads cards.
        ///   - profile: the values of the protocol. Default: nil, those of simulated terminals.
        ///   - open: opens the link.
        ///   - connect: opens a connection to the terminal's host.
        public init(
            vendor: AcceptTerminalVendor, terminal: AcceptTerminal, profile: ReaderProfile? = nil,
            open: @escaping @Sendable () async throws(LinkError) -> any Transport,
            connect: @escaping @Sendable (_ host: String, _ port: Int) async throws(LinkError) -> any Transport
        ) {
            self.vendor = vendor
            self.terminal = terminal
            self.terminal.hasOwnHost = true
            self.profile = profile
            self.open = open
            self.connect = connect
        }

        /// The name in the details of an attempt.
        var place: String { SPm20Place.name(of: terminal.uuid, vendor.uuid) }
    }

    private let terminals: [Terminal]
    private let journal: any JournalStore
    private let clock: ElapsedClock
    private let date: @Sendable () -> RecordedTime
    private let attention: @Sendable (AttemptIdentifier, ReasonText) -> Void
    let attentionNotes: SPm20AttentionNotes
    private let places = SPm20Places()

    /// Terminals of a program.
    /// - Parameters:
    ///   - terminals: the terminals, whose vendors are found.
    ///   - journal: the journal of the payment service, which remembers refunds that were begun.
    ///   - clock: measures the terminals' times. Default: `SuspendingClock`.
    ///   - date: the date and the zone of the till.
    ///   - attention: receives a payment whose money the terminal has, against the journal, with the reason: it approved after
    ///     it had declined. A person must deal with it. It must return at once. The journal has the payment then, unless it does
    ///     not work: ``paymentsNeedingAttention()``.
    public init(
        _ terminals: [Terminal], journal: any JournalStore, clock: some Clock<Duration> = SuspendingClock(),
        date: @escaping @Sendable () -> RecordedTime,
        attention: @escaping @Sendable (AttemptIdentifier, ReasonText) -> Void
    ) {
        self.terminals = terminals
        self.journal = journal
        self.clock = ElapsedClock(clock)
        self.date = date
        self.attention = attention
        attentionNotes = SPm20AttentionNotes(journal)
    }

    /// The rules of the payment flow for payments at these terminals: the time for the host is that for a whole payment, with
    /// cardholder and card.
    /// - Parameter policy: the other rules, such as `Accept.paymentPolicy`.
    /// - Returns: the rules with that time.
    public func policy(_ policy: PaymentPolicy) -> PaymentPolicy {
        var policy = policy
        let limits = terminals.compactMap { try? Self.settings(of: $0).limit }
        policy.limits.host = max(policy.limits.host, limits.max() ?? .zero)
        return policy
    }

    /// Ends all conversations and closes their links, after the payment service was shut down. Payments that are not over go
    /// on with the next program on the journal.
    public func close() async {
        await places.close()
        for terminal in terminals { await removeNotes(at: terminal.place) }
    }

    private static func settings(of terminal: Terminal) throws(ReaderError) -> JSONPOSPaymentSettings {
        guard let profile = terminal.profile ?? ReaderFamily.named("jsonpos")?.simulatedProfile else {
            preconditionFailure("jsonpos is a family")
        }
        return try JSONPOSPaymentSettings(profile: profile)
    }

    // MARK: the terminals of the program

    public func vendors() async -> [AcceptTerminalVendor] { terminals.map(\.vendor).distinct }

    public func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        terminals.filter { $0.vendor.uuid == vendorUUID }.map(\.terminal)
    }

    /// These terminals report no charge that is known.
    public func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel { .notAvailable }

    /// A link is open during a payment alone.
    public func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus { .unknown }

    public func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        let place = SPm20Place.name(of: terminal.uuid, vendorUUID)
        guard let known = terminals.first(where: { $0.place == place }) else {
            throw AcceptError(.pay(.terminalNotReady), "The terminal is off, or away.")
        }
        let transaction = try KernelTransaction.purchase(amount, on: date())
        let settings: JSONPOSPaymentSettings
        do throws(ReaderError) { settings = try Self.settings(of: known) } catch {
            throw AcceptError(.pay(.initialization), "\(error)")
        }
        guard await places.reserve(place) else {
            throw AcceptError(
                .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow),
                "The terminal has not ended its last transaction.")
        }
        await removeNotes(at: place)
        let link: any Transport
        do throws(LinkError) { link = try await known.open() } catch {
            await places.use(nil, at: place)
            throw AcceptError(error)
        }
        let numbers = SPm20Numbers(of: attempt, refundOffset: settings.refundOffset)
        let entries = known.terminal.entries
        let conversation = SPm20Conversation(
            attempt, over: link, surroundings(of: known, for: attempt, SPm20Note(), events: events)
        ) { SPm20Payment(transaction, numbers, settings, entries: entries) }
        await places.use(conversation, at: place)
        return conversation
    }

    /// The program's part of a conversation.
    func surroundings(
        of terminal: Terminal, for attempt: AttemptIdentifier, _ note: SPm20Note,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) -> SPm20Conversation.Surroundings {
        let (journal, attention, attentionNotes, places) = (journal, attention, attentionNotes, places)
        let place = terminal.place
        return SPm20Conversation.Surroundings(
            clock: clock, open: terminal.open, connect: terminal.connect,
            noteRefund: { (number) async throws(JournalError) in
                var note = note
                note.refunds = number
                await places.add(noteOf: attempt, at: place)
                try await journal.writeNote(note.text, named: SPm20Note.name(of: attempt))
            },
            events: events,
            attention: { text in
                let reason = ReasonText(text)
                // Without the note the program is informed, too.
                try? await attentionNotes.add(attempt, reason)
                attention(attempt, reason)
            })
    }

    // MARK: the host of their payments

    public func takes(_ request: AttemptRequest) -> Bool { SPm20Place.name(in: request) != nil }

    /// The terminal takes purchases alone.
    public func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure) {
        guard request.kind == .purchase, let place = SPm20Place.name(in: request),
            terminals.contains(where: { $0.place == place })
        else {
            throw HostFailure(
                .notWritable, isCertainlyNotSent: true, message: "The terminal takes purchases alone.")
        }
    }

    public func answer(_ request: HostRequest, limit: Duration) async throws(HostFailure) -> HostReply {
        guard let place = SPm20Place.name(in: request.request),
            let terminal = terminals.first(where: { $0.place == place })
        else { throw Self.failure("The program does not have the terminal of the payment.") }
        switch request.operation {
        case .authorise:
            guard let conversation = await places.conversation(at: place), conversation.attempt == request.attempt
            else {
                throw HostFailure(
                    .unreachable, isCertainlyNotSent: true, message: "The terminal was not opened for the payment.")
            }
            return try await conversation.purchase(within: limit, on: clock)
        case .reverse:
            if let conversation = await places.conversation(at: place), conversation.attempt == request.attempt {
                // It was opened for a repetition of the payment, and does not know what the first one did.
                guard conversation.isAsked else { throw Self.failure("The terminal is in use.") }
                return try await conversation.reverse(within: limit, on: clock)
            }
            return try await recovered(request, at: terminal).reverse(within: limit, on: clock)
        case .complete, .advise, .sign, .capture, .refund, .enquire:
            return .refused(ReasonText("The terminal has no such request: \(request.operation.rawValue)."))
        }
    }

    /// Goes on with a payment of an earlier process, or one whose link was closed.
    private func recovered(
        _ request: HostRequest, at terminal: Terminal
    ) async throws(HostFailure) -> SPm20Conversation {
        guard let transaction = KernelTransaction(request.request.amount, on: date()),
            let settings = try? Self.settings(of: terminal)
        else { throw Self.failure("The payment cannot be written for the terminal.") }
        guard await places.reserve(terminal.place) else {
            throw Self.failure("The terminal has another payment under way.")
        }
        await removeNotes(at: terminal.place)
        var note: SPm20Note
        do throws(JournalError) {
            let name = SPm20Note.name(of: request.attempt)
            note = SPm20Note(try await journal.note(named: name))
            // Answers to requests of the conversation before must not count.
            note.restarts += 1
            await places.add(noteOf: request.attempt, at: terminal.place)
            try await journal.writeNote(note.text, named: name)
        } catch {
            await places.use(nil, at: terminal.place)
            throw Self.failure("The journal does not work.")
        }
        let (attempt, clock) = (request.attempt, clock)
        let recovery = SPm20Payment.Recovery(request, note)
        let numbers = SPm20Numbers(of: attempt, refundOffset: settings.refundOffset)
        let conversation = SPm20Conversation(
            attempt, over: nil, surroundings(of: terminal, for: attempt, note, events: { _ in })
        ) { SPm20Payment(reversing: transaction, numbers, settings, recovery, at: clock.now()) }
        await places.use(conversation, at: terminal.place)
        return conversation
    }

    /// Removes the notes of payments at a terminal whose reversal has its end in the journal. No conversation is there any more.
    /// A note whose program is killed before that stays.
    private func removeNotes(at place: String) async {
        for attempt in await places.notes(at: place) {
            // A later reversal of an approved payment must not repeat the number of a refund.
            guard let record = try? await journal.record(of: attempt), record.state.isFinal, record.state != .approved,
                (try? await journal.removeNote(named: SPm20Note.name(of: attempt))) != nil
            else { continue }
            await places.remove(noteOf: attempt, at: place)
        }
    }

    /// A failure after which the message is sent again.
    private static func failure(_ message: String) -> HostFailure {
        HostFailure(.hostError, isCertainlyNotSent: false, message: message)
    }
}

/// The terminal of an attempt, in the details of its request.
enum SPm20Place {
    private static let detail = "terminal_host"

    static func name(of terminalUUID: String, _ vendorUUID: String) -> String {
        "\(vendorUUID.percentEncoded)/\(terminalUUID.percentEncoded)"
    }

    /// The terminal that a request names; nil if it is for the Accept host.
    static func name(in request: AttemptRequest) -> String? { request.details.first { $0.name == detail }?.value }

    /// The detail that names a terminal.
    static func detail(of terminalUUID: String, _ vendorUUID: String) -> AttemptDetail {
        AttemptDetail(detail, name(of: terminalUUID, vendorUUID))
    }
}

/// The journal's note of a payment that is reversed at its terminal.
struct SPm20Note: Sendable, Hashable {
    /// The number of times that a program goes on with the payment.
    var restarts = 0
    /// The number of refunds that were begun.
    var refunds = 0

    init() {}

    /// Reads a note; without one nothing was begun.
    init(_ text: String?) {
        let numbers = (text ?? "").split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { return }
        (restarts, refunds) = (numbers[0], numbers[1])
    }

    var text: String { "\(restarts) \(refunds)" }

    static func name(of attempt: AttemptIdentifier) -> String { "accept/spm20/\(attempt.rawValue)" }
}

/// The conversations with the terminals, one with each at a time.
actor SPm20Places {
    private var conversations: [String: SPm20Conversation] = [:]
    private var reserved: Set<String> = []
    /// The payments whose notes this program has written.
    private var notes: [String: Set<AttemptIdentifier>] = [:]

    /// The conversation with a terminal; nil without one.
    func conversation(at place: String) -> SPm20Conversation? {
        guard let conversation = conversations[place], !conversation.isOver else { return nil }
        return conversation
    }

    /// Reserves a terminal for another conversation, and ends one that only serves it.
    /// - Returns: false if a payment is under way at the terminal.
    func reserve(_ place: String) async -> Bool {
        guard reserved.insert(place).inserted else { return false }
        guard let last = conversations[place] else { return true }
        guard await last.isServing() else {
            reserved.remove(place)
            return false
        }
        conversations[place] = nil
        await last.stop()
        return true
    }

    /// Uses a reserved terminal; nil to release it.
    func use(_ conversation: SPm20Conversation?, at place: String) {
        reserved.remove(place)
        conversations[place] = conversation
    }

    func add(noteOf attempt: AttemptIdentifier, at place: String) { notes[place, default: []].insert(attempt) }

    func remove(noteOf attempt: AttemptIdentifier, at place: String) { notes[place]?.remove(attempt) }

    /// The payments at a terminal that have a note, in ascending order.
    func notes(at place: String) -> [AttemptIdentifier] { (notes[place] ?? []).sorted() }

    func close() async {
        let open = conversations.keys.sorted().compactMap { conversations[$0] }
        conversations = [:]
        for conversation in open { await conversation.stop() }
    }
}
