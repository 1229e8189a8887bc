import JackdawCryptography
import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A till with a simulated SPm20 at a link. Parameters are those of ``TillBench`` and of the parts.
private func spm20(
    _ file: ChipCardFile = .visa, amount: UInt64 = 6000, payer: String? = nil, faults: [PlannedFault] = [],
    step: Int = .max, hasHost: Bool = true, interference: (PaymentEvent, after: Int)? = nil
) throws -> TillBench {
    let parts = try ReaderTillParts(file, amount: amount, payer: payer)
    let till = JSONPOSTill(parts, nil as JSONPOSTerminal<LibCryptoPrimitives>?)
    let reader = SimulatedReader(parts.spm20(LibCryptoPrimitives(mode: .test)), faults: faults)
    // Without its host: the program's answers to `NetworkConnect` and all others to the terminal are lost.
    return TillBench(
        till, { (till.issuer, till.records, DataObjectStore()) }, reader, reference: "1-1", step: step,
        interference: interference, isLost: { !hasHost && $0.text.contains("\"id\":\"terminal-") })
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

extension TillBench {
    /// The steps that the terminal reported; nil for a report without one.
    fileprivate var steps: [String?] {
        received.map(\.text).filter { $0.contains("StatusEvent") }.map { report in
            report.firstMatch(of: #/"transaction_status":"([A-Z_]+)"/#).map { String($0.1) }
        }
    }

    /// Whether the terminal reported that it approved.
    fileprivate var isApprovedAtTerminal: Bool {
        received.contains { $0.text.contains("\"response_text\":\"Approved\"") }
    }
}

/// Whole payments at a simulated SPm20 terminal: virtual card and contact kernel in the terminal, JSONPOS, the flow at
/// the till, and the issuer at the end of the terminal's tunnel.
@Suite struct JSONPOSTillTests {
    /// The card verifies the issuer's cryptogram (ARPC), which comes through the tunnel.
    @Test(arguments: ChipCardFile.allCases) func theIssuerApproves(_ file: ChipCardFile) throws {
        var till = try spm20(file)
        #expect(till.run() == .approved)
        #expect(till.disagreements == [])
        #expect(till.entry?.capture == .online)
        #expect(till.events == [.start, .prepared, .cardSwiped, .hostApproved, .recordStored])
        #expect(till.isApprovedAtTerminal == true)
        #expect(till.steps.first == "WAIT_CARD_IN")
        #expect(till.steps.contains("PROCESSING"))
        #expect(till.steps.last == .some(nil))
    }

    /// The rules of `issuers/test.json`. An answer of the issuer that is late, silent or not readable is reversed.
    @Test(arguments: [UInt64(5105), 5101, 5141, 5195, 5196, 5197, 5198, 5199, 250_000])
    func paymentsThatDoNotTakePlaceAreDeclined(_ amount: UInt64) throws {
        for file in ChipCardFile.allCases {
            var till = try spm20(file, amount: amount)
            #expect(till.run() == .declinedOnline, "\(file)")
            #expect(till.disagreements == [], "\(file)")
            #expect(till.isApprovedAtTerminal == false)
        }
    }

    @Test(arguments: [UInt64(5142), 1000]) func otherPaymentsAreApproved(_ amount: UInt64) throws {
        for file in ChipCardFile.allCases {
            var till = try spm20(file, amount: amount)
            #expect(till.run() == .approved, "\(file)")
            #expect(till.disagreements == [], "\(file)")
            #expect(till.entry?.capture == (amount == 1000 ? .offline : .online))
        }
    }

    /// The card decides without the host; the money is not delivered, but nothing is lost at the till.
    @Test func aTerminalWithoutItsHostHasTheCardDecide() throws {
        var till = try spm20(hasHost: false)
        let outcome = till.run()
        #expect(outcome != nil && outcome?.isApproved == till.isApprovedAtTerminal)
        #expect(till.entry == nil)
    }

    @Test func bytesThatComeOneByOneChangeNothing() throws {
        var whole = try spm20()
        var single = try spm20(step: 1)
        #expect(whole.run() == single.run())
        #expect(whole.events == single.events)
        #expect(whole.sent == single.sent)
    }

    @Test(arguments: [
        ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}", PaymentOutcome.approved),
        ("{\"pin\": {\"action\": \"cancel\"}}", .declinedOnline),
    ])
    func thePINIsEnteredAtTheTerminal(_ payer: String, _ outcome: PaymentOutcome) throws {
        var till = try spm20(payer: payer)
        #expect(till.run() == outcome)
        #expect(till.disagreements == [])
    }

    /// The card is removed after each of its answers: no money moves, or the whole payment is done.
    @Test(arguments: ChipCardFile.allCases) func aCardThatIsRemovedLosesNoMoney(_ file: ChipCardFile) throws {
        var outcomes: [PaymentOutcome: Int] = [:]
        let pin = file == .visa ? "1234" : "4315"
        for exchange in 1...40 {
            let payer = "{\"pin\": {\"digits\": \"\(pin)\"}, \"removal\": {\"after_exchange\": \(exchange)}}"
            var till = try spm20(file, payer: payer)
            let end = till.run()
            let outcome = try #require(end)
            outcomes[outcome, default: 0] += 1
            #expect(till.disagreements == [], "exchange \(exchange): \(outcome)")
        }
        #expect(Set(outcomes.keys) == [.declinedOnline, .approved], "\(outcomes)")
        #expect(outcomes[.declinedOnline, default: 0] > 5)
    }

    /// The merchant cancels after each event: while the terminal waits for the card, it aborts the payment.
    @Test func aPaymentThatIsCancelledIsAborted() throws {
        var outcomes: Set<PaymentOutcome> = []
        for count in 1...5 {
            var till = try spm20(interference: (.cancelled, after: count))
            let end = till.run()
            outcomes.insert(try #require(end))
            #expect(till.disagreements == [], "after \(count)")
        }
        #expect(outcomes == [.cancelled, .approved, .declinedOnline])
    }

    /// Each message of the terminal is lost, repeated, damaged or late, or the link breaks in it.
    @Test(arguments: [
        ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .disconnect, .late, .duplicate, .garbage,
    ])
    func aFaultOfTheTerminalLosesNoMoney(_ fault: ReaderFault) throws {
        for message in 0..<16 {
            var till = try spm20(faults: [PlannedFault(fault, message..<message + 1)])
            let outcome = till.run()
            #expect(till.disagreements == [], "\(fault) in message \(message): \(outcome as Any), \(till.events)")
        }
    }
}
