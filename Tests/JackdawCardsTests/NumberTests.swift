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

    @Test func onlyDigitsHaveACheckDigit() {
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
    /// The first and last prefix of every range, and what lies just outside, by the brand that they must give.
    private static let edges: [CardBrand: String] = [
        .americanExpress: "34 37",
        .borica: "2205",
        .chinaTUnion: "31",
        .dankort: "4571 5019",
        .dinersClub: "300 305 3095 36 38 39",
        .discover: """
        6011 644 649 65 650001 650028 650030 650034 650052 650404 650440 650484 650539 650540 650599 650699 \
        650719 650728 650900 650979 651651 651680 652149 653150 654999 655020 655059
        """,
        .elo: """
        401178 401179 431274 438935 451416 457393 457631 457632 504175 506699 506778 509000 509999 627780 \
        636297 636368 650031 650033 650035 650051 650405 650439 650485 650538 650541 650598 650700 650718 \
        650720 650727 650901 650978 651652 651679 655000 655019 655021 655058
        """,
        .gpn: "1946",
        .hiper: "637095 63737423 63743358 637568 637599 637609 637612",
        .hipercard: "606282",
        .humo: "9860",
        .instaPayment: "637 637094 63737422 63737424 637613 639",
        .interPayment: "636 636296 636298 636369",
        .jcb: "1800 2131 3528 357110 357112 3589",
        .lankaPay: "357111",
        .maestro: """
        493698 50 5018 5020 504174 504176 506098 506199 506698 506779 507864 507965 508499 56 5613 5615 58 \
        63 635 67
        """,
        .mastercard: "2221 2720 51 55",
        .mir: "2200 2204",
        .napas: "9704",
        .npsPridnestrovie: "6054740 6054744",
        .ruPay: "508500 508999 606985 607984 608001 608500 652150 653149 8172 82",
        .troy: "9792",
        .uatp: "1 1799 1801 1945 1947",
        .ukrCard: "60400100 60420099",
        .unionPay: "62 622126 622925 627779 627781 8100 8171",
        .uzCard: "5614 8600",
        .verve: "506099 506198 507865 507964 650002 650027",
        .visa: "4 401177 401180 431275 438934 451417 4570 4572 457392 457630 457633 493697 493699",
        .unknown: """
        0 2130 2132 2199 2206 2220 2721 299 3 306 3094 3096 32 33 35 3527 3590 4A 5 59 6010 6012 60400099 \
        60420100 6054739 6054745 606281 606283 606984 607985 608000 608501 61 64 640 643 66 68 7 80 8099 83 \
        8599 8601 9703 9705 9791 9793 9859 9861 999999 A4
        """,
    ]

    @Test(arguments: CardBrand.allCases)
    func edges(of expected: CardBrand) throws {
        for prefix in try #require(Self.edges[expected]).split(separator: " ") {
            #expect(brand(of: String(prefix)) == expected, "\(prefix)")
        }
    }

    @Test func anEmptyNumberHasNoBrand() {
        #expect(brand(of: "") == .unknown)
    }

    /// Published test numbers of the schemes.
    private static let published: [(String, CardBrand)] = [
        ("4111111111111111", .visa), ("5555555555554444", .mastercard), ("2223000048400011", .mastercard),
        ("378282246310005", .americanExpress), ("6011111111111117", .discover), ("30569309025904", .dinersClub),
        ("38520000023237", .dinersClub), ("3530111333300000", .jcb), ("6210948000000011", .unionPay),
        ("6799998900000200014", .maestro), ("6304000000000000", .maestro), ("5061001234567890123", .verve),
        ("6062820524845321", .hipercard), ("5066991111111118", .elo),
    ]

    @Test(arguments: published)
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
