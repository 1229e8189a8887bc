import Accept
import Testing

/// Names and numbers of the SDK. Source: the headers of its public releases (WirecardMobileServices/acceptSDK): the
/// enumerations in `AcceptV3DataTypes.h`, `AcceptBasketItem.h` and `AcceptTransaction.h`.
@Suite struct VocabularyTests {
    @Test func X1_01_statesOfAPaymentHaveTheNumbersOfTheSDK() {
        let names = """
            waitingForPlugIn waitingForSwipe damagedChipAndWaitingForSwipe processingData onlineProcessingData \
            followTerminalInstructions initialize terminalConfigOngoing insertOrSwipeCard tapOrInsertOrSwipeCard \
            waitingForInsertCard checkingCard removeCard cardRemoved confirmAmount amountConfirmed pinEntered \
            correctPIN pinEntryLastTry askingForPIN pinEntryWrong cardholderSignatureCheck terminalRestarting \
            gratuityEntryStarted applicationSelectionStarted applicationSelectionFinished \
            followInstructionsOnConsumerDevice onlineATrustWait
            """
        #expect(AcceptStateUpdate.allCases.map(\.rawValue) == Array(0...27))
        #expect(AcceptStateUpdate.allCases.map { "\($0)" } == names.split(separator: " ").map(String.init))
    }

    @Test func X1_02_errorsOfAPaymentHaveTheNumbersOfTheSDK() {
        #expect(AcceptPayErrorCode.allCases.count == 36)
        #expect(AcceptPayErrorCode.allCases.map(\.rawValue) == Array(0...35))
        let some: [AcceptPayErrorCode: Int] = [
            .plugInTimeout: 0, .signatureTimeout: 1, .initialization: 2, .lowBatteryLevel: 3, .swipeTimeout: 4,
            .badSwipe: 5, .hardwareAccessPermission: 10, .tokenExpired: 11, .cantLoadTerminalConfiguration: 14,
            .terminalNotSetInMerchant: 21, .transactionDeclined: 24, .blockedCardType: 25, .lowPowerInAudioJack: 31,
            .terminalCommandTimeOut: 33, .terminalTimeOut: 34, .deviceRooted: 35,
        ]
        for (code, number) in some { #expect(code.rawValue == number) }
    }

    @Test func S1_146_errorsOfRequestsHaveTheNumbersOfTheSDK() {
        #expect(AcceptCommonErrorCode.allCases.map(\.rawValue) == [-1000] + Array(0...14) + [1001])
        #expect(AcceptCommonErrorCode.forgotExternalIdNotFound.rawValue == 14)
        #expect(AcceptCommonErrorCode.wrongUserNameOrPassword.rawValue == 2)
    }

    @Test func X1_03_reversalsAndOperationsHaveTheNumbersOfTheSDK() {
        let reasons: [AcceptReversalReason: Int] = [
            .undefined: -1, .signatureDeclined: 0, .adviceUnsupported: 1, .cardDeclined: 2, .captureUnsupported: 4,
            .noEFTResponse: 6, .terminalTerminated: 7, .signatureVerificationTimeout: 10, .offlineDeclined: 11,
        ]
        #expect(reasons.count == AcceptReversalReason.allCases.count)
        for (reason, number) in reasons { #expect(reason.rawValue == number) }
        let operations: [AcceptOperationOnPayment: Int] = [
            .refund: 0, .reverse: 1, .receipt: 3, .confirmResponseReceived: 4, .signatureUpdate: 5, .capture: 6,
        ]
        #expect(operations.count == AcceptOperationOnPayment.allCases.count)
        for (operation, number) in operations { #expect(operation.rawValue == number) }
    }

    @Test func X1_06_onlyAnApprovedPaymentIsAccepted() {
        let words = [
            "approved", "pending", "refunded", "rejected", "reversed", "new", "authorized", "preauthorized",
            "bookbacked", "chargebacked", "canceled", "incomplete",
        ]
        #expect(AcceptTransactionStatus.allKnown.map(\.rawValue) == words)
        #expect(AcceptTransactionStatus.allKnown.filter(\.isAccepted) == [.approved])
        #expect(!AcceptTransactionStatus(rawValue: "Approved").isAccepted)
        #expect(AcceptTransactionState.allCases.map(\.rawValue) == Array(0...6))
        let known = AcceptTransactionStatus.allKnown.compactMap(\.transactionState)
        #expect(Set(known) == Set(AcceptTransactionState.allCases))
    }

    @Test func S1_14_vendorsHaveTheNamesOfTheSDK() {
        let identifiers = [
            AcceptSpireVendorUUID, AcceptbbPOSVendorUUID, AcceptIDTECHVendorUUID, AcceptDatecsVendorUUID,
        ]
        #expect(Set(identifiers).count == 4)
    }

    @Test func S1_150_typesOfPaymentsHaveTheNumbersOfTheSDK() {
        #expect(AcceptTransactionType.allCases == [.purchase, .authorize, .preauthorize, .sepa])
        #expect(AcceptTransactionType.allCases.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test func errorsNameTheirEnumerationAndNumber() {
        let code = AcceptError.Code.pay(.tokenExpired)
        #expect(code.domain == "AcceptPayErrorCode")
        #expect(code.name == "tokenExpired")
        #expect(code.number == 11)
        #expect(code != .common(.queryStatsTokenExpired))
        #expect(AcceptError.Code.basketInvalid.number == nil)
    }
}
