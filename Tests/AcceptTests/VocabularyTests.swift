import Accept
import Testing

/// Names and numbers of the SDK. Source: the headers of its public releases (WirecardMobileServices/acceptSDK): the
/// enumerations in `AcceptV3DataTypes.h`, `AcceptBasketItem.h` and `AcceptTransaction.h`.
@Suite struct VocabularyTests {
    @Test func X1_01_statesOfAPaymentHaveTheNumbersOfTheSDK() throws {
        let published = try PublishedNames.values(PublishedNames.stateUpdate)
        #expect(published.count == 28)
        #expect(PublishedNames.values(AcceptStateUpdate.self) == published)
    }

    @Test func X1_02_errorsOfAPaymentHaveTheNumbersOfTheSDK() throws {
        let published = try PublishedNames.values(PublishedNames.payErrorCode)
        #expect(published.count == 36)
        #expect(PublishedNames.values(AcceptPayErrorCode.self) == published)
    }

    /// Requests have one enumeration of errors together (1.6.160), and a terminal's configuration another one.
    @Test func S1_146_errorsOfRequestsHaveTheNumbersOfTheSDK() throws {
        #expect(
            try PublishedNames.values(AcceptCommonErrorCode.self)
                == PublishedNames.values(PublishedNames.commonErrorCode))
    }

    @Test func S1_24_errorsOfAConfigurationHaveTheNumbersOfTheSDK() throws {
        #expect(
            try PublishedNames.values(AcceptConfigFilesInfoErrorCode.self)
                == PublishedNames.values(PublishedNames.configFilesInfoErrorCode))
    }

    @Test func X1_03_reversalsAndOperationsHaveTheNumbersOfTheSDK() throws {
        #expect(
            try PublishedNames.values(AcceptReversalReason.self)
                == PublishedNames.values(PublishedNames.reversalReason))
        #expect(
            try PublishedNames.values(AcceptOperationOnPayment.self)
                == PublishedNames.values(PublishedNames.operationOnPayment))
    }

    @Test func theOtherEnumerationsHaveTheNumbersOfTheSDK() throws {
        #expect(
            try PublishedNames.values(AcceptTransactionState.self)
                == PublishedNames.values(PublishedNames.transactionState))
        #expect(
            try PublishedNames.values(AcceptTaxationType.self) == PublishedNames.values(PublishedNames.taxationType))
        #expect(
            try PublishedNames.values(AcceptBasketItemType.self)
                == PublishedNames.values(PublishedNames.basketItemType))
        #expect(
            try PublishedNames.values(AcceptSignatureVerificationResult.self)
                == PublishedNames.values(PublishedNames.signatureVerificationResult))
        #expect(
            try PublishedNames.values(AcceptExtensionConnectionStatus.self)
                == PublishedNames.values(PublishedNames.extensionConnectionStatus))
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

    /// The names are those of the guide, chapter 3.1, and of `Accept.h`. The values are the vendors' identifiers in the public
    /// `paymentMethods.xml`; no source shows the library's own.
    @Test func S1_14_vendorsHaveTheNamesOfTheSDK() {
        let identifiers = [
            AcceptSpireVendorUUID, AcceptbbPOSVendorUUID, AcceptIDTECHVendorUUID, AcceptDatecsVendorUUID,
            (DeprecatedVendor() as any IdentifiedVendor).identifier,
        ]
        #expect(identifiers == ["ENABLE_SPIRE", "ENABLE_BBPOS", "ENABLE_IDTECH", "ENABLE_DATECS", "ENABLE_VERIFONE"])
    }

    /// A program that compares the domain of an error with the SDK's constant needs no change.
    @Test func S1_14_eachErrorHasTheDomainOfTheSDK() async throws {
        let till = try await PayTill(chip(5105))
        let declined = await failure { () throws(AcceptError) in try await till.pay(till.config(5105)) }
        #expect(declined?.domain == AcceptErrorDomain)
        // An error of this project's own.
        let empty = await failure { () throws(AcceptError) in
            var config = till.config()
            config.basket.items = []
            return try await till.pay(config)
        }
        #expect(empty?.domain == AcceptErrorDomain)
        #expect(empty?.code == .basketInvalid)
    }

    @Test func S1_150_typesOfPaymentsHaveTheNumbersOfTheSDK() throws {
        #expect(
            try PublishedNames.values(AcceptTransactionType.self)
                == PublishedNames.values(PublishedNames.transactionType))
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

/// Reads a deprecated constant without a warning.
private protocol IdentifiedVendor {
    var identifier: String { get }
}

private struct DeprecatedVendor: IdentifiedVendor {
    @available(*, deprecated)
    var identifier: String { AcceptVeriFoneVendorUUID }
}
