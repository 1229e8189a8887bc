import JackdawCards
import JackdawTestSupport
import Testing

@testable import Accept

/// The file `paymentmethods.xml`. Source of the structure: `Pod/Assets/paymentMethods.xml` of the public SDK
/// (WirecardMobileServices/acceptSDK, MIT licence), of which the text below is a part.
@Suite struct PaymentMethodsTests {
    private static func item(_ id: String, _ content: String) -> String {
        "<item>\n<id>\(id)</id>\n<name>A name &amp; more</name>\n\(content)\n</item>\n"
    }

    private static func flag(_ value: Bool) -> String {
        "<item><id>enabled</id><type>bool</type><value><dict><key>bool</key><\(value)/></dict></value></item>\n"
    }

    private static func name(_ text: String) -> String {
        """
        <item><id>displayName</id><type>dict</type><items><item><id>en</id><type>text</type>
        <value><dict><key>text</key><string>\(text)</string></dict></value></item></items></item>

        """
    }

    private static func exclusions(_ cards: [(String, String)]) -> String {
        let list = cards.map { issuer, type in
            "<dict><key>issuer</key><string>\(issuer)</string><key>cardType</key><string>\(type)</string></dict>"
        }
        let array = list.isEmpty ? "<array />" : "<array>\n" + list.joined(separator: "\n") + "\n</array>"
        return """
            <item><id>cardsExclusion</id><type>list</type>
            <value><dict><key>list</key>\(array)</dict></value></item>

            """
    }

    private static func device(_ id: String, _ content: String) -> String {
        item(id, "<type>dict</type><items>\(content)</items>")
    }

