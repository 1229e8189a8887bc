import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

/// What Miura's answers and reports mean.
struct MiuraDialectTests {
    private static let reset = ReaderRequest("reset", hex("010004D0000000D5"))
    private static let deviceInformation = ReaderRequest("device information", hex("010004D0020000D7"))
    private static let battery = ReaderRequest("battery", hex("010004D0620000B7"))

    /// The meanings of a message, cut into frames as a reader does.
    private static func meanings(
        _ message: String, from node: MiuraNode = .reader, isUnsolicited: Bool = false,
        answering request: ReaderRequest? = battery, _ dialect: MiuraDialect = MiuraDialect()
    ) throws -> [ReaderMeaning] {
        let frames = try MiuraFormat.answer(hex(message), from: node, isUnsolicited: isUnsolicited)
        return frames.flatMap { dialect.understand($0.span, answering: request) }
    }

    @Test func publishedCommandsAreSent() throws {
        let dialect = MiuraDialect(reportFlags: 0x01)
        #expect(dialect.identification.map(\.bytes) == [hex("010004D0000000D5"), hex("010004D0620000B7")])
        #expect(dialect.arming(for: .seconds(20)).map(\.bytes) == [hex("010004D0600100B4")])
    }

    @Test func batteryReportsAreRead() throws {
        for (charging, isCharging) in [("00", false), ("01", true), ("02", true), ("F0", nil)] as [(String, Bool?)] {
            let meanings = try Self.meanings("E10ADFA20901\(charging)DFA20A0150" + "9000")
            guard case .done(let facts)? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
            #expect(facts == [.battery(BatteryReport(percent: 80, isCharging: isCharging))])
        }
    }

    /// The answer to RESET that `MpiClient.resetDevice` of Miura's SDK for Android quotes, byte for byte; and what its
    /// first base sends instead of the second version (MSDK-233 there).
    @Test(arguments: ["DF7F", "DF0D"])
    func softwareAndSerialNumberAreInTheAnswerToReset(secondVersion: String) throws {
        let answer =
            "E130" + "9F1E083034303030323033" + "EF11DF0D084D3130302D525049DF7F03312D31"
            + "EF10DF0D074D3130302D4F53\(secondVersion)03312D36"
        let meanings = try Self.meanings(answer + "9000", answering: Self.reset)
        guard case .done(let facts)? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
        #expect(facts == [.serialNumber("04000203"), .firmware("M100-RPI 1-1"), .firmware("M100-OS 1-6")])
    }

    /// Capabilities as `MPICommandExecutor.getDeviceCapabilities` of Miura's SDK for iOS reads them, ED objects with an
    /// identifier and, in some, a value; and every other answer, which the SDKs take as well.
    @Test(
        arguments: [
            ("E10F ED0D DF0D0A 53637265656E2D313238", [ReaderFact.capability("Screen-128")]),
            (
                "E11E ED0C DF0D09 426C7565746F6F7468 ED0E DF0D07 42617474657279 DF7F01 31",
                [
                    .capability("Bluetooth"), .capability("Battery 1"),
                ]
            ),
            ("E100", []), ("", []), ("4D313030", []), ("E1", []), ("E1FF41", []), ("FFFFFFFFFFFF", []),
        ] as [(String, [ReaderFact])])
    func everyAnswerToDeviceInformationIsTaken(answer: String, capabilities: [ReaderFact]) throws {
        let meanings = try Self.meanings(answer + "9000", answering: Self.deviceInformation)
        guard case .done(let facts)? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
        #expect(facts == capabilities)
    }

    @Test func questionsUseThePublishedCommands() throws {
        let dialect = MiuraDialect()
        for question in [ReaderQuestion.firmware, .serialNumber] {
            #expect(try dialect.asking(question).map(\.bytes) == [Self.reset.bytes])
        }
        #expect(try dialect.asking(.capabilities).map(\.bytes) == [Self.deviceInformation.bytes])
    }

    /// A reader that answers as Miura's SDK has it (`MpiClient.resetDevice`), and leaves out what it likes.
    @Test(arguments: [("E10B9F1E083034303030323033", ["serial number 04000203"]), ("", [])])
    func aReaderIsConnectedWhateverItLeavesOut(answer: String, identity: [String]) throws {
        var driver = ReaderDriver(MiuraDialect())
        _ = driver.perform(.connect, at: .zero)
        var outputs: [ReaderOutput] = []
        for body in [answer, ""] {
            for frame in try MiuraFormat.answer(hex(body + "9000")) { outputs += driver.receive(frame.span, at: .zero) }
        }
        #expect(driver.state == .ready)
        let identities = outputs.compactMap { if case .event(.connected(let identity)) = $0 { identity } else { nil } }
        #expect(identities.map { $0.facts.map(\.description) } == [identity])
    }

