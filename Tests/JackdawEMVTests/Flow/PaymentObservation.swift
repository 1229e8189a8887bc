import JackdawEMV

/// The history of a payment as a till's accountant sees it: events that came, effects that went out, and the truth at
/// the host. It knows nothing of the payment's own variables.
struct PaymentObservation: Sendable, Hashable {
    /// The truth at the host, which the till may not know.
    enum Host: Sendable, Hashable { case notAsked, undecided, approved, declined, notReached }

    private(set) var host = Host.notAsked
    private(set) var requests = 0
    private(set) var reversals = 0
    private(set) var records = 0
    private(set) var completions = 0
    private(set) var outcome: PaymentOutcome?
    private(set) var firstCryptograms = 0
    private(set) var secondCryptograms = 0

    private var isRequestReportedUnsent = false
    private var isDeclineKnown = false
    private var isHostUnknown = false
    private var isStoring = false
    private var isContact = false
    private var isTC = false
    private var isAAC = false
    private var isSignatureNeeded = false
    private var isBlocked = false
    private var chipFailures = 0
    private var isFallback = false
    private var isAmountChangedLate = false

    /// Adds an event and its effects. An event that was not handled adds nothing.
    mutating func add(_ event: PaymentEvent, _ actions: [PaymentAction]) {
        add(event)
        for action in actions { add(action, after: event) }
    }

    private mutating func add(_ event: PaymentEvent) {
        switch event {
        case .cardInserted: isContact = true
        case .cardTapped, .cardSwiped, .chipCardSwiped: isContact = false
        case .chipUnreadable: if isContact { chipFailures = min(chipFailures + 1, 2) }
        case .noCommonApplication: if isContact { chipFailures = 2 }
        case .cardBlocked, .applicationBlocked: isBlocked = true
        case .firstTC, .firstTCWithSignature, .firstAAC, .firstARQC: firstCryptograms += 1
        case .secondTC, .secondTCWithSignature, .secondAAC: secondCryptograms += 1
        case .hostApproved, .hostApprovedWithSignature: host = .approved
        case .hostDeclined, .hostReferred:
            host = .declined
            isDeclineKnown = true
        case .hostUnreachable:
            host = .notReached
            isRequestReportedUnsent = true
        case .timer, .hostAnswerUnreadable, .crash: isHostUnknown = isHostUnknown || host == .undecided
        case .recordStored: store()
        default: break
        }
        switch event {
        case .firstTC, .firstTCWithSignature, .secondTC, .secondTCWithSignature: isTC = true
        case .firstAAC, .secondAAC: isAAC = true
        default: break
        }
        switch event {
        case .firstTCWithSignature, .secondTCWithSignature, .hostApprovedWithSignature, .readerSignatureRequested:
            isSignatureNeeded = true
        case .readerSignatureAccepted, .signatureAccepted: isSignatureNeeded = false
        default: break
        }
    }

    private mutating func add(_ action: PaymentAction, after event: PaymentEvent) {
        switch action {
        case .askHost:
            requests += 1
            host = .undecided
            isFallback = event == .chipCardSwiped
        case .reverse: reversals += 1
        case .storeRecord: isStoring = true
        case .useNewAmount: isAmountChangedLate = isAmountChangedLate || requests > 0 || firstCryptograms > 0
        case .end(let end):
            completions += 1
            outcome = end
        default: break
        }
    }

    /// The possible truths, if the till will never know.
    var branches: [Self] {
        guard isHostUnknown, host == .undecided else { return [self] }
        return [Host.approved, .declined, .notReached].map {
            var branch = self
            branch.host = $0
            return branch
        }
    }

    /// The history in which the record was written before the crash; nil if none was being written.
    var withRecord: Self? {
        guard isStoring else { return nil }
        var stored = self
        stored.store()
        return stored
    }

    private mutating func store() {
        records += 1
        isStoring = false
    }

    // MARK: the invariants

    /// The first invariant that does not hold; nil if all do.
    var violation: PaymentInvariant? {
        PaymentInvariant.allCases.first { !holds($0) }
    }

    private func holds(_ invariant: PaymentInvariant) -> Bool {
        let isOver = completions > 0
        let isApproved = outcome?.isApproved ?? false
        return switch invariant {
        case .capturedOrReversed:
            !(records > 1 || reversals > 1) && !(isOver && host == .approved && records + reversals != 1)
        case .oneCompletion: completions <= 1
        case .approvedIsRecorded: !isOver || isApproved == (records == 1)
        case .reversalOfRequest: reversals == 0 || (requests == 1 && !isRequestReportedUnsent)
        case .declineIsNotReversed: !isDeclineKnown || reversals == 0
        case .unknownIsReversed: !isOver || !isHostUnknown || reversals == 1
        case .oneCryptogramEach: firstCryptograms <= 1 && secondCryptograms <= 1
        case .onlineApprovalNeedsTC: outcome != .approved || !isContact || isTC
        case .signatureIsVerified: !isApproved || !isSignatureNeeded
        case .refusedIsNotApproved: !isApproved || !isAAC
        case .amountIsFrozen: !isAmountChangedLate
        case .blockedDoesNotFallBack: !isBlocked || !isFallback
        case .fallbackAfterFailures: !isFallback || chipFailures == 2
        case .refusedIsNotCaptured: !isOver || isApproved || records == 0
        }
    }
}

/// The rules that hold in every state. The names of facts are I1 to I14.
enum PaymentInvariant: String, CaseIterable, Sendable {
    case capturedOrReversed = "I1: approved at the host is captured or reversed, never both, never twice"
    case oneCompletion = "I2: one completion"
    case approvedIsRecorded = "I3: an approved payment, and no other, has a record"
    case reversalOfRequest = "I4: only a request that was sent is reversed"
    case declineIsNotReversed = "I5: a known decline is not reversed"
    case unknownIsReversed = "I6: an unknown answer is reversed"
    case oneCryptogramEach = "I7: one first and one second cryptogram at most"
    case onlineApprovalNeedsTC = "I8: an online approval by contact has a TC"
    case signatureIsVerified = "I9: a signature that is needed is verified"
    case refusedIsNotApproved = "I10: an AAC is never approved"
    case amountIsFrozen = "I11: the amount does not change after a request or a cryptogram"
    case blockedDoesNotFallBack = "I12: a blocked card or application does not fall back"
    case fallbackAfterFailures = "I13: fallback follows unreadable chips only"
    case refusedIsNotCaptured = "I14: a declined or failed payment has no record"
}
