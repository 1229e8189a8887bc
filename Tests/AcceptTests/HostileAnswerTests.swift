import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// Answers that a host never gives, or that are damaged on their way.
@Suite struct HostileAnswerTests {
    private let wire = AcceptWire()

    /// An answer of the sandbox about each kind of request.
    private func answers() throws -> [(HostRequest, HTTPAnswer)] {
        var till = try AcceptTill()
        var all: [(HostRequest, HTTPAnswer)] = []
        let requests = [
            try request(.authorise, octets: card(1000)),
            try request(.authorise, "A2", 5105, octets: card(5105, counter: 2)), try request(.enquire),
            try request(.enquire, "none"), try request(.refund, "R1", 400, kind: .refund(of: attempt("A1"))),
            try request(.enquire, "R1", 400, kind: .refund(of: attempt("A1"))),
            try request(.reverse, "A3", cause: .timeout),
        ]
        for request in requests {
            let encoded = try wire.encode(request)
            all.append((request, try till.send(encoded).get()))
        }
        return all
    }

    @Test func anAnswerThatIsCutIsUnreadable() throws {
        for (request, answer) in try answers() {
            let whole = bytes(answer.body)
            #expect(whole.count > 20)
            for end in 0..<whole.count {
                let cut = HTTPAnswer(status: answer.status, body: body(Array(whole[..<end])))
                let failure = #expect(throws: HostFailure.self) { try wire.decode(cut, to: request) }
                #expect(failure?.code == .unreadable)
                #expect(failure?.isCertainlyNotSent == false)
            }
        }
    }

    /// A changed byte changes nothing but texts: never the identifier, the amount, the currency or an unknown state.
    @Test func aChangedAnswerIsTheSameReplyOrUnreadable() throws {
        var random = SeededRandom(seed: 31)
        for (request, answer) in try answers() {
            let whole = bytes(answer.body)
            let reply = try wire.decode(answer, to: request)
            for _ in 0..<400 {
                var changed = whole
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                let answer = HTTPAnswer(status: answer.status, body: body(changed))
                guard let other = try? wire.decode(answer, to: request) else { continue }
                #expect(kind(other) == kind(reply) || kind(reply) == "declined" || kind(other) == "status")
            }
        }
    }

    private func kind(_ reply: HostReply) -> String {
        switch reply {
        case .approved: "approved"
        case .declined: "declined"
        case .acknowledged: "acknowledged"
        case .refused: "refused"
        case .notFound: "notFound"
        case .status: "status"
        }
    }

