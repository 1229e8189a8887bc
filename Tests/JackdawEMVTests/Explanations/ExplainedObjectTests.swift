import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct DataElementTests {
    @Test func elementsAreInOrderAndUnique() {
        let all = DataElement.all
        for (left, right) in zip(all, all.dropFirst()) {
            #expect(left.tag < right.tag || (left.tag == right.tag && (left.kernel ?? 0) < (right.kernel ?? 0)))
        }
        #expect(all.allSatisfy { ($0.format == .template) == $0.tag.isConstructed || $0.tag == 0x80 || $0.tag == 0x83 })
        #expect(all.count > 200)
    }

    /// The elements of EMV 4.4 Book 3, annex A1, whose length is a number: tag, source, format, octets. After a hyphen
    /// is the greatest length. Of two sources the first is listed; `*` is no format.
    private static let annexA = """
        42 card n 3,4F card b 5-16,50 card ans 1-16,57 card b -19,5A card cn -10,5F20 card ans 2-26,5F24 card n 3
        5F25 card n 3,5F28 card n 2,5F2A terminal n 2,5F2D card an 2-8,5F30 card n 2,5F34 card n 1,5F36 terminal n 1
        5F53 card * -34,5F54 card * 8-11,5F55 card a 2,5F56 card a 3,5F57 terminal n 1,61 card * -252,6F card * -252
        70 card * -252,73 card * -252,81 terminal b 4,82 card b 2,84 card b 5-16,86 issuer b -261,87 card b 1
        88 card b 1,89 issuer * 6,8A issuer an 2,8C card b -252,8D card b -252,8E card b 10-252,8F card b 1
        91 issuer b 8-16,94 card * -252,95 terminal b 5,97 card b -252,98 terminal b 20,9A terminal n 3
        9B terminal b 2,9C terminal n 1,9D card b 5-16,9F01 terminal n 6,9F02 terminal n 6,9F03 terminal n 6
        9F04 terminal b 4,9F05 card b 1-32,9F06 terminal b 5-16,9F07 card b 2,9F08 card b 2,9F09 terminal b 2
        9F0B card ans 27-45,9F0C card n 3-4,9F0D card b 5,9F0E card b 5,9F0F card b 5,9F10 card b -32,9F11 card n 1
        9F12 card ans 1-16,9F13 card b 2,9F14 card b 1,9F15 terminal n 2,9F16 terminal ans 15,9F17 card b 1
        9F18 issuer b 4,9F19 card n 6,9F1A terminal n 2,9F1B terminal b 4,9F1C terminal an 8,9F1D terminal b 1-8
        9F1E terminal an 8,9F21 terminal n 3,9F22 terminal b 1,9F23 card b 1,9F24 card an 29,9F25 card n 2
        9F26 card b 8,9F27 card b 1,9F2E card b 1-3,9F30 terminal b 3,9F32 card b 1-3,9F33 terminal b 3
        9F34 terminal b 3
        9F35 terminal n 1,9F36 card b 2,9F37 terminal b 4,9F39 terminal n 1,9F3A terminal b 4,9F3B card n 2-8
        9F3C terminal n 2,9F3D terminal n 1,9F40 terminal b 5,9F41 terminal n 2-4,9F42 card n 2,9F43 card n 1-4
        9F44 card n 1,9F45 card b 2,9F47 card b 1-3,9F49 card b -252,9F4C card b 2-8,9F4D card b 2,BF0C card * -222
        """

    @Test func elementsAreThoseOfTheBook() throws {
        let rows = Self.annexA.split { $0 == "," || $0 == "\n" }
        #expect(rows.count == 104)
        for row in rows {
            let columns = row.split(separator: " ").map { String($0) }
            let number = try #require(UInt32(columns[0], radix: 16))
            let tag = try #require(EMVTag(rawValue: number))
            let element = try #require(DataElement.find(tag), "\(tag)")
            #expect(element.source.rawValue == columns[1], "\(tag)")
            #expect(element.format.rawValue == columns[2] || columns[2] == "*", "\(tag)")
            let bounds = columns[3].split(separator: "-").compactMap { Int($0) }
            #expect(element.lengths.upperBound == bounds.last, "\(tag)")
            #expect(element.lengths.lowerBound == bounds.first || columns[3].hasPrefix("-"), "\(tag)")
        }
    }

    @Test func meaningsDependOnTheKernel() {
        #expect(DataElement.find(0x9F6C)?.name == "Card Transaction Qualifiers (CTQ)")
        #expect(DataElement.find(0x9F6C, kernel: 2)?.name == "Mag-stripe Application Version Number (Card)")
        #expect(DataElement.find(0x9F6C, kernel: 7)?.name == "Card Transaction Qualifiers (CTQ)")
        #expect(DataElement.find(0x9F02, kernel: 2)?.name == "Amount, Authorised (Numeric)")
        #expect(DataElement.find(0xDF7F) == nil)
    }

    /// Tracks, numbers and names of the cardholder and the PIN; unknown tags are treated like them.
    @Test func cardDataIsSensitive() {
        let tags: [EMVTag] = [
            0x5A, 0x57, 0x56, 0x5F20, 0x5F24, 0x5F30, 0x9F0B, 0x9F0C, 0x9F1F, 0x9F20, 0x9F6B, 0x86, 0xDF7F,
        ]
        for tag in tags {
            #expect(DataElement.sensitivity(of: tag) == .cardData)
        }
        #expect(DataElement.sensitivity(of: 0x99) == .secret)
        #expect(DataElement.sensitivity(of: 0x9F02) == .open)
    }
}

