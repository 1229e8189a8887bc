extension WireVocabulary {
    /// Spire's PosMate and SPm2: their status numbers and the number of the status report are published.
    static let epos = WireVocabulary(
        family: "epos", title: "Spire's PosMate and SPm2",
        events: EPOSStatus.names.keys.sorted().map { number in
            (EPOSStatus.names[number] ?? "", number, meaning(of: EPOSStatus(rawValue: number)))
        }, eventMessage: EPOSMessage.statusReport.identifier,
        payments: EPOSMessage.names.merging(ProfileKey.signatureStatuses) { name, _ in name })

    private static func meaning(of status: EPOSStatus) -> Meaning {
        switch status {
        case .smartcardInserted: .card(.inserted)
        case .cardRemoved: .card(.removed)
        case .cardTapped: .card(.tapped)
        case .swipeError: .badSwipe
        case EPOSStatus(rawValue: 0xA5), EPOSStatus(rawValue: 0xA6): .gaveUp
        default: .status
        }
    }
}

/// Messages of the native protocol of Spire's (Thyron's) terminals, such as PosMate and SPm2.
///
/// Only the names are published, in headers of an SDK (PaynetEasyReader). The frame layout is not: a profile must
/// supply it (``FrameLayout``).
package enum EPOSMessage: String, Sendable, Hashable, CaseIterable {
    /// The till requests a transaction.
    case initTransaction = "InitTransaction"
    /// The terminal requests the amount.
    case getAmount = "GetAmount"
    /// The till requests the swiped data.
    case getSwipedData = "GetSwipedData"
    /// The till accepts or refuses the swiped data.
    case processSwipedData = "ProcessSwipedData"
    /// The till requests the terminal's transaction data.
    case getTransactionData = "GetTransactionData"
    /// The terminal requests the issuer's answer.
    case goOnline = "GoOnline"
    /// The terminal reports its progress (`EPOSStatus`).
    case statusReport = "StatusReport"
    /// The terminal reports the end of the transaction and its result.
    case completeTransaction = "CompleteTransaction"
    /// Either side ends the transaction early; the terminal gives the number of an error.
    case terminateTransaction = "TerminateTransaction"

    /// The message's number in a frame; published for one message only.
    package var identifier: UInt8? { self == .statusReport ? 0x49 : nil }
}

