import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A simulated PosMate, and a program that sends it messages.
struct EPOSProgram: ~Copyable {
    private var reader: SimulatedReader
    private(set) var now = Duration.zero
    private let wire: EPOSPaymentWire
    private var frames: FrameReader<LayoutFormat>

    init(
        payer: String = "{\"pin\": {\"digits\": \"1234\"}}",
        card: [(String, String)] = [PlainTerminal.oneApplication, PlainTerminal.noVerification],
        deck: [Presentation] = [], faults: [PlannedFault] = []
    ) throws {
        let settings = try Self.settings()
        let terminal = EPOSTerminal(
            try PlainTerminal.settings(), settings, card: try PlainCard.card(card),
            payer: try PlainTerminal.payer(payer), PlainCryptography(), pinCipher: PlainTerminal.pinCipher)
        wire = settings.wire
        frames = FrameReader(settings.wire.format)
        reader = SimulatedReader(terminal, deck: deck, faults: faults)
    }

    static func settings() throws -> EPOSPaymentSettings {
        try EPOSPaymentSettings(profile: try #require(ReaderFamily.named("epos")).simulatedProfile)
    }

    /// Sends a message, and returns what the terminal sends in a time.
    mutating func send(
        _ message: EPOSPaymentMessage, for duration: Duration = .milliseconds(100)
    ) -> [EPOSPaymentMessage] { send(frame: wire.frame(message), for: duration) }

    mutating func send(frame: [UInt8], for duration: Duration = .milliseconds(100)) -> [EPOSPaymentMessage] {
        reader.receive(frame.span, at: now)
        return wait(duration)
    }

    mutating func wait(_ duration: Duration) -> [EPOSPaymentMessage] {
        let end = now + duration
        var found: [EPOSPaymentMessage] = []
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let bytes) in reader.advance(to: now) { found += take(bytes) }
        }
        now = end
        return found
    }

    private mutating func take(_ bytes: [UInt8]) -> [EPOSPaymentMessage] {
        let wire = wire
        var reader = FrameReader(wire.format)
        swap(&reader, &frames)
        var found: [EPOSPaymentMessage] = []
        reader.receive(bytes.span) { event, frame in
            guard case .frame = event, let message = wire.read(frame, from: .terminal) else { return }
            found.append(message)
        }
        swap(&reader, &frames)
        return found
    }

    static let start = hex("9C0100 9A03260115 9F2103121530 9F410400000001")
    static let amount = hex("9F0206000000006000 5F2A020978")

    /// Begins a transaction, up to the prompt for a card.
    mutating func begin(for duration: Duration = .milliseconds(100)) -> [EPOSPaymentMessage] {
        send(.request(.initTransaction, Self.start)) + send(.answer(.getAmount, Self.amount), for: duration)
    }

    /// Begins a transaction, and lets the kernel run with the card: its first messages are not returned.
    mutating func run(for duration: Duration = .seconds(5)) -> [EPOSPaymentMessage] {
        let messages = begin()
        guard case .status(let sequence, .smartcardInserted)? = messages.last else { return [] }
        return send(.reply(sequence: sequence, isCancel: false), for: duration)
    }

    func frame(_ message: EPOSPaymentMessage) -> [UInt8] { wire.frame(message) }
}

extension [EPOSPaymentMessage] {
    fileprivate var statuses: [EPOSStatus] {
        compactMap { if case .status(_, let status) = $0 { status } else { nil } }
    }

    fileprivate func requests(_ name: EPOSMessage) -> [[UInt8]] {
        compactMap { if case .request(name, let data) = $0 { data } else { nil } }
    }
}

/// Payments at the simulated PosMate, without a program of Jackdaw.
@Suite struct EPOSTerminalTests {
    /// The number is that of the headers of PaynetEasyReader; which request has it is invented.
    @Test func aTerminalWithoutKeysRefusesATransaction() throws {
        var program = try EPOSProgram(faults: [PlannedFault(.noKeys)])
        #expect(program.send(.request(.terminateTransaction, [])) == [.answer(.terminateTransaction, [])])
        let refusal = EPOSPaymentMessage.refusal(.initTransaction, .dukptKey)
        #expect(program.send(.request(.initTransaction, EPOSProgram.start)) == [refusal])
        #expect(EPOSError.dukptKey.rawValue == 20)
    }