@Suite struct ExplainedObjectTests {
    private static let record = hex(
        """
        7081B3 5A084761739001010010 57134761739001010010D25122011143804400000F 5F2010544553542F4341524420202020202020
        9505 8000048000 9F0206000000001050 5F2A020978 9A03260115 9C0100 9F2701 80 8E0A000003E8000013884203
        940408010300 8C069F02069F3704 9F100706010A03A0A100 9F34035E0300 9F110105 9F1204BAD0E0E2 82025C00
        870181 9F350122 8A025933 5F2D04656E6465 DF7F02ABCD 99021234
        """)

    private static func explained(isRevealing: Bool = false) throws -> [EMVTag: ExplainedObject] {
        var octets = record
        // The length of the record follows its contents.
        octets[2] = UInt8(octets.count - 3)
        let objects = try ExplainedObject.explain(octets.span, isRevealing: isRevealing)
        return Dictionary(uniqueKeysWithValues: objects.map { ($0.object.tag, $0) })
    }

    @Test func valuesAreGivenForPeople() throws {
        let found = try Self.explained()
        #expect(found[0x9F02]?.text == "10.50 EUR")
        #expect(found[0x9A]?.text == "2026-01-15")
        #expect(found[0x9C]?.text == "Purchase")
        #expect(found[0x9F12]?.text == "Карт")
        #expect(found[0x5F2A]?.text == "EUR (Euro)")
        #expect(found[0x8A]?.text == "Y3: unable to go online, offline approved")
        #expect(found[0x9F35]?.text == "attended, offline with online capability, operated by merchant")
        #expect(found[0x70]?.digits == nil && found[0x70]?.isHidden == false)
        #expect(found[0x95]?.digits == "8000048000")
    }

