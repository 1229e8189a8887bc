import JackdawEMV
import JackdawTestSupport
import Testing

// The objects of cards in whole transactions: which the kernel takes, and which end the transaction.

extension ContactKernelTests {
    /// An answer is one template: objects after it are no part of what a signature covers (Book 3, 6.5 and 10.2).
    @Test(
        arguments: [
            (0, "8006180008010100" + "9F0702FFFF", 0x77), (0, "770A82021800940408010100" + "9F0702FFFF", 0x77),
            (1, nil, 0x70), (2, "77149F2701809F360200019F26081122334455667788" + "9F1001AA", 0x77),
            (2, "800B8000011122334455667788" + "9F1001AA", 0x77),
        ] as [(Int, String?, JackdawEMV.Tag)])
    func objectsAfterTheTemplateTerminate(_ command: Int, _ answer: String?, _ tag: JackdawEMV.Tag) throws {
        var run = try approvedOnline()
        run.card.replaced[command] = (answer.map { hex($0) } ?? run.card.records[0] + hex("9F0702FFFF")) + hex("9000")
        let reason = try run.finish().termination
        #expect(reason?.code == .malformed && reason?.tag == tag)
        #expect(run.card.commands.count == command + 1)
    }

    /// Book 3 (4.4): table 28 in 7.2 lists the mandatory objects, 7.5 ends the transaction if one is missing, and by annex B
    /// an object with the length 00 has no value.
    @Test(
        arguments: [
            (0x5F24, "5A089999990000000014" + "8C039F0206" + "8D028A02", "5F2400"),
            (0x5A, "5F2403491231" + "8C039F0206" + "8D028A02", "5A00"),
            (0x8C, "5A089999990000000014" + "5F2403491231" + "8D028A02", "8C00"),
            (0x8D, "5A089999990000000014" + "5F2403491231" + "8C039F0206", "8D00"),
        ] as [(JackdawEMV.Tag, String, String)])
    func mandatoryObjectsAreThereAndHaveOctets(_ tag: JackdawEMV.Tag, _ others: String, _ empty: String) throws {
        for missing in ["", empty] {
            var run = try approvedOnline()
            run.card.records = [TagLengthValueBuilder.encode(0x70, hex(others + missing))]
            let reason = try run.finish().termination
            #expect(reason?.code == .missing && reason?.tag == tag)
            // GET PROCESSING OPTIONS and READ RECORD: the card is asked for no cryptogram.
            #expect(run.card.commands.map { $0[1] } == [0xA8, 0xB2])
        }
    }

    /// The record of the test above with all its objects.
    @Test func theMandatoryObjectsAreEnough() throws {
        var run = try approvedOnline()
        let record = "5A089999990000000014" + "5F2403491231" + "8C039F0206" + "8D028A02"
        run.card.records = [TagLengthValueBuilder.encode(0x70, hex(record))]
        #expect(try run.finish().disposition == .approved)
    }

    /// Book 3 (4.4): both objects of GET PROCESSING OPTIONS are mandatory (7.4), and an AFL without entries ends the
    /// transaction (7.5).
    @Test(arguments: ["7708" + "8200" + "940408010100", "7706" + "82021800" + "9400"])
    func processingOptionsWithoutOctetsTerminate(_ answer: String) throws {
        var run = try approvedOnline()
        run.card.replaced[0] = hex(answer + "9000")
        #expect(try run.finish().termination != nil)
        #expect(run.card.commands.map { $0[1] } == [0xA8])
    }

    @Test func aWarningOfARecordTerminates() throws {
        var run = try approvedOnline()
        run.card.replaced[1] = run.card.records[0] + hex("6283")
        let reason = try run.finish().termination
        #expect(reason?.code == .status)
        #expect(reason?.status == .fileInvalidated)
    }