    @Test func randomBytesAreUnreadable() throws {
        var random = SeededRandom(seed: 32)
        let asked = try request(.authorise, octets: card(1000))
        for _ in 0..<500 {
            let count = Int.random(in: 0...200, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            for status in [200, 201, 204, 299, 302, 400, 409, 422, 500, 599, 100] {
                let answer = HTTPAnswer(status: status, body: body(bytes))
                let failure = #expect(throws: HostFailure.self) { try wire.decode(answer, to: asked) }
                #expect(failure?.isCertainlyNotSent == false)
            }
        }
    }

    @Test func hugeAndDeepAnswersAreUnreadable() throws {
        let asked = try request(.authorise, octets: card(1000))
        let good = #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"approved","#
        #expect(try isApproved(good + #""x":1}"#, asked))
        let texts = [
            good + #""x":"\#(String(repeating: "a", count: 1 << 19))"}"#,
            good + #""x":\#(String(repeating: "[", count: 100_000))"#,
            good + #""x":\#(String(repeating: "[", count: 17))\#(String(repeating: "]", count: 17))}"#,
            good + #""x":1e999}"#, good + #""amount":1000}"#,
            #"{"unique_id":"A1","amount":1000.5,"currency":"EUR","state":"approved"}"#,
            #"{"unique_id":"A1","amount":"1000","currency":"EUR","state":"approved"}"#,
            #"{"unique_id":"A1","amount":-1000,"currency":"EUR","state":"approved"}"#,
            #"{"unique_id":"A1","amount":1e300,"currency":"EUR","state":"approved"}"#,
            #"{"unique_id":"A1","amount":1000,"currency":"USD","state":"approved"}"#,
            #"{"unique_id":"a1","amount":1000,"currency":"EUR","state":"approved"}"#,
            #"{"unique_id":["A1"],"amount":1000,"currency":"EUR","state":"approved"}"#,
            #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"settled"}"#,
            #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":null}"#,
            #"[{"unique_id":"A1","amount":1000,"currency":"EUR","state":"approved"}]"#,
            good + #""sandbox":{"issuer_response":"8A0"}}"#, good + #""sandbox":{"issuer_response":"XY"}}"#,
            good + #""sandbox":{"issuer_response":1}}"#,
            good + #""sandbox":{"issuer_response":"\#(String(repeating: "00", count: 4097))"}}"#,
            good + #""sandbox":{"operation":{"kind":"refund"}}}"#,
            // Another kind of payment than the one that was asked for.
            good + #""transaction_type":"authorize"}"#, good + #""transaction_type":null}"#,
            #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"authorized"}"#,
            #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"preauthorized"}"#,
        ]
        for text in texts {
            let failure = #expect(throws: HostFailure.self) { try isApproved(text, asked) }
            #expect(failure?.code == .unreadable)
        }
    }

    private func isApproved(_ text: String, _ request: HostRequest) throws(HostFailure) -> Bool {
        guard case .approved = try wire.decode(HTTPAnswer(status: 201, body: body(text)), to: request) else {
            return false
        }
        return true
    }

    /// A host that does not know the type books an authorisation as a purchase.
    @Test func aBookedPurchaseIsNoAuthorisation() throws {
        let asked = try request(.authorise, kind: .authorisation, octets: card(1000))
        let good = #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"authorized","transaction_type":"#
        #expect(try isApproved(good + #""authorize"}"#, asked))
        for text in [good + #""purchase"}"#, #"{"unique_id":"A1","amount":1000,"currency":"EUR","state":"approved"}"#] {
            let failure = #expect(throws: HostFailure.self) { try isApproved(text, asked) }
            #expect(failure?.code == .unreadable)
        }
    }

    /// Two refunds of the same amount of one payment differ in their identifiers alone.
    @Test func anotherRefundIsNotTheAnswer() throws {
        let asked = try request(.refund, "R1", kind: .refund(of: attempt("A1")))
        func text(_ identifier: String) -> String {
            """
            {"unique_id":"A1","currency":"EUR","sandbox":{"operation":\
            {"kind":"refund","amount":1000,"unique_id":"\(identifier)","reversed":false}}}
            """
        }
        #expect(try isApproved(text("R1"), asked))
        let failure = #expect(throws: HostFailure.self) { try isApproved(text("R2"), asked) }
        #expect(failure?.code == .unreadable)
    }

    /// Another server between till and host, such as a proxy, answers without the form of the host's errors.
    @Test func errorsOfOthersLeaveTheOutcomeOpen() throws {
        let page = body("<html><body>Bad Request</body></html>")
        for operation in HostRequest.Operation.allCases {
            let kind: AttemptKind = operation == .refund ? .refund(of: attempt("A1")) : .purchase
            let asked = try request(operation, "R1", kind: kind, octets: card(1000))
            for status in [
                300, 301, 302, 400, 401, 403, 404, 405, 407, 408, 409, 410, 413, 422, 425, 429, 500, 502, 503, 504,
            ] {
                for content in [page, HTTPBody(), body(#"{"error":""}"#), body(#"{"error":{"code":"invalid"}}"#)] {
                    let failure = #expect(throws: HostFailure.self) {
                        try wire.decode(HTTPAnswer(status: status, body: content), to: asked)
                    }
                    #expect(failure?.isCertainlyNotSent == false)
                }
            }
        }
    }
}
