import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A simulated EMVSwiper, and a program that sends it calls.
struct BBPOSProgram: ~Copyable {
    private var reader: SimulatedReader
    private(set) var now = Duration.zero
    private let wire: BBPOSPaymentWire
    private var frames: FrameReader<LayoutFormat>

    init(
        payer: String = "{\"pin\": {\"digits\": \"1234\"}}",
        card: [(String, String)] = [PlainTerminal.oneApplication, PlainTerminal.noVerification],
        deck: [Presentation] = [], battery: Int = 80, faults: [PlannedFault] = []
    ) throws {
        let settings = try Self.settings()
        let terminal = BBPOSTerminal(
            try PlainTerminal.settings(), settings, card: try PlainCard.card(card),
            payer: try PlainTerminal.payer(payer), PlainCryptography(), pinCipher: PlainTerminal.pinCipher)
        var device = SimulatedDevice()
        device.battery = battery
        wire = settings.wire
        frames = FrameReader(settings.wire.format)
        reader = SimulatedReader(terminal, device: device, deck: deck, faults: faults)
    }

    static func settings() throws -> BBPOSPaymentSettings {
        try BBPOSPaymentSettings(profile: try #require(ReaderFamily.named("bbpos")).simulatedProfile)
    }

    /// Sends a call, and returns what the reader reports in a time.
    mutating func call(_ call: BBPOSCall, for duration: Duration = .seconds(2)) -> [BBPOSReport] {
        send(frame: wire.frame(call), for: duration)
    }

    mutating func send(frame: [UInt8], for duration: Duration = .milliseconds(100)) -> [BBPOSReport] {
        reader.receive(frame.span, at: now)
        return wait(duration)
    }

    mutating func wait(_ duration: Duration) -> [BBPOSReport] {
        let end = now + duration
        var found: [BBPOSReport] = []
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let bytes) in reader.advance(to: now) { found += take(bytes) }
        }
        now = end
        return found
    }

    private mutating func take(_ bytes: [UInt8]) -> [BBPOSReport] {
        let wire = wire
        var reader = FrameReader(wire.format)
        swap(&reader, &frames)
        var found: [BBPOSReport] = []
        reader.receive(bytes.span) { event, frame in
            guard case .frame = event, let report = wire.report(frame) else { return }
            found.append(report)
        }
        swap(&reader, &frames)
        return found
    }

    func frame(_ call: BBPOSCall) -> [UInt8] { wire.frame(call) }

    static let times = BBPOSTransactionTimes(
        application: .seconds(30), amount: .seconds(10), pin: .seconds(60), confirmation: .seconds(10),
        issuer: .seconds(60))

    static func start(time: String? = "260115121530") -> BBPOSCall {
        var settings = BBPOSTransactionSettings()
        settings.time = time
        return .startEMV(times, forcesOnline: false, settings)
    }

    static let amount = BBPOSCall.setAmount(6000, cashback: 0, currency: 978, .goods)

    /// Waits for the card, begins a payment and states the amount: what follows is returned.
    mutating func run(for duration: Duration = .seconds(5)) -> [BBPOSReport] {
        _ = call(.checkCard(.swipeOrInsert, within: .seconds(60)))
        _ = call(Self.start())
        return call(Self.amount, for: duration)
    }

    /// Goes on to the question to the issuer.
    mutating func askIssuer() -> [BBPOSReport] {
        run() + call(.sendConfirmation(true)) + call(.sendConnectivity(true))
    }
}

extension [BBPOSReport] {
    /// Without card data.
    fileprivate var texts: [String] { map { "\($0)" } }

    /// The objects of the last report that has some.
    fileprivate var objects: DataObjectStore {
        var store = DataObjectStore()
        for report in self {
            switch report {
            case .request(_, let data?), .batchData(let data), .reversalData(let data):
                _ = data.withBytes { octets in try? store.add(octets) }
            default: break
            }
        }
        return store
    }
}

