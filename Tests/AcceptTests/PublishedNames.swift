import Testing

/// The enumerations of the SDK as its headers have them: `AcceptV3DataTypes.h`, `AcceptBasketItem.h`, `AcceptTransaction.h` and
/// `Accept.h` of the public releases (WirecardMobileServices/acceptSDK), without the prefixes and suffixes that are the same
/// for a whole enumeration. A name without a number has the next one, as in C.
enum PublishedNames {
    static let stateUpdate = """
        WaitingForPlugIn=0 WaitingForSwipe DamagedChipAndWaitingForSwipe ProcessingData OnlineProcessingData \
        FollowTerminalInstructions Initialize TerminalConfigOngoing InsertOrSwipeCard TapOrInsertOrSwipeCard \
        WaitingForInsertCard CheckingCard RemoveCard CardRemoved ConfirmAmount AmountConfirmed PINEntered CorrectPIN \
        PINEntryLastTry AskingForPIN PinEntryWrong CardholderSignatureCheck TerminalRestarting GratuityEntryStarted \
        ApplicationSelectionStarted ApplicationSelectionFinished FollowInstructionsOnConsumerDevice OnlineATrustWait
        """
    static let payErrorCode = """
        PlugInTimeout=0 SignatureTimeout Initialization LowBatteryLevel SwipeTimeout BadSwipe NotSupportedCardType \
        DataProcessing OnlineProcessing TransactionNotApproved HardwareAccessPermission TokenExpired PayConnection \
        SignatureRequest CantLoadTerminalConfiguration CantLoadSwiperTerminalConfiguration TerminalDamaged NoDUKPT \
        FailedToStartEMV FailedToSendOfflineEMV FailedToSendOnlineEMV TerminalNotSetInMerchant ResponseLost \
        TransactionTerminated TransactionDeclined BlockedCardType FailedBluetoothConnection TerminalNotReady \
        TerminalTimeoutApplicationSelection TerminalFailedToGetICCApplicationsList \
        TerminalFailedToTerminateCurrentTerminalPaymentFlow LowPowerInAudioJack MonoAudioEnabled TerminalCommandTimeOut \
        TerminalTimeOut DeviceRooted
        """
    static let commonErrorCode = """
        UnsupportedFeature=-1000 TransactionsQueryTokenExpired=0 TransactionsQueryNoConnection WrongUserNameOrPassword \
        RequestTokenConnection RequestMerchantInfoTokenExpired RequestMerchantInfoNoConnection VendorNotFound \
        ApplicationConfigurationInvalid ResetPasswordConnection ExternalIdNotFound ChangePasswordCriteriaNotMet \
        QueryStatsTokenExpired QueryStatsConnection ForgotExternalIdConnection ForgotExternalIdNotFound=14 \
        GenericRequestTimeout=1001
        """
    static let configFilesInfoErrorCode = """
        UnsupportedFeature=-1000 InfoTimeout=0 InfoNoConnection InfoNoProperResponse ZipDownload TerminalDisconnected \
        TerminalMayNotBeSet TerminalCancelledFileDownload ProductionFirmwareOnDevelopmentTerminal \
        DevelopmentFirmwareOnProductionTerminal TerminalUnsupported TokenExpired InfoNoData TerminalFirmwareDoesNotExist
        """
    static let reversalReason = """
        Undefined=-1 SignatureDeclined=0 AdviceUnsupported=1 CardDeclined=2 CaptureUnsupported=4 NoEFTResponse=6 \
        TerminalTerminated=7 SignatureVerificationTimeout=10 OfflineDeclined=11
        """
    static let operationOnPayment = """
        Refund=0 Reverse=1 Receipt=3 ConfirmResponseReceived=4 SignatureUpdate=5 Capture=6
        """
    static let transactionType = "Purchase=0 Authorize Preauthorize SEPA"
    static let transactionState = "Approved=0 Declined Reversed Refunded Pending Authorized Preauthorized"
    static let taxationType = "Gross=0 Net=1"
    static let basketItemType = "NORMAL=0 TIP SERVICE_CHARGE"
    static let signatureVerificationResult = "NotDefined=0 Approved=1 Rejected=2"
    static let extensionConnectionStatus = "Connected=0 Disconnected Unknown"

    /// Names in small letters, and their numbers, in the order of the header.
    static func values(_ list: String) throws -> [String] {
        var next = 0
        return try list.split(separator: " ").map { word in
            let parts = word.split(separator: "=")
            if parts.count == 2 { next = try #require(Int(parts[1])) }
            defer { next += 1 }
            return "\(try #require(parts.first).lowercased().replacing("_", with: "")) \(next)"
        }
    }

    /// The cases of an enumeration of this project in the same form.
    static func values<Enumeration: CaseIterable & RawRepresentable<Int>>(_: Enumeration.Type) -> [String] {
        Enumeration.allCases.map { "\("\($0)".lowercased()) \($0.rawValue)" }
    }
}
