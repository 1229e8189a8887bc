package import JackdawCards
package import JackdawEMV
import JackdawReaders

/// A whole payment with a virtual card at a simulated till, step by step: a machine without I/O and without a clock. Times
/// count from its start, and the caller decides whether it waits for them.
///
/// ```swift
/// var run = try PaymentRun(setup, amount: 6000, currency: [0x09, 0x78], at: .miura, primitives)
/// for output in run.start() { show(output) }
/// while run.nextDeadline != nil { for output in run.advance() { show(output) } }
/// print(run.result)
/// ```
package struct PaymentRun {
    /// An output of a payment under way.
    package enum Output: Sendable, Hashable {
        /// A step of the payment, or a message of its card or reader.
        case entry(PaymentEntry)
        /// A text for the person at the till, with its time.
        case prompt(TillPrompt, at: Duration)
    }

    /// The time after which a run ends, as messages to an issuer that does not answer are repeated without end.
    package static let limit = Duration.seconds(3_600)
    /// The most steps of a run.
    static let maxSteps = 20_000

    /// The facts of the payment for its recording.
    package let header: PaymentRecording.Header

    /// What the reader takes.
    private let ways: CardWays
    private var till: any PaymentTill
    private var steps = 0
    /// The number of entries that were returned.
    private var returned = 0

    /// A payment that has not started. It is a purchase on ``DeckCard/date`` at the till of the decks.
    /// - Parameters:
    ///   - setup: the card, the cardholder and the issuer.
    ///   - amount: in minor units.
    ///   - currency: ISO 4217 numeric, two octets.
    ///   - link: the reader.
    ///   - primitives: RSA and SHA-1 for the terminal.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of the payment.
    package init(
        _ setup: PaymentSetup, amount: UInt64, currency: [UInt8], at link: PaymentLink,
        _ primitives: some AuthenticationPrimitives
    ) throws(KernelConfigurationError) {
        let parts = ReaderTillParts(setup, amount: amount, currency: currency)
        let till: any PaymentTill
        switch link {
        case .kernel:
            var kernelTill = try parts.kernelTill(primitives)
            kernelTill.tillPayment.recorder = PaymentRecorder(CardMessageMask())
            till = kernelTill
        case .miura: till = parts.till(with: parts.miura(primitives))
        case .posmate: till = parts.till(with: parts.posmate(primitives))
        case .emvswiper: till = parts.till(with: parts.emvswiper(primitives))
        case .spm20: till = JSONPOSTill(parts, parts.spm20(primitives))
        }
        try self.init(parts, link.ways, till, primitives, name: link.rawValue)
    }

    /// A payment that has not started, with a reader at a link: the caller carries the bytes.
    /// - Parameters:
    ///   - setup: the card and the cardholder in the reader, and the issuer.
    ///   - amount: in minor units.
    ///   - currency: ISO 4217 numeric, two octets.
    ///   - reader: the kind of the reader; for ``PaymentLink/kernel``, a plain reader with a card: each message is a
    ///     command, and each answer must be handed in as a whole.
    ///   - number: the number of the payment for an SPm20, which it must not have had before. Default: 1.
    ///   - primitives: RSA and SHA-1 for the till's checks.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of the payment.
    package init<Primitives: AuthenticationPrimitives>(
        _ setup: PaymentSetup, amount: UInt64, currency: [UInt8], atLinkOf reader: PaymentLink, number: Int = 1,
        _ primitives: Primitives
    ) throws(KernelConfigurationError) {
        let parts = ReaderTillParts(setup, amount: amount, currency: currency)
        let till: any PaymentTill
        switch reader {
        case .kernel:
            var kernelTill = try parts.kernelTill(primitives)
            kernelTill.tillPayment.recorder = PaymentRecorder(CardMessageMask())
            kernelTill.isCardLinked = true
            till = kernelTill
        case .miura: till = parts.till(with: nil as MiuraTerminal<Primitives>?)
        case .posmate: till = parts.till(with: nil as EPOSTerminal<Primitives>?)
        case .emvswiper: till = parts.till(with: nil as BBPOSTerminal<Primitives>?)
        case .spm20: till = JSONPOSTill(parts, nil as JSONPOSTerminal<Primitives>?, number: number)
        }
        let ways = reader == .kernel ? CardWays.contacts : reader.ways
        try self.init(parts, ways, till, primitives, name: reader.reader)
    }

    /// A payment that has not started, with a card that is swiped. The stripe alone pays: the issuer is asked without a
    /// cryptogram, and the cardholder signs.
    /// - Parameters:
    ///   - setup: the card, which a simulated reader swipes; the cardholder, who signs; and the issuer.
    ///   - amount: in minor units.
    ///   - currency: ISO 4217 numeric, two octets.
    ///   - reader: the reader on the audio jack, simulated or at a link; nil for the sound of a head, whose cards the caller
    ///     hands in (`receive`).
    ///   - primitives: RSA and SHA-1 for the till's checks.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of the payment.
    package init(
        _ setup: PaymentSetup, amount: UInt64, currency: [UInt8], swipedAt reader: SwipingReader?,
        _ primitives: some AuthenticationPrimitives
    ) throws(KernelConfigurationError) {
        let parts = ReaderTillParts(setup, amount: amount, currency: currency)
        var name = Self.head
        if let reader { name = reader.model == nil ? reader.family : "sim:\(reader.family)" }
        try self.init(parts, .stripe, SwipeTill(parts, reader, primitives), primitives, name: name)
    }

    /// The name in recordings of a head, whose sound the program decodes itself.
    private static let head = "head"

    private init(
        _ parts: ReaderTillParts, _ ways: CardWays, _ till: any PaymentTill,
        _ primitives: some AuthenticationPrimitives, name: String
    ) throws(KernelConfigurationError) {
        // With each reader, as it checks the values of the payment.
        _ = try parts.kernelTill(primitives)
        let code = Currency.find(parts.transaction.currency.span)?.numericCode
        header = PaymentRecording.Header(
            link: name, card: parts.reference,
            amount: Amount(minorUnits: parts.transaction.amount, currencyCode: code), policy: till.payment.policy)
        self.ways = ways
        self.till = till
    }

    /// Starts the payment, unless it has started.
    /// - Returns: the outputs of the first step.
    package mutating func start() -> [Output] {
        if till.payment.phase == .idle { till.start() }
        return takeOutputs()
    }

    /// The time of the next step; nil if nothing remains, or the run has reached its limits.
    package var nextDeadline: Duration? {
        guard steps < Self.maxSteps, let next = till.nextDeadline, next <= Self.limit else { return nil }
        return next
    }

    /// Takes the next step, at its time.
    /// - Returns: the outputs of the step.
    package mutating func advance() -> [Output] {
        guard nextDeadline != nil else { return [] }
        steps += 1
        _ = till.advance()
        return takeOutputs()
    }

    /// Kills the program now, and starts it again.
    /// - Returns: the outputs.
    package mutating func kill() -> [Output] {
        till.kill()
        return takeOutputs()
    }

    /// Whether the issuer has answered all messages, and the reader has no money that it must give back.
    package var isSettled: Bool { till.isSettled }

    // MARK: a reader at a link

    /// Handles bytes from the reader.
    /// - Returns: the outputs.
    package mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Output] {
        withLinked { $0.receive(bytes, at: now) }
        return takeOutputs()
    }

    /// Handles the end of the link.
    /// - Returns: the outputs.
    package mutating func loseLink(at now: Duration) -> [Output] {
        withLinked { $0.loseLink(at: now) }
        return takeOutputs()
    }

    /// Handles a card that a head has read, or tried to read. Nothing happens unless ``isAwaitingSwipe``.
    /// - Returns: the outputs.
    package mutating func receive(_ card: CardEvent, at now: Duration) -> [Output] {
        withSwiped { $0.receive(card, at: now) }
        return takeOutputs()
    }

    /// Whether a reader that only swipes cards waits for one.
    package var isAwaitingSwipe: Bool { (till as? any SwipedTill)?.isAwaitingCard ?? false }

    private mutating func withSwiped(_ body: (inout any SwipedTill) -> Void) {
        guard var swiped = till as? any SwipedTill else { return }
        body(&swiped)
        till = swiped
    }

    /// Whether a link that is lost must be opened again (``reopenLink(at:)``): the reader must be asked how the payment ended,
    /// or has messages for the issuer.
    package var awaitsReader: Bool { (till as? any LinkedTill)?.awaitsReader ?? false }

    /// The time after which a lost link is opened again, and between two attempts.
    package static let reopenDelay = JSONPOSPaymentSettings().reconnectDelay

    /// Goes on with a new link.
    /// - Returns: the outputs.
    package mutating func reopenLink(at now: Duration) -> [Output] {
        withLinked { $0.reopenLink(at: now) }
        return takeOutputs()
    }

    /// Returns the tasks for the reader or the card since the last call, in their order.
    package mutating func takeTasks() -> [LinkTask] { withLinked { $0.takeTasks() } ?? [] }

    @discardableResult
    private mutating func withLinked<Value>(_ body: (inout any LinkedTill) -> Value) -> Value? {
        guard var linked = till as? any LinkedTill else { return nil }
        defer { till = linked }
        return body(&linked)
    }

    private mutating func takeOutputs() -> [Output] {
        let entries = till.entries
        var outputs: [Output] = []
        for entry in entries[returned...] {
            outputs.append(.entry(entry))
            guard case .step(let step) = entry else { continue }
            let prompts = TillPrompt.prompts(
                of: step, for: header.amount, ways, isTapAllowed: till.payment.isTapAllowed,
                applications: till.applicationNames)
            outputs += prompts.map { Output.prompt($0, at: step.time) }
        }
        returned = entries.count
        return outputs
    }

    /// The recording of the payment so far, without card data.
    package var recording: PaymentRecording { PaymentRecording(header: header, entries: till.entries) }

    /// The result of the payment so far.
    package var result: PaymentResult {
        PaymentResult(
            outcome: till.payment.outcome, isReversed: till.payment.journal.isReversalQueued, cardEntry: till.cardEntry,
            issuerEntry: till.issuerEntry, authorisationCode: till.decision?.authorisationCode, reasons: till.reasons,
            isSettled: till.isSettled)
    }
}
