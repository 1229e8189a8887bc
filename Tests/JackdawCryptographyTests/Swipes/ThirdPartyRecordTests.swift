import JackdawReaders
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// MagneSafe V5 output that the project's code was not written from: 99875475-10, appendix D.
@Suite(.enabled(if: ThirdPartyVectors.has("magtek_records"), Comment(rawValue: ThirdPartyVectors.comment)))
struct ThirdPartyRecordTests {
    private struct Row: Decodable {
        struct Expected: Decodable {
            let encrypted: Bool
            let ksn: String?
            let masked_number: String?
        }
        let id: String
        let hex: String?
        let text: String?
        let expected: Expected
    }

    private func row(_ id: String) throws -> Row {
        try #require(ThirdPartyVectors.rows("magtek_records", as: Row.self).first { $0.id == id })
    }

    @Test func theRecordIsEncryptedAndDecrypts() throws {
        let row = try row("hid-record-level-3")
        let message = hex(try #require(row.hex))
        #expect(message == PublishedSwipes.magTekRecord)
        let dialect = EDynamoDialect()
        let meanings = try MagTekBlockJoiner.blocks(of: message, size: 20).flatMap {
            dialect.understand($0.span, answering: nil)
        }
        guard case .swipe(let swipe) = meanings.last else { return #expect(Bool(false), "no swipe") }
        #expect((swipe.cipher != nil) == row.expected.encrypted)
        #expect(swipe.maskedNumber == row.expected.masked_number)
        let ksn = swipe.withPart(.keySerialNumber) { bytes in digits(bytes.indices.map { bytes[$0] }) }
        #expect(ksn == row.expected.ksn)
        let decryptor = try SwipeDecryptor(key: secret(PublishedSwipes.key), mode: .test)
        #expect(try decryptor.decryptEDynamo(message.span).tracks.map(\.number) == [1, 2, 3])
    }

    @Test func theLineIsInClear() throws {
        let row = try row("line-level-2-no-keys")
        let line = Array("\(try #require(row.text))\r".utf8)
        #expect(line == PublishedSwipes.magTekClear)
        #expect(throws: Never.self) { try MagTekFormat(.answer).check(line) }
        var dialect = MagTekDialect()
        guard case .swipe(let swipe)? = dialect.understand(line.span, answering: nil).first else {
            return #expect(Bool(false), "no swipe")
        }
        #expect((swipe.cipher != nil) == row.expected.encrypted)
        #expect(swipe.parts.isSuperset(of: (1...3).map { .track($0) }))
    }
}
