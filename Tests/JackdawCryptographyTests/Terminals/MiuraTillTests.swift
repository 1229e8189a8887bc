import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole payments at a simulated Miura reader: virtual card and contact kernel in the reader, commands of MPI, the
/// flow and the issuer at the till. Each ends as with the kernel in the till itself (`SimulatedTillTests`).
@Suite struct MiuraTillTests {
    /// The card verifies the issuer's cryptogram (ARPC), which CONTINUE TRANSACTION carries as object 91.
    @Test(arguments: ChipCardFile.allCases) func theIssuerApproves(_ file: ChipCardFile) throws {
        var till = try MiuraTill.make(file)
        #expect(till.run() == .approved)
        #expect(till.disagreements == [])
        #expect(
            till.events == [
                .start, .prepared, .cardInserted, .pinRequested, .pinEntered, .firstARQC, .hostApproved, .secondTC,
                .recordStored,
            ])
        #expect(till.objects[0x95] == hex("0000000000"))
        #expect(till.objects[0x8A] == hex("3030"))
        let resumed = try #require(
            MiuraTill.commands(till.sent).first { $0.starts(with: hex("DED20000")) })
        #expect(hexadecimal(resumed).contains(file == .visa ? "8A0230309108" : "8A023030910A") || file == .visa)
        #expect(hexadecimal(resumed).contains("8A02303091"))
    }

    @Test(arguments: ChipCardFile.allCases) func aWrongCryptogramOfTheIssuerIsReversed(_ file: ChipCardFile) throws {
        var till = try MiuraTill.make(file, amount: 5141)
        #expect(till.run() == .declinedByCard)
        #expect(till.disagreements == [])
        #expect(till.issuer.ledger["1"]?.isReversed == true)
    }

    /// The rules of `issuers/test.json`, as in `SimulatedTillTests`.
    @Test(arguments: [
        (UInt64(5105), PaymentOutcome.declinedOnline, PaymentEvent.hostDeclined),
        (5101, .declinedOnline, .hostReferred), (5142, .approved, .hostApproved),
        (5198, .approvedOffline, .hostUnreachable), (1000, .approvedOffline, .firstTC),
        (250_000, .declinedOffline, .firstAAC), (5196, .failedHostTimeout, .timer),
        (5199, .failedHostTimeout, .hostAnswerUnreadable),
    ])
    func paymentsEndAsTheIssuerSays(_ amount: UInt64, _ outcome: PaymentOutcome, _ event: PaymentEvent) throws {
        for file in ChipCardFile.allCases {
            var till = try MiuraTill.make(file, amount: amount)
            #expect(till.run() == outcome)
            #expect(till.events.contains(event))
            #expect(till.disagreements == [], "\(file)")
        }
    }

    @Test func bytesThatComeOneByOneChangeNothing() throws {
        var whole = try MiuraTill.make()
        var single = try MiuraTill.make(step: 1)
        #expect(whole.run() == single.run())
        #expect(whole.events == single.events)
        #expect(whole.sent == single.sent)
    }

    @Test(arguments: [
        ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}", PaymentOutcome.approved, PaymentEvent.pinWrong),
        ("{\"pin\": {\"action\": \"cancel\"}}", .cancelled, .pinCancelled),
        ("{\"pin\": {\"action\": \"bypass\"}}", .approved, .pinBypassed),
    ])
    func thePINIsEnteredAtTheReader(_ payer: String, _ outcome: PaymentOutcome, _ event: PaymentEvent) throws {
        var till = try MiuraTill.make(payer: payer)
        let found = till.run()
        #expect(till.events.contains(event), "\(till.events)")
        #expect(till.disagreements == [])
        // A bypassed PIN may end as the issuer and the card say.
        if event != .pinBypassed { #expect(found == outcome) }
    }

    /// The card is removed after each of its answers: no money moves, or the whole payment is done.
    @Test(arguments: ChipCardFile.allCases) func aCardThatIsRemovedLosesNoMoney(_ file: ChipCardFile) throws {
        var outcomes: [PaymentOutcome: Int] = [:]
        let pin = file == .visa ? "1234" : "4315"
        for exchange in 1...40 {
            let payer = "{\"pin\": {\"digits\": \"\(pin)\"}, \"removal\": {\"after_exchange\": \(exchange)}}"
            var till = try MiuraTill.make(file, payer: payer)
            let end = till.run()
            let outcome = try #require(end)
            outcomes[outcome, default: 0] += 1
            #expect(till.disagreements == [], "exchange \(exchange): \(outcome)")
        }
        #expect(Set(outcomes.keys).isSubset(of: [.failedCardRemoved, .failedAutoReversed, .approved]), "\(outcomes)")
        #expect(outcomes[.failedCardRemoved, default: 0] > 5)
        #expect(outcomes[.failedAutoReversed, default: 0] > 0)
    }

    /// The merchant cancels after each event. After the request has left, the payment goes on.
    @Test func aPaymentThatIsCancelledIsAborted() throws {
        var outcomes: Set<PaymentOutcome> = []
        for count in 1...9 {
            var till = try MiuraTill.make(interference: (.cancelled, after: count))
            let end = till.run()
            let outcome = try #require(end)
            outcomes.insert(outcome)
            #expect(till.disagreements == [], "after \(count): \(outcome)")
            let isAborted = MiuraTill.commands(till.sent).filter { $0 == hex("D0FF0000") }.count == 2
            #expect(isAborted == (outcome == .cancelled && count > 2), "after \(count): \(till.sent.map(hexadecimal))")
        }
        #expect(outcomes == [.cancelled, .approved])
    }

    /// Each message of the reader is lost, repeated, damaged or late, or the link breaks in it.
    @Test(arguments: [
        ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .disconnect, .late, .duplicate, .garbage,
    ])
    func aFaultOfTheReaderLosesNoMoney(_ fault: ReaderFault) throws {
        for message in 0..<14 {
            var till = try MiuraTill.make(faults: [PlannedFault(fault, message..<message + 1)])
            let outcome = till.run()
            #expect(till.disagreements == [], "\(fault) in message \(message): \(outcome as Any), \(till.events)")
        }
    }
}
