import JackdawEMV
import JackdawTestSupport
import Testing

/// Certificates and signatures of cards of public projects, with the schemes' public test keys.
@Suite(RecordedDialogue.areThere)
struct RealChainTests {
    /// The objects of a dialogue, and its answers with a status of 9000.
    private struct Dialogue {
        var objects = DataObjectStore()
        var staticData = StaticAuthenticationData()
        var pdol: [UInt8] = []
        var cdol: [UInt8] = []
        var cryptogram = SecretOctets([])

        init(_ id: String) throws {
            var records: [[UInt8]: [UInt8]] = [:]
            for exchange in try RecordedDialogue.find(id).exchanges {
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
        _ key: CertificationAuthorityKey, year: Int
    ) throws -> OfflineAuthentication<PlainPrimitives> {
        OfflineAuthentication(
            PlainPrimitives(), keys: AuthenticationKeys([key]),
            date: try #require(CardDate(year: year, month: 10, day: 3)))
    }

    /// American Express test key A1: static data, card key and combined authentication.
    @Test func americanExpress() throws {
        let dialogue = try Dialogue("apdu_traces-0001")
        let authentication = try authentication(SchemeKeys.americanExpressA1, year: 2014)
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
        let authentication = try authentication(SchemeKeys.mastercardF3, year: 2019)
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
        let authentication = try authentication(SchemeKeys.visa92, year: 2019)
        #expect(try authentication.cardKey(of: dialogue.objects, dialogue.staticData).modulus.count == 112)
    }
}
