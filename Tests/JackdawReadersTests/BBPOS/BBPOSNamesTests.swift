import JackdawReaders
import Testing

/// Names of SDKs whose readers' frames are not published.
@Suite struct BBPOSNamesTests {
    @Test func namesAreThoseOfTheSDK() {
        #expect(BBPOSCheckCardResult(rawValue: "MCR") == .stripe)
        #expect(BBPOSTransactionResult(rawValue: "CAPK_FAIL") == .publicKeyFailed)
        #expect(BBPOSError(rawValue: "FAIL_TO_START_AUDIO") == .audioNotStarted)
        #expect(BBPOSConnection.allCases.count == 4)
        #expect(BBPOSCheckCardMode.allCases.count == 4)
        #expect(BBPOSCheckCardResult.allCases.count == 10)
        #expect(BBPOSTransactionKind.allCases.count == 7)
        #expect(BBPOSTransactionResult.allCases.count == 15)
        #expect(BBPOSDisplayText.allCases.count == 36)
        #expect(BBPOSError.allCases.count == 18)
    }
}
