import JackdawPayments
import JackdawTestSupport
import Testing

@testable import Accept

/// The question to the host, before a payment, if the merchant has the terminal.
@Suite struct MerchantTerminalTests {
    private static let known = "SN00000001"

    private static func till(_ serialNumber: String) async throws -> PayTill {
        let till = try await PayTill(chip())
        till.terminals.change { $0.serialNumber = serialNumber }
        return till
    }

    @Test func aTerminalOfTheMerchantIsAskedForBeforeThePayment() async throws {
        let till = try await Self.till(Self.known)
        #expect(try await till.pay().isAccepted)
        let paths = till.link.paths
        let question = try #require(paths.firstIndex(of: "/v3/terminals/\(Self.known).json"))
        let payment = try #require(paths.firstIndex(of: "/v3/payments.json"))
        #expect(question < payment)
    }

    @Test func withoutASerialNumberTheHostIsNotAsked() async throws {
        let till = try await Self.till("")
        #expect(try await till.pay().isAccepted)
        #expect(!till.link.paths.contains { $0.contains("terminals") })
    }

    /// One of another merchant, unknown ones, and one that is too long to be asked for.
    @Test(arguments: ["SN00000003", "SN9", "a/../b", "..", String(repeating: "1", count: 65)])
    func anotherTerminalIsRefusedBeforeThePaymentBegins(serialNumber: String) async throws {
        let till = try await Self.till(serialNumber)
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.terminalNotSetInMerchant))
        #expect(till.terminals.amounts.isEmpty && till.link.paymentCount == 0)
        await #expect(throws: AcceptError.self) { try await till.accept.status(of: "A1") }
        // The next payment is not hindered.
        till.terminals.change { $0.serialNumber = Self.known }
        #expect(try await till.pay().isAccepted)
    }

    /// A status of the way, such as 404 of a proxy, is no answer about the terminal.
    @Test(arguments: ["status=404", "status=503", "cut=1", "garbled"])
    func withoutAClearAnswerThePaymentGoesOn(fault: String) async throws {
        let till = try await Self.till(Self.known)
        till.link.plan(fault, "terminals/\(Self.known).json")
        #expect(try await till.pay().isAccepted)
    }

    @Test func aSilentHostIsAwaitedForTheLimitOfARequest() async throws {
        let till = try await Self.till(Self.known)
        till.link.plan("silent-before", "terminals/\(Self.known).json")
        let run = till.accept.startPay(till.config())
        await till.wait(Accept.requestLimit)
        #expect(try await run.result().isAccepted)
    }

    @Test func anExpiredTokenEndsTheCall() async throws {
        let till = try await Self.till(Self.known)
        till.link.plan("token-expired", "terminals/\(Self.known).json")
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.tokenExpired))
        #expect(till.link.paymentCount == 0)
    }
}
