import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import Testing

@Suite struct RecordEncodingTests {
    /// Records in many forms.
    private static func samples() throws -> [AttemptRecord] {
        var samples = [try sampleRecord()]
        var record = AttemptRecord(
            attempt("A2"),
            try purchase("S2", 999_999_999_999, [AttemptDetail("n", "\u{1F4B6}\"\\\u{1}"), AttemptDetail("n", "")]),
            on: RecordedTime(seconds: -62_135_596_800, offset: -1080))
        record.state = .unknown
        record.flow?.entry = .chip
        record.flow?.host = .unknown
        record.flow?.isReversalQueued = true
        record.delivery = Delivery(.reversal(.timeout), tries: 3)
        record.changed = RecordedTime(seconds: 253_402_300_799, offset: 1080)
        samples.append(record)
        record.delivery = Delivery(.reversal(nil), note: ReasonText("\"wrong\" goods \u{1F4B6}"))
        samples.append(record)
        record.state = .approved
        record.flow?.isRecordStored = true
        record.flow?.outcome = .approvedOffline
        record.delivery = Delivery(.advice, octets: HTTPBody("sealed octets"), tries: Delivery.maxAttempts)
        record.reference = HostReference(rawValue: "ref/1")
        samples.append(record)
        record.signature = HTTPBody("sealed octets of a signature")
        record.approved = RecordedTime(seconds: 1_700_000_045, offset: 60)
        samples.append(record)
        record.delivery = Delivery(.signature, octets: record.signature)
        record.signature = HTTPBody()
        samples.append(record)
        record.state = .needsAttention
        record.delivery = nil
        record.attention = Attention(ReasonText("too late"), since: date)
        record.refusal = ReasonText("no")
        samples.append(record)
        record.state = .approved
        record.attention?.note = ReasonText("paid in cash")
        record.attention?.settled = date
        samples.append(record)
        var capture = AttemptRecord(
            attempt("A3"),
            try AttemptRequest(sale: sale("S1"), kind: .capture(of: attempt("A1")), amount: euros(5)),
            originalReference: HostReference(rawValue: "ref/0"), on: date)
        capture.state = .unknown
        capture.delivery = Delivery(.enquiry)
        samples.append(capture)
        return samples
    }

    @Test func recordsComeBackAsTheyWere() throws {
        for record in try Self.samples() {
            let decoded = try AttemptRecord(decoding: record.encoded)
            #expect(decoded == record)
            #expect(decoded.request.fingerprint == record.request.fingerprint)
            #expect(decoded.encoded == record.encoded)
        }
    }

    @Test func allFlowsAndStatesComeBack() throws {
        for entry in [nil] + CardEntry.allCases.map(Optional.some) {
            for host in HostKnowledge.allCases {
                for outcome in [nil] + PaymentOutcome.allCases.map(Optional.some) {
                    var record = try sampleRecord()
                    record.flow?.entry = entry
                    record.flow?.host = host
                    record.flow?.outcome = outcome
                    #expect(try AttemptRecord(decoding: record.encoded) == record)
                }
            }
        }
        for cause in ReversalCause.allCases.map(Optional.init) + [nil] {
            var record = try sampleRecord()
            record.state = .reversing
            record.delivery = Delivery(.reversal(cause))
            #expect(try AttemptRecord(decoding: record.encoded) == record)
        }
    }

    @Test func theTextHasNoSealedOctets() throws {
        for record in try Self.samples() {
            #expect(!String(decoding: record.encoded.text, as: UTF8.self).contains("sealed octets"))
            let sealed = (record.delivery?.octets.text ?? "") + record.signature.text
            #expect(record.encoded.sealed.text == sealed)
        }
    }

