import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// `Check` for the refund, as the request of a number.
private func checkOfRefund(_ number: String) -> String {
    let keys = #""params":{"api_key":"test","receipt_id":100000123,"sequence_id":321}"#
    return #"> {"id":"\#(number)","jsonrpc":"2.0","method":"Check",\#(keys)}"#
}

/// `Refund`, as the request of a number. Its members are those of the module "Poplapay Payment POS" for Odoo, whose
/// `receipt_id` is not that of the purchase, and `sequence_id` as of `Purchase`.
private func refund(_ number: String, _ transaction: String = "77") -> String {
    let members = #""amount":123,"api_key":"test","currency":"EUR","receipt_id":100000123,"sequence_id":321"#
    let parameters = #"{\#(members),"transaction_id":"\#(transaction)"}"#
    return #"> {"id":"\#(number)","jsonrpc":"2.0","method":"Refund","params":\#(parameters)}"#
}

private let abort = #"> {"jsonrpc":"2.0","method":"Abort","params":{}}"#

/// An answer to a request.
private func approval(_ number: String, _ transaction: String? = "77") -> String {
    let name = transaction.map { #","transaction_id":"\#($0)""# } ?? ""
    return #"{"jsonrpc":"2.0","id":"\#(number)","result":{"response_text":"Approved"\#(name)}}"#
}

private func failure(_ number: String, code: Int = 1, _ name: String = "UNKNOWN") -> String {
    #"{"jsonrpc":"2.0","id":"\#(number)","error":{"code":\#(code),"message":"no","data":{"string_code":"\#(name)"}}}"#
}

/// Payments at SPm20 terminals that the terminal approved and the flow has given up: they are refunded, or reported as open.
@Suite struct JSONPOSRefundTests {
    /// A payment that the flow has reversed, and of which the terminal then says that it approved: the requests 1 to 4.
    private func late(
        _ settings: JSONPOSPaymentSettings = JSONPOSPaymentSettings(), transaction: String? = "77"
    ) throws -> JSONPOSPaymentBench {
        var bench = try JSONPOSPaymentBench(settings)
        try bench.purchase()
        bench.carryOut(.reverse(.timeout))
        bench.carryOut(.end(.failedHostTimeout))
        _ = bench.takeLog()
        try bench.answer(approval("4", transaction))
        return bench
    }

    @Test func aPaymentThatTheFlowGaveUpIsAbortedAndAskedFor() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.carryOut(.reverse(.timeout))
        bench.carryOut(.end(.failedHostTimeout))
        let check = #""params":{"api_key":"test","receipt_id":123,"sequence_id":321}"#
        #expect(bench.takeLog() == [abort, #"> {"id":"4","jsonrpc":"2.0","method":"Check",\#(check)}"#])
        #expect(bench.payment.isResultAwaited == true)
        try bench.answer(failure("4", "TRANSACTION_NOT_FOUND"))
        #expect(bench.takeLog() == ["notExecuted"])
        #expect(!bench.payment.isResultAwaited && !bench.payment.isOpen)
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func aLateApprovalIsRefunded() throws {
        var bench = try late()
        // No event of the payment, which has ended.
        #expect(bench.takeLog() == ["approved(transaction: Optional(\"77\"))", "refund 1", refund("5")])
        #expect(bench.payment.isResultAwaited == true)
        try bench.answer(approval("5", "78"))
        #expect(bench.takeLog() == ["refunded"])
        #expect(!bench.payment.isResultAwaited && !bench.payment.isOpen)
        #expect(bench.payment.nextDeadline == nil)
        // The same answers again.
        try bench.answer(approval("5", "78"))
        try bench.answer(approval("3"))
        #expect(bench.takeLog() == [])
    }

    /// The result of `Purchase` comes in the moment in which the flow gives the payment up: the flow ignores the event.
    @Test func anApprovalAtTheTimeLimitIsRefunded() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(approval("3"))
        #expect(bench.takeLog().last == "host_approved 3")
        bench.carryOut(.reverse(.timeout))
        bench.carryOut(.end(.failedHostTimeout))
        #expect(bench.takeLog() == ["refund 1", refund("4")])
        try bench.answer(approval("4", "78"))
        #expect(bench.takeLog() == ["refunded"])
    }

    /// The terminal first says that it does not know the payment, or that it did not take place.
    @Test func anApprovalThatFollowsAnotherResultIsRefundedOrOpen() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.carryOut(.reverse(.timeout))
        bench.carryOut(.end(.failedHostTimeout))
        try bench.answer(failure("4", "TRANSACTION_NOT_FOUND"))
        _ = bench.takeLog()
        try bench.answer(approval("3"))
        #expect(bench.takeLog() == ["approved(transaction: Optional(\"77\"))", "refund 1", refund("5")])
        var declined = try JSONPOSPaymentBench()
        try declined.purchase()
        try declined.answer(failure("3"))
        declined.carryOut(.end(.declinedOnline))
        #expect(declined.payment.isOpen == false)
        // The same answer again changes nothing.
        try declined.answer(failure("3"))
        try declined.answer(failure("3", code: -32603))
        #expect(declined.payment.nextDeadline == nil)
        try declined.answer(approval("3"))
        #expect(declined.payment.isOpen && !declined.payment.isResultAwaited)
    }

    /// A number of the terminal that may be one of a card: reports hide it, and the terminal receives its own number.
    @Test func aLongNumberOfTheTerminalIsSentBackWhole() throws {
        var bench = try late(transaction: "202601150123")
        let log = bench.takeLog()
        #expect(log.last == refund("5", "202601150123"))
        #expect(log.count == 3 && !log[0].contains("202601150123"))
    }

    @Test func anApprovalThatThePolicyLeavesIsOpen() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.carryOut(.end(.failedHostTimeout))
        try bench.answer(approval("3"))
        #expect(bench.payment.isOpen == true)
        #expect(!bench.takeLog().contains { $0.contains("Refund") })
    }

    /// An error with code 1 says that no money has moved, as that of `Purchase`.
    @Test func aRefundThatIsRefusedIsSentAgainAndThenOpen() throws {
        var bench = try late()
        for number in 5...6 {
            _ = bench.takeLog()
            try bench.answer(failure("\(number)"))
            #expect(bench.takeLog() == [])
            bench.wait(.seconds(10))
            #expect(bench.takeLog() == ["refund \(number - 3)", refund("\(number + 1)")])
        }
        try bench.answer(failure("7"))
        #expect(bench.takeLog() == ["open(\"refused: no\")"])
        #expect(bench.payment.isOpen && !bench.payment.isResultAwaited)
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test(arguments: [-32601, -32602]) func aTerminalThatDoesNotKnowRefundsLeavesItOpen(_ code: Int) throws {
        var bench = try late()
        try bench.answer(failure("5", code: code))
        #expect(bench.payment.isOpen && bench.payment.nextDeadline == nil)
    }

    @Test func aPaymentWithoutTheTerminalsNumberIsOpen() throws {
        var bench = try late(transaction: nil)
        #expect(!bench.takeLog().contains { $0.contains("Refund") })
        #expect(bench.payment.isOpen == true)
    }

    @Test func refundsCanBeSwitchedOff() throws {
        var settings = JSONPOSPaymentSettings()
        settings.maxRefunds = 0
        var bench = try late(settings)
        #expect(!bench.takeLog().contains { $0.contains("Refund") })
        #expect(bench.payment.isOpen == true)
    }

    /// The answer to `Refund` is lost with the link, or says nothing, or does not come: `Check` with the numbers of the
    /// refund.
    @Test func theFateOfARefundIsAskedFor() throws {
        var bench = try late()
        bench.lose()
        try bench.reconnect("6", "7")
        #expect(bench.takeLog().last == checkOfRefund("9"))
        try bench.answer(failure("9"))
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == [checkOfRefund("10")])
        try bench.answer(approval("10", "78"))
        #expect(bench.takeLog() == ["refunded"])
        var other = try late()
        _ = other.takeLog()
        try other.answer(failure("5", code: -32603))
        other.wait(.zero)
        #expect(other.takeLog() == [checkOfRefund("6")])
        var silent = try late()
        _ = silent.takeLog()
        silent.wait(.seconds(150))
        #expect(silent.takeLog() == [checkOfRefund("6")])
    }

    /// A `Check` that says nothing is no refusal: a second refund could give the money back twice.
    @Test func aRefundWhoseFateIsNotNamedIsNotSentAgain() throws {
        var bench = try late()
        bench.lose()
        try bench.reconnect("6", "7")
        _ = bench.takeLog()
        try bench.answer(#"{"jsonrpc":"2.0","id":"9","result":{}}"#)
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == [checkOfRefund("10")])
    }

    /// It is not known whether `Check` knows refunds: a second one could give the money back twice.
    @Test func aRefundThatIsNotFoundIsOpenUnlessTheSettingsSayOtherwise() throws {
        var bench = try late()
        bench.lose()
        try bench.reconnect("6", "7")
        try bench.answer(failure("9", "TRANSACTION_NOT_FOUND"))
        #expect(bench.payment.isOpen == true)
        var settings = JSONPOSPaymentSettings()
        settings.repeatsLostRefunds = true
        var other = try late(settings)
        other.lose()
        try other.reconnect("6", "7")
        _ = other.takeLog()
        try other.answer(failure("9", "TRANSACTION_NOT_FOUND"))
        other.wait(.seconds(10))
        #expect(other.takeLog() == ["refund 2", refund("10")])
    }

    // MARK: a program that was killed

    /// Identifiers of requests are others than those of the program before, whose answers may still come.
    @Test func aProgramThatWasStartedAgainAsksTheTerminal() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.recover(isReversed: true)
        let check = #""params":{"api_key":"test","receipt_id":123,"sequence_id":321}"#
        let log = bench.takeLog()
        #expect(log.contains(abort))
        #expect(log.last == #"> {"id":"1-4","jsonrpc":"2.0","method":"Check",\#(check)}"#)
        try bench.answer(approval("3"))
        #expect(bench.takeLog() == [])
        try bench.answer(approval("1-4"))
        #expect(bench.takeLog() == ["approved(transaction: Optional(\"77\"))", "refund 1", refund("1-5")])
        try bench.answer(approval("1-5", "78"))
        #expect(bench.takeLog() == ["refunded"])
    }

    /// The program was killed after it noted that a refund was begun: it may have reached the terminal.
    @Test func aRefundOfTheProgramBeforeIsAskedFor() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.recover(isReversed: true, refunds: 1)
        _ = bench.takeLog()
        try bench.answer(approval("1-4"))
        #expect(bench.takeLog() == [checkOfRefund("1-5"), "approved(transaction: Optional(\"77\"))"])
        try bench.answer(approval("1-5", "78"))
        #expect(bench.takeLog() == ["refunded"])
    }

    @Test func aPaymentThatIsOverNeedsTheLinkForTheTerminalOnly() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.recover(isReversed: false)
        #expect(bench.takeLog().last == #"> {"id":"1-3","jsonrpc":"2.0","method":"Status","params":{}}"#)
        try bench.answer(#"{"jsonrpc":"2.0","id":"1-3","result":{"pending_transaction_count":2}}"#)
        #expect(bench.takeLog() == ["status none"])
        #expect(bench.payment.isResultAwaited == false)
    }
}
