import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct CardCommandTests {
    /// Cases 1 to 4 of ISO/IEC 7816-4.
    @Test(arguments: [
        "00200080", "00B2010C00", "00CA9F3604", "0020008008241234FFFFFFFFFF", "80A80000028300FF", "80A8000002830000",
    ])
    func commandsOfAllCasesAreParsedAndEncoded(_ octets: String) throws {
        let command = try CardCommand(hex(octets).span)
        #expect(command.octets == hex(octets))
    }

    @Test(arguments: ["", "00A404", "00A4040005A0", "00A4040002A0000000", "00A40400000102", "00A404000000"])
    func wrongLengthsAreRefused(_ octets: String) {
        let error = #expect(throws: CardMessageError.self) { try CardCommand(hex(octets).span) }
        #expect(error?.code == .length)
    }

    @Test func commandsOfATransactionAreEncoded() throws {
        #expect(try CardCommand.select(hex("A0000000041010")).octets == hex("00A4040007A000000004101000"))
        #expect(try CardCommand.select(hex("A000000004"), next: true).octets == hex("00A4040205A00000000400"))
        #expect(try CardCommand.readRecord(1, file: 2).octets == hex("00B2011400"))
        #expect(try CardCommand.getProcessingOptions(SecretOctets([])).octets == hex("80A8000002830000"))
        #expect(try CardCommand.generateCryptogram(0x80, SecretOctets(hex("0102"))).octets == hex("80AE800002010200"))
        #expect(try CardCommand.getData(0x9F17).octets == hex("80CA9F1700"))
        #expect(
            try CardCommand.internalAuthenticate(SecretOctets(hex("11223344"))).octets == hex("00880000041122334400"))
        #expect(
            try CardCommand.externalAuthenticate(hex("A1A2A3A4A5A6A7A83030")).octets
                == hex("008200000AA1A2A3A4A5A6A7A83030"))
        #expect(CardCommand.getChallenge.octets == hex("0084000000"))
    }

    @Test func parametersOutOfRangeAreRefused() {
        #expect(throws: CardMessageError.self) { try CardCommand.select(hex("A0000000")) }
        #expect(throws: CardMessageError.self) { try CardCommand.readRecord(0, file: 1) }
        #expect(throws: CardMessageError.self) { try CardCommand.readRecord(1, file: 31) }
        #expect(throws: CardMessageError.self) { try CardCommand.getData(0xDF8101) }
        #expect(throws: CardMessageError.self) { try CardCommand.externalAuthenticate([1]) }
        #expect(throws: CardMessageError.self) {
            try CardCommand.getProcessingOptions(SecretOctets([UInt8](repeating: 0, count: 253)))
        }
        let long = SecretOctets([UInt8](repeating: 0, count: 256))
        #expect(throws: CardMessageError.self) { try CardCommand.getProcessingOptions(long) }
        #expect(throws: CardMessageError.self) { try CardCommand.generateCryptogram(0x80, long) }
        #expect(throws: CardMessageError.self) { try CardCommand.internalAuthenticate(long) }
        #expect(throws: CardMessageError.self) { try CardCommand.verify(long, isEnciphered: true) }
        #expect(throws: CardMessageError.self) { try CardCommand(0, 0, 0, 0, expectedLength: 257) }
    }

    @Test func statusWordsAreRead() throws {
        let answer = try CardResponse(hex("AABB63C2").span)
        #expect(answer.data.octets == [0xAA, 0xBB] && answer.status.triesLeft == 2)
        #expect(answer.octets == hex("AABB63C2"))
        #expect(StatusWord.success.triesLeft == nil)
        #expect(throws: CardMessageError.self) { try CardResponse(hex("90").span) }
    }

    /// The exchange of T=0: the command, the card's answers, the commands that follow and the whole answer.
    @Test(arguments: [
        ("00B2010C00", ["6C05", "01020304059000"], ["00B2010C05"], "01020304059000"),
        ("00A4040005A00000000400", ["6102", "AABB9000"], ["00C0000002"], "AABB9000"),
        ("00A4040005A00000000400", ["6102", "AABB6101", "CC9000"], ["00C0000002", "00C0000001"], "AABBCC9000"),
        ("00A4040005A00000000400", ["6283", "6F009000"], ["00C0000000"], "6F006283"),
        ("00A4040005A00000000400", ["6283", "6D00"], ["00C0000000"], "6283"),
        ("00A4040005A00000000400", ["6A82"], [], "6A82"),
        ("0020008008241234FFFFFFFFFF", ["63C2"], [], "63C2"),
        // A GENERATE AC is not sent twice: the length of GET RESPONSE is wrong.
        ("80AE800002010200", ["6110", "6C02", "AABB9000"], ["00C0000010", "00C0000002"], "AABB9000"),
        // T=0 has no length of its answer that 6Cxx could correct: it is not sent again at all.
        ("80AE800002010200", ["6C10"], [], "6C10"),
        ("80A8000002830000", ["6C10"], [], "6C10"),
        // A length is corrected once.
        ("00B2010C00", ["6C05", "6C06"], ["00B2010C05"], "6C06"),
        ("80AE800002010200", ["6110", "6C02", "6C03"], ["00C0000010", "00C0000002"], "6C03"),
        (
            "80AE800002010200", ["6110", "6C02", "AA6101", "6C02", "BBCC9000"],
            ["00C0000010", "00C0000002", "00C0000001", "00C0000002"], "AABBCC9000"
        ),
        // After a warning, the data may come with a corrected length or in parts.
        ("00A4040005A00000000400", ["6283", "6C02", "6F009000"], ["00C0000000", "00C0000002"], "6F006283"),
        (
            "00A4040005A00000000400", ["6283", "6101", "6F6101", "009000"], ["00C0000000", "00C0000001", "00C0000001"],
            "6F006283"
        ),
        ("00A4040005A00000000400", ["6283", "6283"], ["00C0000000"], "6283"),
        // A command that expects no data has no length to correct.
        ("0020008008241234FFFFFFFFFF", ["6C05"], [], "6C05"),
    ])
    func answersOfT0AreCollected(_ command: String, _ answers: [String], _ further: [String], _ whole: String) throws {
        var exchange = CardExchange(try CardCommand(hex(command).span))
        var sent: [[UInt8]] = []
        for answer in answers {
            guard let next = exchange.receive(try CardResponse(hex(answer).span)) else { break }
            sent.append(next.octets)
        }
        #expect(sent == further.map { hex($0) })
        #expect(exchange.response.octets == hex(whole))
    }

    @Test func exchangesOfHostileCardsEnd() throws {
        for status: UInt16 in [0x6110, 0x6C10] {
            var exchange = CardExchange(try CardCommand.readRecord(1, file: 1))
            var count = 0
            while exchange.receive(CardResponse(status: StatusWord(rawValue: status))) != nil { count += 1 }
            #expect(count <= (status == 0x6C10 ? 1 : 64))
        }
    }
}
