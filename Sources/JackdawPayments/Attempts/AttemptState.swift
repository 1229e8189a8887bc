// The states of an attempt and the changes between them, as a table.

/// The state of an attempt. Raw values are the names in records and tables.
public enum AttemptState: String, Sendable, Hashable, CaseIterable {
    /// The identifier is durable, and the host has not been asked.
    case open
    /// The request may be at the host.
    case asked
    /// The host was asked, and no usable answer came. A reversal or an enquiry is queued.
    case unknown
    /// The host approved, but the payment failed after that, or the merchant takes it back. The reversal is queued.
    case reversing
    /// Money moves: the host or the card approved, and the record says so.
    case approved
    /// The host or the card declined. No money moves.
    case declined
    /// The merchant or the cardholder cancelled before the host was asked. No money moves.
    case cancelled
    /// The attempt ended without a booking at the host. No money moves.
    case failed
    /// The host has acknowledged the reversal. No money moves.
    case reversed
    /// The host refused a reversal or a delivery. The attempt stays listed until a person has dealt with it.
    case needsAttention

    /// Whether the attempt is over: `approved`, `declined`, `cancelled`, `failed` or `reversed`.
    public var isFinal: Bool {
        switch self {
        case .approved, .declined, .cancelled, .failed, .reversed: true
        case .open, .asked, .unknown, .reversing, .needsAttention: false
        }
    }
}

/// A change of an attempt's state. Raw values are the names in tables.
package enum AttemptChange: String, Sendable, Hashable, CaseIterable {
    /// The request is handed over for sending.
    case ask
    /// The request was certainly not sent.
    case notSent
    /// The host or the card approved, and the record for settlement is stored.
    case approve
    /// The host or the card declined.
    case decline
    /// The merchant or the cardholder cancelled.
    case cancel
    /// The attempt failed before the host was asked.
    case fail
    /// No usable answer came.
    case doubt
    /// The payment failed after the host approved.
    case reverse
    /// The merchant takes an approved payment back.
    case takeBack
    /// An enquiry found that the host approved an attempt that must be reversed.
    case findBooked
    /// An enquiry found that the host approved cash, a capture or a refund, which stays.
    case confirm
    /// An enquiry found that nothing is booked and nothing will be.
    case findNothing
    /// The host acknowledged the reversal.
    case acknowledge
    /// The host refused the reversal or the delivery.
    case refuse
    /// A person found that the money moved.
    case settlePaid
    /// A person found that no money moved, or has returned it.
    case settleUnpaid
    /// A person wants a delivery about an approved attempt sent again.
    case deliverAgain
    /// A person wants a reversal or an enquiry sent again.
    case reverseAgain
}

/// The table of states and changes. What is not in it is refused.
package enum AttemptTable {
    /// The changes of each state, with the states that follow.
    package static let rows: [AttemptState: [AttemptChange: AttemptState]] = [
        .open: [.ask: .asked, .approve: .approved, .decline: .declined, .cancel: .cancelled, .fail: .failed],
        .asked: [
            .notSent: .open, .approve: .approved, .decline: .declined, .doubt: .unknown, .reverse: .reversing,
        ],
        .unknown: [
            .decline: .declined, .findBooked: .reversing, .confirm: .approved, .findNothing: .failed,
            .acknowledge: .reversed, .refuse: .needsAttention,
        ],
        .reversing: [.findNothing: .failed, .acknowledge: .reversed, .refuse: .needsAttention],
        .approved: [.takeBack: .reversing, .refuse: .needsAttention],
        .needsAttention: [
            .settlePaid: .approved, .settleUnpaid: .failed, .deliverAgain: .approved, .reverseAgain: .unknown,
        ],
    ]

    /// The state after a change; nil if the state refuses it.
    package static func next(_ state: AttemptState, _ change: AttemptChange) -> AttemptState? { rows[state]?[change] }
}
