public import JackdawCards
public import JackdawEMV

/// An issuer that is software: a machine without I/O that decides on payments and keeps their books.
///
/// It checks the cards' cryptograms and answers them with keys and ciphers that are handed in. It has no clock: a
/// reaction says when it arrives. A message that comes again gets the same reply, and no money moves twice.
///
/// ```swift
/// var issuer = try SimulatedIssuer(json: file, LibCryptoPrimitives(mode: .test))
/// let reaction = issuer.receive(IssuerRequest(reference: "1", .authorisation(request.objects)), at: now)
/// ```
public struct SimulatedIssuer: Sendable {
    /// The payments that the issuer knows.
    public internal(set) var ledger = IssuerLedger()

    let setup: IssuerDescription
    let cryptography: any IssuerCryptography
    var accounts: [IssuerAccount]
    /// The number of messages to which each rule was applied.
    private var uses: [Int]
    /// The decisions, for authorisations that come again.
    private var known: [String: KnownAuthorisation] = [:]
    /// The facts of each payment: those of its authorisation, or else of its first advice.
    private var payments: [String: PaymentFacts] = [:]
    /// The transactions of cards that were proved by a cryptogram, by the card's counter, with the first payment of each.
    private var transactions: [UInt16: [(account: AccountNumber, reference: String)]] = [:]
    private var random: SplitMix

    /// An authorisation that was decided.
    private struct KnownAuthorisation {
        let objects: DataObjectStore
        let pinBlock: [UInt8]?
        let decision: IssuerDecision
    }

    /// The facts of a message on which rules depend.
    struct MessageFacts: Sendable {
        let message: IssuerRule.Message
        let account: AccountNumber?
        /// The amount in minor units.
        let amount: UInt64?
        /// The TVR; nil of a message without one.
        let results: TerminalVerificationResults?
    }

    init(_ setup: IssuerDescription, _ cryptography: any IssuerCryptography, seed: UInt64) {
        self.setup = setup
        self.cryptography = cryptography
        accounts = setup.accounts
        uses = setup.rules.map { _ in 0 }
        random = SplitMix(seed: seed)
    }

    /// Processes a message.
    /// - Parameters:
    ///   - request: the message.
    ///   - now: the time at which the till sends it, since any fixed instant.
    /// - Returns: the reply with its time, or that none comes.
    public mutating func receive(_ request: IssuerRequest, at now: Duration) -> IssuerReaction {
        let facts = facts(of: request)
        let rule = takeRule(for: facts)
        let due = now + (rule?.delay ?? setup.delay)
        switch rule?.delivery ?? .replies {
        case .replies: return .replies(process(request, rule), at: due)
        case .unreadable:
            _ = process(request, rule)
            return .replies(.unreadable, at: due)
        case .silent:
            _ = process(request, rule)
            return .staysSilent
        case .lost: return .staysSilent
        case .unreachable: return .isUnreachable(at: due)
        }
    }

    /// Encrypts a PIN as a PIN pad does that shares the issuer's key.
    /// - Parameters:
    ///   - pin: the digits in ASCII, 4 to 12.
    ///   - objects: the objects of the authorisation, with the account number (5A or 57).
    /// - Returns: eight octets; nil if the issuer has no key for PINs, or a value is invalid.
    public func pinBlock(of pin: SecretOctets, for objects: DataObjectStore) -> [UInt8]? {
        guard let key = setup.pinKey, let account = AccountNumber(objects) else { return nil }
        return cryptography.pinBlock(of: pin, key: key, account: account.digits)
    }

    private func facts(of request: IssuerRequest) -> MessageFacts {
        let (message, objects): (IssuerRule.Message, DataObjectStore) =
            switch request.content {
            case .authorisation(let objects, _): (.authorisation, objects)
            case .reversal(let objects): (.reversal, objects ?? DataObjectStore())
            case .confirmation(let objects): (.confirmation, objects)
            case .advice(let objects): (.advice, objects)
            case .refund: (.refund, DataObjectStore())
            }
        let own = PaymentFacts(objects)
        let earlier = payments[request.reference]
        return MessageFacts(
            message: message, account: own.account ?? earlier?.account, amount: own.amount ?? earlier?.amount,
            results: objects[TerminalVerificationResults.tag].flatMap { TerminalVerificationResults($0) })
    }

