import JackdawReaders
import JackdawTestSupport
import Testing

/// uDynamo with known and with unpublished messages.
@Suite struct UDynamoDialectTests {
    @Test func messagesOfUnknownContentAreBytes() throws {
        let family = try #require(ReaderFamily.named("udynamo"))
        #expect(family.profile.missing == [.messageContent])
        var dialect = try family.makeDialect()
        #expect(dialect.identification.isEmpty)
        let error = #expect(throws: ReaderError.self) { try dialect.arming(for: .seconds(5)) }
        #expect(error?.description.contains("udynamo.content") == true)
        let packets = DynamoPacketFormat.packets(of: [1, 2, 3], size: 2)
        let (first, second) = (packets[0], packets[1])
        #expect(dialect.understand(first.span, answering: nil).isEmpty)
        let meanings = dialect.understand(second.span, answering: nil)
        guard case .reported(.bytes(let bytes)) = meanings.first else {
            return #expect(Bool(false), "\(words(meanings))")
        }
        #expect(bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [1, 2, 3])
        #expect(words(meanings) == ["reported: 3 bytes"])
    }

    @Test func aPublishedSwipeIsReadOfItsPackets() throws {
        let family = try #require(ReaderFamily.named("udynamo"))
        var dialect = try family.makeDialect(family.simulatedProfile)
        var found: [ReaderMeaning] = []
        for packet in DynamoPacketFormat.packets(of: PublishedSwipes.magTek, from: 14) {
            found += dialect.understand(packet.span, answering: nil)
        }
        #expect(words(found) == ["swipe: udynamo 545200******7189, encrypted (tripleDES)"])
    }

    @Test func commandsGoInPacketsThatAreNumberedOn() throws {
        let family = try #require(ReaderFamily.named("udynamo"))
        var dialect = try family.makeDialect(family.simulatedProfile)
        let request = try #require(dialect.identification.first)
        var reader = [UInt8]()
        for number in 0..<17 {
            reader = dialect.encode(request)
            #expect(reader[1] == UInt8(number % 16))
        }
        try DynamoPacketFormat().check(reader.span)
    }

    @Test func aPacketThatIsMissingLosesTheMessage() throws {
        let family = try #require(ReaderFamily.named("udynamo"))
        var dialect = try family.makeDialect(family.simulatedProfile)
        let packets = DynamoPacketFormat.packets(of: PublishedSwipes.magTek, size: 100)
        let (first, third) = (packets[0], packets[2])
        _ = dialect.understand(first.span, answering: nil)
        let meanings = words(dialect.understand(third.span, answering: nil))
        #expect(meanings.first?.hasPrefix("bad swipe") == true)
    }
}
