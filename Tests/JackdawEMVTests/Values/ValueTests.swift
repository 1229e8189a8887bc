import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct BitFieldTests {
    private static func check<Field: BitField>(_ field: Field.Type) {
        var seen = Field()
        for bit in Field.bits {
            #expect(!seen.contains(bit.bit))
            #expect(Field(octet: bit.octet, bit: bit.number) == bit.bit)
            seen.insert(bit.bit)
        }
        #expect(Field([]) == nil)
        #expect(Field(seen.octets) == seen && seen.octets.count == Field.octetCount)
        #expect(DataElement.find(Field.tag)?.lengths == Field.octetCount...Field.octetCount)
    }

    @Test func eachBitHasItsPlace() {
        Self.check(TerminalVerificationResults.self)
        Self.check(TransactionStatusInformation.self)
        Self.check(ApplicationInterchangeProfile.self)
        Self.check(ApplicationUsageControl.self)
        Self.check(TerminalCapabilities.self)
        Self.check(AdditionalTerminalCapabilities.self)
        Self.check(TerminalTransactionQualifiers.self)
        Self.check(CardTransactionQualifiers.self)
    }
}

@Suite struct AmountTests {
    @Test func amountsHaveTheDecimalsOfTheirCurrency() {
        func text(_ units: UInt64, _ code: UInt16?) -> String { "\(Amount(minorUnits: units, currencyCode: code))" }
        #expect(text(1050, 978) == "10.50 EUR" && text(5, 978) == "0.05 EUR" && text(0, 978) == "0.00 EUR")
        #expect(text(1050, 392) == "1050 JPY" && text(1050, 48) == "1.050 BHD" && text(5, 990) == "0.0005 CLF")
        #expect(text(1050, nil) == "1050 minor units" && text(1050, 959) == "1050 minor units")
    }

    @Test func amountsAreParsedAndEncoded() {
        #expect(Amount(hex("000000001050").span, currencyCode: 978)?.minorUnits == 1050)
        #expect(Amount(hex("00000000105A").span, currencyCode: 978) == nil)
        #expect(Amount(hex("").span, currencyCode: nil) == nil)
        #expect(Amount(minorUnits: 1050, currencyCode: nil).octets == hex("000000001050"))
        #expect(Amount(minorUnits: 999_999_999_999, currencyCode: nil).octets == hex("999999999999"))
        #expect(Amount(minorUnits: 1_000_000_000_000, currencyCode: nil).octets == nil)
    }

    /// The exponents of ISO 4217, table A.1: EUR 2, JPY 0, BHD 3, CLF 4.
    @Test(arguments: [
        ("12.34", "EUR", UInt64(1234)), ("12.3", "EUR", 1230), ("12", "EUR", 1200), ("0.05", "EUR", 5), ("0", "EUR", 0),
        ("1050", "JPY", 1050), ("1.05", "BHD", 1050), ("0.0005", "CLF", 5), ("9999999999.99", "EUR", 999_999_999_999),
        ("999999999999", "JPY", 999_999_999_999),
    ])
    func amountsInMajorUnitsAreRead(_ text: String, _ code: String, _ units: UInt64) throws {
        let currency = try #require(Currency.find(alphabeticCode: code))
        #expect(Amount(text, in: currency) == Amount(minorUnits: units, currencyCode: currency.numericCode))
    }

    @Test(arguments: [
        ("", "EUR"), (".5", "EUR"), ("5.", "EUR"), ("1.234", "EUR"), ("1.2.3", "EUR"), ("-1", "EUR"), ("1,5", "EUR"),
        ("1e3", "EUR"), (" 1", "EUR"), ("1.0", "JPY"), ("10000000000", "EUR"), ("1000000000000", "JPY"), ("١", "EUR"),
        ("999999999999999999999999999999", "EUR"),
    ])
    func otherTextsAreNoAmounts(_ text: String, _ code: String) throws {
        #expect(Amount(text, in: try #require(Currency.find(alphabeticCode: code))) == nil)
    }

