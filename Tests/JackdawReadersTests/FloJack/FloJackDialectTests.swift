import JackdawReaders
import JackdawTestSupport
import Testing

/// FloJack's messages, as Flomio has published them, and the bytes of HiJack.
@Suite struct FloJackDialectTests {
    private static func dialect(_ name: String) throws -> any ReaderDialect {
        try #require(ReaderFamily.named(name)).makeDialect()
    }

    @Test func requestsAreThePublishedOnes() throws {
        let dialect = try Self.dialect("flojack")
        #expect(dialect.identification.map(\.bytes) == [hex("01040104"), hex("01040207")])
        #expect(try dialect.arming(for: .seconds(5)).map(\.bytes) == [hex("03040106")])
        #expect(dialect.disarming(after: .timedOut).map(\.bytes) == [hex("03040007")])
        // Which tags are looked for: ISO 14443-A.
        #expect(try dialect.setting(ReaderSetting(0x0200, [1])).map(\.bytes) == [hex("0205000106")])
        #expect(throws: ReaderError.self) { try dialect.setting(ReaderSetting(0xFF00, [])) }
    }

    @Test func messagesAreUnderstood() throws {
        var dialect = try Self.dialect("flojack")
        let software = dialect.identification[1]
        let status = try FloJackFormat.message(.status, 2, [0x02, 0x10])
        #expect(words(dialect.understand(status.span, answering: software)) == ["done: firmware 02 10"])
        #expect(words(dialect.understand(status.span, answering: dialect.identification[0])).count == 1)
        #expect(
            words(dialect.understand(status.span, answering: nil)) == ["unknown: a status that was not asked for"])
        let ping = hex("0D040009")
        guard case .reply(let pong) = dialect.understand(ping.span, answering: nil).first else {
            return #expect(Bool(false), "a ping is answered")
        }
        #expect(pong == hex("0D040108"))
        let refusal = hex("06048082")
        #expect(words(dialect.understand(refusal.span, answering: software)) == ["refused: not understood"])
        let tag = try FloJackFormat.message(.tag, 0x20, [4, 1, 2, 3])
        #expect(words(dialect.understand(tag.span, answering: nil)) == ["card: tapped", "reported: 4 bytes"])
    }

    @Test func hiJackCarriesBytesAsTheyAre() throws {
        var dialect = try Self.dialect("hijack")
        #expect(try dialect.setting(ReaderSetting(7, [1, 2])).map(\.bytes) == [[1, 2]])
        #expect(throws: ReaderError.self) { try dialect.arming(for: .seconds(5)) }
        let sent: [UInt8] = [5, 6]
        guard case .reported(.bytes(let bytes)) = dialect.understand(sent.span, answering: nil).first else {
            return #expect(Bool(false), "bytes are reported")
        }
        #expect(bytes == ReaderBytes(copying: sent.span))
    }
}