    /// The first rule that applies; counts its use.
    private mutating func takeRule(for facts: MessageFacts) -> IssuerRule? {
        let index = setup.rules.indices.first { index in
            setup.rules[index].applies(to: facts) && setup.rules[index].times.map { uses[index] < $0 } ?? true
        }
        guard let index else { return nil }
        uses[index] += 1
        return setup.rules[index]
    }

    private mutating func process(_ request: IssuerRequest, _ rule: IssuerRule?) -> IssuerReply {
        let reference = request.reference
        guard (1...64).contains(reference.utf8.count) else { return .refused(.malformed) }
        guard ledger.hasRoom(for: reference) else { return .refused(.full) }
        switch request.content {
        case .authorisation(let objects, let pinBlock):
            return authorise(reference, Authorisation(objects: objects, pinBlock: pinBlock, rule: rule))
        case .reversal(let objects): return reverse(reference, objects ?? DataObjectStore())
        case .confirmation(let objects): return confirm(reference, objects)
        case .advice(let objects): return advise(reference, objects)
        case .refund: return refund(reference)
        }
    }

    // MARK: authorisations and their decisions

    /// The message of an authorisation, with what follows from it.
    struct Authorisation {
        let objects: DataObjectStore
        let pinBlock: [UInt8]?
        let facts: PaymentFacts
        let rule: IssuerRule?

        init(objects: DataObjectStore, pinBlock: [UInt8]?, rule: IssuerRule?) {
            self.objects = objects
            self.pinBlock = pinBlock
            facts = PaymentFacts(objects)
            self.rule = rule
        }
    }

    private mutating func authorise(_ reference: String, _ message: Authorisation) -> IssuerReply {
        if let earlier = known[reference] {
            guard earlier.objects == message.objects, earlier.pinBlock == message.pinBlock else {
                return .refused(.otherContent)
            }
            ledger.note(reference) { _ in }
            return .decision(earlier.decision)
        }
        let check = check(message.objects, message.facts.account, .arqc)
        let ruling = decide(reference, message, check)
        let decision = IssuerDecision(
            verdict: ruling.verdict, authorisationCode: ruling.verdict == .approved ? nextCode() : nil,
            response: response(ruling, check.card, message.rule))
        known[reference] = KnownAuthorisation(
            objects: message.objects, pinBlock: message.pinBlock, decision: decision)
        payments[reference] = payments[reference] ?? message.facts
        if let account = message.facts.account, let card = check.card {
            claim(card.transaction.counter, of: account, for: reference)
        }
        let (account, amount) = (message.facts.account, message.facts.amount ?? 0)
        ledger.note(reference) { entry in
            entry.account = entry.account ?? account?.number.masked
            if entry.capture == nil { entry.amount = amount }
            entry.verdict = ruling.verdict
            entry.reason = ruling.reason
        }
        if ruling.verdict == .approved { take(amount, from: account) }
        return .decision(decision)
    }

    /// Six digits (89), the next of the seed.
    private mutating func nextCode() -> String {
        String(String(1_000_000 + random.next() % 1_000_000).dropFirst())
    }

    // MARK: the books of the issuer

    private mutating func reverse(_ reference: String, _ objects: DataObjectStore) -> IssuerReply {
        let entry = ledger[reference]
        guard agrees(PaymentFacts(objects), reference) else { return .refused(.otherContent) }
        guard entry?.capture != .online else { return .refused(.captured) }
        if let entry, entry.held > 0 { giveBack(entry.held, to: payments[reference]?.account) }
        ledger.note(reference) { $0.isReversed = true }
        return .accepted
    }

