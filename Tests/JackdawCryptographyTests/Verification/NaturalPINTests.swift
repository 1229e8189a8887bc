import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Offsets by IBM's 3624 method; the expected ones are psec 1.3.0's.
@Suite struct NaturalPINTests {
    private static let usual = "0123456789012345"

    @Test(arguments: [
        (
            "0123456789ABCDEFFEDCBA9876543210", usual, "1234", "4000001234562000", 0..<12, UInt8(15), "2913", "9321"
        ),
        ("7CA110454A1A6E570131D9619DC1376E", usual, "987654", "5413330089600044", 3..<15, 13, "133274", "854480"),
        (
            "9D1FB5404A5ECBF708F4F4A2349B6B08", "8351296477461538", "0000", "4761739001010010", 0..<16, 0, "4334",
            "6776"
        ),
        (
            "9D1FB5404A5ECBF708F4F4A2349B6B08B0751CE57A805789", usual, "123456789012", "6799998900000200014", 2..<13,
            10,
            "030933362711", "193523427301"
        ),
    ])
    func offsets(
        _ key: String, decimals: String, pin: String, number: String, places: Range<Int>, padding: UInt8,
        offset: String,
        natural: String
    ) throws {
        let key = try CipherKey(key, key.utf8.count == 32 ? .tripleDES2 : .tripleDES3)
        let rule = try NaturalPINRule(
            accountDigits: places, padding: padding, decimals: decimals.utf8.map { $0 - 0x30 })
        let account = try CardAccount(number)
        let found = try key.pinOffset(of: PIN(pin), account: account, rule: rule)
        #expect(found.revealedText() == offset)
        #expect(try key.pin(ofOffset: SecretText(offset), account: account, rule: rule) == PIN(pin))
        let zeros = String(repeating: "0", count: pin.utf8.count)
        #expect(try key.pin(ofOffset: SecretText(zeros), account: account, rule: rule) == PIN(natural))
    }

    @Test func rulesAreChecked() throws {
        #expect(code { _ = try NaturalPINRule(accountDigits: -1..<4, padding: 0) } == .value)
        #expect(code { _ = try NaturalPINRule(accountDigits: 0..<17, padding: 0) } == .value)
        #expect(code { _ = try NaturalPINRule(accountDigits: 0..<4, padding: 16) } == .value)
        #expect(code { _ = try NaturalPINRule(accountDigits: 0..<4, padding: 0, decimals: [1]) } == .value)
        let ten = [UInt8](repeating: 10, count: 16)
        #expect(code { _ = try NaturalPINRule(accountDigits: 0..<4, padding: 0, decimals: ten) } == .value)
        let key = try CipherKey("7CA110454A1A6E570131D9619DC1376E", .tripleDES2)
        let rule = try NaturalPINRule(accountDigits: 4..<16, padding: 0)
        let short = try CardAccount("413330089600044")
        #expect(code { _ = try key.pinOffset(of: PIN("1234"), account: short, rule: rule) } == .account)
        let account = try CardAccount("5413330089600044")
        for offset in ["123", "1234567890123", "12a4"] {
            #expect(code { _ = try key.pin(ofOffset: SecretText(offset), account: account, rule: rule) } == .pin)
        }
    }

    @Test func verificationValuesNeedTheirInputs() throws {
        let key = try CipherKey("7CA110454A1A6E570131D9619DC1376E", .tripleDES2)
        let account = try CardAccount("5413330089600044")
        for index in [-1, 10] {
            let found = code { _ = try key.pinVerificationValue(of: PIN("1234"), account: account, keyIndex: index) }
            #expect(found == .value)
        }
        for (expiry, service) in [("251", "101"), ("2512", "10"), ("25a2", "101"), ("2512", "1 1")] {
            let found = code { _ = try key.cardVerificationValue(of: account, expiry: expiry, serviceCode: service) }
            #expect(found == .value)
        }
        let aes = try aesKey("7CA110454A1A6E570131D9619DC1376E")
        let found = code { _ = try aes.cardVerificationValue(of: account, expiry: "2512", serviceCode: "101") }
        #expect(found == .algorithm)
    }
}
