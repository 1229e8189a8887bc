import JackdawReaders
import JackdawTestSupport
import Testing

/// Lines of MagTek's MagneSafe readers, with the swipe that its manual publishes.
@Suite struct MagTekFormatTests {
    private static let swipe = PublishedSwipes.magTek

    private func line(_ text: String) -> [UInt8] { Array("\(text)\r".utf8) }

    @Test func framesAreCutHoweverTheyCome() {
        let counter = line("0013544553542053455455502030303031000007F1")
        verify(
            MagTekFormat(.answer), frames: [Self.swipe, counter, line("0200")], garbage: [10, 0, 0x80],
            isChecked: false, isLine: true)
        verify(
            MagTekFormat(.command), frames: [line("0900"), line("0A080102030405060708")], garbage: [10, 0, 0x80],
            isChecked: false, isLine: true)
    }

    /// Padding between frames, and among bytes that are none, however it comes.
    @Test func paddingIsCutAlikeInAllBlockSizes() {
        let padding = [UInt8](repeating: UInt8(ascii: "x"), count: 300)
        let stream =
            padding + Self.swipe + padding + line("0200") + [10] + padding + PublishedSwipes.magTekClear + padding + [
                0x80
            ]
            + padding + line("0200")
        let whole = cut(stream, with: MagTekFormat(.answer), step: stream.count)
        #expect(whole.frames == [Self.swipe, line("0200"), PublishedSwipes.magTekClear, line("0200")])
        #expect(whole.covers(stream.count))
        #expect(whole.events.count { if case .fault = $0 { true } else { false } } == 2)
        for step in [1, 2, 7, 64, 299, 301] { #expect(cut(stream, with: MagTekFormat(.answer), step: step) == whole) }
        // Alone it is no frame, and commands have none.
        #expect(throws: FrameFault.self) { try MagTekFormat(.answer).check(padding) }
        #expect(cut(padding + line("0900"), with: MagTekFormat(.command), step: 64).frames.isEmpty)
    }

    @Test func commandsAndAnswersAreMade() throws {
        #expect(try MagTekFormat.command(.keySerialNumber) == line("0900"))
        #expect(try MagTekFormat.command(.setSession, [1, 2, 3, 4, 5, 6, 7, 8]) == line("0A080102030405060708"))
        // The manual's example of an answer to a question for the counter: a serial number of 16
        // bytes, three of the counter.
        let serial = Array("TEST SETUP 0001\0".utf8)
        let counter = try MagTekFormat.answer(.done, serial + [0, 0x07, 0xF1])
        #expect(counter == line("0013544553542053455455502030303031000007F1"))
        #expect(throws: FrameFault.self) { try MagTekFormat.command(.setProperty, [UInt8](repeating: 0, count: 121)) }
    }

    /// Every character at every place of eight and after them.
    @Test func onlyHexadecimalDigitsAreDigits() {
        for place in 4..<24 {
            for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "\r") && byte != UInt8(ascii: "|") {
                var line = line("000A" + String(repeating: "9", count: 20))
                line[place] = byte
                let isRight = (try? MagTekFormat(.answer).check(line)) != nil
                #expect(isRight == Character(UnicodeScalar(byte)).isHexDigit, "\(byte) at \(place)")
            }
        }
    }

    @Test func theFieldsOfASwipeAreFound() throws {
        let swipe = try MagTekSwipe(Self.swipe.span)
        #expect(swipe.encryption == [.hasKey, .isEncrypting])
        #expect(swipe.encryptedTracks.map(\.count) == [128, 80, 64])
        #expect(swipe.magnePrint.count == 112)
        #expect(text(swipe.session) == "21685F158B5C6BE0")
        #expect(text(swipe.keySerialNumber) == "FFFF9876543210E00008")
    }

    /// A reader without a key, with a serial number, a counter and an AAMVA track: made from the layout.
    @Test func tracksOfAReaderWithoutAKeyAreHidden() throws {
        let track = Array("#1234567890123456?".utf8).map { String($0, radix: 16, uppercase: true) }.joined()
        let start = "#1234567890123456?|0400|||\(track)|00000000||TEST SETUP 0001|||000000|"
        // Of the characters before it, by the polynomial's definition.
        var crc: UInt16 = 0xFFFF
        for byte in start.utf8 {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        }
        let sum = hexadecimal(crc & 255) + hexadecimal(crc >> 8)
        let swipe = line("\(start)\(sum)||0000")
        let fields = MagTekFormat(.answer).fields(of: swipe, isRevealing: false)
        #expect(fields.first { $0.name == "device serial number" }?.value == "TEST SETUP 0001")
        #expect(fields.first { $0.name == "encrypted track 3" }?.value == "36 characters")
        #expect(!fields.contains { $0.value.contains("1234567890") || $0.value.contains(track) })
        #expect(throws: Never.self) { try MagTekFormat(.answer).check(swipe) }
    }

