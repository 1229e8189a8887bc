import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct TraceExplainerTests {
    /// CDOL1: amount, TVR, currency, type, number, CVM results; CDOL2: response code, TVR, number.
    private static let lists = TraceText.record("8C10 9F0206 9505 5F2A02 9C01 9F3704 9F3403 8D07 8A02 9505 9F3704")

    @Test func commandsAndTheirParametersAreNamed() throws {
        let found = try explained(
            """
            00A4040007A0000000031010
            6A82
            00A4040207A0000000031010
            6A82
            00B2031400
            6A83
            80AE900000
            6985
            80AE400000
            6985
            80CA9F1700
            9F1701039000
            0084000000
            0102030405060708 9000
            00200080082412 34FFFFFFFFFF
            63C2
            000C000000
            6D00
            """)
        #expect(
            found.map { $0.command.name } == [
                "SELECT", "SELECT", "READ RECORD", "GENERATE AC", "GENERATE AC", "GET DATA", "GET CHALLENGE", "VERIFY",
                "Command 00 0C",
            ])
        #expect(
            found.map { $0.command.parameters.map { $0.name } } == [
                ["by_name", "first"], ["by_name", "next"], ["sfi", "record"], ["arqc", "cda", "first"],
                ["tc", "first"],
                ["9F17"], [], ["plaintext_pin"], [],
            ])
        #expect(found[2].command.parameters.map { $0.text } == ["File 2", "record 3"])
        #expect(
            found[7].answer?.status?.triesLeft == 2 && found[7].answer?.meaning == "verification failed, 2 tries left")
        #expect(found[0].command.data.objects.map { $0.digits } == ["A0000000031010"])
        #expect(
            found.map { $0.answer?.meaning }.prefix(4) == [
                "file not found", "file not found", "record not found", "conditions of use not satisfied",
            ])
        #expect(found[5].answer?.data.objects.map { $0.text } == ["3"])
        #expect(found[6].answer?.data.isHidden == true && found[6].answer?.data.count == 8)
    }

    /// EMV Book 3 sections 5.4, 6.5.5 and 6.5.8: values are sent without tags, in the order of the card's lists.
    @Test func valuesAreReadByTheListsOfTheCard() throws {
        let found = try explained(
            TraceText.select("A0000000031010", "9F3808 9F1A02 5F2A02 9505")
                + TraceText.send("80A80000", "8309 0276 0978 8000048000", "800A 5C00 08010100 18010201 9000")
                + Self.lists
                + TraceText.send(
                    "80AE8000", "000000001050 8000048000 0978 00 01020304 5E0300",
                    "8012 80 0041 1122334455667788 06010A03A0A100 9000")
                + TraceText.send(
                    "80AE4000", "3030 0000008040 01020304", "77149F2701409F360200419F26081122334455667788 9000"))
        let options = found[1].command.data.objects
        #expect(options.map { $0.object.tag } == [0x83, 0x9F1A, 0x5F2A, 0x95])
        #expect(options.map { $0.object.depth } == [0, 1, 1, 1] && options.map { $0.object.start } == [0, 2, 4, 6])
        #expect(options.map { $0.text } == [nil, "DEU (Germany)", "EUR (Euro)", nil])
        #expect(
            options[3].details.map { $0.name } == ["oda_not_performed", "online_cvm_captured", "floor_limit_exceeded"])
        #expect(options[0].digits == "027609788000048000")

        let profile = try #require(found[1].answer?.data.objects)
        #expect(profile.map { $0.object.tag } == [0x80, 0x82, 0x94] && profile.map { $0.digits }[1] == "5C00")
        #expect(
            profile[2].details.map { $0.text } == [
                "File 1, record 1", "File 3, records 1 to 2, 1 in offline data authentication",
            ])

        let first = found[3]
        #expect(first.command.parameters.map { $0.name } == ["arqc", "first"])
        #expect(first.command.data.objects.map { $0.object.tag } == [0x9F02, 0x95, 0x5F2A, 0x9C, 0x9F37, 0x9F34])
        #expect(first.command.data.objects.first?.text == "10.50 EUR")
        #expect(first.answer?.data.objects.map { $0.object.tag } == [0x80, 0x9F27, 0x9F36, 0x9F26, 0x9F10])
        #expect(first.answer?.data.objects.map { $0.text }[2] == "65")
        #expect(first.answer?.data.objects[1].details.map { $0.name } == ["arqc"])

        let second = found[4]
        #expect(second.command.parameters.map { $0.name } == ["tc", "second"])
        #expect(second.command.data.objects.map { $0.object.tag } == [0x8A, 0x95, 0x9F37])
        #expect(
            second.command.data.objects[1].details.map { $0.name } == [
                "floor_limit_exceeded", "issuer_authentication_failed",
            ])
        #expect(second.answer?.data.objects.map { $0.object.depth } == [0, 1, 1, 1])
    }

    /// EMV Book 3 section 9: a card answers one or two GENERATE AC. One that it refused, or whose answer is not in
    /// the trace, is not the first.
    @Test func onlyAnsweredCryptogramsCount() throws {
        func order(_ answers: String?...) throws -> [String] {
            let text = answers.map { TraceText.send("80AE8000", "0102", $0 ?? "").replacing("< \n", with: "") }.joined()
            return try explained(text).filter { $0.command.name == "GENERATE AC" }
                .map { $0.command.parameters.last?.name ?? "" }
        }
        let answer = "7709 9F2701 80 9F3602 0041 9000"
        #expect(try order(answer, answer) == ["first", "second"])
        for refusal in ["6985", "6A80", "6C10", nil] {
            #expect(try order(refusal, answer, answer) == ["first", "first", "second"])
        }
        // The answer follows with GET RESPONSE, which is not counted again.
        #expect(try order("610C\n> 00C000000C\n< \(answer)", answer) == ["first", "second"])
    }

    /// The list that applies is that of the first cryptogram until the card has answered one.
    @Test func afterARefusalTheListIsTheFirst() throws {
        let values = "000000001050 8000048000 0978 00 01020304 5E0300"
        let found = try explained(
            Self.lists + TraceText.send("80AE8000", values, "6985") + TraceText.send("80AE0000", values, "6985"))
        for exchange in found.suffix(2) {
            #expect(
                exchange.command.data.objects.map { $0.object.tag } == [0x9F02, 0x95, 0x5F2A, 0x9C, 0x9F37, 0x9F34])
        }
    }

    /// In a masked transcript a refusal is a status word, and an answer with data is none.
    @Test func maskedAnswersCount() throws {
        let found = try explained(
            """
            jackdaw-transcript 1 masked pcsc:0
            0.000000 > 80 AE 80 00 02 ** ** 00
            0.000001 < 69 85
            0.000002 > 80 AE 80 00 02 01 02 00
            0.000003 < 77 03 ** ** ** 90 00
            0.000004 > 80 AE 40 00 02 01 02 00
            0.000005 < 69 85
            """)
        #expect(found.dropFirst().map { $0.command.parameters.last?.name } == ["first", "second"])
    }

    /// Values that do not fit the list are not guessed.
    @Test func valuesWithoutFittingListAreHidden() throws {
        for lists in ["", Self.lists] {
            let text = lists + TraceText.send("80AE8000", "0102030405", "6985")
            let data = try #require(try explained(text).last?.command.data)
            #expect(data.isHidden && data.count == 5 && data.problem != nil)
            #expect(try explained(text, isRevealing: true).last?.command.data.digits == "0102030405")
        }
    }

    /// A list with values of no octets would make many objects of one.
    @Test func listsThatAreTooLongAreNotRead() throws {
        let list = String(repeating: "9F0200", count: 200) + "9C01"
        let record = TagLengthValueBuilder.encode(0x8C, hex(list))
        let found = try explained(TraceText.record(hexadecimal(record)) + TraceText.send("80AE8000", "00", "6985"))
        #expect(found[1].command.data.objects.isEmpty && found[1].command.data.problem != nil)
    }

    /// INTERNAL AUTHENTICATE without a DDOL sends the unpredictable number; COMPUTE CRYPTOGRAPHIC
    /// CHECKSUM without an UDOL, too.
    @Test func listsHaveDefaults() throws {
        let found = try explained(
            TraceText.send("00880000", "01020304", "8004 01020304 9000")
                + TraceText.send("802A8E80", "00000899", "6985"))
        #expect(found.map { $0.command.data.objects.map { $0.object.tag } } == [[0x9F37], [0x9F6A]])
        #expect(found[0].answer?.data.objects.map { $0.object.tag } == [0x80, 0x9F4B])
    }

    @Test func answersInPartsAreJoined() throws {
        let found = try explained(
            TraceText.send("00A40400", "A0000000031010", "6109") + "> 00C0000009\n< 6F098405A000000003 6102\n"
                + "> 00C0000002\n< 5000 9000\n")
        #expect(found.map { $0.command.name } == ["SELECT", "GET RESPONSE", "GET RESPONSE"])
        #expect(found[1].answer?.data.objects.isEmpty == true && found[1].answer?.data.problem != nil)
        #expect(found[2].answer?.data.objects.map { $0.object.tag } == [0x6F, 0x84, 0x50])
    }

    /// EMV Book 3, annex D: a record of the log has no template; the log format names its values.
    @Test func recordsOfTheLogAreReadByTheirFormat() throws {
        let found = try explained(
            TraceText.select("A0000000031010", "BF0C05 9F4D020B0A")
                + TraceText.send("80CA9F4F", "", "9F4F07 9F0206 9A03 9C01 9000")
                + TraceText.send("00B2015C", "", "000000001050 260131 00 9000"))
        #expect(found.last?.answer?.data.objects.map { $0.object.tag } == [0x9F02, 0x9A, 0x9C])
        #expect(found.last?.answer?.data.objects.map { $0.text } == ["1050 minor units", "2026-01-31", "Purchase"])
    }

    /// The kernel of the scheme decides on tags with several meanings.
    @Test func theSchemeDecidesOnMeanings() throws {
        let record = TraceText.record("9F6C020001 9F680A 0000000000000000 1F03")
        let mastercard = try #require(
            try explained(TraceText.select("A0000000041010") + record).last?.answer?.data.objects)
        #expect(mastercard[1].element?.name == "Mag-stripe Application Version Number (Card)")
        #expect(mastercard[2].details.map { $0.name } == ["x", "y", "no_cvm"])
        let visa = try #require(try explained(TraceText.select("A0000000031010") + record).last?.answer?.data.objects)
        #expect(visa[1].element?.name == "Card Transaction Qualifiers (CTQ)")
    }

    @Test func malformedMessagesAreReportedAndHidden() throws {
        let found = try explained(
            "4761739001010010\n12\n00B2010C00\n70055A0847619000\n00B2010C00\n9000", isRevealing: true)
        #expect(found[0].command.name == "Not a command" && found[0].command.header == nil)
        #expect(found[0].command.data.isHidden && found[0].answer?.status == nil)
        #expect(found[1].answer?.data.problem != nil && found[1].answer?.data.digits == "70055A084761")
        #expect(found[2].answer?.data.count == 0 && found[2].answer?.status == .success)
        #expect(try explained("00B2010C00\n70055A0847619000").last?.answer?.data.isHidden == true)
    }

    @Test func maskedMessagesOfTranscriptsAreHidden() throws {
        let found = try explained(
            """
            jackdaw-transcript 1 masked pcsc:0
            0.000000 > 00 20 00 80 08 ** ** ** ** ** ** ** **
            0.000001 < 90 00
            0.000002 > 00 B2 01 0C 00
            0.000003 < 70 03 ** ** ** 90 00
            """, isRevealing: true)
        #expect(found.map { $0.command.name } == ["Masked command", "READ RECORD"])
        #expect(found[0].command.data.isHidden && found[0].command.header == nil && found[0].answer?.status == .success)
        #expect(found[1].answer?.data.isHidden == true && found[1].answer?.status == nil)
    }

    @Test func cardDataIsMaskedUnlessItIsRevealed() throws {
        let number = "4761739001010010"
        let text =
            TraceText.record(
                "5A08\(number) 5713\(number)D25122011143804400000F 5F200B544553542F434152442020 9F4603112233 8C025A08")
            + TraceText.send("80AE8000", number, "6985") + TraceText.send("00D60000", number, "9000")
            + TraceText.send("80FE0000", number, "9000")
        var shown = ""
        dump(try explained(text), to: &shown)
        for secret in [number, "544553542F43415244", "TEST/CARD", "D2512", "112233"] {
            #expect(!shown.contains(secret))
        }
        #expect(shown.contains("476173******0010"))
        shown = ""
        dump(try explained(text, isRevealing: true), to: &shown)
        #expect(shown.contains(number) && shown.contains("TEST/CARD"))
    }

    /// Whatever a card answers, and wherever its answers end, each exchange is explained in
    /// memory that its data bounds.
    @Test func hostileAnswersAreExplained() {
        var random = SeededRandom(seed: 2_026)
        var explainer = TraceExplainer(isRevealing: true)
        let instructions: [UInt8] = [0xA4, 0xB2, 0xA8, 0xAE, 0x88, 0x82, 0xCA, 0xC0, 0x2A, 0x20, 0xDA, 0x84]
        for round in 0..<5_000 {
            let instruction = instructions[Int.random(in: 0..<instructions.count, using: &random)]
            let data = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            var answer = (0..<Int.random(in: 0...90, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if round % 3 == 0 {
                let element = DataElement.all[Int.random(in: 0..<DataElement.all.count, using: &random)]
                answer = TagLengthValueBuilder.encode(element.tag, answer)
                if round % 2 == 0 { answer.removeLast(Int.random(in: 0..<3, using: &random)) }
            }
            guard
                let command = try? CardCommand(
                    round % 2 == 0 ? 0x80 : 0x00, instruction, UInt8.random(in: 0...255, using: &random),
                    UInt8.random(in: 0...255, using: &random), data: data)
            else { continue }
            let status: UInt16 = [0x9000, 0x9000, 0x6283, 0x6110, 0x6A82][round % 5]
            let found = explainer.explain(
                command, answer: CardResponse(data: answer, status: StatusWord(rawValue: status)))
            #expect(found.command.data.objects.count <= data.count + 126)
            #expect((found.answer?.data.objects.count ?? 0) <= (found.answer?.data.count ?? 0) + 126)
        }
    }
}