/// The progress of a Spire terminal, from its status report.
///
/// Source: headers of an SDK (PaynetEasyReader).
package struct EPOSStatus: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The terminal prompts for a card.
    package static let cardEntryPrompted = EPOSStatus(rawValue: 0xA0)
    /// A chip card was inserted.
    package static let smartcardInserted = EPOSStatus(rawValue: 0xA1)
    /// No card was entered in time.
    package static let cardEntryTimedOut = EPOSStatus(rawValue: 0xA5)
    /// The cardholder must choose an application.
    package static let applicationSelectionStarted = EPOSStatus(rawValue: 0xB0)
    /// The cardholder has chosen an application.
    package static let applicationSelectionCompleted = EPOSStatus(rawValue: 0xB1)
    /// The terminal prompts for the removal of the card.
    package static let removePrompted = EPOSStatus(rawValue: 0xA2)
    /// The card was removed.
    package static let cardRemoved = EPOSStatus(rawValue: 0xA3)
    /// A card was swiped.
    package static let cardSwiped = EPOSStatus(rawValue: 0xA7)
    /// The terminal did not decode a card that was swiped.
    package static let swipeError = EPOSStatus(rawValue: 0xA8)
    /// A card was tapped.
    package static let cardTapped = EPOSStatus(rawValue: 0xA9)
    /// The entry of a PIN has begun.
    package static let pinEntryStarted = EPOSStatus(rawValue: 0xC0)
    /// The entry of a PIN is complete.
    package static let pinEntryCompleted = EPOSStatus(rawValue: 0xC1)
    /// The cardholder cancelled the entry of a PIN.
    package static let pinEntryAborted = EPOSStatus(rawValue: 0xC2)
    /// The cardholder entered no PIN, and goes on.
    package static let pinEntryBypassed = EPOSStatus(rawValue: 0xC3)
    /// One attempt to enter the PIN is left.
    package static let lastPINEntry = EPOSStatus(rawValue: 0xC5)

    /// Whether the terminal accepts a cancellation in the reply to this report.
    package var takesCancel: Bool { Self.cancelled.contains(rawValue) }

    private static let cancelled: Set<UInt8> = [
        0xA0, 0xA1, 0xA2, 0xA7, 0xA8, 0xA9, 0xAA, 0xB0, 0xB1, 0xC0, 0xD0, 0xE0, 0xF0,
    ]

    package static let names: [UInt8: String] = [
        0xA0: "card entry prompted", 0xA1: "smartcard inserted", 0xA2: "removal prompted", 0xA3: "card removed",
        0xA4: "card entry bypassed", 0xA5: "card entry timed out", 0xA6: "card entry aborted", 0xA7: "card swiped",
        0xA8: "swipe error", 0xA9: "card tapped", 0xAA: "tap error", 0xB0: "application selection started",
        0xB1: "application selection completed", 0xC0: "PIN entry started", 0xC1: "PIN entry completed",
        0xC2: "PIN entry aborted", 0xC3: "PIN entry bypassed", 0xC4: "PIN entry timed out", 0xC5: "last PIN entry",
        0xD0: "amount confirmation started", 0xD1: "amount confirmation completed",
        0xD2: "amount confirmation aborted", 0xD3: "amount confirmation bypassed",
        0xD4: "amount confirmation timed out", 0xE0: "currency selection started", 0xE1: "card's currency selected",
        0xE2: "card's currency not selected", 0xE3: "currency selection timed out", 0xF0: "gratuity entry started",
        0xF1: "gratuity entered", 0xF2: "gratuity not entered", 0xF3: "gratuity entry timed out",
    ]
}

/// The error of a Spire terminal.
///
/// Source: headers of an SDK (PaynetEasyReader).
package enum EPOSError: Int, Error, Sendable, Hashable, CaseIterable {
    /// An error of another kind.
    case general = 0
    /// No application was selected.
    case applicationSelection
    /// The application could not be started.
    case initiateApplicationProcessing
    /// The application's data could not be read.
    case readApplicationData
    /// The offline authentication of the card failed.
    case offlineDataAuthentication
    /// The card's restrictions do not allow this transaction.
    case processingRestrictions
    /// Terminal risk management failed.
    case terminalRiskManagement
    /// The cardholder was not verified.
    case cardholderVerification
    /// Terminal action analysis gave no decision.
    case terminalActionAnalysis
    /// Card action analysis gave no decision.
    case cardActionAnalysis
    /// The transaction did not complete.
    case completion
    /// The till aborted the transaction.
    case terminatedByTill
    /// The chip sent no answer to reset.
    case noAnswerToReset
    /// The stripe could not be read.
    case swipeRead
    /// The card was removed too soon.
    case cardRemoved
    /// The cardholder cancelled the transaction.
    case cancelledByUser
    /// The terminal accepts no application of the card.
    case noSupportedApplications
    /// The card is blocked.
    case cardBlocked
    /// The chip could not be read.
    case chipRead
    /// The cardholder's time was over.
    case userTimedOut
    /// A DUKPT key is missing or exhausted.
    case dukptKey
    /// A master or session key is missing.
    case masterOrSessionKey
    /// This transaction must not be contactless.
    case contactlessNotAllowed
    /// The contactless transaction was aborted.
    case contactlessAborted
}

extension ReaderFamily {
    static let epos = ReaderFamily(unpublished: .epos, "Spire PosMate and SPm2, by EPOS")
}

extension ReaderTrouble {
    /// The cause that an error of a Spire terminal names; nil if it names none of these.
    init?(_ error: EPOSError) {
        switch error {
        case .dukptKey, .masterOrSessionKey: self = .keyMissing
        default: return nil
        }
    }
}
