import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// PINs, accounts, and blocks that the vectors do not have.
@Suite struct PINTests {
    @Test(arguments: ["", "123", "1234567890123", "12a4", "12 4", "١٢٣٤"])
    func otherPINsAreRefused(_ digits: String) {
        #expect(code { _ = try PIN(digits) } == .pin)
    }

    @Test(arguments: ["", "41111111111111111111", "4111 111", "411111111111111A"])
    func otherAccountsAreRefused(_ digits: String) {
        #expect(code { _ = try CardAccount(digits) } == .account)
    }

    @Test func sequenceNumbersHaveTwoDigits() {
        #expect(code { _ = try CardAccount("4111111111111111", sequence: "100") } == .value)
    }

    @Test func printedFormsHaveNoPINAndNoNumber() throws {
        let pin = try PIN("9876")
        let account = try CardAccount("4111111111111111", sequence: "01")
        var text = "\(pin) \(account) \(String(reflecting: pin)) \(String(reflecting: account))"
        dump(pin, to: &text)
        dump(account, to: &text)
        #expect(!text.contains("9876") && !text.contains("4111") && !text.contains("1111"))
        let error = #expect(throws: CryptographyError.self) { _ = try PIN("98765432109876") }
        #expect(error?.description.contains("9876") == false)
    }

    @Test(arguments: PINBlockFormat.allCases, 4...12)
    func blocksAreReadAgain(_ format: PINBlockFormat, count: Int) throws {
        let pin = try PIN(String("314159265358".prefix(count)))
        let account = try CardAccount("4012345678909")
        let block = try pin.block(format, account: account)
        #expect(block.count == 8)
        #expect(try block.withBytes { try PIN(block: $0, format, account: account) } == pin)
        for other in PINBlockFormat.allCases where other != format && other != .iso1 && format != .iso1 {
            #expect(code { _ = try block.withBytes { try PIN(block: $0, other, account: account) } } == .pinBlock)
        }
    }

    @Test func fillersAreRandom() throws {
        let pin = try PIN("1234")
        let account = try CardAccount("4012345678909")
        let key = try aesKey("7CA110454A1A6E570131D9619DC1376E")
        #expect(try pin.block(.iso3, account: account).revealed != pin.block(.iso3, account: account).revealed)
        #expect(try pin.encryptedBlock(with: key, account: account) != pin.encryptedBlock(with: key, account: account))
        let zeros = [UInt8](repeating: 0, count: 5)
        #expect(try pin.block(.iso3, account: account, filler: zeros).revealed == "341274B89EFCD23A")
        #expect(code { _ = try pin.block(.iso1, filler: [1, 2, 3, 4]) } == .length)
        #expect(code { _ = try pin.encryptedBlock(with: key, account: account, filler: zeros) } == .length)
    }

    @Test func randomPaddingOfFormat3IsUniform() throws {
        let pin = try PIN("1234")
        // The account field of this account is 0, so that the block shows the padding.
        let account = try CardAccount("0000000000000000")
        var counts: [Character: Int] = [:]
        for _ in 0..<3000 {
            for digit in try pin.block(.iso3, account: account).revealed.dropFirst(6) { counts[digit, default: 0] += 1 }
        }
        // 30,000 digits: 5,000 each, with a standard deviation of 65.
        #expect(counts.keys.sorted() == Array("ABCDEF"))
        #expect(counts.values.allSatisfy { (4500...5500).contains($0) })
    }

    @Test func blocksOfOtherAccountsAreRefused() throws {
        let pin = try PIN("1234")
        let (account, other) = (try CardAccount("4012345678909"), try CardAccount("4012345678917"))
        #expect(code { _ = try pin.block(.iso0) } == .account)
        #expect(code { _ = try PIN(block: hex("041274EDCBA9876F").span, .iso0) } == .account)
        let found = code { _ = try PIN(block: hex("041274EDCBA9876F").span, .iso0, account: other) }
        #expect(found == .pinBlock)
        let key = try aesKey("7CA110454A1A6E570131D9619DC1376E")
        let block = try pin.encryptedBlock(with: key, account: account)
        #expect(try PIN(encryptedBlock: block.span, with: key, account: account) == pin)
        let third = code { _ = try PIN(encryptedBlock: block.span, with: key, account: CardAccount("40123456789")) }
        #expect(third == .pinBlock)
        #expect(code { _ = try PIN(encryptedBlock: [1, 2].span, with: key, account: account) } == .pinBlock)
        let des = try CipherKey("7CA110454A1A6E570131D9619DC1376E", .tripleDES2)
        #expect(code { _ = try pin.encryptedBlock(with: des, account: account) } == .algorithm)
    }
}
