import JackdawEMV
import JackdawPayments
import Testing

@Suite struct AttemptRequestTests {
    @Test(arguments: ["a", "sale-2024/11#7", "~!", String(repeating: "x", count: 64)])
    func identifiersArePrintableASCII(text: String) {
        #expect(SaleIdentifier(rawValue: text)?.rawValue == text)
        #expect(AttemptIdentifier(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: ["", " ", "a b", "a\n", "ä", "a\u{7F}", "a\0", String(repeating: "x", count: 65)])
    func otherIdentifiersAreRefused(text: String) {
        #expect(SaleIdentifier(rawValue: text) == nil)
        #expect(AttemptIdentifier(rawValue: text) == nil)
    }

    @Test func referencesOfHostsMayBeLonger() {
        #expect(HostReference(rawValue: String(repeating: "x", count: 128)) != nil)
        #expect(HostReference(rawValue: String(repeating: "x", count: 129)) == nil)
    }

    @Test func amountsNeedACurrencyAndAtMost12Digits() throws {
        func code(_ kind: AttemptKind, _ amount: Amount) -> RequestError.Code? {
            do {
                _ = try AttemptRequest(sale: sale("S"), kind: kind, amount: amount)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.purchase, euros(0)) == .amount)
        #expect(code(.authorisation, euros(0)) == nil)
        #expect(code(.purchase, euros(999_999_999_999)) == nil)
        #expect(code(.purchase, euros(1_000_000_000_000)) == .amount)
        #expect(code(.purchase, Amount(minorUnits: 1, currencyCode: nil)) == .currency)
        #expect(code(.purchase, Amount(minorUnits: 1, currencyCode: 1)) == .currency)
    }

    @Test func detailsAreBounded() throws {
        let longest = AttemptDetail("", String(repeating: "x", count: 65_536))
        _ = try purchase("S", 1, [longest])
        #expect(throws: RequestError.self) { _ = try purchase("S", 1, [longest, AttemptDetail("a", "")]) }
        let most = Array(repeating: AttemptDetail("", ""), count: 4096)
        _ = try purchase("S", 1, most)
        #expect(throws: RequestError.self) { _ = try purchase("S", 1, most + [AttemptDetail("", "")]) }
    }

    @Test func eachFieldIsPartOfTheFingerprint() throws {
        let requests = [
            try purchase("S1", 1), try purchase("S2", 1), try purchase("S1", 2),
            try AttemptRequest(sale: sale("S1"), kind: .authorisation, amount: euros(1)),
            try AttemptRequest(sale: sale("S1"), kind: .capture(of: attempt("A")), amount: euros(1)),
            try AttemptRequest(sale: sale("S1"), kind: .capture(of: attempt("B")), amount: euros(1)),
            try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("A")), amount: euros(1)),
            try AttemptRequest(
                sale: sale("S1"), kind: .purchase, amount: Amount(minorUnits: 1, currencyCode: 756)),
            try purchase("S1", 1, [AttemptDetail("a", "b")]), try purchase("S1", 1, [AttemptDetail("b", "a")]),
            try purchase("S1", 1, [AttemptDetail("ab", "")]), try purchase("S1", 1, [AttemptDetail("", "ab")]),
            try purchase("S1", 1, [AttemptDetail("a", "b"), AttemptDetail("c", "d")]),
            try purchase("S1", 1, [AttemptDetail("c", "d"), AttemptDetail("a", "b")]),
            try purchase("S1", 1, [AttemptDetail("a", "b1:c1:d")]), try purchase("S1", 1, [AttemptDetail("a1:b", "")]),
            // The same character for Swift, in other bytes.
            try purchase("S1", 1, [AttemptDetail("n", "\u{E9}")]),
            try purchase("S1", 1, [AttemptDetail("n", "e\u{301}")]),
        ]
        #expect(Set(requests.map(\.fingerprint)).count == requests.count)
        #expect(try purchase("S1", 1).fingerprint == requests[0].fingerprint)
        #expect(requests[16] != requests[17])
    }

    @Test func theFingerprintHasEachFieldWithItsLength() throws {
        let request = try purchase("S1", 1050, [AttemptDetail("tip", "1")])
        #expect(
            String(decoding: request.fingerprint.octets, as: UTF8.self) == "2:S18:purchase0:4:10503:9783:tip1:1")
    }

    @Test(arguments: [
        ("declined", "declined"), ("card 4111111111111111 refused", "card **************** refused"),
        ("4111 1111-1111 1111", "**** ****-**** ****"), ("12345678901", "12345678901"), ("1  2", "1  2"),
        ("123456789012", "************"), ("123456 and 7890123", "123456 and 7890123"), ("a\r\nb\u{85}", "a  b "),
        ("411111  1111111111", "411111  1111111111"),
    ])
    func reasonsHaveNoCardNumbersAndNoControlCharacters(text: String, expected: String) {
        #expect(ReasonText(text).text == expected)
    }

    @Test func reasonsAreBoundedAndStayAsTheyAreTheSecondTime() {
        // A card number across the cut.
        for place in 240...256 {
            let text = ReasonText(String(repeating: "x", count: place) + "4111111111111111").text
            #expect(text.count == 256 && !text.contains("4"))
        }
        let reason = ReasonText(String(repeating: "ab1", count: 1000))
        #expect(reason.text.unicodeScalars.count == 256)
        #expect(ReasonText(reason.text) == reason)
    }

    @Test func descriptionsHaveNoDetails() throws {
        let request = try purchase("S1", 1050, [AttemptDetail("note", "s3cret")])
        #expect("\(request)" == "purchase of 10.50 EUR for sale S1")
        #expect("\(request.details)" == "[note]")
        let record = AttemptRecord(attempt("A1"), request, on: date)
        #expect("\(record)" == "attempt A1, open: purchase of 10.50 EUR for sale S1")
        #expect("\(HostRequest(.authorise, record))" == "authorise attempt A1, purchase of 10.50 EUR for sale S1")
        var text = ""
        dump(record, to: &text)
        #expect(!text.contains("s3cret"))
    }
}
