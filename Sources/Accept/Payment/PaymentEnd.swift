import JackdawEMV
import JackdawPayments
import JackdawTransport

/// The events of a payment that its outcome does not show.
struct PaymentTrace: Sendable, Hashable {
    /// The last task of the reader that is answered.
    var task: PaymentAction?
    /// The reason that the terminal gave.
    var reason: AcceptPayErrorCode?
    /// The reason for which the link to the terminal was lost.
    var link: LinkError?
    /// Whether the card, or one of its applications, is blocked.
    var isBlocked = false
    /// Whether the last swipe could not be read.
    var isSwipeUnreadable = false
    /// Whether the terminal must not take the card.
    var isExcluded = false
    /// Whether that is so because the terminal does not show the number of the card.
    var isNumberHidden = false
    /// Whether a person refused to sign, or rejected the signature.
    var isSignatureRefused = false

    /// The reason of a failure that a lost link may have caused: the terminal's own, or that of the link.
    fileprivate var cause: AcceptPayErrorCode? { reason ?? link.flatMap { AcceptPayErrorCode($0) } }
}

extension AcceptError {
    /// The error of a payment that has ended; nil if it is approved, and was not taken back after that.
    init?(_ report: AttemptReport, _ trace: PaymentTrace) {
        guard let outcome = report.outcome else { return nil }
        if outcome.isApproved {
            switch report.state {
            case .approved: return nil
            case .needsAttention:
                self.init(.needsAttention, "Ask the host's operator. \(report.reason?.text ?? "")")
            default: self.init(.operationNotAllowed, "The payment was approved, and taken back after that.")
            }
            return
        }
        let code = Self.code(outcome, trace, report.trouble)
        let (group, advice) = Self.group(outcome, trace)
        let isOpen = !report.state.isFinal
        let decline = AcceptDecline(
            group: group, outcome: outcome, text: Self.text(outcome, trace) ?? report.reason?.text ?? "",
            advice: isOpen && report.state != .reversing ? .waitForOutcome : advice,
            reversalReason: Self.reversalReason(outcome, report.state, trace))
        let text = decline.text.isEmpty ? "" : ": \(decline.text)"
        self.init(.pay(code), "The payment ended: \(outcome.rawValue)\(text)", decline)
    }

    /// The till's own text for the end of a payment; nil without one.
    private static func text(_ outcome: PaymentOutcome, _ trace: PaymentTrace) -> String? {
        if trace.isExcluded {
            return trace.isNumberHidden
                ? "The terminal does not show the number of the card, and paymentmethods.xml excludes some."
                : "paymentmethods.xml excludes the card."
        }
        return switch outcome {
        case .failedPreparation, .failedLink, .failedAutoReversed: trace.link?.description
        default: nil
        }
    }

    private static func code(
        _ outcome: PaymentOutcome, _ trace: PaymentTrace, _ trouble: HostTrouble?
    ) -> AcceptPayErrorCode {
        if trace.isExcluded { return .blockedCardType }
        switch outcome {
        case .approved, .approvedOffline: return .transactionNotApproved
        case .cancelled: return trace.reason ?? .transactionTerminated
        case .declinedByCard, .declinedOffline: return .transactionDeclined
        case .declinedOnline: return trouble == .refused ? .dataProcessing : .transactionNotApproved
        case .declinedSignature: return trace.isSignatureRefused ? .signatureRequest : .signatureTimeout
        case .notAccepted: return trace.isBlocked ? .blockedCardType : trace.reason ?? .notSupportedCardType
        case .failedPreparation: return trace.cause ?? .initialization
        case .failedLink: return trace.cause ?? .terminalNotReady
        case .failedCardRemoved: return .transactionTerminated
        case .failedTimeout:
            switch trace.task {
            // The card was blocked, and no other one came.
            case .acceptCard where trace.isBlocked: return .blockedCardType
            case .acceptCard: return trace.reason ?? (trace.isSwipeUnreadable ? .badSwipe : .swipeTimeout)
            case .chooseApplication: return .terminalTimeoutApplicationSelection
            case .prepare: return .terminalCommandTimeOut
            default: return .terminalTimeOut
            }
        case .failedKernel: return trace.reason ?? .failedToStartEMV
        case .failedUnableOnline: return .payConnection
        case .failedHostTimeout: return trouble == .unreadable ? .onlineProcessing : .responseLost
        case .failedRecovered: return .responseLost
        case .failedAutoReversed: return trace.cause ?? .failedToSendOnlineEMV
        }
    }

    private static func group(
        _ outcome: PaymentOutcome, _ trace: PaymentTrace
    ) -> (AcceptDecline.Group, AcceptDecline.Advice) {
        if trace.isExcluded { return (.card, .useOtherCard) }
        return switch outcome {
        case .approved, .approvedOffline, .declinedOnline: (.host, .useOtherCard)
        case .declinedByCard, .declinedOffline, .notAccepted: (.card, .useOtherCard)
        case .cancelled, .declinedSignature, .failedCardRemoved: (.person, .tryAgain)
        case .failedTimeout: (.person, .tryAgain)
        case .failedPreparation, .failedLink, .failedKernel, .failedAutoReversed: (.terminal, .checkTerminal)
        case .failedUnableOnline: (.connection, .checkConnection)
        case .failedHostTimeout, .failedRecovered: (.connection, .waitForOutcome)
        }
    }

    /// The SDK's reason of a reversal; nil if the till makes none.
    private static func reversalReason(
        _ outcome: PaymentOutcome, _ state: AttemptState, _ trace: PaymentTrace
    ) -> AcceptReversalReason? {
        switch (outcome, state) {
        case (_, .declined), (_, .cancelled), (_, .failed), (_, .open): nil
        case (.declinedByCard, _): .cardDeclined
        case (.declinedOffline, _): .offlineDeclined
        case (.declinedSignature, _): trace.isSignatureRefused ? .signatureDeclined : .signatureVerificationTimeout
        case (.failedHostTimeout, _), (.failedRecovered, _): .noEFTResponse
        case (.failedAutoReversed, _), (.failedLink, _), (.failedCardRemoved, _): .terminalTerminated
        default: .undefined
        }
    }
}
