import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The rules of a payment in the header of its recording, as docs/pay.md describes them.
@Suite struct RecordedPolicyTests {
    private static func header(_ link: String, _ policy: PaymentPolicy?) -> PaymentRecording.Header {
        PaymentRecording.Header(
            link: link, card: "approved-online", amount: Amount(minorUnits: 6000, currencyCode: 978), policy: policy)
    }

    /// Every rule with another value than its default.
    private static let other: PaymentPolicy = {
        var policy = PaymentPolicy()
        policy.fallsBackWithoutCommonApplication = false
        policy.approvesOfflineAfterHostTimeout = true
        policy.maxTapFailures = 3
        policy.reversesOnLinkLoss = false
        policy.reversesOnCardDecline = false
        policy.reversesOnTimeout = false
        policy.reversesOnSignatureRejection = false
        policy.reversesOnCrash = false
        policy.reversesOnCardRemoval = false
        policy.limits.preparation = .milliseconds(1_500)
        policy.limits.card = .seconds(2)
        policy.limits.application = .seconds(3)
        policy.limits.kernel = .seconds(4)
        policy.limits.pin = .seconds(5)
        policy.limits.host = .seconds(6)
        policy.limits.completion = .seconds(7)
        policy.limits.readerSignature = .seconds(8)
        policy.limits.signature = .seconds(9)
        policy.limits.storing = .microseconds(10)
        return policy
    }()

    /// The line of ``other``, written by hand from docs/pay.md.
    private static let line =
        #"{"amount":6000,"card":"approved-online","currency":"EUR","jackdaw-payment":1,"link":"sim:miura","#
        + #""policy":{"approves_offline_after_host_timeout":true,"falls_back_without_common_application":false,"#
        + #""limits":{"application":"3.000000","card":"2.000000","completion":"7.000000","host":"6.000000","#
        + #""kernel":"4.000000","pin":"5.000000","preparation":"1.500000","reader_signature":"8.000000","#
        + #""signature":"9.000000","storing":"0.000010"},"max_tap_failures":3,"reverses_on_card_decline":false,"#
        + #""reverses_on_card_removal":false,"reverses_on_crash":false,"reverses_on_link_loss":false,"#
        + #""reverses_on_signature_rejection":false,"reverses_on_timeout":false}}"#

    @Test func theRulesAreWrittenAndRead() throws {
        let recording = RecordedPayment.recording(
            RecordedPayment.steps(RecordedPayment.approved), header: Self.header("sim:miura", Self.other))
        let octets = recording.octets
        #expect(String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) == Self.line)
        #expect(try PaymentRecording(octets) == recording)
        #expect(try PaymentRecording(octets).header.policy == Self.other)
        #expect(try PaymentRecording(RecordedPayment.whole.octets).header.policy == nil)
    }

    @Test(
        arguments: [
            ("\"max_tap_failures\":3,", "", SimulationFileError.Code.member, "line 1.policy"),
            ("\"max_tap_failures\":3", "\"max_tap_failures\":0", .value, "line 1.policy.max_tap_failures"),
            ("\"reverses_on_crash\":false,", "", .member, "line 1.policy"),
            ("\"reverses_on_crash\":false", "\"reverses_on_crash\":0", .kind, "line 1.policy.reverses_on_crash"),
            ("\"reverses_on_crash\":false", "\"reverses_on_monday\":false", .member, "line 1.policy"),
            ("\"pin\":\"5.000000\",", "", .member, "line 1.policy.limits"),
            ("\"5.000000\"", "\"604800.000001\"", .value, "line 1.policy.limits.pin"),
            ("\"5.000000\"", "5", .kind, "line 1.policy.limits.pin"),
            ("\"policy\":{", "\"policy\":[],\"more\":{", .member, "line 1"),
        ] as [(String, String, SimulationFileError.Code, String)])
    func errorsNameTheRule(_ old: String, _ new: String, _ code: SimulationFileError.Code, _ place: String) {
        let rest = RecordedPayment.whole.octets.drop { $0 != UInt8(ascii: "\n") }
        #expect(throws: Never.self) { try PaymentRecording(Array(Self.line.utf8) + rest) }
        let changed = Self.line.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != Self.line)
        let error = #expect(throws: SimulationFileError.self) {
            try PaymentRecording(Array(changed.utf8) + rest)
        }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    // MARK: the replay

    /// The issuer is silent: the payment ends by the limit of the host, and is reversed unless the rules say otherwise.
    private static func silent(_ policy: PaymentPolicy) -> [PaymentStep] {
        let limit = Int(policy.limits.host / .milliseconds(1))
        return RecordedPayment.steps(
            RecordedPayment.approved.prefix(6) + [(.timer, 5_000 + limit), (.secondAAC, 5_100 + limit)],
            policy: policy)
    }

    @Test func aReplayFollowsTheRecordedRules() throws {
        var policy = PaymentPolicy()
        policy.limits.host = .seconds(50)
        policy.reversesOnTimeout = false
        let steps = Self.silent(policy)
        for link in ["sim:miura", "sim:spm20", "miura", "another"] {
            let recording = RecordedPayment.recording(steps, header: Self.header(link, policy))
            let replay = PaymentReplay(try PaymentRecording(recording.octets))
            #expect(replay.difference == nil, "\(link)")
            #expect(!replay.journal(after: steps.count - 1).isReversalQueued)
            // What goes on otherwise has the same rules.
            let found = replay.continuation(after: 5, with: [])
            #expect(found.outcome == .failedHostTimeout && !found.journal.isReversalQueued)
            #expect(found.steps.first?.time == .seconds(55))
            // Without them the payment has the limit of 45 s, and is reversed.
            let older = PaymentReplay(RecordedPayment.recording(steps, header: Self.header(link, nil)))
            #expect(older.difference?.index == 5, "\(link)")
        }
    }

    /// Without rules in the file, those of the link count, as before.
    @Test(arguments: ["sim:miura", "sim:spm20", "spm20", "posmate", "another"])
    func anOlderFileIsReplayedWithTheRulesOfItsLink(_ link: String) throws {
        let policy = link.hasSuffix("spm20") ? JSONPOSPaymentSettings().policy() : PaymentPolicy()
        let recording = RecordedPayment.recording(Self.silent(policy), header: Self.header(link, nil))
        let octets = recording.octets
        #expect(!String(decoding: octets, as: UTF8.self).contains("policy"))
        #expect(PaymentReplay(try PaymentRecording(octets)).difference == nil)
    }
}
