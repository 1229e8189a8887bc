import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Payments by tap at the machine of payments. Their statuses are those of `TransactionResponse` in Miura's SDK for Android.
@Suite struct MiuraTapTests {
    private static let start = "> DEC100001EE01C9C01009F02060000000004569A032607289F21031215305F2A020826"
    private static let chip =
        "> DED1000028E0269C01009F02060000000004569A032607289F2103121530DFA2040101DFA20301005F2A020826"

    /// A reader that waits for a card, and for a tap: the effects 1 and 2.
    private func bench() throws -> MiuraPaymentBench {
        var settings = MiuraPaymentSettings()
        settings.takesTaps = true
        var bench = try MiuraPaymentBench(settings)
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9000")
        _ = bench.takeLog()
        bench.carryOut(.acceptCard, isTapAllowed: true)
        bench.receive(PublishedMiuraFrames.noCard)
        return bench
    }

    @Test func tapsAreTakenOnlyIfPaymentAndProfileAllowThem() throws {
        var bench = try bench()
        #expect(bench.takeLog() == ["> D0601D00", Self.start])
        var none = try MiuraPaymentBench()
        none.carryOut(.acceptCard, isTapAllowed: true)
        #expect(none.takeLog() == ["> D0601D00"])
    }

    @Test(arguments: [
        ("E400 9000", "ac1_arqc 3"), ("E300 9000", "ac1_tc 3"), ("E500 9000", "ac1_aac 3"),
        ("9FC1", "tap_other_interface 3"), ("9FC2", "tap_other_interface 3"), ("9FC3", "tap_other_interface 3"),
    ])
    func aTapIsReportedBeforeItsResult(_ message: String, _ event: String) throws {
        var bench = try bench()
        _ = bench.takeLog()
        try bench.answer(message)
        #expect(bench.takeLog() == ["tap 2"])
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == [event])
    }

    /// After a tap the payment asks for no second cryptogram; the sample programs of the SDK send the issuer's answer all the
    /// same.
    @Test(arguments: [
        (PaymentAction.storeRecord, "00" as String?), (.end(.declinedOnline), "05"), (.end(.failedHostTimeout), nil),
    ])
    func theIssuersAnswerEndsATap(_ action: PaymentAction, _ code: String?) throws {
        var bench = try bench()
        try bench.answer("E400 9000")
        bench.carryOut(.processCard)
        _ = bench.takeLog()
        let host = code.flatMap { AuthorisationResponseCode(Array($0.utf8)) }.map {
            HostResponse(isApproved: code == "00", responseCode: $0)
        }
        bench.carryOut(action, host: host)
        let command = "> DED2000006E0048A02" + hexadecimal((code ?? "Z1").utf8)
        #expect(bench.takeLog().contains(command))
        for frame in PublishedMiuraFrames.declined { bench.receive(frame) }
        #expect(bench.takeLog() == [])
    }

    /// The reader ends the wait for a tap with 9F43.
    @Test func aCardInsertedInsteadGoesOnByItsChip() throws {
        for isReportFirst in [true, false] {
            var bench = try bench()
            _ = bench.takeLog()
            if !isReportFirst { try bench.answer("9F43") }
            bench.receive(PublishedMiuraFrames.cardPresent)
            #expect(bench.takeLog() == ["insert 2"])
            bench.carryOut(.processCard)
            if isReportFirst {
                #expect(bench.takeLog() == [])
                try bench.answer("9F43")
            }
            #expect(bench.takeLog() == [Self.chip])
        }
    }

    /// The tap was read when the card was inserted: the reader waits for the issuer, and must forget it.
    @Test func aTapAtTheSameTimeAsAnInsertionIsAborted() throws {
        var bench = try bench()
        bench.receive(PublishedMiuraFrames.cardPresent)
        bench.carryOut(.processCard)
        _ = bench.takeLog()
        try bench.answer("E400 9000")
        #expect(bench.takeLog() == ["> D0FF0000"])
        try bench.answer("9000")
        #expect(bench.takeLog() == [Self.chip])
    }

    @Test func aSwipeEndsTheWaitForATap() throws {
        var bench = try bench()
        _ = bench.takeLog()
        try bench.answer("9F44")
        try bench.send(PublishedMiuraFrames.swipe, isUnsolicited: true)
        #expect(bench.takeLog() == ["swipe_chip_card 2"])
        bench.carryOut(.prompt(.useChip))
        bench.carryOut(.acceptCard, isTapAllowed: true)
        #expect(bench.takeLog().count == 1)
        try bench.answer("9000")
        #expect(bench.takeLog() == [Self.start])
    }

    @Test(arguments: [("9F41", ["cancel"]), ("9F42", []), ("9FCF", []), ("9F26", []), ("E1009000", [])])
    func otherEndsOfTheWait(_ message: String, _ events: [String]) throws {
        var bench = try bench()
        _ = bench.takeLog()
        try bench.answer(message)
        #expect(bench.takeLog() == events)
        // The chip still pays.
        bench.receive(PublishedMiuraFrames.cardPresent)
        #expect(bench.takeLog() == ["insert 2"])
    }

    @Test func theMerchantEndsTheWait() throws {
        var bench = try bench()
        _ = bench.takeLog()
        bench.carryOut(.stopReader)
        #expect(bench.takeLog() == ["> D0FF0000", "> D0600000"])
        try bench.answer("9000")
        try bench.answer("9F41")
        #expect(bench.takeLog() == [])
        #expect(bench.payment.nextDeadline == nil)
    }
}