    /// The CDOL1 asks for the TC hash, and the card has no TDOL. "Default TDOL used" is set only if the terminal has one
    /// (Book 3, 9.2.2).
    @Test(
        arguments: [
            // FIPS 180-4: the digest of nothing.
            ("", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"),
            // sha1sum of 000000001000, the amount.
            ("9F0206", "6400302453D7F2559A93D5548CCE6641642508C9"),
        ])
    func theHashOfTheCertificateDataIsGiven(_ defaultTDOL: String, _ digest: String) throws {
        var card = VirtualCard()
        card.records = [
            TagLengthValueBuilder.encode(
                0x70, hex("5A0899999900000000145F24034912318C0298148D028A028E0A00000000000000001F00"))
        ]
        var run = try run(card) { $0.defaultTDOL = hex(defaultTDOL) }
        let outcome = try run.finish()
        #expect(outcome.tvr.contains(.defaultTDOLUsed) == !defaultTDOL.isEmpty)
        #expect(commands(run, 0xAE)[0].dropFirst(5).prefix(20).elementsEqual(hex(digest)))
    }

    @Test func theTerminalOwnsItsObjects() throws {
        // A record that claims a TVR and an amount does not replace those of the terminal.
        var card = VirtualCard.plain("9505FFFFFFFFFF9F0206999999999999")
        card.cryptograms = [VirtualCard.cryptogram(0x80)]
        var run = try run(card)
        _ = try run.finish()
        #expect(commands(run, 0xAE)[0][5..<11] == hex("000000001000")[...])
        #expect(commands(run, 0xAE)[0][15..<20] == hex("8000000000")[...])
    }

    /// A card supplies no object whose source is the terminal or the issuer (Book 3, annex A), also not one that the
    /// terminal does not have.
    @Test func aCardSuppliesNoObjectOfTheTerminalOrTheIssuer() throws {
        var card = VirtualCard()
        let objects: [(tag: JackdawEMV.Tag, value: [UInt8])] = [
            (0x8A, hex("3030")), (0x89, hex("313233343536")), (0x91, hex("1122334455667788")),
            (0x98, [UInt8](repeating: 1, count: 20)), (0x9F1E, hex("3132333435363738")), (0x9F5B, hex("2000000000")),
            (0x9F30, hex("000001")), (0x9F53, hex("52")), (0x9F16, [UInt8](repeating: 0x31, count: 15)),
        ]
        // The kernel computes 98 if a list asks for it.
        let asked = objects.filter { $0.tag != 0x98 }
        var (list, record) = (TagLengthValueBuilder(), TagLengthValueBuilder())
        list.append(0x70) { fields in
            fields.append(0x5A, hex("9999990000000014"))
            fields.append(0x5F24, hex("491231"))
            // A tag that the dictionary does not have, DF01, is the card's.
            fields.append(0x8C, asked.flatMap { $0.tag.octets + [UInt8($0.value.count)] } + hex("DF0102"))
            fields.append(0x8D, hex("8A02"))
            fields.append(0x8E, hex("00000000000000001F00"))
        }
        record.append(0x70) { fields in
            for object in objects { fields.append(object.tag, object.value) }
            fields.append(0xDF01, hex("ABCD"))
        }
        card.records = [list.octets, record.octets]
        card.cryptograms = [VirtualCard.cryptogram(0x80)]
        var run = try run(card)
        let outcome = try run.finish()
        let values = try #require(commands(run, 0xAE).first).dropFirst(5).dropLast()
        let count = asked.reduce(0) { $0 + $1.value.count }
        #expect(values.elementsEqual([UInt8](repeating: 0, count: count) + hex("ABCD")))
        #expect(
            outcome.objects.tags.allSatisfy {
                ![0x89, 0x91, 0x98, 0x9F1E, 0x9F5B, 0x9F30, 0x9F53, 0x9F16].contains($0)
            })
        #expect(outcome.objects[0x8A] == Array("Z3".utf8))
    }

    /// The Data Authentication Code (9F45) and the ICC Dynamic Number (9F4C) come out of signatures (Book 2, 5.4 and
    /// 6.5), and not out of records.
    @Test func recordsDoNotSupplyTheResultsOfAuthentication() throws {
        let account = "5A089999990000000014" + "5F2403491231"
        let lists = "8C069F45029F4C02" + "8D028A02" + "8E0A00000000000000001F00"
        var card = VirtualCard()
        card.records = [TagLengthValueBuilder.encode(0x70, hex(account + lists + "9F4502DAC0" + "9F4C021234"))]
        var run = try run(card)
        let outcome = try run.finish()
        #expect(commands(run, 0xAE)[0][5...].elementsEqual(hex("00000000") + [0]))
        #expect(outcome.objects[0x9F45] == nil && outcome.objects[0x9F4C] == nil)
    }

    /// The books set no limit to the records of an AFL.
    @Test(arguments: [(128, nil), (129, KernelTermination.Code.limitExceeded)])
    func aCardWithTooManyRecordsTerminates(_ count: Int, _ code: KernelTermination.Code?) throws {
        var card = VirtualCard.plain()
        card.records += [[UInt8]](repeating: hex("7000"), count: count - 1)
        var run = try run(card)
        let reason = try run.finish().termination
        #expect(reason?.code == code && (code == nil || reason?.tag == 0x94))
        #expect(commands(run, 0xB2).count == (code == nil ? count : 0))
    }

    /// The answers to SELECT and GET PROCESSING OPTIONS are not signed; the records are (Book 3, 10.2 and 10.3).
    @Test func recordsReplaceObjectsThatAreNotSigned() throws {
        var application = DataObjectStore()
        application[0x84] = hex("A0000009990101")
        application[0x50] = hex("4142")
        application[0x9F38] = hex("9F0206")
        application[0x82] = hex("7C00")
        application[0x5A] = hex("1111110000000000")
        application[0x8E] = hex("00000000000000001E00")
        application[0x9F0D] = hex("0000000000")
        application[0x9F6E] = hex("01")
        var card = VirtualCard.plain("50014384021122820200009F380195")
        let locator = "94040801" + "0200"
        card.replaced[0] = hex("771C82021800" + locator + "9F0D0500000000005A089999990000000022" + "9000")
        var run = KernelRun(
            try ContactKernel(.test(), .test(), application: application, PlainPrimitives()), card)
        let outcome = try run.finish()
        #expect(outcome.termination == nil)
        #expect(outcome.objects[0x82] == hex("1800"))
        #expect(outcome.objects[0x84] == hex("A0000009990101"))
        #expect(outcome.objects[0x50] == hex("43"))
        #expect(outcome.objects[0x5A] == hex("9999990000000014"))
        #expect(outcome.objects[0x8E] == hex("00000000000000001F00"))
        #expect(outcome.objects[0x9F0D] == nil)
        #expect(outcome.objects[0x9F38] == hex("9F0206"))
        #expect(outcome.objects[0x9F6E] == hex("01"))
    }

    @Test func theProfileComesFromTheProcessingOptionsOnly() throws {
        var application = DataObjectStore()
        application[0x82] = hex("1800")
        var card = VirtualCard.plain()
        card.replaced[0] = hex("7706" + "940408010100" + "9000")
        var run = KernelRun(
            try ContactKernel(.test(), .test(), application: application, PlainPrimitives()), card)
        let reason = try run.finish().termination
        #expect(reason?.code == .missing && reason?.tag == 0x82)
    }
}
