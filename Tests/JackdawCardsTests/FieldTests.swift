import Testing

@testable import JackdawCards

@Suite struct ExpiryTests {
    @Test func writesYearAndMonth() throws {
        #expect(Expiry(year: 25, month: 12)?.text == "2512")
        #expect(Expiry(year: 0, month: 1)?.text == "0001")
        #expect(Expiry(year: 99, month: 9)?.description == "9909")
    }

    @Test func invalidMonthsAreRefused() {
        for (year, month) in [(-1, 1), (100, 1), (25, 0), (25, 13), (25, -1)] {
            #expect(Expiry(year: year, month: month) == nil)
        }
    }

    @Test func readsEveryMonthOfAnyYear() throws {
        for year in 0...99 {
            for month in 0...99 {
                let digits = "\(year / 10)\(year % 10)\(month / 10)\(month % 10)"
                #expect(expiry(digits)?.text == ((1...12).contains(month) ? digits : nil))
            }
        }
    }

    @Test(arguments: ["", "251", "25122", "2A12", "25 1"])
    func refusesOtherText(_ text: String) {
        #expect(expiry(text) == nil)
    }
}

@Suite struct ServiceCodeTests {
    private static let interchange: [ServiceCode.Interchange] = [
        .reserved, .international, .international, .reserved, .reserved, .national, .national, .privateUse, .reserved,
        .test,
    ]
    private static let authorization: [ServiceCode.Authorization] = [
        .normal, .reserved, .byIssuer, .reserved, .byIssuerUnlessAgreed, .reserved, .reserved, .reserved, .reserved,
        .reserved,
    ]
    private static let services: [ServiceCode.Services] = [
        .all, .all, .goodsAndServices, .cashMachines, .cash, .goodsAndServices, .all, .goodsAndServices, .reserved,
        .reserved,
    ]
    private static let pin: [ServiceCode.PINRule] = [
        .required, .notRequired, .notRequired, .required, .notRequired, .required, .whereFeasible, .whereFeasible,
        .reserved, .reserved,
    ]

    @Test func decodesEveryCode() throws {
        for first in 0...9 {
            for second in 0...9 {
                for third in 0...9 {
                    let code = try #require(serviceCode("\(first)\(second)\(third)"))
                    #expect(code.text == "\(first)\(second)\(third)")
                    #expect(code.interchange == Self.interchange[first])
                    #expect(code.hasChip == [2, 6].contains(first))
                    #expect(code.authorization == Self.authorization[second])
                    #expect(code.services == Self.services[third])
                    #expect(code.pin == Self.pin[third])
                    #expect(code == ServiceCode(first * 100 + second * 10 + third))
                }
            }
        }
    }

    @Test func refusesOtherNumbersAndText() {
        #expect(ServiceCode(-1) == nil)
        #expect(ServiceCode(1000) == nil)
        for text in ["", "20", "2011", "2A1", "20 "] {
            #expect(serviceCode(text) == nil)
        }
    }
}

@Suite struct CardholderNameTests {
    @Test(arguments: [
        ("TEST/CARD", "TEST", "CARD", ""), ("BUSH JR/GEORGE W.MR", "BUSH JR", "GEORGE W", "MR"),
        ("MULLER-LUDENSCHEIDT/KLAUS", "MULLER-LUDENSCHEIDT", "KLAUS", ""), ("TEST CARD", "TEST CARD", "", ""),
        ("DOE/JOHN               ", "DOE", "JOHN", ""), (" /", "", "", ""), ("DOE/", "DOE", "", ""),
        ("DOE/J.R.DR", "DOE", "J.R", "DR"), ("ST.JOHN/ANN", "ST.JOHN", "ANN", ""), ("DOE/JOHN/X", "DOE", "JOHN/X", ""),
        ("/.", "", "", ""), ("  ", "", "", ""),
    ])
    func dividesAPaymentName(_ text: String, _ surname: String, _ given: String, _ title: String) {
        let name = CardholderName(payment: SecretText(copying: ascii(text).span))
        #expect(name.text.revealedText() == text)
        #expect(name.surname.revealedText() == surname)
        #expect(name.givenName.revealedText() == given)
        #expect(name.middleName.isEmpty)
        #expect(name.title.revealedText() == title)
    }

    @Test(arguments: [
        ("DOE$JOHN", ["DOE", "JOHN", "", ""]), (" SIMPSON $HOMER$J ", ["SIMPSON", "HOMER", "J", ""]),
        ("DOE", ["DOE", "", "", ""]), ("DOE$JOHN$Q$JR", ["DOE", "JOHN", "Q", "JR"]), ("$$$", ["", "", "", ""]),
    ])
    func dividesALicenceName(_ text: String, _ parts: [String]) {
        let name = CardholderName(licence: SecretText(copying: ascii(text).span))
        #expect([name.surname, name.givenName, name.middleName, name.title].map { $0.revealedText() } == parts)
        #expect(name.masked.allSatisfy { $0 == "*" })
    }

    @Test func printsAPaymentNameMaskedAndWithoutPadding() {
        let name = CardholderName(payment: SecretText(copying: ascii("DOE/JANE ANN  ").span))
        #expect(name.masked == "***/********")
        #expect("\(name)" == "***/********")
    }
}
