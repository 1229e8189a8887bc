import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// The refusals of cards' cryptography, and commands that the vectors do not have.
@Suite struct CardCryptographyTests {
    private static let secret = "F2C7F2BAF16D2C2A37B534D98516E657"
    private static let published = "0123456789ABCDEFFEDCBA9876543210"

    private func card(_ version: CryptogramVersion, mode: CardMode = .test) throws -> CardCryptography {
        let keys = try masterKeys(Self.secret, Self.secret, Self.secret)
        let account = try CardAccount("4136758098195754")
        return try CardCryptography(version, issuerKeys: keys, account: account, mode: mode)
    }

    private func transaction() throws -> CardTransaction {
        try CardTransaction(
            counter: 0x6CB0, unpredictableNumber: [1, 2, 3, 4], cryptogram: hex("B24174B0FA146F77"))
    }

    @Test func publishedKeysAreRefusedForLiveCards() throws {
        _ = try card(.visa18, mode: .live)
        let account = try CardAccount("4136758098195754")
        for place in 0..<3 {
            let keys = (0..<3).map { $0 == place ? Self.published : Self.secret }
            let issuer = try masterKeys(keys[0], keys[1], keys[2])
            let found = code {
                _ = try CardCryptography(.visa18, issuerKeys: issuer, account: account, mode: .live).version
            }
            #expect(found == .publishedKey)
            _ = try CardCryptography(.visa18, issuerKeys: issuer, account: account, mode: .test)
        }
    }

    @Test(arguments: CryptogramVersion.allCases)
    func answersAreThoseOfTheMethod(_ version: CryptogramVersion) throws {
        let card = try card(version)
        let isFirst = version.responseMethod == .method1
        let first = code { _ = try card.issuerAuthenticationData(for: transaction(), answer: .code([0x30, 0x30])) }
        #expect(first == (isFirst ? nil : .value))
        let second = code { _ = try card.issuerAuthenticationData(for: transaction(), answer: .status([1, 2, 3, 4])) }
        #expect(second == (isFirst ? .value : nil))
        for count in [0, 7, 9, 11, 17] where isFirst || count != 9 && count != 11 {
            #expect(try !card.isAuthentic([UInt8](repeating: 0, count: count), for: transaction()))
        }
    }

    /// The commands that pyemv 1.5.0 makes.
    @Test func visaCardsVerifyTheCurrentPIN() throws {
        for (version, expected) in [
            (CryptogramVersion.visa10, "8424000118C4F702EAD358E521FC890A102F95951CDFABE4D5B21BF332"),
            (.visa18, "8424000118C4F702EAD358E521FC890A102F95951CDFABE4D5B21BF332"),
            (.visa22, "84240001189041DEB54B44EC1842751E6588A2CE0B77FD60C65742277D"),
        ] {
            let command = try card(version).pinChangeCommand(to: PIN("1234"), current: PIN("5678"), in: transaction())
            #expect(digits(command) == expected)
        }
        for version in [CryptogramVersion.interac133, .mChip16, .mChip17, .mChip20, .mChip21] {
            let found = code {
                _ = try card(version).pinChangeCommand(to: PIN("1234"), current: PIN("5678"), in: transaction())
            }
            #expect(found == .value)
        }
    }

    @Test func theCommandsOfCVN14AreUnknown() throws {
        let card = try card(.visa14)
        #expect(code { _ = try card.pinChangeCommand(to: PIN("1234"), in: transaction()) } == .unknownScheme)
        #expect(code { _ = try card.commandMAC(header: [0x84, 0x1E, 0, 0, 8], in: transaction()) } == .unknownScheme)
        #expect(code { _ = try card.encryptCommandData([1].span, in: transaction()) } == .unknownScheme)
    }

    @Test func lengthsAreChecked() throws {
        let card = try card(.visa10)
        #expect(code { _ = try card.commandMAC(header: [0x84, 0x1E, 0, 0], in: transaction()) } == .length)
        let zeros = [UInt8](repeating: 0, count: 29)
        #expect(code { _ = try CryptogramData(terminalData: [1], profile: [0, 0], counter: 1) } == .length)
        #expect(code { _ = try CryptogramData(terminalData: zeros, profile: [0], counter: 1) } == .length)
        let eight = [UInt8](repeating: 0, count: 8)
        let number = code { _ = try CardTransaction(counter: 1, unpredictableNumber: [1], cryptogram: eight) }
        #expect(number == .length)
        #expect(
            code { _ = try CardTransaction(counter: 1, unpredictableNumber: [1, 2, 3, 4], cryptogram: [1]) } == .length)
        let key = try CipherKey(Self.secret, .tripleDES2)
        #expect(code { _ = try key.commonSessionKey(for: [1]) } == .length)
        #expect(code { _ = try key.responseCryptogram(to: [1], code: [0, 0]) } == .length)
        #expect(code { _ = try key.responseCryptogram(to: eight, code: [0]) } == .length)
        #expect(code { _ = try key.responseCryptogram(to: eight, status: [0]) } == .length)
        let nine = [UInt8](repeating: 0, count: 9)
        let long = code { _ = try key.responseCryptogram(to: eight, status: [0, 0, 0, 0], proprietary: nine) }
        #expect(long == .length)
        for length in [3, 9] { #expect(code { _ = try key.commandMAC(of: [1].span, length: length) } == .value) }
        let data = [UInt8](repeating: 0, count: 256)
        #expect(code { _ = try key.encryptCommandData(data.span, format: .visa) } == .length)
        #expect(
            code { _ = try key.dynamicVerificationCode(ofTrack: [1].span, counter: 1, unpredictableNumber: [1]) }
                == .length)
    }

    @Test func treesHaveAKeyForEachCounter() throws {
        let vector = [UInt8](repeating: 0, count: 16)
        for (height, branches) in [(8, 4), (16, 2), (1, 65_536), (2, 256), (4, 16)] {
            #expect(code { _ = try SessionKeyTree(height: height, branchFactor: branches, vector: vector) } == nil)
        }
        for (height, branches) in [(0, 4), (17, 2), (15, 2), (7, 4), (8, 1), (1, 65_537), (-1, 4), (4, Int.max)] {
            #expect(code { _ = try SessionKeyTree(height: height, branchFactor: branches, vector: vector) } == .value)
        }
        #expect(code { _ = try SessionKeyTree(height: 8, branchFactor: 4, vector: [0]) } == .length)
    }

    @Test func keysAreForTripleDES() throws {
        let aes = try aesKey(Self.secret)
        let account = try CardAccount("4136758098195754")
        #expect(code { _ = try aes.cardKey(for: account, option: .a).algorithm } == .algorithm)
        #expect(code { _ = try aes.commonSessionKey(for: hex("0001000000000000")).algorithm } == .algorithm)
        #expect(code { _ = try aes.visaSessionKey(counter: 1).algorithm } == .algorithm)
        #expect(code { _ = try aes.treeSessionKey(counter: 1).algorithm } == .algorithm)
        #expect(code { _ = try aes.responseCryptogram(to: hex("B24174B0FA146F77"), code: [0, 0]) } == .algorithm)
    }
}
