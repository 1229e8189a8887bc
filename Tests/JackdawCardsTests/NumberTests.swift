import JackdawTestSupport
import Testing

@testable import JackdawCards

@Suite struct LuhnTests {
    /// Numbers that the schemes and their acquirers publish for testing, and the worked example of ISO/IEC 7812-1.
    @Test(arguments: [
        "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "30569309025904",
        "3530111333300000", "4222222222222", "6210948000000011", "79927398713",
    ])
    func publishedNumbersAreValid(_ digits: String) {
        #expect(isLuhnValid(digits))
        #expect(checkDigit(of: String(digits.dropLast())) == digits.last?.wholeNumberValue)
    }

    @Test func everyOtherCheckDigitFails() {
        for digit in 0...9 where digit != 1 {
            #expect(!isLuhnValid("411111111111111\(digit)"))
        }
    }

    @Test func everySingleErrorShows() {
        for place in 0..<16 {
            for digit in UInt8(0x30)...0x39 {
                var digits = ascii("4111111111111111")
                guard digits[place] != digit else { continue }
                digits[place] = digit
                #expect(!isLuhnValid(String(decoding: digits, as: UTF8.self)))
            }
        }
    }

    @Test func needsTwoDigits() {
        #expect(!isLuhnValid(""))
        #expect(!isLuhnValid("0"))
        #expect(isLuhnValid("00"))
        #expect(isLuhnValid("18"))
    }

    @Test func nothingButDigits() {
        #expect(!isLuhnValid("4111 1111 1111 1111"))
        #expect(!isLuhnValid("0:"))
        #expect(checkDigit(of: "4/") == nil)
        #expect(checkDigit(of: "") == 0)
    }
}

@Suite struct PrimaryAccountNumberTests {
    /// Masked forms worked out by hand: up to 12 digits the last 4 show, from 13 on the first 6 too.
    @Test(arguments: [
        ("12345678", "****5678"), ("123456789", "*****6789"), ("1234567890", "******7890"),
        ("12345678901", "*******8901"), ("123456789012", "********9012"), ("1234567890123", "123456***0123"),
        ("12345678901234", "123456****1234"), ("123456789012345", "123456*****2345"),
        ("1234567890123456", "123456******3456"), ("12345678901234567", "123456*******4567"),
        ("123456789012345678", "123456********5678"), ("1234567890123456789", "123456*********6789"),
    ])
    func masks(_ digits: String, _ masked: String) throws {
        let pan = try number(digits)
        #expect(pan.masked == masked)
        #expect(pan.revealed == digits)
        #expect(pan.count == digits.count)
    }

    @Test(arguments: [0, 1, 7, 20, 21, 1000])
    func refusesOtherLengths(_ count: Int) {
        let digits = String(repeating: "9", count: count)
        #expect(throws: CardDataError(.length, at: count, expected: "8 to 19 digits in all")) { try number(digits) }
    }

    @Test func refusesAnythingButDigits() {
        #expect(throws: CardDataError(.character, at: 4, expected: "a digit")) { try number("4111 1111 1111 1111") }
        #expect(throws: CardDataError(.character, at: 0, expected: "a digit")) { try number("/1111111") }
        #expect(throws: CardDataError(.character, at: 7, expected: "a digit")) { try number("1111111:") }
    }

    @Test func showsTheIssuerOfLongNumbersOnly() throws {
        #expect(try number("4111111111111111").issuerIdentificationNumber == "411111")
        #expect(try number("4222222222222").issuerIdentificationNumber == "422222")
        #expect(try number("500000000009").issuerIdentificationNumber == nil)
    }

    @Test func comparesByDigits() throws {
        #expect(try number("4111111111111111") == number("4111111111111111"))
        #expect(try number("4111111111111111") != number("4111111111111112"))
        #expect(try number("4111111111111111") != number("41111111"))
    }

    @Test func knowsWhetherTheLengthSuitsTheBrand() throws {
        #expect(try number("4111111111111111").hasLengthOfItsBrand == true)
        #expect(try number("41111111111111").hasLengthOfItsBrand == false)
        #expect(try number("378282246310005").hasLengthOfItsBrand == true)
        #expect(try number("3782822463100051").hasLengthOfItsBrand == false)
        #expect(try number("9999990000000005").hasLengthOfItsBrand == nil)
    }
}