    @Test func partsOfValuesAreListed() throws {
        let found = try Self.explained()
        let bits = try #require(found[0x95]?.details)
        #expect(bits.map { $0.name } == ["oda_not_performed", "online_cvm_captured", "floor_limit_exceeded"])
        #expect(bits.map { $0.octet } == [1, 3, 4] && bits.map { $0.bit } == [8, 3, 8])
        #expect(found[0x9F27]?.details.map { $0.name } == ["arqc"])
        #expect(found[0x8E]?.details.map { $0.name } == ["x", "y", "enciphered_pin_online"])
        #expect(found[0x8E]?.details.first?.text == "X: 10.00 EUR")
        #expect(found[0x94]?.details.map { $0.text } == ["File 1, records 1 to 3"])
        #expect(found[0x8C]?.details.map { $0.name } == ["9F02", "9F37"])
        #expect(
            found[0x9F10]?.details.map { $0.name } == [
                "visa_0", "dki", "cvn", "cvr", "second_gac", "first_gac", "last_online_not_completed",
                "velocity_exceeded", "last_sda_failed", "script_commands",
            ])
        #expect(found[0x9F34]?.details.map { $0.name } == ["signature", "terminal_supports", "outcome"])
        #expect(found[0x87]?.details.map { $0.name } == ["confirmation_required", "priority"])
        #expect(found[0x5F2D]?.details.map { $0.text } == ["en", "de"])
    }

    /// Values and bits that binaryfoo/emv-bertlv reports for the same data in its expected outputs.
    @Test(arguments: [
        (
            "06010A03A4B8000F112233445566778899AABBCCDDEEFF",
            [
                "offline_pin_performed", "last_online_not_completed", "velocity_exceeded", "new_card",
                "last_issuer_authentication_failed", "script_commands", "discretionary_data",
            ]
        ),
        (
            "0110201009248400000000000000000029FF",
            [
                "issuer_authentication_performed", "offline_pin_not_performed", "international_transaction",
                "lower_consecutive_limit_exceeded", "issuer_authentication_failed", "script_counter", "pin_tries",
                "discretionary_data",
            ]
        ),
        (
            "07000103A0A80201",
            [
                "last_online_not_completed", "velocity_exceeded", "last_issuer_authentication_failed", "dda_performed",
                "script_commands", "discretionary_data",
            ]
        ),
        ("0FA501A000000000000000000000000F0F000000000000000000000000000000", ["pin_tries", "script_commands"]),
    ])
    func verificationResultsOfACardAreListed(_ data: String, _ names: [String]) throws {
        let octets = TagLengthValueBuilder.encode(0x9F10, hex(data))
        let found = try ExplainedObject.explain(octets.span).first?.details.map { $0.name }
        #expect(found.map { Array($0.dropFirst(6).prefix(names.count)) } == names)
    }

    @Test func placesAndLogsAreNamed() throws {
        let found = try ExplainedObject.explain(hex("5F28020702 9F1A020036 9F4D020B0A").span)
        #expect(found.map { $0.text } == ["SGP (Singapore)", "AUS (Australia)", nil])
        #expect(found[2].details.map { $0.text } == ["File 11", "10 records"])
    }

    @Test func theStrictestMeaningDecidesIfAValueIsHidden() throws {
        let octets = hex("9F7403414243 9F6103313233")
        #expect(try ExplainedObject.explain(octets.span).map { $0.isHidden } == [true, true])
        #expect(try ExplainedObject.explain(hex("9F6C02FFFF").span).map { $0.isHidden } == [false])
    }

    @Test func cardDataIsMaskedUnlessItIsRevealed() throws {
        let found = try Self.explained()
        #expect(found[0x5A]?.text == "476173******0010" && found[0x57]?.text == "476173******0010")
        for tag: EMVTag in [0x5A, 0x57, 0x5F20, 0xDF7F, 0x99] {
            #expect(found[tag]?.digits == nil && found[tag]?.isHidden == true)
        }
        var text = ""
        dump(Array(found.values), to: &text)
        #expect(!text.contains("4761739001010010") && !text.contains("TEST/CARD"))
        let revealed = try Self.explained(isRevealing: true)
        #expect(revealed[0x5A]?.digits == "4761739001010010" && revealed[0x5F20]?.text == "TEST/CARD       ")
        #expect(revealed[0x99]?.isHidden == true)
    }

    /// An issuer's script may change the PIN, in clear or enciphered (EMV Book 3 section 6.5.10).
    @Test func scriptsThatSetAPINAreNeverShown() throws {
        let pin = "241234FFFFFFFFFF"
        let commands = [
            "8424000208\(pin)", "0420008008\(pin)", "8C2C000008\(pin)", "0026000008\(pin)", "0028000008\(pin)",
            "84D8000008\(pin)", "00C2000008\(pin)",
            // Lengths that are wrong.
            "8424000209\(pin)", "84240002\(pin)", "842400",
        ]
        for command in commands {
            for template: EMVTag in [0x71, 0x72] {
                let object = TagLengthValueBuilder.encode(0x86, hex(command))
                let octets = TagLengthValueBuilder.encode(template, hex("9F180411223344") + object)
                let found = try ExplainedObject.explain(octets.span, isRevealing: true)
                #expect(found.map { $0.isHidden } == [false, false, true], "\(command)")
                var shown = ""
                dump(found, to: &shown)
                #expect(!shown.contains("1234FF"), "\(command)")
            }
        }
        // APPLICATION BLOCK and PUT DATA have none.
        for command in ["841E000004AABBCCDD", "04DA9F580601AABBCCDDEE"] {
            let octets = TagLengthValueBuilder.encode(0x86, hex(command))
            #expect(try ExplainedObject.explain(octets.span, isRevealing: true).map { $0.digits } == [command])
            #expect(try ExplainedObject.explain(octets.span).map { $0.digits } == [nil])
        }
    }

    /// The biometric data of the cardholder, whatever tags the template has.
    @Test func theContentsOfSecretTemplatesAreNeverShown() throws {
        let found = try ExplainedObject.explain(
            hex("BF4E0E DF5102ABCD A103810155 9F350122 9F350122").span, isRevealing: true)
        #expect(found.map { $0.isHidden } == [false, true, false, true, true, false])
        #expect(found.last?.digits == "22")
    }

    /// A hash over data with the account number can be searched for it (EMV Book 2, table 3; Book 3, annex A).
    @Test(arguments: [0x93, 0x98, 0xDF61] as [EMVTag])
    func hashesOverCardDataAreHidden(_ tag: EMVTag) throws {
        let octets = TagLengthValueBuilder.encode(tag, [UInt8](repeating: 0xC1, count: 20))
        for kernel in [nil, 2] {
            let found = try ExplainedObject.explain(octets.span, kernel: kernel)
            #expect(found.map { $0.isHidden } == [true] && found.map { $0.text } == [nil])
        }
        #expect(try ExplainedObject.explain(octets.span, isRevealing: true).map { $0.isHidden } == [false])
    }

    @Test func randomValuesOfKnownTagsAreExplained() throws {
        var random = SeededRandom(seed: 99)
        for element in DataElement.all where !element.tag.isConstructed {
            for _ in 0..<20 {
                let count = Int.random(in: 0...40, using: &random)
                let value = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                let octets = TagLengthValueBuilder.encode(element.tag, value)
                let objects = try ExplainedObject.explain(octets.span, kernel: element.kernel, isRevealing: true)
                #expect(objects.count == 1)
            }
        }
    }
}
