// The events that a payment receives.

/// An event of a payment. Raw values are the names in traces and tables.
///
/// An event has no content: the caller keeps amounts, data objects and messages under the identifier of the effect with
/// which they belong.
public enum PaymentEvent: String, Sendable, Hashable, CaseIterable {
    // MARK: events of the till

    /// The merchant starts the payment.
    case start
    /// The merchant changes the amount.
    case amountChanged = "set_amount"
    /// The merchant cancels the payment.
    case cancelled = "cancel"
    /// The time of ``PaymentFlow/nextDeadline`` has come.
    case timer
    /// The program was killed.
    case crash
    /// The program runs again, and has read its journal.
    case recovered = "recover"

    // MARK: events of the reader

    /// The reader is ready for a card.
    case prepared = "prepare_ok"
    /// The reader is not configured, has an empty battery, or refuses the payment.
    case preparationFailed = "prepare_fail"
    /// The link to the reader was lost.
    case linkLost = "link_lost"
    /// The card left the slot or the field.
    case cardRemoved = "card_removed"
    /// A chip card was inserted.
    case cardInserted = "insert"
    /// A card without a chip was swiped.
    case cardSwiped = "swipe_plain"
    /// A card with a chip was swiped (service code 2xx or 6xx).
    case chipCardSwiped = "swipe_chip_card"
    /// A swipe could not be read.
    case swipeUnreadable = "swipe_bad"
    /// A card was tapped.
    case cardTapped = "tap"

    // MARK: the kernel, up to the first cryptogram

    /// The cardholder must choose an application.
    case applicationsFound = "app_list"
    /// The app chose an application of the list.
    case applicationChosen = "app_chosen"
    /// The app chose one that is not in the list.
    case applicationChoiceInvalid = "app_choice_invalid"
    /// Card and terminal have no application in common.
    case noCommonApplication = "no_common_app"
    /// The card is blocked.
    case cardBlocked = "card_blocked"
    /// The application is blocked.
    case applicationBlocked = "app_blocked"
    /// The chip does not answer, or its answers cannot be read.
    case chipUnreadable = "chip_unreadable"
    /// The kernel broke the transaction off.
    case kernelFailed = "kernel_error"
    /// Contactless outcome "try again".
    case tapAgain = "tap_try_again"
    /// Contactless outcome "try another interface".
    case tapOtherInterface = "tap_other_interface"
    /// The cardholder must confirm on a telephone, and tap again.
    case tapSeePhone = "tap_see_phone"
    /// More than one card is in the field.
    case tapMultipleCards = "tap_multiple_cards"
    /// Contactless outcome "end application".
    case tapEnded = "tap_end_application"
    /// The reader asks for a PIN.
    case pinRequested = "pin_prompt"
    /// The card accepted the PIN, or the reader enciphered it for the issuer.
    case pinEntered = "pin_ok"
    /// The PIN is wrong, and tries are left.
    case pinWrong = "pin_wrong"
    /// The PIN is wrong, and no try is left.
    case pinTriesExceeded = "pin_tries_exceeded"
    /// The cardholder gave no PIN.
    case pinBypassed = "pin_bypassed"
    /// The cardholder cancelled at the PIN pad.
    case pinCancelled = "pin_cancelled"
    /// The first cryptogram is a TC.
    case firstTC = "ac1_tc"
    /// The first cryptogram is a TC, and the cardholder must sign.
    case firstTCWithSignature = "ac1_tc_sig"
    /// The first cryptogram is an AAC.
    case firstAAC = "ac1_aac"
    /// The first cryptogram is an ARQC.
    case firstARQC = "ac1_arqc"

    // MARK: events of the host

    /// The host approved the payment.
    case hostApproved = "host_approved"
    /// The host approved, and the cardholder must sign.
    case hostApprovedWithSignature = "host_approved_sig"
    /// The host declined the payment.
    case hostDeclined = "host_declined"
    /// The host refers to the issuer by telephone.
    case hostReferred = "host_referral"
    /// The request was not sent.
    case hostUnreachable = "host_unreachable"
    /// The host's answer cannot be read, or fails a check.
    case hostAnswerUnreadable = "host_bad_response"
    /// An answer of the host to a request that is no longer open.
    case hostAnsweredLate = "late_host_response"

    // MARK: the kernel, up to the second cryptogram

    /// The reader asks the merchant to compare the signature.
    case readerSignatureRequested = "device_sig_prompt"
    /// The merchant accepted the signature at the reader.
    case readerSignatureAccepted = "device_sig_ok"
    /// The merchant rejected the signature at the reader.
    case readerSignatureRejected = "device_sig_rejected"
    /// The second cryptogram is a TC.
    case secondTC = "ac2_tc"
    /// The second cryptogram is a TC, and the cardholder must sign.
    case secondTCWithSignature = "ac2_tc_sig"
    /// The second cryptogram is an AAC.
    case secondAAC = "ac2_aac"

    // MARK: events of the app

    /// The cardholder signed in the app.
    case signatureCaptured = "sig_captured"
    /// The cardholder did not sign.
    case signatureRefused = "sig_refused"
    /// The merchant accepted the signature.
    case signatureAccepted = "app_sig_ok"
    /// The merchant rejected the signature.
    case signatureRejected = "app_sig_rejected"
    /// The record of the payment is stored.
    case recordStored = "finalise_queued"
    /// An answer to an effect that is no longer open.
    case answeredLate = "duplicate_terminal_event"

    /// Whether the event answers an effect, and so names it.
    public var isAnswer: Bool {
        switch self {
        case .start, .amountChanged, .cancelled, .timer, .crash, .recovered, .linkLost, .cardRemoved, .kernelFailed,
            .hostAnsweredLate, .answeredLate:
            false
        default: true
        }
    }

    /// Whether the event is an answer of the host.
    var isHostAnswer: Bool {
        switch self {
        case .hostApproved, .hostApprovedWithSignature, .hostDeclined, .hostReferred, .hostUnreachable,
            .hostAnswerUnreadable:
            true
        default: false
        }
    }
}