    @Test func aTransactionBegins() throws {
        var program = try EPOSProgram()
        #expect(
            program.send(.request(.initTransaction, EPOSProgram.start)) == [
                .answer(.initTransaction, []), .request(.getAmount, []),
            ])
        let prompted = program.send(.answer(.getAmount, EPOSProgram.amount))
        #expect(prompted.statuses == [.cardEntryPrompted, .smartcardInserted])
        // Without a reply the terminal does not go on.
        #expect(program.wait(.seconds(30)) == [])
    }

    @Test func theIssuerIsAskedAndTheCardDecides() throws {
        var program = try EPOSProgram()
        let asked = program.run()
        let objects = try #require(asked.requests(.goOnline).first)
        var store = DataObjectStore()
        try store.add(objects.span)
        #expect(store[0x9F27] == hex("80"))
        #expect(store[0x9F02] == hex("000000006000"))
        #expect(store[0x9F41] == hex("00000001"))
        let declined = program.send(.answer(.goOnline, [0] + hex("8A023035")), for: .seconds(2))
        let result = try #require(declined.requests(.completeTransaction).first)
        try store.add(result.span)
        #expect(store[0x9F27]?.first.map { $0 >> 6 } == 0)
        #expect(declined.statuses == [.removePrompted, .cardRemoved])
        // The data of the last transaction.
        #expect(program.send(.request(.getTransactionData, [])) == [.answer(.getTransactionData, result)])
    }

    @Test func aTillThatDoesNotKnowTheIssuersAnswerHasTheCardDecline() throws {
        var program = try EPOSProgram()
        _ = program.run()
        let messages = program.send(.answer(.goOnline, [2]), for: .seconds(1))
        let result = try #require(messages.requests(.completeTransaction).first)
        var store = DataObjectStore()
        try store.add(result.span)
        #expect(store[0x9F27]?.first.map { $0 >> 6 } == 0)
    }

    @Test(arguments: ["", "9C0100 9A03261315", "9C0100", "9F"]) func transactionsThatAreNotRightEnd(
        _ objects: String
    ) throws {
        var program = try EPOSProgram()
        _ = program.send(.request(.initTransaction, hex(objects)))
        let messages = program.send(.answer(.getAmount, EPOSProgram.amount))
        #expect(messages == [.request(.terminateTransaction, [0])])
    }

    @Test func requestsOutOfTurnAreRefused() throws {
        var program = try EPOSProgram()
        for name in [EPOSMessage.getSwipedData, .processSwipedData, .goOnline, .getAmount, .completeTransaction] {
            guard case .refusal(name, _)? = program.send(.request(name, [])).first else {
                Issue.record("\(name) is not refused")
                continue
            }
        }
        #expect(program.send(.request(.terminateTransaction, [])) == [.answer(.terminateTransaction, [])])
        _ = program.begin()
        #expect(
            program.send(.request(.initTransaction, EPOSProgram.start)) == [.refusal(.initTransaction, .general)])
    }

    @Test func theTillCancelsInAReply() throws {
        var program = try EPOSProgram()
        let messages = program.begin()
        guard case .status(let sequence, .smartcardInserted)? = messages.last else {
            Issue.record("no card")
            return
        }
        let end = program.send(.reply(sequence: sequence, isCancel: true), for: .seconds(2))
        #expect(end.requests(.terminateTransaction) == [[11]])
        #expect(end.statuses == [.removePrompted, .cardRemoved])
    }

    @Test func theTerminalGivesUpWithoutACard() throws {
        var program = try EPOSProgram(payer: "{\"presents\": [\"tap\"]}")
        _ = program.begin(for: .seconds(59))
        let messages = program.wait(.seconds(2))
        #expect(messages.statuses == [.cardEntryTimedOut])
        #expect(messages.requests(.terminateTransaction) == [[19]])
    }

    // MARK: card and cardholder

    /// The list of verification methods asks for an offline PIN.
    private static let pin = ("\"8E\": \"00\"", "\"8E\": \"00000000000000000100\"")

    @Test func thePINIsReported() throws {
        var program = try EPOSProgram(card: [PlainTerminal.oneApplication, Self.pin])
        #expect(program.run().statuses == [.pinEntryStarted, .pinEntryCompleted])
        var wrong = try EPOSProgram(
            payer: "{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}",
            card: [PlainTerminal.oneApplication, Self.pin])
        #expect(
            wrong.run().statuses == [
                .pinEntryStarted, .pinEntryCompleted, .lastPINEntry, .pinEntryStarted, .pinEntryCompleted,
            ])
        var bypassed = try EPOSProgram(
            payer: "{\"pin\": {\"action\": \"bypass\"}}", card: [PlainTerminal.oneApplication, Self.pin])
        #expect(bypassed.run().statuses.starts(with: [.pinEntryStarted, .pinEntryBypassed]))
        var cancelled = try EPOSProgram(
            payer: "{\"pin\": {\"action\": \"cancel\"}}", card: [PlainTerminal.oneApplication, Self.pin])
        let messages = cancelled.run()
        #expect(messages.statuses.starts(with: [.pinEntryStarted, .pinEntryAborted]))
        #expect(messages.requests(.terminateTransaction) == [[15]])
    }

    @Test func theCardholderChoosesTheApplication() throws {
        var program = try EPOSProgram(payer: "{\"application\": {\"index\": 1}}", card: [])
        let messages = program.run()
        #expect(
            messages.statuses.starts(with: [.applicationSelectionStarted, .applicationSelectionCompleted]))
    }

    @Test(arguments: [
        (("\"profile\": \"3D00\"", "\"blocked\": true, \"profile\": \"3D00\""), UInt8(17)),
        (("\"A0000009990101\"", "\"A0000008880101\""), 16), (("\"atr\"", "\"mute_after\": 0, \"atr\""), 18),
        (("\"atr\"", "\"mute_after\": 12, \"atr\""), 14),
    ])
    func aCardThatCannotPayEndsTheTransaction(_ change: (String, String), _ error: UInt8) throws {
        var program = try EPOSProgram(
            payer: "{\"presentations\": 1}", card: [PlainTerminal.oneApplication, change])
        #expect(program.run().requests(.terminateTransaction) == [[error]])
    }

    @Test func aCardThatIsRemovedEndsTheTransaction() throws {
        var program = try EPOSProgram(payer: "{\"removal\": {\"after_exchange\": 3}}")
        let messages = program.run()
        #expect(messages.statuses == [.cardRemoved])
        #expect(messages.requests(.terminateTransaction) == [[14]])
    }

    @Test func aSwipeIsReportedAndItsTracksAreRead() throws {
        let card = try #require(SimulatedCard.named("visa"))
        var program = try EPOSProgram(
            payer: "{\"presents\": [\"tap\"]}", deck: [Presentation(card, .swipedInVain), Presentation(card)])
        let messages = program.begin(for: .seconds(3))
        #expect(messages.statuses == [.cardEntryPrompted, .swipeError, .cardSwiped])
        let tracks = card.tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        #expect(program.send(.request(.getSwipedData, [])) == [.answer(.getSwipedData, tracks)])
        #expect(program.send(.request(.processSwipedData, [0])).statuses == [.cardEntryPrompted])
    }

    /// Outside of a payment it is the simulated reader of the family.
    @Test func otherCommandsAreThoseOfTheFamily() throws {
        let family = try #require(ReaderFamily.named("epos"))
        let wire = try Wire(family.simulatedProfile)
        var reader = SimulatedReader(
            EPOSTerminal(
                try PlainTerminal.settings(), try EPOSProgram.settings(), card: try PlainCard.card([]),
                payer: try PlainTerminal.payer("{}"), PlainCryptography()))
        let request = wire.frame(.identify)
        reader.receive(request.span, at: .zero)
        #expect(reader.advance(to: .seconds(1)) == [.send(wire.frame(.done))])
    }

    @Test(arguments: 1...10) func hostileProgramsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var program = try EPOSProgram()
        for _ in 0..<300 {
            let name = EPOSMessage.allCases.randomElement(using: &random) ?? .getAmount
            let messages: [EPOSPaymentMessage] = [
                .request(.initTransaction, EPOSProgram.start), .answer(.getAmount, EPOSProgram.amount),
                .reply(sequence: UInt8.random(in: 0...20, using: &random), isCancel: Bool.random(using: &random)),
                .answer(.goOnline, [0] + hex("8A023030")),
                .answer(.goOnline, [UInt8.random(in: 0...4, using: &random)]),
                .request(name, [UInt8.random(in: 0...3, using: &random)]), .refusal(name, .general),
            ]
            var frame = program.frame(messages.randomElement(using: &random) ?? .answer(name, []))
            if Int.random(in: 0..<4, using: &random) == 0, let index = frame.indices.randomElement(using: &random) {
                frame[index] = UInt8.random(in: 0...255, using: &random)
            }
            let answers = program.send(
                frame: frame, for: .milliseconds(Int.random(in: 0...2_000, using: &random)))
            #expect(answers.count < 40)
        }
        // A damaged length may promise a long frame: bytes end it. It still ends a transaction.
        _ = program.send(frame: [UInt8](repeating: 0, count: 70_000))
        let end = program.send(.request(.terminateTransaction, []))
        #expect(end.contains(.answer(.terminateTransaction, [])))
    }
}
