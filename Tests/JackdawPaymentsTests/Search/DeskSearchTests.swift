import JackdawEMV
import JackdawPayments
import Testing

/// The search over all states of a till with few calls and few faults, and random walks with many.
///
/// A fault is a lost request or answer, a request that is not sent, an answer that is late, a decline of the host or the
/// card, an offline approval, a removed card, a refusal, a failed write (with or without effect), or a kill.
@Suite struct DeskSearchTests {
    private static func call(_ name: String, chip: Bool) throws -> World.Call {
        World.Call(request: try purchase(name), isChip: chip)
    }

    private func expectNoViolation(_ rules: World.Rules, _ name: String) {
        let search = DeskSearch(rules, maxStates: 100_000)
        #expect(search.violation == nil, "\(name)")
        #expect(!search.isCut && search.restStates > 0)
        print(
            "search \(name): \(search.states) states, \(search.transitions) transitions, \(search.restStates) at rest")
    }

    @Test(arguments: [false, true], [false, true])
    func oneSaleTwoCallsWithAllCombinationsOfFaults(isChip: Bool, closes: Bool) throws {
        var rules = World.Rules()
        rules.calls = [try Self.call("S1", chip: isChip), try Self.call("S1", chip: isChip)]
        rules.host.closesUnknownIdentifiers = closes
        rules.faults = 2
        expectNoViolation(rules, "\(isChip ? "chip" : "swipe"), host \(closes ? "keeps" : "forgets") identifiers")
    }

    @Test func twoSalesAtOnceWithAnyFault() throws {
        var rules = World.Rules()
        rules.calls = [try Self.call("S1", chip: true), try Self.call("S2", chip: false)]
        rules.faults = 1
        expectNoViolation(rules, "two sales")
    }

    @Test(arguments: [false, true]) func aReversalAndAnotherSaleWithAllCombinationsOfFaults(isChip: Bool) throws {
        var rules = World.Rules()
        rules.calls = [
            World.Call(request: try purchase("S1"), identifier: attempt("P"), isChip: isChip),
            World.Call(request: try purchase("S1"), reversed: attempt("P")),
            World.Call(request: try purchase("S1"), identifier: attempt("Q")),
        ]
        expectNoViolation(rules, "reversal, \(isChip ? "chip" : "swipe")")
    }

    @Test func aReversalAndARefundWithAnyFault() throws {
        var rules = World.Rules()
        let refund = try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("P")), amount: euros(1050))
        rules.calls = [
            World.Call(request: try purchase("S1"), identifier: attempt("P")),
            World.Call(request: try purchase("S1"), reversed: attempt("P")),
            World.Call(request: refund, identifier: attempt("F")),
        ]
        rules.faults = 1
        expectNoViolation(rules, "reversal and refund")
    }

    @Test func aRefundWithAllCombinationsOfFaults() throws {
        var rules = World.Rules()
        let refund = try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("P")), amount: euros(1050))
        rules.calls = [
            World.Call(request: try purchase("S1"), identifier: attempt("P")),
            World.Call(request: refund, identifier: attempt("F")),
        ]
        expectNoViolation(rules, "refund")
    }

    /// The desk never reverses another till's payment, and never takes it for its own.
    @Test(arguments: [false, true])
    func identifiersOfOtherTillsWithAnyFault(isRefund: Bool) throws {
        var rules = World.Rules()
        let refund = try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("P")), amount: euros(1050))
        rules.calls = [World.Call(request: try purchase("S1"), identifier: attempt("P"), isChip: !isRefund)]
        if isRefund { rules.calls.append(World.Call(request: refund, identifier: attempt("F"))) }
        rules.hasForeignPayments = true
        rules.faults = isRefund ? 1 : 2
        expectNoViolation(rules, "identifiers of other tills, \(isRefund ? "refund" : "purchase")")
    }
}