    @Test func currenciesHaveTheirCodes() {
        #expect(Currency.find(alphabeticCode: "EUR")?.octets == hex("0978"))
        #expect(Currency.find(alphabeticCode: "ALL")?.octets == hex("0008"))
        #expect(Currency.find(alphabeticCode: "eur") == nil && Currency.find(alphabeticCode: "XAU") == nil)
    }

    @Test func currenciesAreInOrder() {
        #expect(zip(Currency.all, Currency.all.dropFirst()).allSatisfy { $0.numericCode < $1.numericCode })
        #expect(Currency.find(840)?.alphabeticCode == "USD" && Currency.find(999) == nil)
        #expect(Currency.find(hex("0978").span)?.exponent == 2 && Currency.find(hex("978").span) == nil)
    }
}

@Suite struct CardDateTests {
    @Test func yearsBelow50AreOfThisCentury() {
        #expect(CardDate(hex("491231").span)?.year == 2049 && CardDate(hex("500101").span)?.year == 1950)
        #expect(CardDate(hex("261301").span) == nil && CardDate(hex("2601").span) == nil)
        #expect(CardDate(hex("26013A").span) == nil && CardDate(hex("260100").span) == nil)
        let date = CardDate(year: 2026, month: 1, day: 31)
        #expect(date?.octets == hex("260131") && date?.description == "2026-01-31")
    }

    @Test func datesAreCompared() {
        let dates = ["000101", "991231", "491231", "260115"].compactMap { CardDate(hex($0).span) }
        #expect(dates.sorted().map { $0.year } == [1999, 2000, 2026, 2049])
    }
}

@Suite struct AnswerToResetTests {
    @Test func partsAreRead() throws {
        let answer = try AnswerToReset(hex("3BE300008131204501020336").span)
        #expect(!answer.isInverse && answer.firstProtocol == 1 && answer.check == 0x36)
        #expect(answer.groups.count == 3 && answer.groups[2].b == 0x45 && answer.groups[0].a == nil)
        #expect(answer.historicalOctets == [1, 2, 3])
        #expect(answer.rejection() == nil)
    }

    @Test(arguments: [
        ("3B70110000", AnswerToReset.Rejection.ta1), ("3B600100", .tb1), ("3B6000FE", .tc1),
        ("3BE000008131205525", .tb3), ("3BE0000081310F451A", .ta3),
    ])
    func reasonsAreNamed(_ octets: String, _ reason: AnswerToReset.Rejection) throws {
        #expect(try AnswerToReset(hex(octets).span).rejection() == reason)
    }

    @Test func randomAnswersAreTotal() {
        var random = SeededRandom(seed: 7816)
        for _ in 0..<20_000 {
            var octets = (0..<Int.random(in: 0...36, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if !octets.isEmpty { octets[0] = 0x3B }
            guard let answer = try? AnswerToReset(octets.span) else { continue }
            _ = answer.rejection(checkingHistoricalOctets: true)
            #expect(answer.historicalOctets.count <= 15)
        }
    }
}

@Suite struct ListTests {
    @Test func randomListsAreTotal() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if let list = try? DataObjectList(octets.span) {
                #expect(list.build { _ in SecretOctets(octets) }.count == list.valueCount)
            }
            if let locator = try? ApplicationFileLocator(octets.span) {
                #expect(locator.records.allSatisfy { (1...30).contains($0.file) && (1...255).contains($0.number) })
            }
            _ = try? CardholderVerificationList(octets.span)
            _ = IssuerApplicationData(octets.span)
        }
    }

    @Test func incompleteListsHaveTheirOffset() {
        for (octets, code, offset) in [
            ("9F02069F", "truncated_tag", 3), ("9F02", "truncated_length", 2), ("0002", "value", 0),
        ] {
            let error = #expect(throws: DataObjectError.self) { try DataObjectList(hex(octets).span) }
            #expect(error?.code.rawValue == code && error?.offset == offset)
        }
    }
}