    /// A record of version 1, whose queue is not empty, written by hand after the documentation of the format.
    private static let version1 = """
        {"version":1,"attempt":"A9","sale":"S9","kind":"purchase","amount":"1050","currency":978,
        "details":[["tip","100"]],"state":"unknown","began":["1700000000",60],"changed":["1700000045",60],
        "flow":{"host":"unknown","entry":"chip","reversalQueued":true,"recordStored":false,"outcome":"failed_host_timeout"},
        "delivery":{"purpose":"reversal","cause":"timeout","tries":2,"octets":0},"laterMember":[{"a":1}]}
        """

    @Test func recordsOfVersion1AreReadForEver() throws {
        let record = try AttemptRecord(
            decoding: EncodedRecord(text: Array(Self.version1.utf8), sealed: HTTPBody()))
        #expect(record.identifier == attempt("A9"))
        #expect(try record.request == purchase("S9", 1050, [AttemptDetail("tip", "100")]))
        #expect(record.state == .unknown)
        #expect(record.delivery == Delivery(.reversal(.timeout), tries: 2))
        #expect(record.flow?.outcome == .failedHostTimeout)
        #expect(record.began == date)
        // The later member is left out.
        #expect(!String(decoding: record.encoded.text, as: UTF8.self).contains("laterMember"))
    }

    /// A record of version 2, written by hand: it has the octets of its message alone, and no time of its approval.
    @Test func aMessageOfVersion2HasItsOctetsAndGoesOn() throws {
        let text = """
            {"version":2,"attempt":"A8","sale":"S8","kind":"purchase","amount":"1050","currency":978,"details":[],
            "state":"approved","began":["1700000000",60],"changed":["1700000045",60],
            "flow":{"host":"unreachable","entry":"chip","reversalQueued":false,"recordStored":true,"outcome":"approved_offline"},
            "delivery":{"purpose":"advice","tries":2,"octets":13}}
            """
        let record = try AttemptRecord(
            decoding: EncodedRecord(text: Array(text.utf8), sealed: HTTPBody("sealed octets")))
        #expect(record.delivery == Delivery(.advice, octets: HTTPBody("sealed octets"), tries: 2))
        #expect(record.signature.count == 0 && record.approved == nil)
        // The end of its queue is a change, and not its approval.
        var till = TestTill()
        till.store[attempt("A8")] = record
        till.crash()
        till.send(.answered(.acknowledged, effect: try till.takeAsk().effect))
        let written = try #require(till.store[attempt("A8")])
        #expect(written.delivery == nil && written.approved == nil)
    }

