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

    /// The values of a reference in Python. Command 138 carries into the next byte of the cryptogram.
    @Test(arguments: [
        (1, "A912A4D06D06BF90", "8424000210E9C63B63EE373DCED85F1869ADEFF5FA"),
        (2, "E9F1FF7C00D38B35", "8424000210AC73C058B3CF751233F4B50BD2121585"),
        (3, "37F2DDDDF1457B5D", "8424000210AC42E93C0CBFE10F4D601DD576FB7A80"),
        (138, "8B98BF282868E54F", "8424000210E45CC90BCD1F1B3B3F6E9BD360EDB471"),
    ])
    func eachFurtherCommandOfMChipAddsOneToTheCryptogram(_ number: Int, mac: String, command: String) throws {
        for version in [CryptogramVersion.mChip16, .mChip17, .mChip20, .mChip21] {
            let card = try card(version)
            let code = try card.commandMAC(header: [0x84, 0x1E, 0, 0, 8], in: transaction(), number: number)
            #expect(digits(code) == mac)
            let change = try card.pinChangeCommand(to: PIN("1234"), in: transaction(), number: number)
            #expect(digits(change) == command)
        }
    }

    @Test func theCryptogramAfterTheGreatestIsZero() throws {
        let (header, greatest): ([UInt8], _) = ([0x84, 0x1E, 0, 0, 8], [UInt8](repeating: 255, count: 8))
        let zero = [UInt8](repeating: 0, count: 8)
        let card = try card(.mChip20)
        let codes = try [(greatest, 2), (zero, 1)].map { cryptogram, number in
            let transaction = try CardTransaction(
                counter: 1, unpredictableNumber: [1, 2, 3, 4], cryptogram: cryptogram)
            return try card.commandMAC(header: header, in: transaction, number: number)
        }
        #expect(codes[0] == codes[1])
    }

    @Test(arguments: CryptogramVersion.allCases)
    func furtherCommandsNeedAPublicRule(_ version: CryptogramVersion) throws {
        let card = try card(version)
        let header: [UInt8] = [0x84, 0x1E, 0, 0, 8]
        let isPublic = [CryptogramVersion.mChip16, .mChip17, .mChip20, .mChip21].contains(version)
        let expected: CryptographyError.Code? = isPublic ? nil : .unknownScheme
        #expect(code { _ = try card.commandMAC(header: header, in: transaction(), number: 2) } == expected)
        #expect(code { _ = try card.encryptCommandData([1].span, in: transaction(), number: 2) } == expected)
        #expect(code { _ = try card.pinChangeCommand(to: PIN("1234"), in: transaction(), number: 2) } == expected)
        for number in [0, -1] {
            let found = code { _ = try card.commandMAC(header: header, in: transaction(), number: number) }
            #expect(found == (version == .visa14 ? .unknownScheme : .value))
        }
    }

    /// EFTlab, "Cryptographic Calculator: Secure Messaging (MasterCard)": the first command of a transaction, there 0.
    @Test func theSessionKeysOfMChipAreThoseOfEFTlab() throws {
        for (key, expected) in [
            ("AEB0F198A498E067C4E63D94A770A80E", "1241B9DB1E953A02D5620E8B97418AE8"),
            ("640167C1D3C7623804FE97A75E2FC102", "46AEA9871A61315C4E174FD9EBEB8AAC"),
        ] {
            let session = try CipherKey(key, .tripleDES2).commonSessionKey(for: hex("51DB71A5DCC47F8A"))
            // EFTlab leaves the parity bits as they are.
            #expect(hex(session.revealed).map { $0 & 0xFE } == hex(expected).map { $0 & 0xFE })
        }
    }

    @Test func lengthsAreChecked() throws {
        let card = try card(.visa10)
        #expect(code { _ = try card.commandMAC(header: [0x84, 0x1E, 0, 0], in: transaction()) } == .length)
        for (length, count) in [(0, 0), (3, 0), (9, 0), (4, 1), (13, 4), (255, 252), (16, 8 + 9)] {
            let data = [UInt8](repeating: 0, count: count)
            let header: [UInt8] = [0x84, 0xDA, 0, 0, UInt8(length)]
            #expect(code { _ = try card.commandMAC(header: header, data: data, in: transaction()) } == .length)
        }
        for (length, count) in [(4, 0), (8, 0), (5, 1), (16, 8), (255, 251), (255, 247)] {
            let data = [UInt8](repeating: 0, count: count)
            let header: [UInt8] = [0x84, 0xDA, 0, 0, UInt8(length)]
            #expect(try card.commandMAC(header: header, data: data, in: transaction()).count == 8)
        }
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
        for (format, longest) in [(CommandDataFormat.visa, 246), (.mChip, 248), (.emv, 247)] {
            let data = [UInt8](repeating: 0, count: longest)
            #expect(try key.encryptCommandData(data.span, format: format).count == 248)
            for count in [longest + 1, 255, 256, 1_000] {
                let data = [UInt8](repeating: 0, count: count)
                #expect(code { _ = try key.encryptCommandData(data.span, format: format) } == .length)
            }
        }
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
