import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// The developer mode. Source: the Accept SDK integration guide 1.6.182, chapter 2 (`DEV_MODE_ENABLED`).
@Suite struct DeveloperModeTests {
    /// What the program received.
    private final class Output: Sendable {
        let lines = Lock<[AcceptDeveloperLine]>([])
        let logs = Lock<[AcceptTransactionLog]>([])

        var mode: AcceptDeveloperMode {
            AcceptDeveloperMode(
                show: { line in self.lines.withLock { $0.append(line) } },
                keep: { log in self.logs.withLock { $0.append(log) } })
        }
        var shown: [AcceptDeveloperLine] { lines.withLock { $0 } }
        var kept: [AcceptTransactionLog] { logs.withLock { $0 } }
    }

    @Test func S1_04_eachPaymentHasALogSuccessfulOrNot() async throws {
        let output = Output()
        let isSecond = Lock(false)
        let till = try await PayTill(developerMode: output.mode) { effect in
            chip(isSecond.withLock { $0 } ? 5105 : 1000)(effect)
        }
        _ = try await till.pay()
        isSecond.withLock { $0 = true }
        _ = await failure { () throws(AcceptError) in try await till.pay(till.config(5105, "A/2")) }
        var other = till.config(1000, "A3")
        other.terminalUUID = "UnimagPro"
        _ = await failure { [other] () throws(AcceptError) in try await till.pay(other) }
        let logs = output.kept
        // The name varies by terminal.
        #expect(logs.map(\.fileName) == ["PosMate-1-A1.log", "PosMate-1-A-2.log", "UnimagPro-A3.log"])
        #expect(
            logs.map { $0.lines.last ?? "" } == [
                "+0.000 s end approved",
                "+0.000 s end AcceptPayErrorCode 9 transactionNotApproved, declined_online",
                "+0.000 s end AcceptPayErrorCode 27 terminalNotReady",
            ])
        let first = try #require(logs.first)
        #expect(first.leftOut == 0)
        #expect(first.lines.contains("+0.000 s step insertOrSwipeCard"))
        #expect(first.lines.contains { $0.contains("complete card: host approved, ") })
        #expect(first.lines.contains { $0.hasPrefix("+0.000 s request: POST /v3/payments.json") })
        #expect(first.text.hasSuffix("end approved\n"))
    }

    @Test func S1_05_logsHaveNoCardDataAndNoSecrets() async throws {
        let output = Output()
        let till = try await PayTill(
            developerMode: output.mode,
            chip(
                1000,
                [
                    "approved": [.payment(.secondTCWithSignature, sealed: card(1000, type: 0x40))]
                ]))
        _ = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { $0.signatureCallback(Array("signature-image".utf8), nil) },
                signatureVerification: { _, callback in callback(.approved) }))
        var parameters = AcceptPaymentParameters()
        parameters.receiptRequested = true
        parameters.customerEmail = "person@example.com"
        _ = try await till.accept.requestOperationOnPaymentWithID(
            "A1", andAccessToken: till.token, config: ConfigurationTests.backend, operation: .receipt,
            paymentUpdateParameters: parameters)
        let texts = output.kept.map(\.text) + output.shown.map(\.description)
        let all = texts.joined(separator: "\n")
        #expect(all.contains("payment[raw_data]=***"))
        for hidden in [
            "9999990000000014", "A. N. OTHER", "OTHER", "till-1-password", "jackdaw-secret", "signature-image",
            "7369676E6174757265", "person", till.token.revealedText(),
        ] {
            #expect(!all.contains(hidden), "\(hidden)")
        }
    }

    /// The identifier of the terminal is in the name of each log (1.6.098).
    @Test func S1_113_aLogNamesItsTerminal() async throws {
        let output = Output()
        let till = try await PayTill(developerMode: output.mode, chip())
        _ = try await till.pay()
        till.terminals.change { $0.uuid = "PosMate/0815" }
        var config = till.config(1000, "A2")
        config.terminalUUID = "PosMate/0815"
        _ = try await till.pay(config)
        #expect(output.kept.map(\.fileName) == ["PosMate-1-A1.log", "PosMate-0815-A2.log"])
    }

    @Test func S1_06_requestsAnswersAndErrorsAreShown() async throws {
        let output = Output()
        let till = try await PayTill(developerMode: output.mode, chip())
        #expect(
            output.shown.map(\.text) == [
                "POST /v3/oauth2/token grant_type=password username=*** password=*** client_id=*** client_secret=***",
                output.shown.last?.text,
            ])
        #expect(output.shown.map(\.kind) == [.request, .response])
        #expect(output.shown.last?.text.hasPrefix("200 /v3/oauth2/token ") == true)
        _ = try await till.pay()
        let payment = try #require(output.shown.first { $0.text.hasPrefix("POST /v3/payments.json ") })
        #expect(payment.kind == .request)
        #expect(payment.text.contains("payment[unique_id]=A1"))
        #expect(payment.text.contains("payment[amount]=1000 payment[currency]=EUR"))
        let answer = try #require(
            output.shown.first { $0.text.contains("/v3/payments.json unique_id=A1 state=approved") })
        #expect(answer.kind == .response)
        // Red in the SDK: another status, and no answer at all.
        till.link.plan("status=503", "user.json")
        till.link.plan("cut=1", "user.json")
        for _ in 0..<2 {
            await #expect(throws: AcceptError.self) {
                _ = try await till.accept.requestMerchantInfo(till.token, config: ConfigurationTests.backend)
            }
        }
        let errors = output.shown.filter { $0.kind == .error }.map(\.text)
        #expect(errors.first?.hasPrefix("503 /v3/user.json") == true)
        #expect(errors.last == "GET /v3/user.json cut")
    }

    @Test func withoutTheDeveloperModeNothingIsCollected() async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        #expect(till.accept.developer == nil)
    }

    @Test func aLogIsBounded() {
        let output = Output()
        let log = DeveloperLog(output.mode, ElapsedClock(ManualClock()))
        log.note("before any payment")
        log.begin("A1", at: "")
        for number in 0..<2000 { log.note("line \(number) " + String(repeating: "ä", count: 1000)) }
        log.end("end")
        log.end("end again")
        #expect(output.kept.count == 1)
        let kept = output.kept.first
        #expect(kept?.fileName == "terminal-A1.log")
        #expect(kept?.lines.count == AcceptTransactionLog.maxLines)
        #expect(kept?.leftOut == 1001)
        #expect(kept?.lines.last == "+0.000 s end")
        #expect(kept?.lines.allSatisfy { $0.utf8.count <= AcceptTransactionLog.maxLineBytes } == true)
        #expect(kept?.lines.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } } == true)
    }

    @Test(arguments: [
        ("", "POST /a"), ("amount=1%", "POST /a amount=***"), ("amount=%zz", "POST /a amount=***"),
        ("%zz=1", "POST /a ?=***"), ("amount", "POST /a amount=***"),
        ("amount=1=2&&unique_id=a+b%2b", "POST /a amount=1=2 =*** unique_id=a b+"),
        ("amount=%0A", "POST /a amount=***"), ("password=a", "POST /a password=***"),
        ("amount=\(String(repeating: "1", count: 65))", "POST /a amount=***"),
        (String(repeating: "a", count: 200) + "=1", "POST /a ?=***"),
        (
            String(repeating: "amount=1&", count: 26),
            "POST /a" + String(repeating: " amount=1", count: 24) + " and 2 more"
        ),
    ])
    func formsOfAnyContentAreMasked(form: String, text: String) {
        #expect(MaskedExchange.text(of: HTTPRequest(.post, "/a", body: body(form))) == text)
    }

    @Test(arguments: [
        (
            #"{"state":"approved","amount":1000,"card_number":"4111111111111111"}"#,
            "200 /a state=approved amount=1000 67 bytes"
        ),
        (#"{"state":["approved"],"amount":1.5}"#, "200 /a 35 bytes"), ("[", "200 /a 1 bytes"), ("", "200 /a 0 bytes"),
        (#"{"state":"a\nb"}"#, "200 /a 16 bytes"),
    ])
    func answersOfAnyContentAreMasked(answer: String, text: String) {
        let shown = MaskedExchange.text(of: HTTPAnswer(status: 200, body: body(answer)), to: HTTPRequest(.get, "/a"))
        #expect(shown == text)
    }

    @Test func numbersOfCardsAreMaskedWhereverTheHostSendsThem() {
        let number = "4761739001010010"
        let answer = HTTPAnswer(status: 422, body: body("{\"error\":\"\(number)\",\"amount\":\(number)}"))
        let shown = MaskedExchange.text(of: answer, to: HTTPRequest(.post, "/a", body: body("unique_id=\(number)")))
        let request = MaskedExchange.text(of: HTTPRequest(.post, "/a", body: body("unique_id=\(number)")))
        for text in [shown, request] { #expect(!text.contains("173900101") && text.contains("*")) }
    }

    @Test func theAnswerToALoginIsNotRead() {
        let answer = HTTPAnswer(status: 200, body: body(#"{"access_token":"t","error":"x"}"#))
        let shown = MaskedExchange.text(of: answer, to: HTTPRequest(.post, "/v3/oauth2/token"))
        #expect(shown == "200 /v3/oauth2/token 32 bytes")
    }
}
