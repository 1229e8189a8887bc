extension WireVocabulary {
    /// Spire's PosMate and SPm2: status numbers and the number of their report are published.
    static let epos = WireVocabulary(
        family: "epos", title: "Spire's PosMate and SPm2",
        events: EPOSStatus.names.keys.sorted().map { number in
            (EPOSStatus.names[number] ?? "", number, meaning(of: EPOSStatus(rawValue: number)))
        }, eventMessage: EPOSMessage.statusReport.identifier)

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
/// Names only are published, in headers of an SDK (PaynetEasyReader). How they are framed is not: a profile has to
/// supply it (``FrameLayout``).
package enum EPOSMessage: String, Sendable, Hashable, CaseIterable {
    /// A transaction begins.
    case initTransaction = "InitTransaction"
    /// The terminal asks for the amount.
    case getAmount = "GetAmount"
    /// What was swiped is asked for.
    case getSwipedData = "GetSwipedData"
    /// What was swiped is to be used.
    case processSwipedData = "ProcessSwipedData"
    /// What the terminal knows of the transaction is asked for.
    case getTransactionData = "GetTransactionData"
    /// The issuer is to be asked.
    case goOnline = "GoOnline"
    /// How far the terminal is (``EPOSStatus``).
    case statusReport = "StatusReport"
    /// The transaction is done.
    case completeTransaction = "CompleteTransaction"
    /// The transaction is given up.
    case terminateTransaction = "TerminateTransaction"

    /// The number that a frame has for it; of one message only it is published.
    package var identifier: UInt8? { self == .statusReport ? 0x49 : nil }
}

/// How far a Spire terminal is, as its status report says.
///
/// Source: headers of an SDK (PaynetEasyReader).
package struct EPOSStatus: NamedNumber {
    /// Its number.
    package let rawValue: UInt8

    /// Of a number.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A card is asked for.
    package static let cardEntryPrompted = EPOSStatus(rawValue: 0xA0)
    /// A chip card was inserted.
    package static let smartcardInserted = EPOSStatus(rawValue: 0xA1)
    /// The card is to be removed.
    package static let removePrompted = EPOSStatus(rawValue: 0xA2)
    /// The card was removed.
    package static let cardRemoved = EPOSStatus(rawValue: 0xA3)
    /// A card was swiped.
    package static let cardSwiped = EPOSStatus(rawValue: 0xA7)
    /// A card was swiped and not read.
    package static let swipeError = EPOSStatus(rawValue: 0xA8)
    /// A card was tapped.
    package static let cardTapped = EPOSStatus(rawValue: 0xA9)
    /// A PIN is being entered.
    package static let pinEntryStarted = EPOSStatus(rawValue: 0xC0)
    /// A PIN was entered.
    package static let pinEntryCompleted = EPOSStatus(rawValue: 0xC1)
    /// One try is left for the PIN.
    package static let lastPINEntry = EPOSStatus(rawValue: 0xC5)

    /// Whether the terminal reads the reply to the report for a cancel.
    package var takesCancel: Bool { Self.cancelled.contains(rawValue) }

    private static let cancelled: Set<UInt8> = [
        0xA0, 0xA1, 0xA2, 0xA7, 0xA8, 0xA9, 0xAA, 0xB0, 0xB1, 0xC0, 0xD0, 0xE0, 0xF0,
    ]

    /// What the published numbers mean.
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

/// Why a Spire terminal could not go on.
///
/// Source: headers of an SDK (PaynetEasyReader).
package enum EPOSError: Int, Error, Sendable, Hashable, CaseIterable {
    /// Of no other kind.
    case general = 0
    /// No application was selected.
    case applicationSelection
    /// The application did not begin.
    case initiateApplicationProcessing
    /// The application's data were not read.
    case readApplicationData
    /// The card was not authenticated offline.
    case offlineDataAuthentication
    /// The card may not be used for this.
    case processingRestrictions
    /// The terminal's check of the risk failed.
    case terminalRiskManagement
    /// The cardholder was not verified.
    case cardholderVerification
    /// The terminal did not decide.
    case terminalActionAnalysis
    /// The card did not decide.
    case cardActionAnalysis
    /// The transaction did not come to its end.
    case completion
    /// The till gave up.
    case terminatedByTill
    /// The chip did not answer.
    case noAnswerToReset
    /// The stripe was not read.
    case swipeRead
    /// The card was removed too soon.
    case cardRemoved
    /// The cardholder gave up.
    case cancelledByUser
    /// The card has no application that the terminal takes.
    case noSupportedApplications
    /// The card is blocked.
    case cardBlocked
    /// The chip was not read.
    case chipRead
    /// The cardholder did nothing in time.
    case userTimedOut
    /// A DUKPT key is missing or at its end.
    case dukptKey
    /// A master or session key is missing.
    case masterOrSessionKey
    /// This may not be paid without contact.
    case contactlessNotAllowed
    /// Paying without contact was given up.
    case contactlessAborted
}
