import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// A virtual card in a virtual reader, over a link in memory.
@Suite struct VirtualCardHostTests {
    private let link = LinkName(.tcp, "127.0.0.1:35963")

    @Test(.timeLimit(.minutes(5))) func aReaderUsesTheCard() async throws {
        let (near, far) = MemoryTransport.pair(link: link)
        let events = Shared<[VirtualCardEvent]>([])
        let card = try PlainCard.card()
        let running = Task {
            var host = VirtualCardHost(card)
            try await host.run(over: near) { event in events.with { $0.append(event) } }
            return host.card
        }
        try await far.send(hex("000104"))
        #expect(try await far.received() == hex("0009" + PlainCard.contactT0))
        try await far.send(hex("0005") + hex("00B2010C00"))
        #expect(try await far.received() == hex("00026F00"))
        try await far.send(hex("000101" + "000C" + "00A4040007A0000009990101"))
        #expect(try await far.received()?.starts(with: hex("000261")) == true)
        try await far.send(hex("0004" + "801000FF"))
        #expect(try await far.received() == hex("00026D00"))
        try await far.send(hex("000102" + "000100"))
        await far.close()
        let after = try await running.value
        #expect(!after.isPowered)
        let found = events.with { $0 }
        #expect(found.count == 6)
        #expect(found[1] == .poweredOn && found[4] == .reset && found[5] == .poweredOff)
        #expect(found.map(\.instruction) == ["READ RECORD", nil, "SELECT", nil, nil, nil])
    }

    @Test(.timeLimit(.minutes(5))) func aLostLinkEndsTheHost() async throws {
        let (near, far) = MemoryTransport.pair(link: link)
        let card = try PlainCard.card()
        let running = Task {
            var host = VirtualCardHost(card)
            try await host.run(over: near) { _ in }
        }
        try await far.send(hex("000101"))
        far.lose(LinkError(.disconnected, link: link.description, "the reader has gone"))
        let result = await running.result
        #expect(throws: LinkError.self) { try result.get() }
    }

    /// VERIFY and the changes of a PIN, with any class, and commands that cannot be read.
    @Test(arguments: [
        ("0020008008241234FFFFFFFFFF", true), ("8020008008241234FFFFFFFFFF", true),
        ("0C20008008241234FFFFFFFFFF", true), ("0024000008241234FFFFFFFFFF", true),
        ("8424000208241234FFFFFFFFFF", true), ("002C000008241234FFFFFFFFFF", true),
        ("00200080000008241234FFFFFFFFFF", true), ("20008008241234FFFFFFFFFF", true), ("002000", true),
        ("00A4040007A0000009990101", false), ("00B2010C00", false), ("80100000", false),
    ])
    func dataOfPINsAreNeverRevealed(_ command: String, _ isHidden: Bool) throws {
        var card = try PlainCard.card()
        let octets = hex(command)
        let event = VirtualCardEvent.answered(command: SecretOctets(octets), response: card.receive(octets.span))
        #expect(event.revealedCommand == (isHidden ? nil : SecretOctets(octets)))
        #expect(VirtualCardEvent.reset.revealedCommand == nil)
    }

    /// A PIN and a card number.
    @Test func eventsShowNoSecret() throws {
        var card = try PlainCard.card()
        _ = card.powerOn()
        _ = card.send(["00A4040007A0000009990101", "00C0000000"])
        let response = card.receive(hex("00B2010C00").span)
        let event = VirtualCardEvent.answered(
            command: SecretOctets(hex("0020008008241234FFFFFFFFFF")), response: response)
        var text = ""
        dump(event, to: &text)
        dump(card, to: &text)
        text += "\(event) \(card)"
        for secret in ["1234", "9999990000000014", "00112233", "31323334", "49, 50, 51, 52"] {
            #expect(!text.contains(secret))
        }
    }
}
