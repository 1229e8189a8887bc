import Foundation
import JackdawCryptography
import JackdawSimulator
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Foreign programs read virtual cards through pcscd and the virtual reader of vsmartcard.
@Suite(
    .serialized, .enabled(if: PCSCDaemon.obstacle == nil, "pcscd cannot be started: see PCSCDaemon.obstacle"),
    .timeLimit(.minutes(30)))
struct ForeignProgramTests {
    static let hasOpenSC = runs("opensc-tool", "--version")
    static let python = ProcessInfo.processInfo.environment["JACKDAW_PYTHON"] ?? "python3"
    static let hasPyscard = runs(python, "-c", "import smartcard")
    static let hasEMV = runs(python, "-c", "import emv.card, smartcard")

    private static func runs(_ program: String, _ arguments: String...) -> Bool {
        (try? SpawnedProcess(program, arguments).end()) == .exit(0)
    }

    private func card(_ name: String) throws -> VirtualCard {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(root)/cards/\(name).json"))
        return try VirtualCard(json: Array(data), LibCryptoPrimitives(mode: .test))
    }

    /// Runs a body while a card is in the reader of a daemon.
    /// - Returns: the instructions of the commands that the card answered.
    private func withCard(_ name: String, _ body: (PCSCDaemon) async throws -> Void) async throws -> [String] {
        let daemon = try await PCSCDaemon()
        let address = TCPAddress(host: "127.0.0.1", port: daemon.port)
        let link = try await TCPConnector(loop: EventLoop(name: "vpcd")).connect(to: address)
        let card = try card(name)
        let events = Shared<[VirtualCardEvent]>([])
        let running = Task {
            var host = VirtualCardHost(card)
            try await host.run(over: link) { event in events.with { $0.append(event) } }
        }
        try await daemon.noticeCard()
        try await body(daemon)
        running.cancel()
        _ = await running.result
        await link.close()
        return events.with { $0 }.compactMap(\.instruction)
    }

    @Test(.enabled(if: hasOpenSC, "opensc-tool is not on this machine"))
    func openSCReadsTheDirectory() async throws {
        let instructions = try await withCard("m-chip-cda") { daemon in
            let reset = try await daemon.run(["opensc-tool", "--reader", "0", "--atr"])
            #expect(reset.output.contains("3b:e7:00:00:81:31:fe:45:4a:41:43:4b:44:41:57"), "\(reset.output)")
            let directory = try await daemon.run([
                "opensc-tool", "--reader", "0", "--send-apdu",
                "00:A4:04:00:0E:31:50:41:59:2E:53:59:53:2E:44:44:46:30:31:00", "--send-apdu", "00:B2:01:0C:00",
            ])
            #expect(directory.ending == .exit(0), "\(directory.output)")
            // The name of the application, in the record.
            #expect(directory.output.contains("A0 00 00 00 04 10 10"), "\(directory.output)")
            #expect(directory.output.contains("SW1=0x90, SW2=0x00"))
        }
        #expect(instructions.contains("SELECT") && instructions.contains("READ RECORD"))
    }

    /// Selects, begins a transaction and reads all records; over T=0 with GET RESPONSE and corrected lengths.
    private static let program = """
        from smartcard.CardRequest import CardRequest
        from smartcard.CardType import AnyCardType
        from smartcard.System import readers

        service = CardRequest(timeout=None, readers=readers()[:1], cardType=AnyCardType()).waitforcard()
        connection = service.connection
        connection.connect()

        def send(text):
            command = list(bytes.fromhex(text))
            data, sw1, sw2 = connection.transmit(command)
            if sw1 == 0x6C:
                data, sw1, sw2 = connection.transmit(command[:4] + [sw2])
            while sw1 == 0x61:
                more, sw1, sw2 = connection.transmit([0x00, 0xC0, 0x00, 0x00, sw2])
                data += more
            return bytes(data), sw1 << 8 | sw2

        control, status = send("00A4040007" + "A0000000031010")
        assert status == 0x9000 and b"VISA TEST" in control, hex(status)
        options, status = send("80A80000028300")
        assert status == 0x9000 and options[:4] == bytes.fromhex("800E3C00"), options.hex()
        records = 0
        locator = options[4:]
        for file, first, last, signed in zip(*[iter(locator)] * 4):
            for number in range(first, last + 1):
                record, status = send("00B2%02X%02X00" % (number, file | 4))
                assert status == 0x9000 and record[0] == 0x70, hex(status)
                records += 1
        assert send("0020008008241234FFFFFFFFFF") == (b"", 0x9000)
        data = "000000006000" + "00" * 6 + "0528" + "00" * 5 + "0978" + "260115" + "00" + "5A" * 4
        answer, status = send("80AE80001D" + data)
        assert status == 0x9000 and answer[2] == 0x80, hex(status)
        print("records", records, "cryptogram", answer[5:13].hex().upper())
        """

    @Test(.enabled(if: hasPyscard, "Python has no module smartcard: name an interpreter in JACKDAW_PYTHON"))
    func pyscardRunsATransaction() async throws {
        let instructions = try await withCard("visa-dda") { daemon in
            let (ending, output) = try await daemon.run([Self.python, "-c", Self.program])
            #expect(ending == .exit(0), "\(output)")
            // Without DDA, so that the card verification results differ from those of the contact kernel's transaction.
            #expect(output.contains("records 5 cryptogram "), "\(output)")
        }
        #expect(instructions.filter { $0 == "READ RECORD" }.count == 10)
        #expect(instructions.last == "GET RESPONSE")
    }

    /// python-emv 1.0.14: applications, records, PIN, counters, and a one-time code (CAP), for which it has
    /// the card make a cryptogram.
    private static let emvProgram = """
        from emv.card import Card
        from emv.protocol.data import Tag
        from smartcard.System import readers

        card = Card(readers()[0].createConnection())
        applications = card.list_applications()
        card.select_application(applications[0][Tag.ADF_NAME])
        options = card.get_processing_options()
        data = card.get_application_data(options["AFL"])
        card.verify_pin("1234")
        print("application", bytes(applications[0][Tag.ADF_NAME]).hex().upper())
        print("profile", bytes(options["AIP"]).hex().upper())
        print("number", bytes(data[Tag.PAN]).hex(), "objects", len(data))
        print("counters", sorted(card.get_metadata().items()))
        print("code", card.generate_cap_value("1234"))
        """

    @Test(.enabled(if: hasEMV, "Python has no module emv: `.ci/python-emv` installs it for JACKDAW_PYTHON"))
    func pythonEMVReadsTheCard() async throws {
        let instructions = try await withCard("visa-dda") { daemon in
            let (ending, output) = try await daemon.run([Self.python, "-c", Self.emvProgram])
            #expect(ending == .exit(0), "\(output)")
            let lines = output.split(separator: "\n")
            #expect(lines.contains("application A0000000031010"))
            #expect(lines.contains("profile 3C00"))
            // The objects of records 1 to 3: 3, 17 and 8 of them.
            #expect(lines.contains("number 4761739001010010 objects 28"))
            #expect(lines.contains("counters [('atc', 1), ('last_online_atc', 0), ('pin_retries', 3)]"))
            #expect(lines.contains { $0.wholeMatch(of: /code [0-9]+/) != nil })
        }
        #expect(instructions.filter { $0 == "VERIFY" }.count == 2)
        #expect(instructions.contains("GENERATE AC"))
    }
}
