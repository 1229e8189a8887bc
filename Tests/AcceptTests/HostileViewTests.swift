import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

@testable import Accept

/// Views of users, payments and configurations from answers that a host should not send: each gives a value or an error.
@Suite struct HostileViewTests {
    /// Answers of the sandbox: a user, a payment with a refund, and a configuration.
    private func answers() throws -> [[UInt8]] {
        var fixture = try SandboxFixture.loggedIn()
        var till = try AcceptTill()
        _ = try till.ask(request(.authorise, octets: card(1000)))
        fixture = till.fixture
        fixture.logIn()
        _ = fixture.send(.post, "payments/A1/refund.json", "amount=100&note=part")
        return [
            fixture.send(.get, "user.json").body, fixture.send(.get, "payments/A1.json").body,
            fixture.send(.get, "configuration.json").body,
        ]
    }

    private func read(_ bytes: [UInt8]) -> Int {
        var count = 0
        do throws(AcceptError) {
            _ = try AcceptUserResponse(body(bytes)).merchant.check(
                AcceptBasket(currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 1)]))
            count += 1
        } catch { #expect([.answerUnreadable, .currencyNotAccepted, .amountLimit].contains(error.code)) }
        do throws(AcceptError) {
            let payment = try AcceptTransaction(body(bytes), of: "A1")
            for isRefund in [true, false] {
                _ = try? OperationRules.amount(OperationRules.left(of: payment, isRefund: isRefund), of: payment)
            }
            try OperationRules.checkReversal(of: payment, on: RecordedTime(seconds: 1_453_992_427, offset: 60))
            count += 1
        } catch { #expect([.answerUnreadable, .operationNotAllowed, .reversalTooLate].contains(error.code)) }
        do throws(AcceptError) {
            _ = try AcceptTerminalConfigFiles(body(bytes))
            count += 1
        } catch { #expect(error.code == .config(.infoNoProperResponse)) }
        return count
    }

    @Test func anyBytesGiveAValueOrAnError() throws {
        var random = SeededRandom(seed: 22)
        for original in try answers() {
            #expect(read(original) == 1)
            for _ in 0..<300 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0...3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert("0123456789-.eE\"[]{}:,".utf8.randomElement(using: &random) ?? 0x30, at: place)
                    default:
                        let number = "9007199254740993".utf8
                        bytes.replaceSubrange(place..<place, with: number)
                    }
                }
                #expect((0...1).contains(read(bytes)))
            }
        }
    }

    /// The greatest numbers of JSON that are whole, in each place of a payment.
    @Test func greatNumbersDoNotOverflow() throws {
        let great = "9007199254740992"
        let refunds = Array(repeating: "{\"amount\":\(great)}", count: 1000).joined(separator: ",")
        let text = """
            {"unique_id":"A1","state":"approved","amount":\(great),"currency":"EUR","tip":\(great),
            "items":[{"gross_price":\(great),"quantity":\(great)}],"refunds":[\(refunds)]}
            """
        let payment = try AcceptTransaction(body(text), of: "A1")
        #expect(payment.refunds.count == 1000)
        #expect(throws: AcceptError.self) {
            try OperationRules.amount(OperationRules.left(of: payment, isRefund: true), of: payment)
        }
        #expect(throws: AcceptError.self) {
            try OperationRules.amount(OperationRules.left(of: payment, isRefund: false), of: payment)
        }
    }
}
