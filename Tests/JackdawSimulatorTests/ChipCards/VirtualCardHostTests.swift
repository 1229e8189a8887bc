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

    /// A link that receives one piece, and notes the memory of what is sent.
    private struct NotingLink: Transport {
        let link: LinkName
        let received: Shared<[UInt8]>
        let addresses = Shared<[UInt]>([])

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
            let bytes = received.with { bytes in
                defer { bytes = [] }
                return bytes
            }
            if !bytes.isEmpty { take(bytes.span) }
            return !bytes.isEmpty
        }

        func send(_ bytes: [UInt8]) async throws(LinkError) {
            let address = unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            addresses.with { $0.append(address) }
        }

        func endSending() async throws(LinkError) {}
        func close() async {}
    }

    @Test func answersAreWiped() async throws {
        let commands = ["00A4040007A0000009990101", "80A80000048302052800", "00B2010C12"]
        let frames = commands.flatMap { command -> [UInt8] in [0, UInt8(hex(command).count)] + hex(command) }
        let link = NotingLink(link: link, received: Shared(hex("000101") + frames))
        var host = VirtualCardHost(try PlainCard.card())
        let numbers = Shared(0)
        try await host.run(over: link) { event in
            guard case .answered(_, let response) = event, response.data.count == 18 else { return }
            numbers.with { $0 += 1 }
        }
        #expect(numbers.with { $0 } == 1)
        let addresses = link.addresses.with { $0 }
        #expect(addresses.count == 3)
        let left = try processMemory(at: try #require(addresses.last), count: 22)
        #expect(!left.indices.contains { left[$0...].starts(with: hex("9999990000000014")) })
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
