#if Payments
import Accept
import JackdawConsole
import JackdawPayments
import JackdawReaders
import Testing

@testable import jackdaw_pay

/// Sales from the command line at a simulated SPm20, which asks a host of its own.
struct SPm20TillTests {
    /// Carries an operation on the payment `P1` out.
    private static func operate(
        _ till: TillFixture, _ operation: AcceptOperationOnPayment, _ output: TillOutput = TillOutput()
    ) async throws -> JackdawConsole.ExitStatus {
        try await till.use(output) { open, printer throws(CommandError) in
            try await Operating(
                till: open, payment: "P1", operation: operation, parameters: AcceptPaymentParameters(),
                wait: .seconds(60), printer: printer
            ).run()
        }
    }

    @Test func itsOwnHostApprovesTheSale() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            #expect(try await till.sell(at: "spm20", to: output) == .done)
            let steps = output.events("step").compactMap { $0["step"]?.text }
            #expect(steps == ["initialize", "insertOrSwipeCard", "processingData", "removeCard"])
            let attempt = try #require(output.events("attempt").last)
            #expect(attempt["state"]?.text == "approved")
            #expect(attempt["card"] == .null)
            #expect(attempt["queued"] == .null)
            // The Accept host does not know of it.
            #expect(try await till.booked("P1") ?? 0 == 0)
            #expect(try await till.status("P1") == .done)
            // The next one is at another host.
            #expect(try await till.sell(1000, payment: "P2") == .done)
            #expect(try await till.booked("P2") == 1000)
        }
    }

    @Test func itsOwnHostDeclinesByTheAmount() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            #expect(try await till.sell(5105, at: "spm20", to: output) == .nothingFound)
            #expect(output.events("attempt").last?["state"]?.text == "declined")
        }
    }

    @Test func itTakesPurchasesAlone() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(await failure { try await till.sell(at: "spm20") { $0.kind = .authorize } } == .nothingFound)
            #expect(try await till.sell(at: "spm20") == .done)
            for operation in [AcceptOperationOnPayment.reverse, .refund, .capture, .receipt] {
                #expect(await failure { try await Self.operate(till, operation) } == .nothingFound, "\(operation)")
            }
            #expect(try await till.status("P1") == .done)
        }
    }
}
#endif
