import JackdawEMV
import JackdawTestSupport
import Testing

/// Certificates and signatures of cards of public projects, with the schemes' public test keys.
@Suite(.enabled(if: ThirdPartyVectors.has("apdu_traces"), Comment(rawValue: ThirdPartyVectors.comment)))
struct RealChainTests {
    private struct Row: Decodable {
        struct Exchange: Decodable {
            let c: String
            let r: String?
        }

        let id: String
        let exchanges: [Exchange]
    }

    /// The objects of a dialogue, and its answers with a status of 9000.
    private struct Dialogue {
        var objects = DataObjectStore()
        var staticData = StaticAuthenticationData()
        var pdol: [UInt8] = []
        var cdol: [UInt8] = []
        var cryptogram = SecretOctets([])

        init(_ id: String) throws {
            let rows = try ThirdPartyVectors.rows("apdu_traces", as: Row.self)
            let exchanges = try #require(rows.first { $0.id == id }).exchanges
            var records: [[UInt8]: [UInt8]] = [:]
            for exchange in exchanges {
                let octets = hex(exchange.c)
                let command = try CardCommand(octets.span)
                let answer = hex(exchange.r ?? "6F00")
                let response = try CardResponse(answer.span)
                guard response.status == .success else { continue }
                switch command.instruction {
                case 0xA8:
                    pdol = Array(command.data.octets.dropFirst(2))
                    let data = response.data.octets
                    if data.first == 0x80 {
                        objects[0x82] = Array(data[2..<4])
                        objects[0x94] = Array(data[4...])
                    } else {
                        try response.data.withOctets { octets throws(DataObjectError) in _ = try objects.add(octets) }
                    }
                case 0xAE:
                    cdol = command.data.octets
                    cryptogram = response.data
                default:
                    if command.instruction == 0xB2 {
                        records[[command.parameter1, command.parameter2]] = response.data.octets
                    }
                    try response.data.withOctets { octets throws(DataObjectError) in _ = try objects.add(octets) }
                }
            }
            let files = objects[0x94] ?? []
            let locator = try ApplicationFileLocator(files.span)
            for record in locator.records where record.isAuthenticated {
                let octets = records[[UInt8(record.number), UInt8(record.file << 3 | 4)]] ?? []
                staticData.add(octets.span, file: record.file)
            }
        }
    }

    private func authentication(
        _ provider: String, _ index: UInt8, _ modulus: String, _ exponent: String, year: Int
    ) throws -> OfflineAuthentication<PlainPrimitives> {
        let key = RSAPublicKey(modulus: hex(modulus), exponent: hex(exponent))
        let keys = AuthenticationKeys([CertificationAuthorityKey(provider: hex(provider), index: index, key: key)])
        return OfflineAuthentication(
            PlainPrimitives(), keys: keys, date: try #require(CardDate(year: year, month: 10, day: 3)))
    }

    /// American Express test key A1: static data, card key and combined authentication.
    @Test func americanExpress() throws {
        let dialogue = try Dialogue("apdu_traces-0001")
        let authentication = try authentication(
            "A000000025", 0xA1, AuthorityModulus.americanExpressA1, "010001", year: 2014)
        #expect(try authentication.authenticate(dialogue.objects, dialogue.staticData).count == 2)
        let key = try authentication.cardKey(of: dialogue.objects, dialogue.staticData)
        #expect(key.modulus.count == 112)
        let signed = try authentication.cryptogram(
            dialogue.cryptogram, signedBy: key, unpredictableNumber: dialogue.cdol.suffix(4),
            over: [SecretOctets(dialogue.pdol), SecretOctets(dialogue.cdol)])
        #expect(signed.dynamicNumber == hex("B1BD198460DEBA64"))
        #expect(signed.cryptogram == hex("51F4F65DDE43732D"))
    }

    /// Mastercard test key F3: static data, card key and combined authentication.
    @Test func mastercard() throws {
        let dialogue = try Dialogue("apdu_traces-0011")
        let authentication = try authentication("A000000004", 0xF3, AuthorityModulus.mastercardF3, "03", year: 2019)
        #expect(try authentication.authenticate(dialogue.objects, dialogue.staticData).count == 2)
        let key = try authentication.cardKey(of: dialogue.objects, dialogue.staticData)
        #expect(key.modulus.count == 128)
        let signed = try authentication.cryptogram(
            dialogue.cryptogram, signedBy: key, unpredictableNumber: Array(dialogue.cdol[25..<29]),
            over: [SecretOctets(dialogue.pdol), SecretOctets(dialogue.cdol)])
        #expect(signed.dynamicNumber.count == 8)
        // One bit of the transaction data breaks the signature.
        var changed = dialogue.cdol
        changed[5] ^= 1
        #expect(throws: AuthenticationFailure.self) {
            try authentication.cryptogram(
                dialogue.cryptogram, signedBy: key, unpredictableNumber: Array(dialogue.cdol[25..<29]),
                over: [SecretOctets(dialogue.pdol), SecretOctets(changed)])
        }
    }

    /// Visa test key 92: the card's key.
    @Test func visa() throws {
        let dialogue = try Dialogue("apdu_traces-0013")
        let authentication = try authentication("A000000003", 0x92, AuthorityModulus.visa92, "03", year: 2019)
        #expect(try authentication.cardKey(of: dialogue.objects, dialogue.staticData).modulus.count == 112)
    }
}

/// Moduli of public test keys of the schemes, as in the files of the traces' projects.
enum AuthorityModulus {
    static let americanExpressA1 = """
        99D17396421EE3F919BA549D9554BE0D4F92CB8B53B4878ED60CC5B2DEEDC79B85C8BD6FD2F23C22E68B381AEEB74153AFB3C96E6C96AD018E
        73C2025D1EE77622A72BEE973C1AF7B908468D74FDB53DCE8380523E38C30D0A8A226529726824E209E668F49F43B0E8CD2FE527CE7CC41F33
        F434F95D6E2FE2F589372032F2D6504340F8C542D298B499A53D95AF4083
        """
    static let mastercardF3 = """
        98F0C770F23864C2E766DF02D1E833DFF4FFE92D696E1642F0A88C5694C6479D16DB1537BFE29E4FDC6E6E8AFD1B0EB7EA0124723C333179BF
        19E93F10658B2F776E829E87DAEDA9C94A8B3382199A350C077977C97AFF08FD11310AC950A72C3CA5002EF513FCCC286E646E3C5387535D50
        9514B3B326E1234F9CB48C36DDD44B416D23654034A66F403BA511C5EFA3
        """
    static let visa92 = """
        996AF56F569187D09293C14810450ED8EE3357397B18A2458EFAA92DA3B6DF6514EC060195318FD43BE9B8F0CC669E3F844057CBDDF8BDA191
        BB64473BC8DC9A730DB8F6B4EDE3924186FFD9B8C7735789C23A36BA0B8AF65372EB57EA5D89E7D14E9C7B6B557460F10885DA16AC923F15AF
        3758F0F03EBD3C5C2C949CBA306DB44E6A2C076C5F67E281D7EF56785DC4D75945E491F01918800A9E2DC66F60080566CE0DAF8D17EAD46AD8
        E30A247C9F
        """
}