@Suite struct CardBrandTests {
    /// The first and last prefix of every range, and what lies just outside.
    @Test(arguments: [
        ("33", .unknown), ("34", .americanExpress), ("35", .unknown), ("36", .dinersClub), ("37", .americanExpress),
        ("38", .dinersClub), ("39", .dinersClub),
        ("2204", .mir), ("2205", .borica), ("2206", .unknown), ("2199", .unknown), ("2200", .mir),
        ("2220", .unknown), ("2221", .mastercard), ("2720", .mastercard), ("2721", .unknown),
        ("50", .maestro), ("51", .mastercard), ("55", .mastercard), ("56", .maestro), ("58", .maestro), ("59", .unknown),
        ("31", .chinaTUnion), ("32", .unknown), ("299", .unknown), ("300", .dinersClub), ("305", .dinersClub),
        ("306", .unknown), ("3094", .unknown), ("3095", .dinersClub), ("3096", .unknown),
        ("5018", .maestro), ("5019", .dankort), ("5020", .maestro), ("4570", .visa), ("4571", .dankort), ("4572", .visa),
        ("6010", .unknown), ("6011", .discover), ("6012", .unknown), ("643", .unknown), ("644", .discover),
        ("649", .discover), ("65", .discover), ("66", .unknown), ("61", .unknown), ("62", .unionPay), ("63", .maestro),
        ("64", .unknown), ("67", .maestro), ("68", .unknown), ("622126", .unionPay), ("622925", .unionPay),
        ("401177", .visa), ("401178", .elo), ("401179", .elo), ("401180", .visa), ("431274", .elo), ("431275", .visa),
        ("438935", .elo), ("438934", .visa), ("451416", .elo), ("451417", .visa), ("457393", .elo), ("457392", .visa),
        ("457630", .visa), ("457631", .elo), ("457632", .elo), ("457633", .visa), ("504174", .maestro),
        ("504175", .elo), ("504176", .maestro), ("506698", .maestro), ("506699", .elo), ("506778", .elo),
        ("506779", .maestro), ("508999", .ruPay), ("509000", .elo), ("509999", .elo), ("627779", .unionPay),
        ("627780", .elo), ("627781", .unionPay), ("636296", .interPayment), ("636297", .elo), ("636298", .interPayment),
        ("636368", .elo), ("636369", .interPayment), ("650030", .discover), ("650031", .elo), ("650033", .elo),
        ("650034", .discover), ("650035", .elo), ("650051", .elo), ("650052", .discover), ("650404", .discover),
        ("650405", .elo), ("650439", .elo), ("650440", .discover), ("650484", .discover), ("650485", .elo),
        ("650538", .elo), ("650539", .discover), ("650540", .discover), ("650541", .elo), ("650598", .elo),
        ("650599", .discover), ("650699", .discover), ("650700", .elo), ("650718", .elo), ("650719", .discover),
        ("650720", .elo), ("650727", .elo), ("650728", .discover), ("650900", .discover), ("650901", .elo),
        ("650978", .elo), ("650979", .discover), ("651651", .discover), ("651652", .elo), ("651679", .elo),
        ("651680", .discover), ("654999", .discover), ("655000", .elo), ("655019", .elo), ("655020", .discover),
        ("655021", .elo), ("655058", .elo), ("655059", .discover),
        ("1", .uatp), ("1945", .uatp), ("1946", .gpn), ("1947", .uatp), ("1799", .uatp), ("1800", .jcb), ("1801", .uatp),
        ("2130", .unknown), ("2131", .jcb), ("2132", .unknown), ("3527", .unknown), ("3528", .jcb), ("3589", .jcb),
        ("3590", .unknown), ("357110", .jcb), ("357111", .lankaPay), ("357112", .jcb),
        ("637094", .instaPayment), ("637095", .hiper), ("637568", .hiper), ("637599", .hiper), ("637609", .hiper),
        ("637612", .hiper), ("637613", .instaPayment), ("63737422", .instaPayment), ("63737423", .hiper),
        ("63737424", .instaPayment), ("63743358", .hiper), ("606281", .unknown), ("606282", .hipercard),
        ("606283", .unknown), ("9859", .unknown), ("9860", .humo), ("9861", .unknown), ("635", .maestro),
        ("636", .interPayment), ("637", .instaPayment), ("639", .instaPayment), ("640", .unknown),
        ("493697", .visa), ("493698", .maestro), ("493699", .visa), ("9703", .unknown), ("9704", .napas),
        ("9705", .unknown), ("6054739", .unknown), ("6054740", .npsPridnestrovie), ("6054744", .npsPridnestrovie),
        ("6054745", .unknown), ("508499", .maestro), ("508500", .ruPay), ("606984", .unknown), ("606985", .ruPay),
        ("607984", .ruPay), ("607985", .unknown), ("608000", .unknown), ("608001", .ruPay), ("608500", .ruPay),
        ("608501", .unknown), ("652149", .discover), ("652150", .ruPay), ("653149", .ruPay), ("653150", .discover),
        ("80", .unknown), ("8099", .unknown), ("8100", .unionPay), ("8171", .unionPay), ("8172", .ruPay), ("82", .ruPay),
        ("83", .unknown), ("9791", .unknown), ("9792", .troy), ("9793", .unknown), ("60400099", .unknown),
        ("60400100", .ukrCard), ("60420099", .ukrCard), ("60420100", .unknown), ("5613", .maestro), ("5614", .uzCard),
        ("5615", .maestro), ("8599", .unknown), ("8600", .uzCard), ("8601", .unknown), ("506098", .maestro),
        ("506099", .verve), ("506198", .verve), ("506199", .maestro), ("507864", .maestro), ("507865", .verve),
        ("507964", .verve), ("507965", .maestro), ("650001", .discover), ("650002", .verve), ("650027", .verve),
        ("650028", .discover), ("3", .unknown), ("4", .visa), ("5", .unknown), ("0", .unknown), ("7", .unknown),
        ("999999", .unknown), ("", .unknown), ("4A", .unknown), ("A4", .unknown),
    ] as [(String, CardBrand)])
    func edges(_ prefix: String, _ expected: CardBrand) {
        #expect(brand(of: prefix) == expected)
    }