    /// A later program, which has renamed a member and added one, opens the queue of this one.
    @Test func anOlderVersionsQueueIsOpenedByALaterVersion() throws {
        let renames = RecordFormat(upgrades: [
            { members in
                var members = members
                members["delivery"] = members.removeValue(forKey: "queued")
                return members
            },
            { members in
                var members = members
                members["refusal"] = .text("not recorded")
                return members
            }, { $0 },
        ])
        let old = Self.version1.replacing("\"delivery\"", with: "\"queued\"")
        let record = try AttemptRecord(
            decoding: EncodedRecord(text: Array(old.utf8), sealed: HTTPBody()), in: renames)
        #expect(record.delivery == Delivery(.reversal(.timeout), tries: 2))
        #expect(record.refusal == ReasonText("not recorded"))
        // It writes version 4, which this program leaves alone.
        let new = record.encoded(in: renames)
        #expect(try AttemptRecord(decoding: new, in: renames) == record)
        let error = #expect(throws: JournalError.self) { try AttemptRecord(decoding: new) }
        #expect(error?.code == .newerVersion)
        // The queue goes on.
        var desk = PaymentDesk(host: .unknownHost)
        let effects = desk.start(with: [record], at: .zero, on: date)
        let isReversed = effects.contains {
            if case .ask(let request) = $0.action { request.operation == .reverse } else { false }
        }
        #expect(isReversed)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"version\":0}", "{\"version\":1}", "{\"version\":1.5}", "{\"version\":\"1\"}",
    ])
    func damagedTextsAreErrors(text: String) {
        let error = #expect(throws: JournalError.self) {
            try AttemptRecord(decoding: EncodedRecord(text: Array(text.utf8), sealed: HTTPBody()))
        }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: [
        ("\"amount\":\"1050\"", "\"amount\":\"-1\""), ("\"amount\":\"1050\"", "\"amount\":1050"),
        ("\"amount\":\"1050\"", "\"amount\":\"1000000000000\""), ("978", "1"), ("978", "65536"), ("978", "1e300"),
        ("\"A9\"", "\"A 9\""), ("\"S9\"", "\"\""), ("purchase", "capture"), ("purchase", "theft"),
        ("[\"tip\",\"100\"]", "[\"tip\"]"), ("[\"tip\",\"100\"]", "7"), ("\"unknown\",\"began\"", "\"lost\",\"began\""),
        ("\"unknown\",\"began\"", "\"declined\",\"began\""), ("\"unknown\",\"began\"", "\"needsAttention\",\"began\""),
        ("\"unknown\",\"began\"", "\"approved\",\"began\""), ("1700000000", "99999999999999999999"),
        ("1700000000", "253402300800"), ("\",60],\"changed", "\",1081],\"changed"), ("\"tries\":2", "\"tries\":-1"),
        ("\"tries\":2", "\"tries\":1000001"), ("\"octets\":0", "\"octets\":1"), ("timeout\",\"tries", "rain\",\"tries"),
        ("\"reversal\"", "\"completion\""), ("\"reversal\"", "\"gift\""), ("chip", "punch"),
        ("\"host\":\"unknown\"", "\"host\":0"), ("failed_host_timeout", "won"),
        ("\"reversalQueued\":true", "\"reversalQueued\":1"), ("\"flow\"", "\"flaw\""),
    ])
    func contradictingRecordsAreErrors(old: String, new: String) throws {
        let text = Self.version1.replacing("\n", with: "").replacing(old, with: new)
        #expect(text != Self.version1.replacing("\n", with: ""))
        let error = #expect(throws: JournalError.self) {
            try AttemptRecord(decoding: EncodedRecord(text: Array(text.utf8), sealed: HTTPBody()))
        }
        #expect(error?.code == .damaged)
    }

    @Test func sealedOctetsOfAnotherRecordAreErrors() throws {
        for record in try Self.samples() {
            let octets = HTTPBody(record.encoded.sealed.text + "x")
            #expect(throws: JournalError.self) {
                try AttemptRecord(decoding: EncodedRecord(text: record.encoded.text, sealed: octets))
            }
        }
    }

    @Test func hugeAndDeepTextsAreErrors() {
        for text in [
            Array(repeating: UInt8(ascii: "["), count: 100_000), Array(repeating: UInt8(ascii: " "), count: 1_000_000),
        ] {
            #expect(throws: JournalError.self) {
                try AttemptRecord(decoding: EncodedRecord(text: text, sealed: HTTPBody()))
            }
        }
    }

    @Test func theLongestDetailsComeBack() throws {
        let record = AttemptRecord(
            attempt("A"), try purchase("S", 1, [AttemptDetail("", String(repeating: "\u{1}", count: 65_536))]), on: date
        )
        #expect(try AttemptRecord(decoding: record.encoded) == record)
    }

    @Test func changedBytesGiveARecordOrAnError() throws {
        var random = SeededRandom(seed: 7)
        let samples = try Self.samples().map { $0.encoded }
        var (records, errors) = (0, 0)
        for _ in 0..<3000 {
            let sample = samples.randomElement(using: &random)!
            var text = sample.text
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: text[place] = .random(in: 0...255, using: &random)
                case 1: text.remove(at: place)
                case 2: text.insert(.random(in: 32...126, using: &random), at: place)
                default: text[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
            }
            do {
                let record = try AttemptRecord(decoding: EncodedRecord(text: text, sealed: sample.sealed))
                // A record that is accepted is one that this program can write.
                #expect(try AttemptRecord(decoding: record.encoded) == record)
                records += 1
            } catch {
                errors += 1
            }
        }
        #expect(records > 0 && errors > 0)
    }
}
