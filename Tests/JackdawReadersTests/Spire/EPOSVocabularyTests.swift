import JackdawReaders
import Testing

/// What is published of Spire's native protocol: names and numbers.
@Suite struct EPOSVocabularyTests {
    @Test func statusesErrorsAndMessagesAreThoseThatArePublished() {
        let reading = EPOSStatus.names.keys.filter { EPOSStatus(rawValue: $0).takesCancel }.sorted()
        #expect(reading == [0xA0, 0xA1, 0xA2, 0xA7, 0xA8, 0xA9, 0xAA, 0xB0, 0xB1, 0xC0, 0xD0, 0xE0, 0xF0])
        #expect(EPOSStatus.names.count == 32)
        #expect("\(EPOSStatus.lastPINEntry)" == "C5 last PIN entry")
        #expect(EPOSError.allCases.map(\.rawValue) == Array(0...23))
        #expect(EPOSError(rawValue: 11) == .terminatedByTill)
        #expect(EPOSError(rawValue: 20) == .dukptKey)
        #expect(EPOSMessage.allCases.compactMap(\.identifier) == [0x49])
        #expect(EPOSMessage.allCases.count == 9)
    }
}