    private mutating func confirm(_ reference: String, _ objects: DataObjectStore) -> IssuerReply {
        guard let entry = ledger[reference], entry.verdict == .approved else { return .refused(.notApproved) }
        guard agrees(PaymentFacts(objects), reference) else { return .refused(.otherContent) }
        guard !entry.isReversed else { return .refused(.reversed) }
        guard entry.capture != .offline else { return .refused(.captured) }
        ledger.note(reference) { entry in
            entry.capture = .online
            entry.scriptResults = objects[.scriptResults] ?? entry.scriptResults
        }
        return .accepted
    }

    private mutating func advise(_ reference: String, _ objects: DataObjectStore) -> IssuerReply {
        let facts = PaymentFacts(objects)
        guard let account = facts.account, let amount = facts.amount, facts.currency == setup.currency else {
            return .refused(.malformed)
        }
        guard case .right(let card) = check(objects, account, .tc) else { return .refused(.certificate) }
        guard ledger[reference]?.capture != .online else { return .refused(.captured) }
        guard agrees(facts, reference) else { return .refused(.otherContent) }
        guard claim(card.transaction.counter, of: account, for: reference) else { return .refused(.replayed) }
        payments[reference] = payments[reference] ?? facts
        let isNew = ledger[reference]?.capture == nil
        ledger.note(reference) { entry in
            entry.account = entry.account ?? account.number.masked
            entry.amount = amount
            entry.capture = .offline
            entry.scriptResults = objects[.scriptResults] ?? entry.scriptResults
        }
        if isNew { take(amount, from: account) }
        return .accepted
    }

    private mutating func refund(_ reference: String) -> IssuerReply {
        guard let entry = ledger[reference], entry.capture != nil else { return .refused(.notCaptured) }
        if entry.captured > 0 { giveBack(entry.captured, to: payments[reference]?.account) }
        ledger.note(reference) { $0.isRefunded = true }
        return .accepted
    }

    /// Whether the facts of a message are those of its payment, as far as both are known.
    private func agrees(_ facts: PaymentFacts, _ reference: String) -> Bool {
        payments[reference].map { facts.agrees(with: $0) } ?? true
    }

    /// Claims a transaction of a card for a payment.
    /// - Parameters:
    ///   - counter: the card's counter in the transaction.
    ///   - account: the account of the card.
    ///   - reference: the payment.
    /// - Returns: whether the transaction belongs to this payment; false if another one claimed it first.
    @discardableResult
    private mutating func claim(_ counter: UInt16, of account: AccountNumber, for reference: String) -> Bool {
        if let first = transactions[counter]?.first(where: { $0.account == account }) {
            return first.reference == reference
        }
        transactions[counter, default: []].append((account, reference))
        return true
    }

    private mutating func take(_ amount: UInt64, from account: AccountNumber?) {
        guard let index = index(of: account) else { return }
        accounts[index].taken += amount
    }

    private mutating func giveBack(_ amount: UInt64, to account: AccountNumber?) {
        guard let index = index(of: account) else { return }
        accounts[index].taken -= min(accounts[index].taken, amount)
    }

    /// The index of an account; nil if the issuer does not know it.
    func index(of account: AccountNumber?) -> Int? {
        guard let account else { return nil }
        return accounts.firstIndex { $0.number == account.number }
    }
}

extension IssuerRule {
    /// Whether the rule is for a message.
    func applies(to facts: SimulatedIssuer.MessageFacts) -> Bool {
        guard facts.message == message else { return false }
        if let prefix = account, facts.account?.hasPrefix(prefix) != true { return false }
        if let bits = results, facts.results?.isDisjoint(with: bits) != false { return false }
        guard let amounts else { return true }
        return facts.amount.map { amounts.contains($0) } ?? false
    }
}

extension Tag {
    /// Issuer Script Results (EMV Book 3, annex A).
    static let scriptResults: Tag = 0x9F5B
    /// The currency of a transaction.
    static let currency: Tag = 0x5F2A
}

extension SimulatedIssuer: RedactedDescription {
    /// The numbers of accounts and payments, and nothing of their content.
    public var description: String {
        "simulated issuer with \(accounts.count) accounts and \(ledger.entries.count) payments"
    }
}
