#if Payments
import Accept
import JackdawConsole
import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Refunds, reversals, captures and receipts by the commands of a till, at a sandbox over HTTP.
@Suite struct TillOperationTests {
    private func run(
        _ operation: AcceptOperationOnPayment, _ till: TillFixture, _ output: TillOutput = TillOutput(),
        of payment: String = "P1", _ change: (inout AcceptPaymentParameters) -> Void = { _ in }
    ) async throws -> JackdawConsole.ExitStatus {
        var parameters = AcceptPaymentParameters()
        change(&parameters)
        return try await till.use(output) { [parameters] open, printer throws(CommandError) in
            try await Operating(
                till: open, payment: payment, operation: operation, parameters: parameters, wait: .seconds(60),
                printer: printer
            ).run()
        }
    }

    @Test func partsAreRefundedUpToTheWhole() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            let output = TillOutput()
            #expect(
                try await run(.refund, till, output) { parameters in
                    parameters.amount = 250
                    parameters.operationId = "R1"
                } == .done)
            #expect(output.events("operation").first?["payment"]?.text == "R1")
            let payment = try #require(output.events("payment").last)
            #expect(payment["amount"]?.number == 600)
            #expect(payment["booked"]?.number == 350)
            #expect(payment["card"]?.text == "476173******0010")
            let refund = try #require(output.events("attempt").last)
            #expect(refund["kind"]?.text == "refund")
            #expect(refund["original"]?.text == "P1")
            #expect(refund["state"]?.text == "approved")
            #expect(try await till.status("R1") == .done)
            // A repetition is the same refund.
            #expect(
                try await run(.refund, till) { parameters in
                    parameters.amount = 250
                    parameters.operationId = "R1"
                } == .done)
            #expect(try await till.booked("P1") == 350)
            #expect(await failure { try await run(.refund, till) { $0.amount = 351 } } == .nothingFound)
            #expect(try await run(.refund, till) == .done)
            #expect(try await till.booked("P1") == 0)
            #expect(await failure { try await run(.refund, till) } == .nothingFound)
        }
    }

    /// Nothing of the payment is left at the repetition.
    @Test func aRepeatedWholeRefundIsTheSame() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            for _ in 0..<2 {
                let output = TillOutput()
                #expect(try await run(.refund, till, output) { $0.operationId = "R1" } == .done)
                #expect(output.events("attempt").last?["payment"]?.text == "R1")
                #expect(try await till.booked("P1") == 0)
            }
        }
    }

    /// The journal has R1 as a refund of 2.50 of P1.
    @Test func anIdentifierIsOfOneOperation() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            #expect(
                try await run(.refund, till) { parameters in
                    parameters.amount = 250
                    parameters.operationId = "R1"
                } == .done)
            for (operation, payment, name, amount) in [
                (.capture, "P1", "R1", nil), (.refund, "P2", "R1", nil), (.refund, "P1", "R1", 251),
                (.refund, "P1", "R1", 9999), (.refund, "P1", "P1", nil),
            ] as [(AcceptOperationOnPayment, String, String, AcceptHundredths?)] {
                let output = TillOutput()
                let status = await failure {
                    try await run(operation, till, output, of: payment) { parameters in
                        parameters.amount = amount
                        parameters.operationId = name
                    }
                }
                #expect(status == .nothingFound, "\(operation) \(payment) \(name)")
                #expect(output.events("attempt").isEmpty, "\(operation) \(payment) \(name)")
            }
            #expect(try await till.booked("P1") == 350)
        }
    }

    @Test func aPaymentIsReversedOnce() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            for _ in 0..<2 {
                let output = TillOutput()
                #expect(try await run(.reverse, till, output) == .done)
                #expect(output.events("payment").last?["state"]?.text == "reversed")
            }
            #expect(try await till.booked("P1") == 0)
        }
    }

    @Test func anAuthorisationIsCaptured() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell(8900) { $0.kind = .authorize } == .done)
            #expect(try await till.booked("P1") == 0)
            #expect(try await run(.capture, till) { $0.amount = 8000 } == .done)
            #expect(await failure { try await run(.capture, till) { $0.amount = 8000 } } == .nothingFound)
        }
    }

    @Test func aReceiptIsAskedFor() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            let output = TillOutput()
            #expect(
                try await run(.receipt, till, output) { parameters in
                    parameters.receiptRequested = true
                    parameters.customerEmail = "customer@example.com"
                } == .done)
            #expect(!output.text.contains("customer@example.com"))
            #expect(
                await failure {
                    try await run(.receipt, till) { parameters in
                        parameters.receiptRequested = true
                        parameters.customerPhone = "none"
                    }
                } == .usage)
        }
    }

    /// The refund is booked, its answer is lost, and the till finds out by an enquiry.
    @Test func aRefundWithoutAnAnswerIsFoundOut() async throws {
        try await TillFixture.run(faults: ["status-after=500,route=POST payments/{id}/refund.json,times=1"]) { till in
            _ = try await till.logIn()
            #expect(try await till.sell() == .done)
            #expect(try await run(.refund, till) == .done)
            #expect(try await till.booked("P1") == 0)
        }
    }

    @Test(arguments: [AcceptOperationOnPayment.refund, .capture, .reverse])
    func anUnknownPaymentHasNoOperation(operation: AcceptOperationOnPayment) async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(await failure { try await run(operation, till) } == .nothingFound)
        }
    }
}
#endif
