import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A simulated Miura reader, and a program that sends it commands as APDUs.
struct MiuraProgram: ~Copyable {
    private var reader: SimulatedReader
    private(set) var now = Duration.zero
    private var frames = FrameReader(MiuraFormat(.answer))
    private var parts = ""

    init(
        payer: String = "{\"pin\": {\"digits\": \"1234\"}}", card: [(String, String)] = [], hasPINKey: Bool = true,
        faults: [PlannedFault] = []
    ) throws {
        reader = SimulatedReader(
            MiuraTerminal(
                try PlainTerminal.settings(), card: try PlainCard.card(card), payer: try PlainTerminal.payer(payer),
                PlainCryptography(), pinCipher: hasPINKey ? PlainTerminal.pinCipher : nil),
            faults: faults)
    }

    /// Sends a command, and returns what the reader sends in a time: bodies and statuses in digits, unsolicited ones
    /// with a star.
    mutating func send(_ apdu: String, for duration: Duration = .milliseconds(100)) throws -> [String] {
        try send(frame: try MiuraFormat.command(hex(apdu)), for: duration)
    }

    mutating func send(frame: [UInt8], for duration: Duration = .milliseconds(100)) throws -> [String] {
        reader.receive(frame.span, at: now)
        return wait(duration)
    }

    mutating func wait(_ duration: Duration) -> [String] {
        let end = now + duration
        var found: [String] = []
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let bytes) in reader.advance(to: now) { found += take(bytes) }
        }
        now = end
        return found
    }

    /// The messages that end with these bytes.
    private mutating func take(_ bytes: [UInt8]) -> [String] {
        var reader = FrameReader(MiuraFormat(.answer))
        swap(&reader, &frames)
        var found: [String] = []
        reader.receive(bytes.span) { event, frame in
            guard case .frame = event else { return }
            parts += hexadecimal(frame.indices.dropFirst(3).dropLast().map { frame[$0] })
            // More parts follow.
            guard frame[1] & 1 == 0 else { return }
            found.append((frame[1] & 0x40 != 0 ? "* " : "") + parts)
            parts = ""
        }
        swap(&reader, &frames)
        return found
    }

    /// Inserts the card: card reports are switched on.
    mutating func insertCard() throws {
        #expect(try send("D0600100") == ["* E104480200009000", "* E104480203009000"])
    }
}

/// The commands of a payment at the simulated reader, without a program of Jackdaw.
@Suite struct MiuraTerminalTests {
    private static let start =
        "DED10000 23 E021 9C0100 9F0206000000006000 9A03260115 9F2103121530 DFA2040101 5F2A020978"
    /// The same, in which the host chooses the application.
    private static let startChoosing = "DED10000 1E E01C 9C0100 9F0206000000006000 9A03260115 9F2103121530 5F2A020978"
    private static let approve = "DED20000 06 E004 8A023030"
    private static let card = [PlainTerminal.oneApplication, PlainTerminal.noVerification]
    /// Source of the statuses: Miura's SDK for Android.
    @Test(arguments: [(ReaderFault.damaged, "9FCF"), (.noSettings, "9F2A"), (.noKeys, "9FE0")])
    func aReaderInAConditionRefusesPayments(_ fault: ReaderFault, _ status: String) throws {
        var program = try MiuraProgram(faults: [PlannedFault(fault)])
        #expect(try program.send("D0000000").first?.hasSuffix("9000") == true)
        try program.insertCard()
        #expect(try program.send(Self.start, for: .seconds(5)) == [status])
        #expect(try program.send("EEE00000") == [fault == .noKeys ? "E105DFAE0101009000" : "E105DFAE0101029000"])
    }

    @Test func aCardPaysOnline() throws {
        var program = try MiuraProgram(card: Self.card)
        try program.insertCard()
        let answers = try program.send(Self.start, for: .seconds(5))
        let answer = try #require(answers.last)
        #expect(answers.count == 1)
        #expect(answer.hasPrefix("E4") && answer.hasSuffix("9000"))
        // The account number is in clear, and so are cryptogram and CVM results.
        for object in ["5A089999990000000014", "9F2608", "9F270180", "8407A0000009990101", "9F3403"] {
            #expect(answer.contains(object), "\(object)")
        }
        let end = try program.send(Self.approve, for: .seconds(1))
        #expect(end.first?.hasPrefix("E3") == true)
        #expect(end.first?.contains("8A023030") == true)
        // The cardholder takes the card.
        #expect(program.wait(.seconds(2)) == ["* E104480200009000"])
    }

