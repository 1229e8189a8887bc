import JackdawBytes
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawReaders

/// Transcripts of a dialogue with a test card. The commands and templates are those of EMV Books 1 and 3.
@Suite struct CardMessageMaskTests {
    /// The masked form of a message, as a transcript has it.
    private func masked(_ text: String, _ mask: inout CardMessageMask) -> String {
        let isSent = text.hasPrefix(">")
        let bytes = hex(text)
        let kept = mask.mask(bytes, isSent: isSent)
        #expect(kept.count == bytes.count)
        let entry = TranscriptEntry(time: .zero, event: isSent ? .sent(kept) : .received(kept))
        return entry.line.dropFirst("0.000000 ".count).uppercased()
    }

    private func check(_ messages: [(String, String)]) {
        var mask = CardMessageMask()
        for (message, expected) in messages { #expect(masked(message, &mask) == expected) }
    }

    /// A dialogue: FCI with a PDOL of 9F1A, 5A and 9F37, processing options, a record with number, expiry and both
    /// CDOLs, a PIN, and a cryptogram.
    @Test func aDialogueKeepsDataThatAreNoCardData() {
        check([
            (
                "> 00A4 0400 07 A0000000031010 00", "> 00 A4 04 00 07 A0 00 00 00 03 10 10 00"
            ),
            (
                "< 6F1C 8407A0000000031010 A511 500456495341 9F3808 9F1A02 5A02 9F3702 9000",
                "< 6F 1C 84 07 A0 00 00 00 03 10 10 A5 11 50 04 56 49 53 41 9F 38 08 9F 1A 02 5A 02 9F 37 02 90 00"
            ),
            (
                "> 80A8 0000 08 8306 0840 4761 A1A2 00", "> 80 A8 00 00 08 83 06 08 40 ** ** A1 A2 00"
            ),
            ("< 80 06 5C00 08010100 9000", "< 80 06 5C 00 08 01 01 00 90 00"),
            ("> 00B2 010C 00", "> 00 B2 01 0C 00"),
            (
                "< 7019 5A084761739001010010 5F2403301231 8C039F3704 8D0291 08 9000",
                "< 70 19 5A 08 ** ** ** ** ** ** ** ** 5F 24 03 ** ** ** 8C 03 9F 37 04 8D 02 91 08 90 00"
            ),
            ("> 0020 0080 08 241234FFFFFFFFFF", "> 00 20 00 80 08 ** ** ** ** ** ** ** **"),
            ("< 63C2", "< 63 C2"),
            ("> 80AE 8000 04 01020304 00", "> 80 AE 80 00 04 01 02 03 04 00"),
            (
                "< 800E 80 0001 1122334455667788 06A000 9000",
                "< 80 0E 80 00 01 11 22 33 44 55 66 77 88 06 A0 00 90 00"
            ),
            ("> 80AE 4000 08 0102030405060708 00", "> 80 AE 40 00 08 01 02 03 04 05 06 07 08 00"),
        ])
    }

    @Test(arguments: [
        // VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER, and PIN CHANGE/UNBLOCK with secure messaging.
        "> 00200080081234567890123456", "> 002400800412345678", "> 002C00800412345678", "> 842400020412345678",
        // A list that the card has not sent, other instructions, SELECT by identifier, and a name that is too long.
        "> 80AE80000401020304", "> 00880000 04 01020304", "> 80A8000006830447617390", "> 00DC010C0447617390",
        "> 00A4000002 3F00", "> 00A40400 11 4761739001010010476173900101001011", "> 00C200000447617390",
    ])
    func theDataOfOtherCommandsIsMasked(command: String) {
        var mask = CardMessageMask()
        let line = masked(command, &mask)
        let words = line.split(separator: " ")
        #expect(words[1...5].allSatisfy { $0 != "**" })
        #expect(words.dropFirst(6).allSatisfy { $0 == "**" })
    }

    @Test func packetsThatAreNoCommandsAreMasked() {
        check([("> 476173", "> ** ** **"), ("> 00B2010C05476173", "> ** ** ** ** ** ** ** **")])
    }

    @Test(arguments: [
        // No objects; an object after the template; a length that exceeds the answer; no template of READ RECORD.
        "4761739001010010", "7003 5A0147 00 5A0147", "70055A0847", "77035A0147", "5A084761739001010010",
    ])
    func anAnswerThatIsNotItsTemplateIsMasked(data: String) {
        var mask = CardMessageMask()
        _ = masked("> 00B2010C00", &mask)
        let count = hex(data).count
        #expect(masked("< \(data) 9000", &mask) == "<" + String(repeating: " **", count: count) + " 90 00")
    }

    @Test func unknownAndWrongObjectsAreMaskedWhole() {
        check([
            ("> 00B2010C00", "> 00 B2 01 0C 00"),
            // DF01 is in no dictionary, 5F28 has two octets, 9F46 is the card's certificate.
            (
                "< 7016 DF0103476173 5F280447617390 9F46024761 5F340101 9000",
                "< 70 16 ** ** ** ** ** ** ** ** ** ** ** ** ** 9F 46 02 ** ** 5F 34 01 01 90 00"
            ),
        ])
    }

    /// Signed static data has a hash over the records, and 98 one over values that the card asks for.
    @Test func hashesOverCardDataAreMasked() {
        check([
            ("> 00B2010C00", "> 00 B2 01 0C 00"),
            ("< 700C 9303C1C2C3 8C0598039F3702 9000", "< 70 0C 93 03 ** ** ** 8C 05 98 03 9F 37 02 90 00"),
            ("> 80AE8000 05 C1C2C3A1A2 00", "> 80 AE 80 00 05 ** ** ** A1 A2 00"),
        ])
    }

    @Test func answersOfGetDataAndGetResponseFollowTheirCommands() {
        check([
            ("> 80CA9F1700", "> 80 CA 9F 17 00"), ("< 9F170103 9000", "< 9F 17 01 03 90 00"),
            ("> 80CA005A00", "> 80 CA 00 5A 00"),
            ("< 5A084761739001010010 9000", "< 5A 08 ** ** ** ** ** ** ** ** 90 00"),
            ("> 80CA9F1700", "> 80 CA 9F 17 00"), ("< 9F360103 9000", "< ** ** ** ** 90 00"),
            ("> 00B2010C00", "> 00 B2 01 0C 00"), ("< 6105", "< 61 05"), ("> 00C0000005", "> 00 C0 00 00 05"),
            ("< 7003 5F340101 9000", "< ** ** ** ** ** ** 90 00"),
            ("< 7004 5F340101 9000", "< 70 04 5F 34 01 01 90 00"),
        ])
    }

    @Test(arguments: ["47", "", "7004 4761", "0000"])
    func anAnswerWithoutStatusIsMasked(answer: String) {
        var mask = CardMessageMask()
        _ = masked("> 00B2010C00", &mask)
        #expect(!masked("< \(answer)", &mask).contains { $0.isHexDigit })
    }

    @Test func theListsOfAnApplicationEndWithIt() {
        check([
            ("> 00B2010C00", "> 00 B2 01 0C 00"), ("< 7005 8C039F3704 9000", "< 70 05 8C 03 9F 37 04 90 00"),
            ("> 80AE80000401020304", "> 80 AE 80 00 04 01 02 03 04"),
            ("> 00A4040007A0000000041010", "> 00 A4 04 00 07 A0 00 00 00 04 10 10"),
            ("> 80AE80000401020304", "> 80 AE 80 00 04 ** ** ** **"),
        ])
    }

    // MARK: classes

    /// With secure messaging (04, 08, 0C, 84, 8C, 60 of channel 4), in a chain (10, 50), on a channel (01, 42), of EMV
    /// (80) and of other makers (90, A0, FE); 20 is reserved.
    @Test(
        arguments: [
            0x00, 0x04, 0x08, 0x0C, 0x01, 0x42, 0x60, 0x10, 0x50, 0x80, 0x84, 0x8C, 0x90, 0xA0, 0xFE, 0x20,
        ] as [UInt8])
    func aPINIsMaskedInEveryClass(octet: UInt8) {
        for instruction in ["20", "24", "2C"] {
            var mask = CardMessageMask()
            let command = "> \(octet.hexadecimal)\(instruction)0080 08 241234FFFFFFFFFF"
            #expect(masked(command, &mask).hasSuffix("00 80 08" + String(repeating: " **", count: 8)))
        }
    }

    /// A card whose lists are known, and commands that are EMV's but for their class.
    @Test(arguments: [
        "04A4040007 A0000000031010", "60A4040007 A0000000031010", "80A4040007 A0000000031010",
        "A0A4040007 A0000000031010", "10A4040007 A0000000031010", "84AE8000 04 01020304", "8CAE8000 04 01020304",
        "00AE8000 04 01020304", "A0AE8000 04 01020304", "90AE8000 04 01020304", "81AE8000 04 01020304",
        "80880000 04 01020304", "61880000 04 01020304", "04880000 04 01020304",
    ])
    func theDataOfOtherClassesIsMasked(command: String) {
        var mask = CardMessageMask()
        _ = masked("> 00B2010C00", &mask)
        _ = masked("< 700B 8C039F3704 9F49039F3704 9000", &mask)
        #expect(masked("> 80AE80000401020304", &mask).hasSuffix("04 01 02 03 04"))
        #expect(masked("> 008800000401020304", &mask).hasSuffix("04 01 02 03 04"))
        let words = masked("> \(command)", &mask).split(separator: " ")
        #expect(words[1...5].allSatisfy { $0 != "**" })
        #expect(words.dropFirst(6).allSatisfy { $0 == "**" })
    }

    @Test(arguments: ["04B2010C00", "0CB2010C00", "60B2010C00", "80B2010C00", "A0B2010C00", "10B2010C00"])
    func theAnswersOfOtherClassesAreMasked(command: String) {
        check([
            ("> \(command)", "> " + hex(command).map(\.hexadecimal).joined(separator: " ")),
            ("< 7004 5F340101 9000", "< ** ** ** ** ** ** 90 00"),
            ("> \(command)", "> " + hex(command).map(\.hexadecimal).joined(separator: " ")), ("< 6106", "< 61 06"),
            ("> 00C0000006", "> 00 C0 00 00 06"), ("< 7004 5F340101 9000", "< ** ** ** ** ** ** 90 00"),
        ])
    }

    /// The last command of a chain has the class of a whole one.
    @Test func theRestOfAChainIsMasked() {
        check([
            ("> 00B2010C00", "> 00 B2 01 0C 00"), ("< 7005 8C039F3704 9000", "< 70 05 8C 03 9F 37 04 90 00"),
            ("> 90AE80000401020304", "> 90 AE 80 00 04 ** ** ** **"), ("< 9000", "< 90 00"),
            ("> 10B200000401020304", "> 10 B2 00 00 04 ** ** ** **"), ("< 9000", "< 90 00"),
            ("> 00A4040007A0000000041010", "> 00 A4 04 00 07 ** ** ** ** ** ** **"),
            ("< 6F09 8407A0000000041010 9000", "<" + String(repeating: " **", count: 11) + " 90 00"),
            ("> 00A4040007A0000000041010", "> 00 A4 04 00 07 A0 00 00 00 04 10 10"),
        ])
    }

    @Test func eachLogicalChannelHasItsOwnLists() {
        let data = "01 02 03 04"
        check([
            ("> 01B2010C00", "> 01 B2 01 0C 00"), ("< 7005 8C039F3704 9000", "< 70 05 8C 03 9F 37 04 90 00"),
            ("> 80AE80000401020304", "> 80 AE 80 00 04 ** ** ** **"),
            ("> 81AE80000401020304", "> 81 AE 80 00 04 \(data)"),
            // A selection on another channel leaves them, with secure messaging too; MANAGE CHANNEL ends all.
            ("> 00A4040007A0000000041010", "> 00 A4 04 00 07 A0 00 00 00 04 10 10"),
            ("> 81AE80000401020304", "> 81 AE 80 00 04 \(data)"),
            ("> 05A4040007A0000000041010", "> 05 A4 04 00 07 ** ** ** ** ** ** **"),
            ("> 81AE80000401020304", "> 81 AE 80 00 04 ** ** ** **"),
            ("> 42B2010C00", "> 42 B2 01 0C 00"), ("< 7005 9F49029A03 9000", "< 70 05 9F 49 02 9A 03 90 00"),
            ("> 4288000003010203", "> 42 88 00 00 03 01 02 03"), ("> 0070800000", "> 00 70 80 00 00"),
            ("> 4288000003010203", "> 42 88 00 00 03 ** ** **"),
            // GET RESPONSE of another channel.
            ("> 01B2010C00", "> 01 B2 01 0C 00"), ("< 6106", "< 61 06"), ("> 00C0000006", "> 00 C0 00 00 06"),
            ("< 7004 5F340101 9000", "< ** ** ** ** ** ** 90 00"),
        ])
    }

    /// A command of a maker's own may have selected another application.
    @Test func anUnknownClassEndsAllLists() {
        check([
            ("> 00B2010C00", "> 00 B2 01 0C 00"), ("< 7005 8C039F3704 9000", "< 70 05 8C 03 9F 37 04 90 00"),
            ("> A0A40000023F00", "> A0 A4 00 00 02 ** **"),
            ("> 80AE80000401020304", "> 80 AE 80 00 04 ** ** ** **"),
        ])
    }

    @Test func anyBytesAreMaskedWithoutAnError() {
        var random = SeededRandom(seed: 13)
        var mask = CardMessageMask()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if let first = ([0x70, 0x77, 0x6F, 0x80] as [UInt8]).randomElement(using: &random), count > 4,
                Bool.random(using: &random)
            {
                bytes[0] = first
                bytes[1] = UInt8(count - 4)
            }
            #expect(mask.mask(bytes, isSent: Bool.random(using: &random)).count == count)
        }
    }
}
