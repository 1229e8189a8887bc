import JackdawReaders
import Testing

/// Names of Clover's SDK for Go readers.
@Suite struct CloverGoNamesTests {
    /// The SDK counts its events from 0 in this order.
    @Test func eventsAreInTheOrderOfTheSDK() {
        let names = CloverGoTransactionEvent.allCases.map(\.rawValue)
        #expect(names.count == 15)
        #expect(names.first == "CARD_SWIPED")
        #expect(names[4] == "EMV_DIP_FAILED_PROCEED_WITH_SWIPE")
        #expect(names.last == "PLEASE_SEE_PHONE")
        #expect(CloverGoInitializationEvent.allCases.count == 6)
        #expect(CloverGoDeviceError.allCases.count == 5)
    }
}
