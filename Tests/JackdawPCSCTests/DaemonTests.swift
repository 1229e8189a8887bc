import Foundation
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawPCSC

/// Links through libpcsclite and pcscd itself to a virtual reader.
@Suite(
    .enabled(if: PCSCDaemon.obstacle == nil, "pcscd cannot be started: see PCSCDaemon.obstacle"),
    .timeLimit(.minutes(30)))
struct DaemonTests {
    /// A card of T=1 (TD1 and TD2: 81 31, IFSC FE, BWI and CWI 45), with the historical octets `JACK`.
    private static let answerToReset = hex("3B D4 18 FF 81 31 FE 45 4A 41 43 4B 3B")

    /// Answers the PSE's name with a status of its own, READ RECORD with 256 octets, others with their own octets.
    private static func answer(_ command: [UInt8]) -> [UInt8] {
        switch command[1] {
        case 0xA4: hex("6A 82")
        case 0xB2: (0..<256).map { UInt8($0) } + hex("90 00")
        default: command + hex("90 00")
        }
    }

    private static func card(_ port: UInt16, slot: UInt16 = 0) throws -> ScriptedCard {
        return try ScriptedCard(port: port + slot, answerToReset: { _ in answerToReset }, answer)
    }

    /// Waits until a reader is in a state.
    private static func readers(
        when number: Int, is state: CardReader.State
    ) async throws -> [CardReader] {
        for try await readers in CardService().readerChanges() where readers.count == 2 {
            if readers[number].state == state { return readers }
        }
        return []
    }