    private static func file(_ vendors: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <!-- A comment -->
        <item><id>supportedPaymentMethods</id><type>dict</type><items>
        \(vendors)</items></item>
        """
    }

    private static let published = file(
        device(
            "ENABLE_IDTECH",
            flag(true) + name("ID-Tech")
                + device(
                    "UnimagPro",
                    flag(true) + name("UnimagPro") + exclusions([("visa", "credit_card"), ("visa", "debit_card")])))
            + device(
                "ENABLE_BBPOS",
                flag(true) + name("BBPOS") + device("uEMVSwipe", flag(true) + name("uEMVSwipe") + exclusions([]))
                    + device("WisePad", flag(false) + name("WisePad") + exclusions([])))
            + device(
                "ENABLE_DATECS", flag(false) + name("Datecs") + device("MRD-10", flag(true) + exclusions([])))
            + device("ENABLE_PRT_DATECS", flag(true) + device("DPP250", flag(true) + name("DPP 250"))))

    private func read(_ text: String) throws(AcceptFileError) -> AcceptPaymentMethods {
        try AcceptPaymentMethods(xml: Array(text.utf8))
    }

    private func code(_ text: String) -> AcceptFileError.Code? {
        do throws(AcceptFileError) {
            _ = try read(text)
            return nil
        } catch { return error.code }
    }

    private func number(_ digits: String) throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(Array(digits.utf8).span)
    }

    @Test func S1_08_theFileNamesVendorsTerminalsAndExcludedCards() throws {
        let methods = try read(Self.published)
        #expect(
            methods.vendors.map(\.uuid) == ["ENABLE_IDTECH", "ENABLE_BBPOS", "ENABLE_DATECS", "ENABLE_PRT_DATECS"])
        #expect(methods.vendor(AcceptIDTECHVendorUUID)?.displayNames == ["en": "ID-Tech"])
        let swiper = try #require(methods.terminal("UnimagPro", of: AcceptIDTECHVendorUUID))
        #expect(swiper.cardsExclusion?.map(\.issuer) == ["visa", "visa"])
        #expect(swiper.cardsExclusion?.map(\.cardType) == ["credit_card", "debit_card"])
        #expect(methods.terminal("uEMVSwipe", of: AcceptbbPOSVendorUUID)?.cardsExclusion == [])
        #expect(methods.terminal("DPP250", of: "ENABLE_PRT_DATECS")?.cardsExclusion == nil)
        // Neither a terminal nor a vendor that is not enabled is supported.
        #expect(methods.terminal("WisePad", of: AcceptbbPOSVendorUUID) == nil)
        #expect(methods.terminal("MRD-10", of: AcceptDatecsVendorUUID) == nil)
        #expect(methods.vendor("ENABLE_OTHER") == nil)
    }

    /// Test numbers of the schemes. The kinds are those of the SDK's `issuerCards.json`.
    @Test(arguments: [
        ("4111111111111111", "visa", "credit_card"), ("4508750000000009", "visa", "debit_card"),
        ("5555555555554444", "master", "credit_card"), ("6759649826438453", "maestro", "debit_card"),
        ("6729000000000007", "maestro", "credit_card"), ("378282246310005", "american_express", "credit_card"),
        ("30569309025904", "diners_club", "credit_card"), ("6011111111111117", "discovery", "credit_card"),
        ("3530111333300000", "jcb", "credit_card"),
    ])
    func cardsHaveTheKindOfTheSDK(digits: String, issuer: String, type: String) throws {
        let kind = AcceptCardKind(try number(digits))
        #expect(kind.issuer == issuer)
        #expect(kind.cardType == type)
    }

    @Test func S1_08_aTerminalExcludesTheListedCards() throws {
        let both = try #require(try read(Self.published).terminal("UnimagPro", of: AcceptIDTECHVendorUUID))
        #expect(try both.excludes(number("4111111111111111")))
        #expect(try both.excludes(number("4508750000000009")))
        #expect(try !both.excludes(number("5555555555554444")))
        let debit = try #require(
            try read(
                Self.file(
                    Self.device(
                        "V",
                        Self.flag(true)
                            + Self.device("T", Self.flag(true) + Self.exclusions([("master", "debit_card")]))))
            ).terminal("T", of: "V"))
        #expect(try !debit.excludes(number("5555555555554444")))
        // Mastercard's newer range, of which the list knows no type.
        #expect(try debit.excludes(number("2223003122003222")))
        #expect(try !debit.excludes(number("4111111111111111")))
    }

    // MARK: other files

    @Test(arguments: [
        ("<!DOCTYPE item [<!ENTITY a \"b\">]><item/>", AcceptFileError.Code.notTaken),
        ("<item><![CDATA[x]]></item>", .notTaken), ("<item><?php ?></item>", .notTaken),
        ("<item>&a;</item>", .notTaken),
        ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><item/>", .notTaken), ("", .syntax), ("<item>", .syntax),
        ("</item>", .syntax), ("<item></other>", .syntax), ("<item/><item/>", .syntax), ("<item/>text", .syntax),
        ("<item a=b/>", .syntax), ("<item a=\"<\"/>", .syntax), ("<item a/>", .syntax), ("<1/>", .syntax),
        ("<item", .syntax), ("<item>&#0;</item>", .syntax), ("<item>&#xD800;</item>", .syntax),
        ("<item>&amp</item>", .syntax), ("<!-- ", .syntax), ("<item><!-- </item>", .syntax),
        ("<item>text<id/></item>", .structure), ("<dict/>", .structure), ("<item/>", .structure),
        (String(repeating: "<a>", count: 33), .size),
    ])
    func otherFilesAreRefused(text: String, expected: AcceptFileError.Code) { #expect(code(text) == expected) }

    @Test func largeFilesAreRefused() {
        #expect(code(String(repeating: " ", count: 1 << 18) + "<a/>") == .size)
        #expect(code("<a>" + String(repeating: "<b/>", count: 10_001) + "</a>") == .size)
    }

    @Test func partsOfTheStructureAreNeeded() {
        for removed in [
            "<id>supportedPaymentMethods</id>", "<type>dict</type>", "<key>bool</key>", "<true/>", "<key>issuer</key>",
            "<id>enabled</id>", "<string>visa</string>",
        ] {
            let parts = Self.published.split(separator: removed, maxSplits: 1, omittingEmptySubsequences: false)
            #expect(parts.count == 2)
            #expect(code(parts.joined()) == .structure, "\(removed)")
        }
    }

    @Test func theErrorHasTheLine() {
        let text = "<item>\n<id>a</id>\n<type>&b;</type></item>"
        #expect(throws: AcceptFileError(.notTaken, line: 3, "")) {
            do throws(AcceptFileError) { _ = try read(text) } catch {
                throw AcceptFileError(error.code, line: error.line, "")
            }
        }
    }

    @Test func textsHaveTheirCharacters() throws {
        let root = try XMLElement(file: Array("\u{FEFF}<a b='c'> &lt;&gt;&quot;&apos;&#65;&#x42;ä <!-- c --></a>".utf8))
        #expect(root.text == "<>\"'ABä")
        #expect(throws: AcceptFileError.self) { try XMLElement(file: [0x3C, 0x61, 0xFF, 0x3E]) }
    }

    @Test func anyBytesGiveMethodsOrAnError() {
        var random = SeededRandom(seed: 8)
        let original = Array(Self.published.utf8)
        var kept = 0
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert("<>&/!\"'-".utf8.randomElement(using: &random)!, at: place)
                }
            }
            if (try? AcceptPaymentMethods(xml: bytes)) != nil { kept += 1 }
        }
        for end in stride(from: 0, to: original.count - 1, by: 7) {
            #expect((try? AcceptPaymentMethods(xml: Array(original[..<end]))) == nil)
        }
        // Some changes are in names for people.
        #expect(kept > 0 && kept < 400)
    }
}
