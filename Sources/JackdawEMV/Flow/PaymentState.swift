// The variables of a payment, the conditions on them, and their changes. Without time.

/// The state of a payment between two events.
package struct PaymentState: Sendable, Hashable {
    package var phase = PaymentPhase.idle
    /// The part that survives a crash.
    package var journal = PaymentJournal()
    var isLinkUp = true
    var isCardPresent = false
    package var isTapAllowed = true
    /// Chips that could not be read, 0 to ``maxChipFailures``.
    var chipFailures = 0
    /// Taps that failed, 0 to ``PaymentPolicy/maxTapFailures``.
    var tapFailures = 0
    /// Whether a card or an application was found blocked.
    var isBlocked = false
    var signature = Signature.notNeeded
    /// The last cryptogram as the terminal counts it: a TC that the host declined is an AAC. Nil before the first, and
    /// for an ARQC.
    package var cryptogram: CryptogramType?

    enum Signature: Sendable { case notNeeded, needed, verified }

    /// Unreadable chips after which a chip card may be swiped. Acquirers ask for at least one retry.
    static let maxChipFailures = 2

    package init() {}

    /// The state of a program that runs again.
    package init(restoring journal: PaymentJournal) {
        self.journal = journal
        phase = journal.outcome == nil ? .crashed : .done
    }
}

/// A condition on a state, for a row of the table.
package enum PaymentCondition: String, Sendable {
    case always = ""
    // Conditions on the card.
    case chip = "chip inserted"
    case tap = "tapped"
    case tapAllowed = "tap allowed"
    case fallbackAllowed = "2 chips unreadable, none blocked"
    case fallbackWithoutApplication = "policy: falls back without common application"
    // Conditions on the reader, for a chip card.
    case linkLost = "chip, link lost"
    case cardGone = "chip removed"
    // Conditions on the host's decision.
    case hostApproved = "host approved"
    case hostDeclined = "host declined"
    case hostUnreachable = "host unreachable"
    case hostUnknown = "host unknown"
    case timedOutButApproving = "host unknown, policy: approves offline"
    case approvedWithoutSignature = "host approved, signature not verified"
    // Conditions on the journal.
    case storedOnline = "record stored, host approved"
    case stored = "record stored"

    func holds(in state: PaymentState, _ policy: PaymentPolicy) -> Bool {
        let isChip = state.journal.entry == .chip
        return switch self {
        case .always: true
        case .chip: isChip
        case .tap: state.journal.entry == .tap
        case .tapAllowed: state.isTapAllowed
        case .fallbackAllowed: state.chipFailures == PaymentState.maxChipFailures && !state.isBlocked
        case .fallbackWithoutApplication: policy.fallsBackWithoutCommonApplication
        case .linkLost: isChip && !state.isLinkUp
        case .cardGone: isChip && !state.isCardPresent
        case .hostApproved: state.journal.host == .approved
        case .hostDeclined: state.journal.host == .declined
        case .hostUnreachable: state.journal.host == .unreachable
        case .hostUnknown: state.journal.host == .unknown
        case .timedOutButApproving: state.journal.host == .unknown && policy.approvesOfflineAfterHostTimeout
        case .approvedWithoutSignature: state.journal.host == .approved && state.signature == .needed
        case .storedOnline: state.journal.isRecordStored && state.journal.host == .approved
        case .stored: state.journal.isRecordStored
        }
    }
}

/// A change of a state, for a row of the table.
package enum PaymentChange: Sendable, Hashable {
    case entered(CardEntry)
    case cardReturned
    case cardGone
    case linkLost
    case chipFailed
    /// As many failures as allow a fallback.
    case chipUnusable
    case tapFailed
    case tapUnusable
    case blocked
    case host(HostKnowledge)
    case cryptogram(CryptogramType)
    case signatureNeeded
    case signatureVerified
    case recordStored

    /// The name in tables.
    package var name: String {
        switch self {
        case .entered(let entry): "card entry \(entry.rawValue)"
        case .cardReturned: "no card"
        case .cardGone: "card gone"
        case .linkLost: "link lost"
        case .chipFailed: "chip failures + 1"
        case .chipUnusable: "chip failures = 2"
        case .tapFailed: "tap failures + 1, at the policy's limit tap off"
        case .tapUnusable: "tap off"
        case .blocked: "blocked"
        case .host(let knowledge): "host \(knowledge.rawValue)"
        case .cryptogram(let type): "cryptogram \(type.name)"
        case .signatureNeeded: "signature needed"
        case .signatureVerified: "signature verified"
        case .recordStored: "record stored"
        }
    }

    func apply(to state: inout PaymentState, _ policy: PaymentPolicy) {
        switch self {
        case .entered(let entry):
            state.journal.entry = entry
            state.isCardPresent = entry == .chip
        case .cardReturned:
            state.journal.entry = nil
            state.isCardPresent = false
        case .cardGone: state.isCardPresent = false
        case .linkLost: state.isLinkUp = false
        case .chipFailed: state.chipFailures = min(state.chipFailures + 1, PaymentState.maxChipFailures)
        case .chipUnusable: state.chipFailures = PaymentState.maxChipFailures
        case .tapFailed:
            let limit = max(1, policy.maxTapFailures)
            state.tapFailures = min(state.tapFailures + 1, limit)
            if state.tapFailures == limit { state.isTapAllowed = false }
        case .tapUnusable: state.isTapAllowed = false
        case .blocked: state.isBlocked = true
        case .host(let knowledge): state.journal.host = knowledge
        case .cryptogram(let type): state.cryptogram = type == .arqc ? nil : type
        case .signatureNeeded: if state.signature == .notNeeded { state.signature = .needed }
        case .signatureVerified: state.signature = .verified
        case .recordStored: state.journal.isRecordStored = true
        }
    }
}

extension PaymentState {
    /// The result of an event.
    package struct Reaction: Sendable, Hashable {
        package let treatment: PaymentTreatment
        /// Whether the phase, the same or another, began.
        let beginsPhase: Bool
        package let actions: [PaymentAction]
    }

    /// The transition function: the first row of the table for phase and event whose condition holds.
    package mutating func receive(_ event: PaymentEvent, _ policy: PaymentPolicy) -> Reaction {
        guard let row = PaymentTable.row(for: self, event, policy) else {
            return Reaction(treatment: .ignored, beginsPhase: false, actions: [.ignore(event)])
        }
        guard row.treatment == .handled else {
            return Reaction(treatment: .rejected, beginsPhase: false, actions: [.reject(event)])
        }
        for change in row.changes { change.apply(to: &self, policy) }
        if let next = row.next { phase = next }
        let actions = row.actions.filter { action in
            if case .reverse(let cause) = action { queueReversal(cause, policy) } else { true }
        }
        if let outcome = row.outcome { journal.outcome = outcome }
        return Reaction(treatment: .handled, beginsPhase: row.next != nil, actions: actions)
    }

    /// Queues a reversal if the host may have approved and none is queued.
    private mutating func queueReversal(_ cause: ReversalCause, _ policy: PaymentPolicy) -> Bool {
        guard journal.host.isRequestSent, journal.host != .declined, !journal.isReversalQueued,
            policy.reverses(for: cause)
        else { return false }
        journal.isReversalQueued = true
        return true
    }
}
