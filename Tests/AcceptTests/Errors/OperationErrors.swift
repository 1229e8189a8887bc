import JackdawPayments
import JackdawTestSupport

@testable import Accept

// Operations on payments, baskets, and the rules of a merchant.

extension ErrorSituation {
    private static func operation(
        _ code: AcceptError.Code, _ side: Side, _ text: String,
        _ body:
            @escaping @Sendable (PayTill, (AcceptOperationOnPayment, String, Int64?, String?) async throws -> Void)
            async throws -> Void
    ) -> ErrorSituation {
        ErrorSituation(code, side, text) {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            try await body(till) { operation, name, amount, operationId in
                var parameters = AcceptPaymentParameters()
                parameters.amount = amount.map { AcceptHundredths(rawValue: $0) }
                parameters.operationId = operationId
                _ = try await till.accept.requestOperationOnPaymentWithID(
                    name, andAccessToken: till.token, config: ConfigurationTests.backend, operation: operation,
                    paymentUpdateParameters: parameters)
            }
        }
    }

    static let operations: [ErrorSituation] = [
        operation(.paymentNotFound, .program, "an identifier that no payment has") { _, operate in
            try await operate(.reverse, "A2", nil, nil)
        },
        ErrorSituation(.configurationInvalid, .program, "a note of more than 200 bytes") {
            var parameters = AcceptPaymentParameters()
            parameters.note = String(repeating: "a", count: 201)
            let till = try await PayTill(chip())
            _ = try await till.accept.requestOperationOnPaymentWithID(
                "A1", andAccessToken: till.token, config: ConfigurationTests.backend, operation: .reverse,
                paymentUpdateParameters: parameters)
        },
        operation(.operationNotAllowed, .program, "a capture of a purchase") { _, operate in
            try await operate(.capture, "A1", nil, nil)
        },
        operation(.amountExceeded, .program, "a refund of more than the payment") { _, operate in
            try await operate(.refund, "A1", 1001, nil)
        },
        operation(
            .saleInProgress, .sandbox,
            "a refund while another one is unknown: `status-after=500` at it, and `silent-before` at the enquiry"
        ) {
            till, operate in
            till.link.plan("status-after=500", "A1/refund.json")
            till.link.plan("silent-before", "unique_ids/R1.json")
            try? await operate(.refund, "A1", 300, "R1")
            try await operate(.refund, "A1", 100, "R2")
        },
        operation(.needsAttention, .sandbox, "a reversal of a payment of which another till has refunded a part") {
            till, operate in
            till.link.refund("A1", 300)
            try await operate(.reverse, "A1", nil, nil)
        },
        ErrorSituation(.reversalTooLate, .program, "a reversal 24 hours after the payment") {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            till.clock.advance(by: .seconds(86_399))
            let token = try await till.accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
            ).accessToken
            till.clock.advance(by: .seconds(1))
            _ = try await till.accept.requestOperationOnPaymentWithID(
                "A1", andAccessToken: token, config: ConfigurationTests.backend, operation: .reverse)
        },
    ]

    static let baskets: [ErrorSituation] = [
        ErrorSituation(.amountOverflow, .program, "a sum beyond 64 bits") {
            let item = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max / 2 + 1))
            _ = try AcceptBasket(currencyAsISO4217Code: "EUR", items: [item, item]).total()
        },
        ErrorSituation(.amountInvalid, .program, "0.50 in a currency without decimals") {
            let till = try await PayTill(chip())
            var config = till.config(50)
            config.basket.currencyAsISO4217Code = "JPY"
            _ = try await till.pay(config)
        },
        ErrorSituation(.basketInvalid, .program, "a basket without items") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.basket.items = []
            _ = try await till.pay(config)
        },
        ErrorSituation(.gratuityNotAllowed, .program, "a tip, and `allowGratuity` is false") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.basket.addTip(100)
            _ = try await till.pay(config)
        },
        ErrorSituation(.currencyNotAccepted, .program, "`check(_:)` of a basket in CHF") {
            try await merchant().check(basket(1000, "CHF"))
        },
        ErrorSituation(.amountLimit, .program, "`check(_:)` of a basket of 5,000.01 EUR") {
            try await merchant().check(basket(500_001, "EUR"))
        },
    ]

    private static func merchant() async throws -> AcceptUserResponseMerchant {
        let till = try await PayTill(chip())
        return try await till.accept.requestMerchantInfo(till.token, config: ConfigurationTests.backend).merchant
    }

    private static func basket(_ hundredths: Int64, _ currency: String) -> AcceptBasket {
        AcceptBasket(
            currencyAsISO4217Code: currency,
            items: [AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: hundredths))])
    }
}
