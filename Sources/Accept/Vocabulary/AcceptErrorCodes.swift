// The error codes of the Accept SDK. Source of names and numbers: the headers of WirecardMobileServices/acceptSDK in its
// public releases up to 1.6.219.

/// An error of a payment (`AcceptPayErrorCode`).
public enum AcceptPayErrorCode: Int, Sendable, Hashable, CaseIterable {
    /// `AcceptPlugInTimeoutErrorCode`: no terminal was attached within the time limit.
    case plugInTimeout = 0
    /// `AcceptSignatureTimeoutErrorCode`: no signature came within the time limit.
    case signatureTimeout = 1
    /// `AcceptInitializationErrorCode`: the terminal cannot be prepared.
    case initialization = 2
    /// `AcceptLowBatteryLevelErrorCode`: the battery of the terminal is nearly empty.
    case lowBatteryLevel = 3
    /// `AcceptSwipeTimeoutError`: no card was swiped within the time limit.
    case swipeTimeout = 4
    /// `AcceptBadSwipeError`: the swipe cannot be read.
    case badSwipe = 5
    /// `AcceptNotSupportedCardTypeErrorCode`: the terminal takes no card of this type.
    case notSupportedCardType = 6
    /// `AcceptDataProcessingErrorCode`: the host cannot process the data, such as a wrong terminal.
    case dataProcessing = 7
    /// `AcceptOnlineProcessingErrorCode`: the host gave no usable answer.
    case onlineProcessing = 8
    /// `AcceptTransactionNotApprovedErrorCode`: the host did not approve.
    case transactionNotApproved = 9
    /// `AcceptHardwareAccessPermissionErrorCode`: the program may not use the microphone.
    case hardwareAccessPermission = 10
    /// `AcceptTokenExpiredErrorCode`: the user must log in again.
    case tokenExpired = 11
    /// `AcceptPayConnectionErrorCode`: the host cannot be reached.
    case payConnection = 12
    /// `AcceptSignatureRequestErrorCode`: the program gave no signature.
    case signatureRequest = 13
    /// `AcceptCantLoadTerminalConfiguration`: the terminal was never configured.
    case cantLoadTerminalConfiguration = 14
    /// `AcceptCantLoadSwiperTerminalConfiguration`: the swiper has no configuration.
    case cantLoadSwiperTerminalConfiguration = 15
    /// `AcceptTerminalDamagedError`: the terminal is broken, or was opened.
    case terminalDamaged = 16
    /// `AcceptNoDUKPTError`: the terminal has no keys.
    case noDUKPT = 17
    /// `AcceptFailedToStartEMVError`: the transaction of the chip cannot be started.
    case failedToStartEMV = 18
    /// `AcceptFailedToSendOfflineEMVError`: the terminal refuses data before the host is asked.
    case failedToSendOfflineEMV = 19
    /// `AcceptFailedToSendOnlineEMVError`: the terminal refuses the host's answer.
    case failedToSendOnlineEMV = 20
    /// `AcceptTerminalNotSetInMerchantError`: the host does not have the terminal for this merchant.
    case terminalNotSetInMerchant = 21
    /// `AcceptResponseLostErrorCode`: the answer of the host was lost.
    case responseLost = 22
    /// `AcceptTransactionTerminatedErrorCode`: the transaction was ended by the terminal, the cardholder or a call.
    case transactionTerminated = 23
    /// `AcceptTransactionDeclinedErrorCode`: the card or the issuer declined.
    case transactionDeclined = 24
    /// `AcceptBlockedCardTypeErrorCode`: cards of this type are excluded, or the card is blocked.
    case blockedCardType = 25
    /// `AcceptFailedBluetoothConnectionError`: the terminal cannot be reached over Bluetooth.
    case failedBluetoothConnection = 26
    /// `AcceptTerminalNotReady`: the terminal is busy or off.
    case terminalNotReady = 27
    /// `AcceptTerminalTimeoutApplicationSelection`: no application was chosen within the time limit.
    case terminalTimeoutApplicationSelection = 28
    /// `AcceptTerminalFailedToGetICCApplicationsList`: the list of applications cannot be read.
    case terminalFailedToGetICCApplicationsList = 29
    /// `AcceptTerminalFailedToTerminateCurrentTerminalPaymentFlow`: the terminal does not end its transaction.
    case terminalFailedToTerminateCurrentTerminalPaymentFlow = 30
    /// `AcceptLowPowerInAudioJackErrorCode`: the volume or the power of the audio jack is too low.
    case lowPowerInAudioJack = 31
    /// `AcceptMonoAudioEnabledErrorCode`: the sound card is set to mono.
    case monoAudioEnabled = 32
    /// `AcceptTerminalCommandTimeOutErrorCode`: the terminal did not answer a command.
    case terminalCommandTimeOut = 33
    /// `AcceptTerminalTimeOutErrorCode`: the terminal did not end its transaction within the time limit.
    case terminalTimeOut = 34
    /// `AcceptDeviceRootedErrorCode`: the device's protection was removed.
    case deviceRooted = 35
}