    /// Published test numbers of the schemes.
    @Test(arguments: [
        ("4111111111111111", .visa), ("5555555555554444", .mastercard), ("2223000048400011", .mastercard),
        ("378282246310005", .americanExpress), ("6011111111111117", .discover), ("30569309025904", .dinersClub),
        ("38520000023237", .dinersClub), ("3530111333300000", .jcb), ("6210948000000011", .unionPay),
        ("6799998900000200014", .maestro), ("6304000000000000", .maestro), ("5061001234567890123", .verve),
        ("6062820524845321", .hipercard), ("5066991111111118", .elo),
    ] as [(String, CardBrand)])
    func publishedNumbers(_ digits: String, _ brand: CardBrand) throws {
        #expect(try number(digits).brand == brand)
        #expect(try number(digits).hasLengthOfItsBrand == true)
    }

    @Test func rangesAreWellFormed() {
        for range in IssuerRange.all {
            #expect(String(range.prefixes.upperBound).count == range.prefixLength)
            #expect((1...8).contains(range.prefixLength))
            #expect(!range.lengths.isEmpty)
            #expect(range.lengths.allSatisfy { PrimaryAccountNumber.lengths.contains($0) })
        }
    }

    @Test func rangesOfOneLengthDoNotOverlap() {
        let ranges = IssuerRange.all
        for (index, range) in ranges.enumerated() {
            let rivals = ranges[(index + 1)...].filter { $0.prefixLength == range.prefixLength }
            #expect(!rivals.contains { $0.prefixes.overlaps(range.prefixes) }, "\(range)")
        }
    }

    @Test func everyBrandHasARange() {
        let brands = Set(IssuerRange.all.map(\.brand))
        #expect(brands == Set(CardBrand.allCases).subtracting([.unknown]))
    }
}
