import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The text of recorded payments, as docs/pay.md describes it.
@Suite struct PaymentRecordingTests {
    private static let lines = [
        #"{"amount":6000,"card":"approved-online","currency":"EUR","jackdaw-payment":1,"link":"sim:miura"}"#,
        #"{"deadline":"10.000000","effects":[{"action":"prepare","id":1}],"event":"start","phase":"Preparing","#
            + #""time":"0.000000"}"#,
        #"{"bytes":"00 A4 ** 0F","sent":true,"time":"0.000000"}"#,
        #"{"answers":1,"deadline":"60.200000","effects":[{"action":"accept card","id":2}],"event":"prepare_ok","#
            + #""phase":"AwaitCard","time":"0.200000"}"#,
        #"{"bytes":"00 A4 ** 0F","sent":true,"time":"0.200000"}"#,
        #"{"answers":2,"deadline":"61.700000","effects":[{"action":"write journal","id":3,"journal":{"entry":"chip","#
            + #""host":"not_asked","reversal":false,"stored":false}},{"action":"process card","id":4}],"#
            + #""event":"insert","phase":"Kernel1","time":"1.700000"}"#,
    ]

    private static var text: String { lines.map { $0 + "\n" }.joined() }

    @Test func aRecordingIsALineForEachEntry() {
        let written = String(decoding: RecordedPayment.whole.octets, as: UTF8.self)
        #expect(written.split(separator: "\n").prefix(Self.lines.count).map(String.init) == Self.lines)
    }

    @Test func aRecordingIsReadAsItWasWritten() throws {
        var journal = PaymentJournal()
        journal.entry = .tap
        journal.host = .unknown
        journal.isReversalQueued = true
        let steps = RecordedPayment.steps(RecordedPayment.approved.prefix(6) + [(.crash, 6_000)])
        var entries = RecordedPayment.recording(steps).entries
        entries.append(
            .step(
                PaymentStep(
                    time: .seconds(7), cause: .restart(journal), phase: .crashed, deadline: nil, effects: [])))
        entries.append(.message(PaymentMessage(time: .seconds(7), isSent: false, octets: [nil])))
        let recording = PaymentRecording(header: RecordedPayment.header, entries: entries)
        #expect(try PaymentRecording(recording.octets) == recording)
        // Without the line feed at the end.
        #expect(try PaymentRecording(Array(recording.octets.dropLast())) == recording)
    }

    @Test func aCurrencyThatISODoesNotHaveIsLeftOut() throws {
        let header = PaymentRecording.Header(
            link: "sim:kernel", card: "x", amount: Amount(minorUnits: 1, currencyCode: 959))
        let recording = PaymentRecording(header: header, entries: RecordedPayment.whole.entries)
        #expect(try PaymentRecording(recording.octets).header.amount == Amount(minorUnits: 1, currencyCode: nil))
    }

    /// The name of a file may be card data.
    @Test(arguments: ["4761739001010010", "My Card", "", "a/b", "card_1", String(repeating: "a", count: 41)])
    func otherNamesAreNotRecorded(_ name: String) {
        let header = PaymentRecording.Header(
            link: "sim:kernel", card: name, amount: Amount(minorUnits: 1, currencyCode: 978))
        #expect(header.card == "card")
    }

