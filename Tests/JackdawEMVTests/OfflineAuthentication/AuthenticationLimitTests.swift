import JackdawTestSupport
import Testing

@testable import JackdawEMV

/// The limits of data that offline data authentication accepts (EMV Book 2, sections 5 and 6).
@Suite struct AuthenticationLimitTests {
    /// A signature is its own text, and every hash is zero.
    private struct OpenPrimitives: AuthenticationPrimitives {
        func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { block }
        func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    }

    private static let number = hex("9999990000000014")

    private func authentication() throws -> OfflineAuthentication<OpenPrimitives> {
        OfflineAuthentication(
            OpenPrimitives(), keys: AuthenticationKeys(), date: try #require(CardDate(year: 2026, month: 1, day: 15)))
    }

    /// A block with padding BB, a hash and a trailer.
    private func block(_ fields: [UInt8], _ count: Int) -> [UInt8] {
        [0x6A] + fields + [UInt8](repeating: 0xBB, count: count - 22 - fields.count)
            + [UInt8](repeating: 0, count: 20) + [0xBC]
    }

    /// The ICC Dynamic Number has 2 to 8 octets (Book 2, table 15).
    @Test(arguments: 0...12)
    func theDynamicNumberHasTwoToEightOctets(_ count: Int) throws {
        let number = [UInt8](repeating: 0x77, count: count)
        let signature = block([0x05, 0x01, UInt8(1 + count), UInt8(count)] + number, 64)
        let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 64), exponent: [3])
        let response = SecretOctets(TagLengthValueBuilder.encode(0x80, signature))
        let authentication = try authentication()
        guard (2...8).contains(count) else {
            let error = #expect(throws: AuthenticationFailure.self) {
                try authentication.dynamicNumber(response, signedBy: key, over: SecretOctets([]))
            }
            #expect(error?.code == .length && error?.tag == 0x9F4B)
            return
        }
        #expect(try authentication.dynamicNumber(response, signedBy: key, over: SecretOctets([])) == number)
    }

    /// INTERNAL AUTHENTICATE and READ RECORD answer one template (Book 3, 6.5.9 and 10.3).
    @Test func objectsAfterTheTemplateFail() throws {
        let signature = block([0x05, 0x01, 0x03, 0x02, 0x77, 0x77], 64)
        let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 64), exponent: [3])
        let authentication = try authentication()
        for answer in [
            TagLengthValueBuilder.encode(0x80, signature),
            TagLengthValueBuilder.encode(0x77, TagLengthValueBuilder.encode(0x9F4B, signature)),
        ] {
            let number = try authentication.dynamicNumber(SecretOctets(answer), signedBy: key, over: SecretOctets([]))
            #expect(number == [0x77, 0x77])
            let error = #expect(throws: AuthenticationFailure.self) {
                try authentication.dynamicNumber(
                    SecretOctets(answer + hex("DF0100")), signedBy: key, over: SecretOctets([]))
            }
            #expect(error?.code == .response)
        }
        for file in [10, 11] {
            var data = StaticAuthenticationData()
            data.add(hex("7003DF0100" + "DF0100").span, file: file)
            let error = #expect(throws: AuthenticationFailure.self) { try data.octets(of: DataObjectStore()) }
            #expect(error?.code == .record)
        }
    }

    @Test(arguments: [(64, true), (65, false)])
    func staticDataBeyondTheLimitFail(_ records: Int, _ isValid: Bool) {
        let record = TagLengthValueBuilder.encode(0x70, TagLengthValueBuilder.encode(0xDF01, hex("00")) + zeros(252))
        var data = StaticAuthenticationData()
        for _ in 0..<records { data.add(record.span, file: 1) }
        let result = Result { () throws(AuthenticationFailure) in try data.octets(of: DataObjectStore()) }
        switch result {
        case .success(let octets): #expect(isValid && octets.count == StaticAuthenticationData.maxOctets)
        case .failure(let failure): #expect(!isValid && failure.code == .limitExceeded)
        }
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// The certificate has the account number in 10 octets with padding F, which tag 5A need not have.
    @Test func thePaddingOfTheAccountNumberDoesNotCount() throws {
        for (account, isSame) in [
            (Self.number, true), (Self.number + [0xFF], true), (Self.number + [0xFF, 0xFF], true),
            (hex("9999990000000015"), false), (hex("999999000000001F"), false), (hex("999999000000001400"), false),
        ] {
            switch try cardKey(of: account) {
            case .success(let key): #expect(isSame && key.modulus.count == 32)
            case .failure(let failure): #expect(!isSame && failure.code == .identifier)
            }
        }
    }

    /// The key of a certificate with the number of these tests.
    private func cardKey(
        of account: [UInt8], exponent: [UInt8] = [3]
    ) throws -> Result<RSAPublicKey, AuthenticationFailure> {
        // Account number, expiry in December 2049, serial number, algorithms, sizes, modulus.
        let fields = [0x04] + Self.number + hex("FFFF" + "1249" + "000001" + "0101" + "2001")
        let parts = PublicKeyParts(
            tag: .cardCertificate, certificate: block(fields + [UInt8](repeating: 9, count: 32), 80),
            remainderTag: .cardRemainder, remainder: nil, exponentTag: .cardExponent, exponent: exponent)
        let issuer = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 80), exponent: [3])
        let day = try #require(CardDate(year: 2026, month: 1, day: 15))
        return Result { () throws(AuthenticationFailure) in
            try SignedBlocks(primitives: OpenPrimitives()).cardKey(
                parts, of: issuer, staticData: SecretOctets([]), account: SecretOctets(account), on: day)
        }
    }

    /// Keys have the exponent 3 or 65,537 in its shortest form (Book 2, annex B2.1), although
    /// the hash fits another one.
    @Test(arguments: ["03", "010001", "", "00", "01", "02", "05", "11", "0003", "00010001", "030000", "FFFFFF"])
    func otherExponentsAreRefused(_ digits: String) throws {
        switch try cardKey(of: Self.number, exponent: hex(digits)) {
        case .success: #expect(["03", "010001"].contains(digits))
        case .failure(let failure):
            #expect(!["03", "010001"].contains(digits))
            #expect(failure.code == .exponent && failure.tag == 0x9F47)
        }
    }

    /// The same holds for the key of the certification authority, which the caller supplies.
    @Test func otherExponentsOfAuthoritiesAreRefused() throws {
        let provider = hex("A000000999")
        var card = DataObjectStore()
        card[0x84] = provider + [0x01]
        card[0x8F] = [0x77]
        card[0x90] = [UInt8](repeating: 0, count: 80)
        card[0x9F32] = [3]
        card[0x5A] = Self.number
        for (exponent, code) in [("05", AuthenticationFailure.Code.exponent), ("03", .format), ("010001", .format)] {
            let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 80), exponent: hex(exponent))
            let authentication = OfflineAuthentication(
                OpenPrimitives(),
                keys: AuthenticationKeys([CertificationAuthorityKey(provider: provider, index: 0x77, key: key)]),
                date: try #require(CardDate(year: 2026, month: 1, day: 15)))
            let error = #expect(throws: AuthenticationFailure.self) { try authentication.issuerKey(of: card) }
            #expect(error?.code == code)
        }
    }
}
