import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

private let keys = #""params":{"api_key":"test","receipt_id":123,"sequence_id":321}"#
private let abort = #"> {"jsonrpc":"2.0","method":"Abort","params":{}}"#
private let approval =
    #"{"jsonrpc":"2.0","id":"3","result":{"response_text":"Approved","transaction_id":"77","merchant_receipt":{}}}"#

/// The check that follows the requests 1 to 3, as the request of a number.
private func check(_ number: Int) -> String { #"> {"id":"\#(number)","jsonrpc":"2.0","method":"Check",\#(keys)}"# }

/// The machine of payments at SPm20 terminals: its requests and events. No whole message of a payment is published: the
/// members are those of pt-android-sdk and of other programs in public repositories (docs/readers/jsonpos.md).
@Suite struct JSONPOSPaymentTests {
    @Test func aTerminalIsPrepared() throws {
        var bench = try JSONPOSPaymentBench()
        bench.carryOut(.prepare)
        #expect(bench.takeLog() == ["> " + String(repeating: ".", count: 64)])
        bench.wait(.milliseconds(99))
        #expect(bench.takeLog() == [])
        bench.wait(.milliseconds(1))
        #expect(bench.takeLog() == [#"> {"id":"1","jsonrpc":"2.0","method":"_Sync","params":{}}"#])
        try bench.answer(#"{"jsonrpc":"2.0","id":"1","result":{}}"#)
        #expect(bench.takeLog() == [#"> {"id":"2","jsonrpc":"2.0","method":"NetworkStart","params":{}}"#])
        try bench.answer(#"{"jsonrpc":"2.0","id":"2","result":{}}"#)
        #expect(bench.takeLog() == ["prepare_ok 1"])
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func aTerminalThatIsSilentIsNotPrepared() throws {
        var bench = try JSONPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.wait(.milliseconds(100))
        bench.wait(.seconds(5))
        #expect(bench.takeLog().last == "prepare_fail 1")
        #expect(bench.payment.nextDeadline == nil)
    }

    /// The parameters are those of `JsonposTests.testPurchase`.
    @Test func aPaymentIsOneRequest() throws {
        var bench = try JSONPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.wait(.milliseconds(100))
        try bench.answer(#"{"jsonrpc":"2.0","id":"1","result":{}}"#)
        try bench.answer(#"{"jsonrpc":"2.0","id":"2","result":{}}"#)
        _ = bench.takeLog()
        bench.carryOut(.acceptCard)
        #expect(bench.takeLog() == ["swipe_plain 2"])
        bench.carryOut(.askHost)
        let parameters = #""amount":123,"api_key":"test","currency":"EUR","receipt_id":123,"sequence_id":321"#
        #expect(
            bench.takeLog() == [#"> {"id":"3","jsonrpc":"2.0","method":"Purchase","params":{\#(parameters)}}"#])
        try bench.answer(approval)
        #expect(bench.takeLog() == ["approved(transaction: Optional(\"77\"))", "host_approved 3"])
        #expect(bench.payment.result == .approved(transaction: "77"))
        #expect(bench.payment.nextDeadline == nil)
        // The same answer again.
        try bench.answer(approval)
        #expect(bench.takeLog() == [])
    }

    /// The words are those of a program in a public repository.
    @Test func theStatusIsReported() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        for word in ["PROCESSING", "WAIT_CARD_IN", "WAIT_CARD_OUT", "WAIT_POS"] {
            let members = #"{"transaction_status":"\#(word)","chip_card_in":true}"#
            try bench.answer(#"{"jsonrpc":"2.0","method":"StatusEvent","params":\#(members)}"#)
            #expect(bench.takeLog() == ["status \(word)"])
        }
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"t1","method":"StatusEvent","params":{"ready_for_transaction":true}}"#)
        #expect(bench.takeLog() == [#"> {"id":"t1","jsonrpc":"2.0","result":{}}"#, "status none"])
    }

    /// Code 1 with a message is the answer to a payment that did not take place (a program in a public repository).
    @Test(arguments: [
        (1, "declined(\"no\")", "host_declined 3"), (-32601, "notExecuted", "host_unreachable 3"),
        (-32602, "notExecuted", "host_unreachable 3"),
    ])
    func anErrorIsAResult(_ code: Int, _ result: String, _ event: String) throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(#"{"jsonrpc":"2.0","id":"3","error":{"code":\#(code),"message":"no"}}"#)
        #expect(bench.takeLog() == [result, event])
        #expect(bench.payment.nextDeadline == nil)
    }

    /// The terminal may have taken the money all the same.
    @Test(arguments: [
        #""error":{"code":-32603,"message":"failed"}"#, #""error":{"code":-32000,"message":"late"}"#,
        #""error":{"message":"no"}"#, #""error":{"code":1.5}"#, #""result":{"response_text":"Approvee"}"#,
        #""result":{}"#,
    ])
    func anAnswerThatSaysNothingIsChecked(_ answer: String) throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(#"{"jsonrpc":"2.0","id":"3",\#(answer)}"#)
        bench.wait(.zero)
        #expect(bench.takeLog() == [check(4)])
        try bench.answer(#"{"jsonrpc":"2.0","id":"4","result":{"response_text":"Approved"}}"#)
        #expect(bench.takeLog() == ["approved(transaction: nil)", "host_approved 3"])
    }

    @Test func theResultCountsAlsoWhileItIsChecked() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(#"{"jsonrpc":"2.0","id":"3","error":{"code":-32603,"message":"failed"}}"#)
        bench.wait(.zero)
        _ = bench.takeLog()
        try bench.answer(approval)
        #expect(bench.takeLog() == ["approved(transaction: Optional(\"77\"))", "host_approved 3"])
        try bench.answer(#"{"jsonrpc":"2.0","id":"4","error":{"code":1,"message":"no"}}"#)
        #expect(bench.takeLog() == [])
    }

    @Test func aResultThatDoesNotComeIsChecked() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.wait(.seconds(150))
        #expect(bench.takeLog() == [check(4)])
        // The terminal is at work.
        try bench.answer(#"{"jsonrpc":"2.0","id":"4","error":{"code":1,"message":"busy"}}"#)
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == [check(5)])
        bench.wait(.seconds(5))
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == [check(6)])
        let unknown = #""error":{"code":1,"message":"no","data":{"string_code":"TRANSACTION_NOT_FOUND","details":""}}"#
        try bench.answer(#"{"jsonrpc":"2.0","id":"6",\#(unknown)}"#)
        #expect(bench.takeLog() == ["notExecuted", "host_unreachable 3"])
    }

    /// Only a text says that the payment did not take place.
    @Test func aCheckThatSaysNothingIsRepeated() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.wait(.seconds(150))
        for number in 4...5 {
            #expect(bench.takeLog() == [check(number)])
            try bench.answer(#"{"jsonrpc":"2.0","id":"\#(number)","result":{"response_text":null}}"#)
            bench.wait(.zero)
            #expect(bench.takeLog() == [])
            bench.wait(.seconds(10))
        }
        #expect(bench.payment.result == nil)
    }

    /// A terminal that is at work may not know the payment yet.
    @Test func aPaymentThatIsNotKnownWhileTheTerminalWorksIsCheckedAgain() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"transaction_status":"PROCESSING"}}"#)
        bench.wait(.seconds(150))
        _ = bench.takeLog()
        let unknown = #""error":{"code":1,"message":"no","data":{"string_code":"TRANSACTION_NOT_FOUND"}}"#
        try bench.answer(#"{"jsonrpc":"2.0","id":"4",\#(unknown)}"#)
        #expect(bench.takeLog() == [])
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == [check(5)])
    }

    // MARK: cancellation and loss

    /// `Abort` is a notification without parameters (a program in a public repository).
    @Test func aPaymentIsAborted() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.carryOut(.reject(.cancelled))
        #expect(bench.takeLog() == [abort])
        try bench.answer(#"{"jsonrpc":"2.0","id":"3","error":{"code":1,"message":"aborted"}}"#)
        #expect(bench.takeLog() == ["declined(\"aborted\")", "host_declined 3"])
    }

    @Test func theLossOfTheLinkIsAnEventAndTheResultIsChecked() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":1,"connection_id":7}}"#)
        bench.opened(7)
        _ = bench.takeLog()
        bench.receive(Array("000".utf8))
        bench.lose()
        #expect(bench.takeLog() == ["disconnect(7)", "link_lost"])
        #expect(bench.payment.nextDeadline == nil)
        try bench.reconnect("4", "5")
        // The reports of the terminal's state were lost, too.
        let status = #"> {"id":"6","jsonrpc":"2.0","method":"Status","params":{}}"#
        #expect(bench.takeLog().suffix(2) == [status, check(7)])
        try bench.answer(#"{"jsonrpc":"2.0","id":"7","result":{"response_text":"Approved"}}"#)
        #expect(bench.takeLog() == ["approved(transaction: nil)", "host_approved 3"])
    }

    /// The terminal was at work when the link was there again.
    @Test func theResultIsCheckedAsSoonAsTheTerminalReportsTheEnd() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.lose()
        try bench.reconnect("4", "5")
        try bench.answer(#"{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"busy"}}"#)
        try bench.answer(
            #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"transaction_status":"PROCESSING"}}"#)
        _ = bench.takeLog()
        try bench.answer(#"{"jsonrpc":"2.0","method":"StatusEvent","params":{"ready_for_transaction":true}}"#)
        #expect(bench.takeLog() == [check(8), "status none"])
    }

    /// The last report before the loss says that the terminal is at work: only a new one counts.
    @Test func aPaymentThatIsNotKnownAfterTheLossWasNotExecuted() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"transaction_status":"PROCESSING"}}"#)
        bench.lose()
        try bench.reconnect("4", "5")
        _ = bench.takeLog()
        try bench.answer(#"{"jsonrpc":"2.0","id":"6","result":{"ready_for_transaction":true}}"#)
        let unknown = #""error":{"code":1,"message":"no","data":{"string_code":"TRANSACTION_NOT_FOUND"}}"#
        try bench.answer(#"{"jsonrpc":"2.0","id":"7",\#(unknown)}"#)
        #expect(bench.takeLog() == ["status none", "notExecuted", "host_unreachable 3"])
    }

    /// The terminal may be at work: the answer to `Status` follows that to `Check`.
    @Test func aPaymentThatIsNotKnownBeforeTheStateIsIsCheckedAgain() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.lose()
        try bench.reconnect("4", "5")
        _ = bench.takeLog()
        let unknown = #""error":{"code":1,"message":"no","data":{"string_code":"TRANSACTION_NOT_FOUND"}}"#
        try bench.answer(#"{"jsonrpc":"2.0","id":"7",\#(unknown)}"#)
        try bench.answer(#"{"jsonrpc":"2.0","id":"6","result":{"transaction_status":"PROCESSING"}}"#)
        bench.wait(.seconds(10))
        #expect(bench.takeLog() == ["status PROCESSING", check(8)])
    }

    /// A new link on which the terminal does not answer `_Sync`.
    @Test func aConversationThatFailsIsBegunAgain() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        bench.lose()
        bench.reconnect()
        bench.wait(.milliseconds(100))
        bench.wait(.seconds(5))
        _ = bench.takeLog()
        bench.wait(.seconds(1))
        #expect(bench.takeLog() == ["> " + String(repeating: ".", count: 64)])
        bench.wait(.milliseconds(100))
        #expect(bench.takeLog() == [#"> {"id":"5","jsonrpc":"2.0","method":"_Sync","params":{}}"#])
    }

    // MARK: the terminal's connections

    @Test func theTerminalIsConnectedToItsHost() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":443,"connection_id":2}}"#)
        #expect(bench.takeLog() == ["connect(2, host: \"h\", port: 443)"])
        bench.opened(2)
        #expect(bench.takeLog() == [#"> {"id":"a","jsonrpc":"2.0","result":{}}"#])
        // 01 02 03 and 04 05 06 in base64 (RFC 4648).
        try bench.answer(#"{"jsonrpc":"2.0","method":"Data","params":{"id":2,"data":"AQID"}}"#)
        #expect(bench.takeLog() == ["send(2, [1, 2, 3])"])
        bench.receive([4, 5, 6], from: 2)
        #expect(
            bench.takeLog() == [#"> {"jsonrpc":"2.0","method":"Data","params":{"data":"BAUG","id":2}}"#])
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"b","method":"NetworkDisconnect","params":{"connection_id":2,"reason":"over"}}"#)
        #expect(bench.takeLog() == [#"> {"id":"b","jsonrpc":"2.0","result":{}}"#, "disconnect(2)"])
        bench.receive([7], from: 2)
        #expect(bench.takeLog() == [])
    }

    @Test func longDataHasSeveralMessages() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":443,"connection_id":2}}"#)
        bench.opened(2)
        _ = bench.takeLog()
        bench.receive([UInt8](repeating: 0, count: 1025), from: 2)
        #expect(bench.takeLog().count == 3)
    }

    @Test func connectionsThatFailAreReported() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        let connect =
            #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":443,"connection_id":2}}"#
        try bench.answer(connect)
        _ = bench.takeLog()
        bench.closed(2)
        let refused = #""error":{"code":1,"data":{"string_code":"UNKNOWN"},"message":"gone"}"#
        #expect(bench.takeLog() == [#"> {\#(refused),"id":"a","jsonrpc":"2.0"}"#])
        try bench.answer(connect)
        bench.opened(2)
        _ = bench.takeLog()
        bench.closed(2)
        let parameters = #""params":{"connection_id":2,"reason":"gone"}"#
        #expect(
            bench.takeLog() == [
                #"> {"id":"network-1","jsonrpc":"2.0","method":"NetworkDisconnected",\#(parameters)}"#
            ])
    }

    @Test(arguments: [
        #"{"host":"h","port":443}"#, #"{"host":"h","port":0,"connection_id":1}"#,
        #"{"host":"h","port":65536,"connection_id":1}"#, #"{"host":"","port":1,"connection_id":1}"#,
        #"{"host":5,"port":1,"connection_id":1}"#, #"{"host":"h","port":1,"connection_id":1.5}"#, "{}",
    ])
    func connectionsThatAreNotPossibleAreRefused(_ parameters: String) throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(#"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":\#(parameters)}"#)
        let log = bench.takeLog()
        #expect(log.count == 1 && log.first?.contains("error") == true)
    }

    @Test func connectionsAreLimited() throws {
        var tunnel = JSONPOSTunnel()
        for number in 1...20 {
            let step = tunnel.receive(
                "NetworkConnect",
                .object(["host": .text("h"), "port": .number(1), "connection_id": .number(Double(number))]),
                id: "\(number)")
            #expect(step?.outputs.isEmpty == (number > 16))
        }
        #expect(tunnel.reset().outputs.count == 16)
        #expect(tunnel.receive("Purchase", .object([:]), id: "1") == nil)
    }

    @Test func dataThatIsNotBase64ClosesItsConnection() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        try bench.answer(
            #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":443,"connection_id":2}}"#)
        bench.opened(2)
        _ = bench.takeLog()
        try bench.answer(#"{"jsonrpc":"2.0","method":"Data","params":{"id":2,"data":"?"}}"#)
        let log = bench.takeLog()
        #expect(log.count == 2 && log.last == "disconnect(2)")
    }

    @Test func otherRequestsAreAnswered() throws {
        var bench = try JSONPOSPaymentBench()
        try bench.purchase()
        for method in ["_Keepalive", "PosMessage"] {
            try bench.answer(#"{"jsonrpc":"2.0","id":"k","method":"\#(method)","params":{}}"#)
            #expect(bench.takeLog() == [#"> {"id":"k","jsonrpc":"2.0","result":{}}"#])
        }
        try bench.answer(#"{"jsonrpc":"2.0","id":"k","method":"Unheard","params":{}}"#)
        #expect(
            bench.takeLog() == [#"> {"error":{"code":-32601,"message":"not supported"},"id":"k","jsonrpc":"2.0"}"#])
    }

    // MARK: settings

    @Test func theProfileHasTheValues() throws {
        let family = try #require(ReaderFamily.named("jsonpos"))
        #expect(try JSONPOSPaymentSettings(profile: family.profile) == JSONPOSPaymentSettings())
        var profile = family.profile
        profile["jsonpos.apiKey"] = ProfileEntry("", .text("mine"), .reported, "test")
        profile["jsonpos.limit"] = ProfileEntry("", .number(60_000), .reported, "test")
        let settings = try JSONPOSPaymentSettings(profile: profile)
        #expect(settings.apiKey == "mine")
        #expect(settings.policy().limits.host == .seconds(60))
        // What is not known of refunds.
        for key in ["maxRefunds", "refundOffset", "repeatsLostRefunds"] {
            #expect(family.profile[ProfileKey(rawValue: "jsonpos.\(key)")]?.provenance == .unknown, "\(key)")
        }
    }
}
