import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

@Suite struct TextTests {
    @Test(arguments: [
        (0.0, 2, "0.00"), (1.005, 1, "1.0"), (-0.5, 1, "-0.5"), (-0.04, 1, "0.0"), (12.3456, 3, "12.346"),
        (99.95, 0, "100"), (0.001, 3, "0.001"), (1e300, 1, "-"), (Double.nan, 1, "-"), (-Double.infinity, 0, "-"),
    ])
    func fixedDecimals(value: Double, decimals: Int, text: String) { #expect(fixed(value, decimals) == text) }

    @Test func controlCharactersAreWrittenOut() {
        #expect("a\u{1B}[31m\r\nb\u{7F}\u{9B}\u{202E}".printable == "a\\u{1b}[31m\\u{d}\\u{a}b\\u{7f}\\u{9b}\\u{202e}")
        #expect("Zoë 東京 🐦".printable == "Zoë 東京 🐦")
        #expect("a\u{61C}b\u{200F}".printable == "a\\u{61c}b\\u{200f}")
        #expect(FileName.text(of: [0x61, 0xFF, 0xC3, 0xA9]).printable == "a\\xff\u{E9}")
    }

    @Test(arguments: [
        ("card 4111111111111111 here", "card 411111******1111 here"), ("4111111111111", "411111***1111"),
        ("411111111111", "********1111"), ("41111111111", "41111111111"), ("", ""), ("a1b22", "a1b22"),
        ("41111111111111114111111111111111", "411111**********************1111"),
        (";4111111111111111=29121010000000000?", ";411111******1111=291210*******0000?"),
    ])
    func accountNumbersAreHidden(text: String, expected: String) { #expect(text.hidingAccountNumbers == expected) }

    @Test(arguments: [
        ("card 4111 1111 1111 1111.", "card 4111 11** **** 1111."), ("4111-1111-1111-1111", "4111-11**-****-1111"),
        ("4111\u{A0}1111-1111 1111", "4111\u{A0}11**-**** 1111"), ("3782 822463 10005", "3782 82**** *0005"),
        ("3056 930902 5904", "3056 93**** 5904"), ("1354 12345 678911", "1354 12*** **8911"),
        ("4222 2222 2222 2", "4222 22** *222 2"), ("9999 9901 2345 6789 011", "9999 99** **** ***9 011"),
        ("--speed 15 4111 1111 1111 1111", "--speed 15 4111 11** **** 1111"),
        ("4111 1111 1111 1111 2912 1010", "4111 11** **** **** **** 1010"),
        ("unexpected: '1111', '1111', '1111'", "unexpected: '****', '****', '1111'"),
    ])
    func accountNumbersInGroupsAreHidden(text: String, expected: String) {
        #expect(text.hidingAccountNumbers == expected)
    }

    /// Texts without enough digits are not searched.
    @Test func theQuickCheckMissesNoKey() {
        var random = SeededRandom(seed: 41)
        let pieces = [
            "0", "7", "12", "4111", "a", "F", "be", "12ab", " ", "-", ":", "/", "', '", "\", \"", "\u{A0}", "g", "\n",
            "é",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            #expect(text.hidingKeysAndNumbers == text.searchedForKeys)
        }
    }

    @Test(arguments: [
        "2029-12-31 23:59:59 and 2029-12-31 23:59:59", "20291231-235959", "8000 to 192000, not 4410",
        "44100 48000 88200 96000", "from 0.1234 to 1234.567 s of 5678.901 s", "1024 of 2048 bytes", "1024 2048 409600",
        "4410 8820 17640 35280", "1111\n2222\n3333", "1111     2222     3333",
    ])
    func otherNumbersStay(text: String) { #expect(text.hidingAccountNumbers == text) }

    @Test(arguments: [
        ("key 0123456789ABCDEFFEDCBA9876543210.", "key ********************************."),
        ("a1b2c3d4e5f6", "************"),
        ("B4111111111111111^", "*****************^"), ("abcdefabcde", "abcdefabcde"),
        ("1234567890123", "123456***0123"),
        ("0000180f-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb"),
        ("AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF"),
        (
            "4111 1111 1111 1111 of 0000180f-0000-1000-8000-00805f9b34fb",
            "4111 11** **** 1111 of 0000180f-0000-1000-8000-00805f9b34fb"
        ),
    ])
    func keysAreHiddenAndIdentifiersStay(text: String, expected: String) {
        #expect(text.hidingKeysAndNumbers == expected)
    }

    /// A key or a number may be written in groups of any length.
    @Test(arguments: [
        ("'01 23 45 67 89 AB CD EF'", "'** ** ** ** ** ** ** **'"),
        (
            "'01', '23', '45', '67', '89', 'AB', 'CD', 'EF'",
            "'**', '**', '**', '**', '**', '**', '**', '**'"
        ),
        ("key 0123-4567-89AB-CDEF.", "key ****-****-****-****."), ("012345:6789AB/CDEF01", "******:******/******"),
        ("41111 11111 11111 1", "***** ***** ***** *"), ("4111/1111/1111/1111", "****/****/****/****"),
        ("41-11-11-11-11-11-11-11", "**-**-**-**-**-**-**-**"),
        ("4111 1111 1111 1111 AB", "**** **** **** **** **"),
        ("AA:BB:CC:DD:EE:FF:00:11", "**:**:**:**:**:**:**:**"),
    ])
    func groupsOfDigitsAreHidden(text: String, expected: String) { #expect(text.hidingKeysAndNumbers == expected) }

    @Test(arguments: [
        "rfcomm:AA:BB:CC:DD:EE:FF/1", "AA:BB:CC:DD:EE:FF: 1024 bytes of 2048", "00:11:22:33:44:55 1024 2048",
        "from AA:BB:CC:DD:EE:FF to 00:11:22:33:44:55", "2026-11-24 12:43:02", "dead beef face cafe feed bead",
        "8000 to 192000 Hz", "1200 and 2200 Hz, 1200.0 baud",
    ])
    func addressesAndTimesStay(text: String) { #expect(text.hidingKeysAndNumbers == text) }

    @Test func countsHaveTheirPlural() {
        #expect(counted(0, "file") == "0 files")
        #expect(counted(1, "file") == "1 file")
        #expect(counted(2, "file") == "2 files")
    }

    @Test func tablesAlignTheirColumns() {
        var table = Table(.text("name"), .number("n"))
        table.add("a", "100")
        table.add("long name", "1")
        #expect(table.lines == ["name         n", "a          100", "long name    1"])
    }
}

@Suite struct JSONObjectTests {
    @Test func fieldsKeepTheirOrder() {
        var object = JSONObject()
        object.add("z", 1)
        object.add("a", "text")
        object.add("flag", true)
        object.add("list", [1, 2])
        object.add("none", nil as String?)
        object.add("nested", [object])
        let inner = #""z":1,"a":"text","flag":true,"list":[1,2],"none":null"#
        #expect(object.text == "{\(inner),\"nested\":[{\(inner)}]}")
    }

    @Test(arguments: [
        (0.1234567, 3, "0.123"), (15, 2, "15.0"), (Double.nan, 2, "null"), (-Double.infinity, 2, "null"),
        (-0.25, 1, "-0.3"), (1e9, 6, "1000000000.0"),
    ])
    func numbersAreRoundedAndAlwaysNumbers(value: Double, decimals: Int, text: String) {
        var object = JSONObject()
        object.add("x", value, decimals: decimals)
        #expect(object.text == "{\"x\":\(text)}")
    }

    @Test func everyCharacterIsReadAgain() throws {
        let text = String((0...0x17F).compactMap(Unicode.Scalar.init).map(Character.init)) + "\u{202E}\u{2028}\u{61C}🐦"
        var object = JSONObject()
        object.add("text", text)
        #expect(try jsonObject(object.text)["text"] as? String == text)
        #expect(object.text.unicodeScalars.allSatisfy { !$0.steersTerminal })
    }
}