    @Test func aCardAnswersByPartOfItsReadersNameAndByNumber() async throws {
        let daemon = try await PCSCDaemon()
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String, port = daemon.port as UInt16] in
            PCSCDaemon.use(socket)
            let service = CardService()
            #expect(try await service.readers().map(\.state) == [.empty, .empty])
            let missing = await #expect(throws: LinkError.self) {
                try await service.connect(to: LinkName(.pcsc, "00 01"))
            }
            #expect(missing?.code == .notFound)
            #expect(missing?.underlying == "SCARD_E_NO_SMARTCARD 0x8010000C")
            let card = try Self.card(port, slot: 1)
            let readers = try await Self.readers(when: 1, is: .present)
            #expect(readers.map(\.name) == ["Virtual PCD 00 00", "Virtual PCD 00 01"])
            for name in ["00 01", "1"] {
                let link = try await service.connect(to: LinkName(.pcsc, name))
                #expect(link.reader == "Virtual PCD 00 01")
                #expect(await link.answerToReset() == readers[1].answerToReset)
                for (command, answer) in [
                    ("00 A4 04 00 02 31 50 00", hex("6A 82")), ("00 84 00 00", hex("00 84 00 00 90 00")),
                    ("00 B2 01 0C 00", (0..<256).map { UInt8($0) } + hex("90 00")),
                ] {
                    try await link.send(hex(command))
                    #expect(try await link.received() == answer)
                }
                await link.close()
            }
            #expect(card.state.with { $0.commands.count } == 6)
        }
    }

    @Test func aRemovedCardIsSeenAndLosesTheLink() async throws {
        let daemon = try await PCSCDaemon()
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String, port = daemon.port as UInt16] in
            PCSCDaemon.use(socket)
            let card = try Self.card(port)
            _ = try await Self.readers(when: 0, is: .present)
            let link = try await CardService().connect(to: LinkName(.pcsc, "0"))
            #expect(try await Self.readers(when: 0, is: .shared).count == 2)
            card.remove()
            _ = try await Self.readers(when: 0, is: .empty)
            try await link.send(hex("00 84 00 00"))
            let error = await #expect(throws: LinkError.self) { try await link.received() }
            #expect(error?.code == .disconnected)
            #expect(error?.underlying == "SCARD_W_REMOVED_CARD 0x80100069")
            await link.close()
        }
    }

    @Test func aResetReachesTheCard() async throws {
        let daemon = try await PCSCDaemon()
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String, port = daemon.port as UInt16] in
            PCSCDaemon.use(socket)
            // T=0, with the number of resets as its historical octet.
            let card = try ScriptedCard(port: port, answerToReset: { [0x3B, 0x01, UInt8($0)] }, Self.answer)
            _ = try await Self.readers(when: 0, is: .present)
            let link = try await CardService().connect(to: LinkName(.pcsc, "0"))
            let first = await link.answerToReset()
            #expect(first.prefix(2) == [0x3B, 0x01])
            let second = try await link.resetCard()
            #expect(await link.answerToReset() == second)
            #expect(second.last == UInt8(card.state.with { $0.resets }))
            #expect(second != first)
            // Over T=0, a command without data has a fifth octet, and one with data has no expected length.
            try await link.send(hex("00 84 00 00"))
            #expect(try await link.received() == hex("00 84 00 00 00 90 00"))
            try await link.send(hex("00 88 00 00 01 AA 00"))
            #expect(try await link.received() == hex("00 88 00 00 01 AA 90 00"))
            await link.close()
        }
    }

    /// A second link waits until the first one, which has a transaction, is closed.
    @Test func noOtherLinkComesBetweenTwoCommands() async throws {
        let daemon = try await PCSCDaemon()
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String, port = daemon.port as UInt16] in
            PCSCDaemon.use(socket)
            let card = try Self.card(port)
            _ = try await Self.readers(when: 0, is: .present)
            let first = try await CardService().connect(to: LinkName(.pcsc, "0"))
            let resets = card.state.with { $0.resets }
            let other = Task {
                let link = try await CardService().connect(to: LinkName(.pcsc, "0"))
                try await link.send(hex("00 84 00 00"))
                let answer = try await link.received()
                await link.close()
                return answer
            }
            for number in 0..<100 as Range<UInt8> {
                try await first.send([0x00, 0x84, 0x01, number])
                #expect(try await first.received() == [0x00, 0x84, 0x01, number, 0x90, 0x00])
            }
            await first.close()
            #expect(try await other.value == hex("00 84 00 00 90 00"))
            let commands = card.state.with { $0.commands }
            #expect(commands.map { $0[2] } == Array(repeating: 1, count: 100) + [0])
            // Each link resets the card at its end, once.
            #expect(card.state.with { $0.resets } == resets + 2)
            card.remove()
        }
    }

    @Test func anEndedDaemonLosesTheLink() async throws {
        let daemon = try await PCSCDaemon()
        let process = daemon.identifier
        await #expect(processExitsWith: .success) {
            [socket = daemon.socket as String, port = daemon.port as UInt16, process = process as Int32] in
            PCSCDaemon.use(socket)
            let card = try Self.card(port)
            _ = try await Self.readers(when: 0, is: .present)
            let link = try await CardService().connect(to: LinkName(.pcsc, "0"))
            var lists = CardService().readerChanges().makeAsyncIterator()
            _ = try await lists.next()
            kill(process, SIGKILL)
            try await link.send(hex("00 84 00 00"))
            let error = await #expect(throws: LinkError.self) { try await link.received() }
            #expect(error?.code == .disconnected)
            await #expect(throws: LinkError.self) { while try await lists.next() != nil {} }
            await link.close()
            let absent = await #expect(throws: LinkError.self) { try await CardService().readers() }
            #expect(absent?.code == .serviceMissing)
            card.remove()
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/opensc-tool"), "it needs opensc"))
    func openSCSeesTheSameCard() async throws {
        let daemon = try await PCSCDaemon()
        let card = try Self.card(daemon.port)
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String] in
            PCSCDaemon.use(socket)
            _ = try await Self.readers(when: 0, is: .present)
        }
        let digits = try await daemon.run(["opensc-tool", "--reader", "0", "--atr"]).output
        try #require(digits.hasPrefix("3b:"))
        let exchange = ["--send-apdu", "00:B2:01:0C:00", "--send-apdu", "00:A4:04:00"]
        let sent = try await daemon.run(["opensc-tool", "--reader", "0"] + exchange).output
        #expect(sent.contains("(SW1=0x90, SW2=0x00)"))
        #expect(sent.contains("(SW1=0x6A, SW2=0x82)"))
        // Its dump has 16 octets a line, then the same octets as characters.
        let dump = sent.split(separator: "\n").filter { $0.prefix(48).wholeMatch(of: /([0-9A-F]{2} ){16}/) != nil }
            .flatMap { hex(String($0.prefix(48))) }
        await #expect(processExitsWith: .success) {
            [socket = daemon.socket as String, digits = digits as String, dump = dump as [UInt8]] in
            PCSCDaemon.use(socket)
            let link = try await CardService().connect(to: LinkName(.pcsc, "0"))
            #expect(await link.answerToReset() == hex(digits))
            try await link.send(hex("00 B2 01 0C 00"))
            #expect(try await link.received() == dump + hex("90 00"))
            try await link.send(hex("00 A4 04 00"))
            #expect(try await link.received() == hex("6A 82"))
            await link.close()
        }
        card.remove()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/smartcard"), "pyscard"))
    func pyscardSeesTheSameCard() async throws {
        let daemon = try await PCSCDaemon()
        let card = try Self.card(daemon.port)
        let program = """
            from smartcard.CardRequest import CardRequest
            from smartcard.System import readers
            connection = CardRequest(timeout=None, readers=readers()[:1]).waitforcard().connection
            connection.connect()
            print(bytes(connection.getATR()).hex())
            data, first, second = connection.transmit([0, 0xB2, 1, 0x0C, 0])
            print((bytes(data) + bytes([first, second])).hex())
            """
        let printed = try await daemon.run(["/usr/bin/python3", "-c", program]).output
        let lines = printed.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "\(lines)")
        await #expect(processExitsWith: .success) { [socket = daemon.socket as String, lines = lines as [String]] in
            PCSCDaemon.use(socket)
            let link = try await CardService().connect(to: LinkName(.pcsc, "virtual pcd 00 00"))
            #expect(await link.answerToReset() == hex(lines[0]))
            try await link.send(hex("00 B2 01 0C 00"))
            #expect(try await link.received() == hex(lines[1]))
            await link.close()
        }
        card.remove()
    }
}