    @Test(
        arguments: [
            ("payment\":1", "payment\":2", SimulationFileError.Code.value, "line 1.jackdaw-payment"),
            ("\"jackdaw-payment\":1,", "", .member, "line 1"),
            ("\"link\":\"sim:miura\"", "\"link\":\"\"", .value, "line 1.link"),
            ("approved-online", "Approved", .value, "line 1.card"),
            ("\"EUR\"", "\"XXQ\"", .value, "line 1.currency"),
            ("6000", "-1", .value, "line 1.amount"),
            ("\"event\":\"start\"", "\"event\":\"begin\"", .value, "line 2.event"),
            ("\"event\":\"start\",", "", .member, "line 2"),
            ("\"Preparing\"", "\"Prepared\"", .value, "line 2.phase"),
            ("\"10.000000\"", "\"10.0\"", .value, "line 2.deadline"),
            ("\"10.000000\"", "\"604800.000001\"", .value, "line 2.deadline"),
            ("\"10.000000\"", "10", .kind, "line 2.deadline"),
            ("\"action\":\"prepare\"", "\"action\":\"pay\"", .value, "line 2.effects[0].action"),
            ("\"id\":1", "\"id\":0", .value, "line 2.effects[0].id"),
            ("\"id\":1", "\"id\":1.5", .value, "line 2.effects[0].id"),
            ("\"effects\":[{\"action\":\"prepare\",\"id\":1}]", "\"effects\":{}", .kind, "line 2.effects"),
            ("00 A4 ** 0F", "00A4", .kind, "line 3.bytes"), ("00 A4 ** 0F", "", .kind, "line 3.bytes"),
            ("00 A4 ** 0F", "00 A4 *", .kind, "line 3.bytes"),
            ("\"sent\":true", "\"sent\":1", .kind, "line 3.sent"),
            ("\"answers\":1", "\"answers\":\"1\"", .value, "line 4.answers"),
            ("\"time\":\"0.200000\"", "\"time\":\"0.200\"", .value, "line 4.time"),
            ("\"host\":\"not_asked\",", "", .member, "line 6.effects[0].journal"),
            ("\"entry\":\"chip\"", "\"entry\":\"hand\"", .value, "line 6.effects[0].journal.entry"),
            ("\"stored\":false", "\"stored\":0", .kind, "line 6.effects[0].journal.stored"),
            ("\"1.700000\"", "\"0.100000\"", .value, "line 6.time"),
            ("\"event\":\"insert\"", "\"event\":\"restart\"", .member, "line 6"),
            ("\"event\":\"insert\"", "\"event\":\"insert\",\"pan\":\"1\"", .member, "line 6"),
        ] as [(String, String, SimulationFileError.Code, String)])
    func errorsNameTheLine(
        _ old: String, _ new: String, _ code: SimulationFileError.Code, _ place: String
    ) throws {
        #expect(throws: Never.self) { try PaymentRecording(Array(Self.text.utf8)) }
        let changed = Self.text.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != Self.text)
        let error = #expect(throws: SimulationFileError.self) { try PaymentRecording(Array(changed.utf8)) }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test(arguments: ["", "\n", "{}", "{}\n{}\n", "RIFF", "[]", "jackdaw-transcript 1 masked tcp:a:1\n", "\u{0}"])
    func otherFilesAreNoRecordings(_ text: String) {
        let error = #expect(throws: SimulationFileError.self) { try PaymentRecording(Array(text.utf8)) }
        #expect(error?.place == "line 1")
    }

    @Test func aRecordingHasAnEvent() {
        let error = #expect(throws: SimulationFileError.self) { try PaymentRecording(Array(Self.lines[0].utf8)) }
        #expect(error?.code == .member)
        #expect(error?.place == "the file")
    }

    @Test func recordingsAreBounded() {
        func code(_ text: String) -> SimulationFileError.Code? {
            let error = #expect(throws: SimulationFileError.self) { try PaymentRecording(Array(text.utf8)) }
            return error?.code
        }
        let message = Self.lines[2] + "\n"
        let head = Self.lines[0] + "\n" + Self.lines[1] + "\n"
        #expect(code(head + message.replacing("0F", with: String(repeating: " 00", count: 6_000))) == .length)
        #expect(code(head + String(repeating: message, count: PaymentRecording.maxEntries)) == .length)
        let effects = Array(repeating: "{\"action\":\"prepare\",\"id\":1}", count: 17).joined(separator: ",")
        #expect(
            code(
                Self.lines[0] + "\n"
                    + Self.lines[1].replacing("{\"action\":\"prepare\",\"id\":1}", with: effects)) == .length)
        #expect(code(String(repeating: "\n", count: PaymentRecording.maxFileSize + 1)) == .length)
    }

    /// Damaged lines, swapped lines and random ones: each is an error, or a recording that replays to some end.
    @Test func hostileRecordingsAreReadWithoutATrap() {
        var random = SeededRandom(seed: 30)
        let whole = RecordedPayment.whole.octets.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        var (errors, recordings) = (0, 0)
        for _ in 0..<4_000 {
            var lines = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<lines.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: lines.remove(at: index)
                case 1: lines.swapAt(index, Int.random(in: 0..<lines.count, using: &random))
                case 2: lines[index] = Array(lines[index].prefix(Int.random(in: 0...99, using: &random)))
                case 3: lines.insert(lines[Int.random(in: 0..<lines.count, using: &random)], at: index)
                default:
                    guard !lines[index].isEmpty else { continue }
                    let place = Int.random(in: 0..<lines[index].count, using: &random)
                    lines[index][place] = UInt8.random(in: 0...255, using: &random)
                }
                if lines.isEmpty { break }
            }
            do {
                let replay = PaymentReplay(try PaymentRecording(Array(lines.joined(separator: [UInt8(ascii: "\n")]))))
                recordings += 1
                for index in replay.steps.indices {
                    let event = PaymentEvent.allCases.randomElement(using: &random) ?? .timer
                    _ = replay.continuation(after: index, with: [event])
                }
            } catch {
                errors += 1
            }
        }
        #expect(errors > 500 && recordings > 500, "\(errors), \(recordings)")
    }
}