    @Test(arguments: [
        ("9F21", "9F 21 invalid data"), ("9F42", "9F 42 timed out"), ("6D00", "6D 00 unknown"),
        ("9001", "90 01 unknown"),
    ])
    func anotherStatusRefuses(status: String, meaning: String) throws {
        #expect(words(try Self.meanings(status)) == ["refused: status \(meaning)"])
    }

    @Test func theBaseDoesNotAnswerForTheReader() throws {
        let meanings = try Self.meanings("9000", from: .base)
        guard case .unknown? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
    }

    /// A report that comes between the parts of an answer, and a part of an earlier answer.
    @Test func partsOfSeveralMessagesGoBesideEachOther() throws {
        let dialect = MiuraDialect()
        let body = "E182012C" + "C482012800" + String(repeating: "41", count: 295)
        let parts = try MiuraFormat.answer(hex(body + "9000"))
        #expect(parts.count == 2)
        let report = try MiuraFormat.answer(hex("E104480201009000"), isUnsolicited: true)
        let first = Self.meaning(parts[0], dialect)
        guard case .more? = first else { return #expect(Bool(false), "\(first as Any)") }
        let between = Self.meaning(report[0], dialect)
        guard case .card(.unreadable)? = between else { return #expect(Bool(false), "\(between as Any)") }
        let last = Self.meaning(parts[1], dialect)
        guard case .done? = last else { return #expect(Bool(false), "\(last as Any)") }
        // The rest of it never comes: what answers the next request stands alone.
        _ = Self.meaning(parts[0], dialect)
        _ = dialect.encode(Self.reset)
        let next = Self.meaning(try MiuraFormat.answer(hex("9000"))[0], dialect)
        guard case .done? = next else { return #expect(Bool(false), "\(next as Any)") }
    }

    private static func meaning(_ frame: [UInt8], _ dialect: MiuraDialect) -> ReaderMeaning? {
        dialect.understand(frame.span, answering: reset).first
    }

    /// Endless parts are dropped once, and block nothing.
    @Test func anEndlessAnswerIsDropped() throws {
        var driver = ReaderDriver(MiuraDialect())
        _ = driver.perform(.connect, at: .zero)
        let apdu = [UInt8](repeating: 0x41, count: 254)
        var frame: [UInt8] = [0x01, 0x01, 0xFE] + apdu
        frame.append(frame.reduce(0, ^))
        var now = Duration.zero
        for _ in 0..<2_000 {
            now += .milliseconds(100)
            _ = driver.receive(frame.span, at: now)
            _ = driver.advance(to: now)
        }
        #expect(driver.state == .off)
    }

    /// However often a message reports a card, it is one card.
    @Test func oneReportIsOneCard() throws {
        let track = "5F2225" + ";4111111111111111=28121010000012345678".utf8.map { String($0, radix: 16) }.joined()
        let message = String(repeating: "48020001", count: 300) + track
        let meanings = try Self.meanings(message + "9000", isUnsolicited: true)
        #expect(meanings.count <= 1)
    }

    @Test(arguments: ["E1", "E1FF", "48", "4802", "5F", "DFAE", "E183FFFFFF", "1F80808080", "E104E102E100"])
    func messagesThatAreNoTLVAreUnknown(message: String) throws {
        let meanings = try Self.meanings(message + "9000", isUnsolicited: true)
        guard case .unknown? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
    }

    /// Any bytes: no trap, and each object lies in the message.
    @Test func anyBytesAreRead() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                // Mostly what means something.
                [0x48, 0xE1, 0x5F, 0x22, 0x1F, 0x81, 0x82, 0x02, 0x00, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            for object in TagLengthValue.read(bytes.span) ?? [] {
                #expect(object.value.lowerBound > 0 && object.value.upperBound <= bytes.count)
            }
        }
        let deep = [UInt8](repeating: 0xE1, count: 200)
        #expect(TagLengthValue.read(deep.span) == nil)
        let many =
            [UInt8](repeating: 0x48, count: 0) + Array(repeatElement([0x48, 0x00] as [UInt8], count: 513).joined())
        #expect(TagLengthValue.read(many.span) == nil)
    }
}
