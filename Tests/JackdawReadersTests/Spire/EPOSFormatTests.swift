import JackdawReaders
import JackdawTestSupport
import Testing

/// Spire's native protocol, whose framing is not published: what a framing that is supplied does, and what is known without.
@Suite struct EPOSFormatTests {
    /// Framings that a terminal may have; none of them is known to be one's.
    private static let framings = [
        EPOSFraming(
            start: [0x02], lengthSize: 2, counted: .content, check: .longitudinal, checked: .length, end: [0x03]),
        EPOSFraming(start: [0xAA, 0x55], lengthSize: 1, counted: .everything, check: .crc16, checked: .start, end: []),
        EPOSFraming(
            start: [0x01], lengthSize: 1, counted: .content, check: .sum, checked: .content, end: [0x0D, 0x0A]),
    ]

    @Test(arguments: framings) func framesAreCutHoweverTheyCome(_ framing: EPOSFraming) throws {
        let format = try EPOSFormat(framing)
        let frames = [
            try format.frame([0x49, 0x01, 0xA0]), try format.frame([]),
            try format.frame((0..<200).map { UInt8($0) }),
        ]
        // What is checked from the content on does not tell a damaged length by itself.
        verify(format, frames: frames, garbage: [0, 0xFE, 0x7F], isChecked: framing.checked != .content)
    }

    @Test func framesAreMade() throws {
        #expect(try EPOSFormat(Self.framings[0]).frame([0x49, 0x01]) == hex("02 0002 4901 4A 03"))
        #expect(try EPOSFormat(Self.framings[2]).frame([0x49, 0x01]) == hex("01 02 4901 4A 0D0A"))
        let format = try EPOSFormat(Self.framings[1])
        // CRC-16/CCITT-FALSE of nine digits is published: 29B1.
        let other = EPOSFraming(
            start: [0xAA], lengthSize: 1, counted: .content, check: .crc16, checked: .content, end: [])
        #expect(try EPOSFormat(other).frame(Array("123456789".utf8)).suffix(2) == [0x29, 0xB1])
        #expect(throws: Never.self) { try format.frame([UInt8](repeating: 0, count: 250)) }
        #expect(throws: FrameFault(.length, at: 2, "251 bytes of content, where 250 are the most")) {
            try format.frame([UInt8](repeating: 0, count: 251))
        }
    }

    @Test func withoutAFramingTheErrorNamesWhatIsMissing() {
        let error = #expect(throws: EPOSFramingMissing.self) { try EPOSFormat(nil) }
        for part in ["start bytes", "length field", "check", "EPOSFraming"] {
            #expect(error?.description.contains(part) == true)
        }
    }

    @Test func withoutACheckAFrameIsTakenBehindAnotherOnly() throws {
        let bare = EPOSFraming(start: [0x02], lengthSize: 1, counted: .content, check: .none, checked: .start, end: [3])
        let format = try EPOSFormat(bare)
        let frame = try format.frame([1, 9])
        #expect(cut(frame + frame, with: format, step: 3).frames == [frame, frame])
        #expect(cut([0] + frame, with: format, step: 3).frames.isEmpty)
        #expect(format.fields(of: frame).map(\.name) == ["start", "length", "content", "end"])
    }

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