    /// The command that a program sent to a real reader, with lengths of five bytes. Its currency is not the card's.
    @Test func aPublishedCommandIsAccepted() throws {
        var program = try MiuraProgram()
        try program.insertCard()
        let frame = hex(
            """
            010046DED1000041E0840000003B9F418400000004000000009A84000000031606089F2184000000031913089C8400000001009F028400000006
            0000000001005F2A840000000208408A
            """)
        let answers = try program.send(frame: frame, for: .seconds(5))
        // It leaves the choice of the application to the host.
        #expect(
            answers == ["E222" + "9F0607A00000099901015005504C41494E" + "9F0607A000000999010250054F54484552" + "9000"])
    }

    @Test func theHostChoosesTheApplication() throws {
        var program = try MiuraProgram()
        try program.insertCard()
        #expect(try program.send(Self.startChoosing, for: .seconds(5)).first?.hasPrefix("E2") == true)
        #expect(try program.send("DED20000 06 E004 8A023030") == ["9F27"])
        #expect(try program.send("DED20000 0C E00A 9F0607A0000009990103") == ["9F21"])
        let answers = try program.send("DED20000 0C E00A 9F0607A0000009990102", for: .seconds(5))
        #expect(answers.last?.contains("8407A0000009990102") == true)
    }

    @Test func theCardholderChoosesTheApplicationAtTheReader() throws {
        var program = try MiuraProgram(payer: "{\"application\": {\"index\": 1}}")
        try program.insertCard()
        let answers = try program.send(Self.start, for: .seconds(5))
        #expect(answers.first == "* E60BC30103C40653656C6563749000")
        #expect(answers.last?.contains("8407A0000009990102") == true)
    }

    /// The report is that of a test of Miura's SDK, whole in its comment.
    @Test func thePINIsReportedAsPublished() throws {
        var program = try MiuraProgram(card: [
            ("\"A0000009990102\"", "\"A0000008880102\""), ("\"8E\": \"00\"", "\"8E\": \"00000000000000000100\""),
        ])
        try program.insertCard()
        let answers = try program.send(Self.start, for: .seconds(5))
        #expect(answers.contains("* " + "E610C30102C40650494E204F4BDFA10201029000"))
    }

    // MARK: refusals

    /// "Terminal is not ready, e.g. sending a continue command before a start", and the others of `TransactionResponse`.
    @Test func commandsInTheWrongOrderAreRefused() throws {
        var program = try MiuraProgram(card: Self.card)
        #expect(try program.send(Self.approve) == ["9F22"])
        #expect(try program.send(Self.start) == ["9F23"])
        try program.insertCard()
        #expect(try program.send(Self.approve) == ["9F22"])
        #expect(try program.send(Self.start, for: .seconds(5)).count == 1)
        #expect(try program.send(Self.start) == ["9F26"])
        #expect(try program.send(Self.start.replacing("DED1", with: "DEC1")) == ["9F26"])
        #expect(try program.send(Self.approve, for: .seconds(1)).first?.hasPrefix("E3") == true)
        // The cardholder takes the card.
        #expect(try program.send(Self.approve) == ["9F22", "* E104480200009000"])
    }

    @Test(arguments: [
        ("DED10000", "9F21"), ("DED10000 00", "9F21"), ("DED10000 02 E000", "9F27"), ("DED10000 03 E00100", "9F27"),
        ("DED10000 05 E003 9C0100", "9F27"), ("DED10000 05 E103 9C0100", "9F21"), ("DED10000 04 E003 9C01", "9F21"),
        ("DED10000 FF E000", "6700"), ("DED100", "6700"),
        ("DED10000 22 E020 9C0100 9F02050000006000 9A03260115 9F2103121530 DFA2040101 5F2A020978", "9F21"),
        ("DED10000 23 E021 9C0100 9F02060000000060A0 9A03260115 9F2103121530 DFA2040101 5F2A020978", "9F21"),
        ("DED10000 23 E021 9C0100 9F0206000000006000 9A03261315 9F2103121530 DFA2040101 5F2A020978", "9F21"),
        ("DE990000", "6D00"), ("DED60100 05 E003 9C0100", "9FE0"),
    ])
    func commandsThatAreNotRightAreRefused(_ apdu: String, _ status: String) throws {
        var program = try MiuraProgram()
        try program.insertCard()
        #expect(try program.send(apdu) == [status])
    }

    @Test(arguments: [
        ("\"profile\": \"3D00\"", "\"blocked\": true, \"profile\": \"3D00\"", "9F25"),
        ("\"A0000009990101\"", "\"A0000008880101\"", "9F28"),
    ])
    func aCardThatCannotPayEndsWithItsStatus(_ old: String, _ new: String, _ status: String) throws {
        var program = try MiuraProgram(
            payer: "{\"presentations\": 1}", card: [("\"A0000009990102\"", "\"A0000008880102\""), (old, new)])
        try program.insertCard()
        #expect(try program.send(Self.start, for: .seconds(1)).first == status)
    }

    @Test func theKeyForPINsIsReported() throws {
        var program = try MiuraProgram()
        #expect(try program.send("EEE00000") == ["E105DFAE0101029000"])
        var none = try MiuraProgram(hasPINKey: false)
        #expect(try none.send("EEE00000") == ["E105DFAE0101009000"])
    }

    // MARK: ABORT and other commands during a payment

    /// The reader answers ABORT first, and then the payment with 9F41. Other commands wait.
    @Test func aPaymentIsAborted() throws {
        var program = try MiuraProgram(payer: "{\"delays\": {\"application\": 60000}}")
        try program.insertCard()
        #expect(try program.send(Self.start, for: .seconds(1)) == ["* E60BC30103C40653656C6563749000"])
        #expect(try program.send("D2010001 02 4F4B") == [])
        #expect(try program.send("D0FF0000") == ["9000", "9F41", "9000"])
        #expect(try program.send("D0FF0000") == ["9000"])
        #expect(try program.send(Self.approve) == ["9F22"])
    }

    @Test func aReaderThatWaitsForTheIssuerIsAborted() throws {
        var program = try MiuraProgram(card: Self.card)
        try program.insertCard()
        _ = try program.send(Self.start, for: .seconds(5))
        #expect(try program.send("D0FF0000") == ["9000"])
        #expect(try program.send(Self.approve) == ["9F22"])
    }

    /// The statuses of `TransactionResponse` for the wait for a tap.
    @Test func theWaitForATapEnds() throws {
        let tap = "DEC10000 1E E01C 9C0100 9F0206000000006000 9A03260115 9F2103121530 5F2A020978"
        var aborted = try MiuraProgram()
        #expect(try aborted.send(tap) == [])
        #expect(try aborted.send("D0FF0000") == ["9000", "9F41"])
        var late = try MiuraProgram()
        #expect(try late.send(tap, for: .seconds(239)) == [])
        #expect(late.wait(.seconds(2)) == ["9F42"])
        var inserted = try MiuraProgram(payer: "{\"delays\": {\"card\": 1000}}")
        #expect(try inserted.send("D0600100") == ["* E104480200009000"])
        #expect(try inserted.send(tap) == [])
        #expect(inserted.wait(.seconds(1)) == ["9F43", "* E104480203009000"])
        #expect(try inserted.send(tap) == ["9F43"])
    }

    @Test func aCardThatIsRemovedEndsThePayment() throws {
        var program = try MiuraProgram(
            payer: "{\"removal\": {\"after_exchange\": 3}}", card: Self.card)
        try program.insertCard()
        #expect(try program.send(Self.start, for: .seconds(1)) == ["* E104480200009000", "9F23"])
        #expect(try program.send(Self.start) == ["9F23"])
    }

    @Test(arguments: [(0, "9F30"), (1, "9F30"), (12, "9F23")])
    func aChipThatFallsSilentEndsThePayment(_ answers: Int, _ status: String) throws {
        var program = try MiuraProgram(
            payer: "{\"presentations\": 1}",
            card: [("\"A0000009990102\"", "\"A0000008880102\""), ("\"atr\"", "\"mute_after\": \(answers), \"atr\"")])
        try program.insertCard()
        #expect(try program.send(Self.start, for: .seconds(1)).first == status)
    }

    /// The virtual card has no effect but in the slot.
    @Test func theCardIsPresentedUntilItIsInserted() throws {
        var program = try MiuraProgram(payer: "{\"presents\": [\"tap\", \"swipe\", \"insert\"]}")
        try program.insertCard()
        var tapped = try MiuraProgram(payer: "{\"presents\": [\"tap\"]}")
        #expect(try tapped.send("D0600100") == ["* E104480200009000"])
    }

    @Test func theIssuersAnswerComesAfterTheCardWasRemoved() throws {
        var program = try MiuraProgram(
            payer: "{\"removal\": {\"after_exchange\": 14, \"delay\": 2000}}",
            card: Self.card)
        try program.insertCard()
        let answers = try program.send(Self.start, for: .seconds(20))
        #expect(answers.last == "* E104480200009000")
        #expect(try program.send(Self.approve) == ["9F23"])
    }

    // MARK: hostile programs

    @Test(arguments: 1...10) func hostileCommandsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var program = try MiuraProgram()
        let commands = [
            Self.start, Self.startChoosing, Self.approve, "D0FF0000", "D0600100", "D0600000", "D0000000",
            "D2010001 02 4F4B",
            "DED20000 0C E00A 9F0607A0000009990102", "DED20000 04 E002 8A00", "DED20000 0A E008 8A023030 7202FFFF",
            "DED20000 08 E006 8A023030 7100", "DEC10000 02 E000",
        ].map(hex)
        for _ in 0..<200 {
            var apdu = commands.randomElement(using: &random) ?? []
            if Bool.random(using: &random), let index = apdu.indices.randomElement(using: &random) {
                apdu[index] = UInt8.random(in: 0...255, using: &random)
            }
            let frame = try MiuraFormat.command(apdu)
            let answers = try program.send(frame: frame, for: .milliseconds(Int.random(in: 0...2_000, using: &random)))
            #expect(answers.count < 40)
        }
        // It still pays.
        _ = try program.send("D0FF0000", for: .seconds(300))
        #expect(try program.send("D0000000").last?.hasSuffix("9000") == true)
    }

    /// Commands without end while a payment is under way take no memory without end.
    @Test func commandsThatWaitAreLimited() throws {
        var program = try MiuraProgram(payer: "{\"delays\": {\"application\": 60000}}")
        try program.insertCard()
        _ = try program.send(Self.start, for: .seconds(1))
        for _ in 0..<100 { #expect(try program.send("D0620000") == []) }
        #expect(try program.send("D0FF0000").count == 18)
    }
}