/// An error of a request about accounts or of discovery (`AcceptCommonErrorCode`).
public enum AcceptCommonErrorCode: Int, Sendable, Hashable, CaseIterable {
    /// `AcceptUnsupportedFeature`: the host or the terminal does not have the feature.
    case unsupportedFeature = -1000
    /// `AcceptTransactionsQueryTokenExpiredErrorCode`: the user must log in again.
    case transactionsQueryTokenExpired = 0
    /// `AcceptTransactionsQueryNoConnectionErrorCode`: the host cannot be reached.
    case transactionsQueryNoConnection = 1
    /// `AcceptWrongUserNameOrPasswordErrorCode`: the host refuses the login.
    case wrongUserNameOrPassword = 2
    /// `AcceptRequestTokenConnectionErrorCode`: the host cannot be reached for a login.
    case requestTokenConnection = 3
    /// `AcceptRequestMerchantInfoTokenExpiredErrorCode`: the user must log in again.
    case requestMerchantInfoTokenExpired = 4
    /// `AcceptRequestMerchantInfoNoConnectionErrorCode`: the host cannot be reached.
    case requestMerchantInfoNoConnection = 5
    /// `AcceptVendorNotFoundError`: no vendor has this identifier.
    case vendorNotFound = 6
    /// `AcceptApplicationConfigurationInvalid`: the program's own configuration is wrong.
    case applicationConfigurationInvalid = 7
    /// `AcceptResetPasswordConnectionErrorCode`: the host cannot be reached.
    case resetPasswordConnection = 8
    /// `AcceptExternalIdNotFoundErrorCode`: no user has this name (status 422).
    case externalIdNotFound = 9
    /// `AcceptChangePasswordCriteriaNotMet`: the new password is too weak, or the two entries differ.
    case changePasswordCriteriaNotMet = 10
    /// `AcceptQueryStatsTokenExpiredErrorCode`: the user must log in again.
    case queryStatsTokenExpired = 11
    /// `AcceptQueryStatsConnectionErrorCode`: the host cannot be reached.
    case queryStatsConnection = 12
    /// `AcceptForgotExternalIdConnectionErrorCode`: the host cannot be reached.
    case forgotExternalIdConnection = 13
    /// `AcceptForgotExternalIdNotFoundErrorCode`: no user has this address (status 422).
    case forgotExternalIdNotFound = 14
    /// `AcceptGenericRequestTimeoutErrorCode`: the host did not answer within the time limit.
    case genericRequestTimeout = 1001
}

/// An error of a terminal's configuration (`AcceptConfigFilesInfoErrorCode`).
public enum AcceptConfigFilesInfoErrorCode: Int, Sendable, Hashable, CaseIterable {
    /// `AcceptConfigFilesUnsupportedFeature`: the terminal takes no configuration.
    case unsupportedFeature = -1000
    /// `AcceptConfigFilesInfoTimeoutErrorCode`: the host did not answer within the time limit.
    case infoTimeout = 0
    /// `AcceptConfigFilesInfoNoConnectionErrorCode`: the host cannot be reached.
    case infoNoConnection = 1
    /// `AcceptConfigFilesInfoNoProperResponseErrorCode`: the answer has no version and address.
    case infoNoProperResponse = 2
    /// `AcceptConfigFilesZipDownloadErrorCode`: the file cannot be downloaded.
    case zipDownload = 3
    /// `AcceptConfigFilesTerminalDisconnectedErrorCode`: the terminal was disconnected.
    case terminalDisconnected = 4
    /// `AcceptConfigFilesTerminalMayNotBeSetErrorCode`: the host may not have the terminal for this merchant.
    case terminalMayNotBeSet = 5
    /// `AcceptConfigFilesTerminalCancelledFileDownload`: the terminal ended the transfer.
    case terminalCancelledFileDownload = 6
    /// `AcceptConfigFilesProductionFirmwareOnDevelopmentTerminal`: the firmware is for live terminals.
    case productionFirmwareOnDevelopmentTerminal = 7
    /// `AcceptConfigFilesDevelopmentFirmwareOnProductionTerminal`: the firmware is for test terminals.
    case developmentFirmwareOnProductionTerminal = 8
    /// `AcceptConfigFilesTerminalUnsupported`: the terminal is of another type.
    case terminalUnsupported = 9
    /// `AcceptConfigFilesTokenExpiredErrorCode`: the user must log in again.
    case tokenExpired = 10
    /// `AcceptConfigFilesInfoNoDataErrorCode`: the host has no configuration.
    case infoNoData = 11
    /// `AcceptConfigFilesTerminalFirmwareDoesNotExist`: the host has no firmware for the terminal.
    case terminalFirmwareDoesNotExist = 12
}