    @Test func thePublishedLineOfAReaderWithoutKeysIsExplainedAndHidden() throws {
        let fields = MagTekFormat(.answer).fields(of: PublishedSwipes.magTekClear, isRevealing: false)
        #expect(fields.first { $0.name == "encryption status" }?.value == "0200")
        #expect(fields.first { $0.name == "encrypted track 2" }?.value == "37 characters")
        #expect(!fields.contains { $0.value.contains("5452") || $0.value.contains("HOGAN") })
    }

    /// The end of a damaged swipe would pass for an answer.
    @Test func aDamagedLineIsSkippedWhole() {
        var damaged = Self.swipe
        damaged[0] = UInt8(ascii: "B")
        let whole = cut(damaged + line("0200"), with: MagTekFormat(.answer), step: 10_000)
        #expect(whole.frames == [line("0200")])
    }

    @Test func aLineWithoutAnEndIsSkipped() {
        let stream = [UInt8](repeating: UInt8(ascii: "%"), count: 10_000) + [13] + line("0200")
        let whole = cut(stream, with: MagTekFormat(.answer), step: stream.count)
        #expect(whole.frames == [line("0200")])
        for step in [64, 1_000] { #expect(cut(stream, with: MagTekFormat(.answer), step: step) == whole) }
    }

    @Test func wrongLinesAreReportedWithTheirPlace() {
        var damaged = Self.swipe
        damaged[2] = UInt8(ascii: "4")
        let fault = #expect(throws: FrameFault.self) { try MagTekFormat(.answer).check(damaged) }
        #expect(fault?.code == .check)
        #expect(fault?.offset == Self.swipe.count - 11)
        #expect(fault?.message.contains("5452") == false)
        expectFault(.field, at: 6, "3", "13", "14") {
            try MagTekFormat(.answer).check(line("|0001|"))
        }
    }

    @Test func fieldsShowNoCardDataButOnDemand() {
        let masked = MagTekFormat(.answer).fields(of: Self.swipe, isRevealing: false)
        #expect(masked.first { $0.name == "tracks" }?.value.hasSuffix("characters") == true)
        #expect(masked.first { $0.name == "KSN" }?.value == "FFFF9876543210E00008")
        let shown = MagTekFormat(.answer).fields(of: Self.swipe, isRevealing: true)
        #expect(shown.first { $0.name == "tracks" }?.value.hasPrefix("%B5452000000007189^") == true)
    }

    /// Commands and their results have no card data; settings and answers may have.
    @Test(arguments: [
        ("000103", FrameDirection.command, ["00 get property", "1", "03 serial number", "0D"]),
        ("010225C0", .command, ["01 set property", "2", "25 start sentinel ;", "1 byte", "0D"]),
        ("000150", .command, ["00 get property", "1", "50 unknown", "0D"]),
        ("0000", .command, ["00 get property", "0", "0 bytes", "0D"]),
        ("0A080102030405060708", .command, ["0A set session", "8", "8 bytes", "0D"]),
        ("0200", .answer, ["02 bad parameter", "0", "0 bytes", "0D"]),
        ("00084111111111111111", .answer, ["00 done", "8", "8 bytes", "0D"]),
    ])
    func fieldsWithoutCardDataAreShown(text: String, direction: FrameDirection, values: [String]) {
        let fields = MagTekFormat(direction).fields(of: line(text), isRevealing: false)
        #expect(fields.map(\.value) == values)
        #expect(zip(fields, fields.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
        let shown = MagTekFormat(direction).fields(of: line(text), isRevealing: true)
        #expect(shown.filter { $0.name == "data" }.allSatisfy { text.hasSuffix($0.value) })
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: Self.swipe[range], as: UTF8.self) }

    /// Two digits.
    private func hexadecimal(_ byte: UInt16) -> String { String(byte + 256, radix: 16, uppercase: true).suffix(2) + "" }
}
