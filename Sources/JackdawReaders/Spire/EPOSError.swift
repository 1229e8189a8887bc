/// Why a Spire terminal could not go on.
///
/// Source: headers of an SDK (PaynetEasyReader).
public enum EPOSError: Int, Error, Sendable, Hashable, CaseIterable {
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