/// Payments at the simulated EMVSwiper, without a program of Jackdaw.
@Suite struct BBPOSTerminalTests {
    @Test func factsAreReported() throws {
        var program = try BBPOSProgram()
        guard case .deviceInfo(let facts)? = program.call(.getDeviceInfo).first else {
            Issue.record("no facts")
            return
        }
        #expect(facts["batteryPercentage"] == "80")
        #expect(facts["serialNumber"] == "SIM0000001")
        var empty = try BBPOSProgram(battery: 5)
        #expect(
            empty.call(.getDeviceInfo).texts == ["battery: CRITICALLY_LOW", "device information: 4 values"])
    }

    @Test func aReaderWithoutSettingsHasNoVersionOfThem() throws {
        for (faults, version) in [([], "1"), ([PlannedFault(.noSettings)], "")] {
            var program = try BBPOSProgram(faults: faults)
            guard case .deviceInfo(let facts)? = program.call(.getDeviceInfo).first else {
                Issue.record("no facts")
                return
            }
            #expect(facts["terminalSettingVersion"] == version)
        }
    }

    @Test func aDamagedReaderFailsInEachPayment() throws {
        var program = try BBPOSProgram(faults: [PlannedFault(.damaged)])
        for _ in 0..<2 {
            _ = program.call(.checkCard(.swipeOrInsert, within: .seconds(60)), for: .seconds(10))
            #expect(
                program.call(BBPOSProgram.start(time: nil)).texts == [
                    "payment started", "payment ended: DEVICE_ERROR", "display: REMOVE_CARD",
                ])
        }
    }

    @Test func theValuesOfAPaymentAreRefusedAsInvalid() throws {
        var program = try BBPOSProgram(faults: [PlannedFault(.refusal, 2..<4)])
        let card = program.call(.checkCard(.swipeOrInsert, within: .seconds(60)))
        #expect(card.texts == ["waiting for a card", "card: ICC"])
        #expect(program.call(BBPOSProgram.start(time: nil)).texts.first == "failed: INPUT_INVALID")
        var other = try BBPOSProgram(faults: [PlannedFault(.refusal, 0..<1)])
        #expect(other.call(.getDeviceInfo).texts == ["failed: UNKNOWN"])
    }

    /// The order of the SDK's samples.
    @Test func theCallbacksComeInTheOrderOfTheSDK() throws {
        var program = try BBPOSProgram(card: [PlainTerminal.noVerification])
        #expect(
            program.call(.checkCard(.swipeOrInsert, within: .seconds(60))).texts == ["waiting for a card", "card: ICC"])
        #expect(program.call(BBPOSProgram.start()).texts == ["payment started", "asks for an application"])
        #expect(program.call(.selectApplication(0)).texts == ["asks for the amount"])
        #expect(program.call(BBPOSProgram.amount, for: .seconds(5)).texts == ["asks for the confirmation"])
        #expect(program.call(.sendConfirmation(true)).texts == ["asks for the availability of the issuer"])
        let asked = program.call(.sendConnectivity(true))
        #expect(asked.texts == ["asks for the issuer's answer"])
        #expect(asked.objects[0x9F27] == hex("80"))
        #expect(asked.objects[0x9F02] == hex("000000006000"))
        #expect(asked.objects[0x5F2A] == hex("0978"))
        #expect(asked.objects[0x9A] == hex("260115"))
        #expect(asked.objects[0x9F41] == hex("00000001"))
        let end = program.call(.sendIssuerAnswer(hex("8A023035")))
        #expect(
            end.texts == ["batch data", "display: DECLINED", "payment ended: DECLINED", "display: REMOVE_CARD"])
        #expect(end.objects[0x9F27]?.first.map { $0 >> 6 } == 0)
    }

    @Test func theReaderAsksForTheTime() throws {
        var program = try BBPOSProgram()
        _ = program.call(.checkCard(.insert, within: .seconds(60)))
        #expect(program.call(BBPOSProgram.start(time: nil)).texts == ["payment started", "asks for the time"])
        #expect(program.call(.sendTime("260115121530")).texts == ["asks for the amount"])
    }

    @Test(arguments: [BBPOSCall.sendConnectivity(false), .sendIssuerAnswer(nil)])
    func withoutAnIssuerTheCardDecides(_ call: BBPOSCall) throws {
        var program = try BBPOSProgram()
        _ = program.run()
        _ = program.call(.sendConfirmation(true))
        if case .sendIssuerAnswer = call { _ = program.call(.sendConnectivity(true)) }
        let end = program.call(call)
        #expect(end.texts.first == "batch data")
        #expect(end.objects[0x9F27] != nil)
    }

    @Test(arguments: [
        BBPOSCall.cancelSetAmount, .setAmount(1, cashback: 0, currency: 12_345, .goods),
        .setAmount(1, cashback: 0, currency: 978, .inquiry),
    ])
    func anAmountThatIsNotRightEndsThePayment(_ amount: BBPOSCall) throws {
        var program = try BBPOSProgram()
        _ = program.call(.checkCard(.insert, within: .seconds(60)))
        _ = program.call(BBPOSProgram.start())
        let end = program.call(amount)
        // An amount that the SDK cannot write is not sent: the reader gives up.
        let late = program.wait(.seconds(10))
        #expect((end + late).texts.contains { $0.hasPrefix("payment ended: ") })
    }

    @Test func callsOutOfTurnAreRefused() throws {
        var program = try BBPOSProgram(payer: "{\"presents\": [\"tap\"]}")
        #expect(program.call(BBPOSProgram.start()).texts == ["payment not started"])
        #expect(program.call(.sendConfirmation(true)).texts == [])
        _ = program.call(.checkCard(.swipeOrInsert, within: .seconds(60)))
        #expect(program.call(.getDeviceInfo).texts == ["failed: DEVICE_BUSY"])
        #expect(program.call(.cancelCheckCard).texts == [])
        #expect(program.call(.getDeviceInfo).texts == ["device information: 4 values"])
    }

    @Test func theReaderGivesUpWithoutACardAndWithoutAnAnswer() throws {
        var idle = try BBPOSProgram(payer: "{\"presents\": [\"tap\"]}")
        #expect(
            idle.call(.checkCard(.swipeOrInsert, within: .seconds(5)), for: .seconds(6)).texts == [
                "waiting for a card", "card: NONE",
            ])
        var silent = try BBPOSProgram()
        _ = silent.run()
        #expect(silent.wait(.seconds(10)).texts.first == "payment ended: CANCEL")
        var online = try BBPOSProgram()
        _ = online.askIssuer()
        // The issuer could not be reached.
        #expect(online.wait(.seconds(61)).texts.first == "batch data")
    }

    // MARK: card and cardholder

    /// The list of verification methods asks for an offline PIN.
    private static let pin = ("\"8E\": \"00\"", "\"8E\": \"00000000000000000100\"")

    @Test func thePINIsReported() throws {
        let card = [PlainTerminal.oneApplication, Self.pin]
        var program = try BBPOSProgram(card: card)
        #expect(program.run().texts == ["asks for the PIN", "display: PIN_OK", "asks for the confirmation"])
        var wrong = try BBPOSProgram(payer: "{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}", card: card)
        #expect(
            wrong.run().texts == [
                "asks for the PIN", "display: INCORRECT_PIN", "display: LAST_PIN_TRY", "asks for the PIN",
                "display: PIN_OK", "asks for the confirmation",
            ])
        var bypassed = try BBPOSProgram(payer: "{\"pin\": {\"action\": \"bypass\"}}", card: card)
        #expect(bypassed.run().texts.first == "asks for the PIN")
        var cancelled = try BBPOSProgram(payer: "{\"pin\": {\"action\": \"cancel\"}}", card: card)
        #expect(cancelled.run().texts.starts(with: ["asks for the PIN", "payment ended: CANCEL"]))
        var stopped = try BBPOSProgram(payer: "{\"delays\": {\"pin\": 60000}}", card: card)
        #expect(stopped.run().texts == ["asks for the PIN"])
        #expect(stopped.call(.cancelPINEntry).texts.first == "payment ended: CANCEL")
    }

    @Test(arguments: [
        (("\"profile\": \"3D00\"", "\"blocked\": true, \"profile\": \"3D00\""), "APPLICATION_BLOCKED"),
        (("\"A0000009990101\"", "\"A0000008880101\""), "CARD_NOT_SUPPORTED"),
        (("\"atr\"", "\"mute_after\": 12, \"atr\""), "ICC_CARD_REMOVED"),
    ])
    func aCardThatCannotPayEndsThePayment(_ change: (String, String), _ result: String) throws {
        var program = try BBPOSProgram(
            payer: "{\"presentations\": 1}", card: [PlainTerminal.oneApplication, change])
        var texts: [String] = []
        texts += program.call(.checkCard(.insert, within: .seconds(60))).texts
        texts += program.call(BBPOSProgram.start()).texts
        texts += program.call(BBPOSProgram.amount).texts
        #expect(texts.contains("payment ended: \(result)"), "\(texts)")
    }

    @Test func aChipThatDoesNotAnswerIsReported() throws {
        var program = try BBPOSProgram(
            payer: "{\"presentations\": 1}",
            card: [PlainTerminal.oneApplication, ("\"atr\"", "\"mute_after\": 0, \"atr\"")])
        #expect(
            program.call(.checkCard(.insert, within: .seconds(60))).texts == [
                "waiting for a card", "card: NO_RESPONSE",
            ])
    }

    @Test func aCardThatIsRemovedEndsThePayment() throws {
        var program = try BBPOSProgram(payer: "{\"removal\": {\"after_exchange\": 3}}")
        var texts = program.call(.checkCard(.insert, within: .seconds(60))).texts
        texts += program.call(BBPOSProgram.start()).texts
        texts += program.call(BBPOSProgram.amount).texts
        #expect(texts.last == "payment ended: ICC_CARD_REMOVED", "\(texts)")
    }

    @Test func swipesAreReported() throws {
        let card = try #require(SimulatedCard.named("visa"))
        let single = SimulatedCard("single", track2: ";4111111111111111=28121010000012345678?")
        var program = try BBPOSProgram(
            payer: "{\"presents\": [\"tap\"]}",
            deck: [
                Presentation(card, .swipedInVain), Presentation(card), Presentation(single),
                Presentation(card, .swipedWithChip),
            ])
        var texts: [String] = []
        for _ in 0..<4 { texts += program.call(.checkCard(.swipeOrInsert, within: .seconds(60))).texts }
        #expect(
            texts.filter { $0 != "waiting for a card" } == [
                "card: BAD_SWIPE", "card: MCR, bbpos 411111******1111", "card: TRACK2_ONLY, bbpos 411111******1111",
                "card: USE_ICC_CARD",
            ])
    }

    /// Outside of a payment it is the simulated reader of the family.
    @Test func otherCommandsAreThoseOfTheFamily() throws {
        let family = try #require(ReaderFamily.named("bbpos"))
        let wire = try Wire(family.simulatedProfile)
        var reader = SimulatedReader(
            BBPOSTerminal(
                try PlainTerminal.settings(), try BBPOSProgram.settings(), card: try PlainCard.card([]),
                payer: try PlainTerminal.payer("{}"), PlainCryptography()))
        let request = wire.frame(.identify)
        reader.receive(request.span, at: .zero)
        #expect(reader.advance(to: .seconds(1)) == [.send(wire.frame(.done))])
    }

    @Test(arguments: 1...10) func hostileProgramsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var program = try BBPOSProgram()
        let calls: [BBPOSCall] = [
            .getDeviceInfo, .checkCard(.swipeOrInsert, within: .seconds(60)), .checkCard(.tap, within: .zero),
            .cancelCheckCard, BBPOSProgram.start(), BBPOSProgram.start(time: nil), BBPOSProgram.start(time: "26"),
            .selectApplication(0), .selectApplication(9), .cancelSelectApplication, BBPOSProgram.amount,
            .cancelSetAmount, .pinWasEntered, .bypassPINEntry, .cancelPINEntry, .sendIdentity(isRight: true),
            .sendConfirmation(true), .sendConfirmation(true), .sendConnectivity(true), .sendConnectivity(false),
            .sendIssuerAnswer(hex("8A023030")), .sendIssuerAnswer([]), .sendIssuerAnswer(nil), .sendTime("x"),
            .sendTime("260115121530"), .sendReferral(isApproved: true), .cancelReferral,
        ]
        for _ in 0..<300 {
            var frame = program.frame(calls.randomElement(using: &random) ?? .getDeviceInfo)
            if Int.random(in: 0..<4, using: &random) == 0, let index = frame.indices.randomElement(using: &random) {
                frame[index] = UInt8.random(in: 0...255, using: &random)
            }
            let reports = program.send(
                frame: frame, for: .milliseconds(Int.random(in: 0...2_000, using: &random)))
            #expect(reports.count < 40)
        }
        // A damaged length may promise a long frame: bytes end it. After its limits the reader is idle.
        _ = program.send(frame: [UInt8](repeating: 0, count: 70_000), for: .seconds(600))
        #expect(program.call(.getDeviceInfo).texts == ["device information: 4 values"])
    }
}
