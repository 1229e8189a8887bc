import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A till with a simulated EMVSwiper.
enum BBPOSTill {
    static func make(
        _ file: ChipCardFile = .visa, amount: UInt64 = 6000, payer: String? = nil, card: [String: String] = [:],
        deck: [Presentation] = [], faults: [PlannedFault] = [], choice: Int = 0, step: Int = .max,
        interference: (PaymentEvent, after: Int)? = nil
    ) throws -> ReaderTill<BBPOSPayment> {
        let parts = try TerminalParts(file, amount: amount, payer: payer, card: card)
        let settings = try BBPOSPaymentSettings(profile: try #require(ReaderFamily.named("bbpos")).simulatedProfile)
        let terminal = BBPOSTerminal(
            parts.settings, settings, card: parts.card, payer: parts.payer, parts.primitives,
            pinCipher: parts.pinCipher)
        return ReaderTill(
            BBPOSPayment(parts.transaction, settings), SimulatedReader(terminal, deck: deck, faults: faults), parts,
            choice: choice, step: step, interference: interference)
    }
}

/// Whole payments at a simulated EMVSwiper, over an invented wire: virtual card and contact kernel in the reader, the
/// calls and callbacks of the vendor's SDK, the flow and the issuer at the till. Each ends as with the kernel in the
/// till itself (`SimulatedTillTests`).
@Suite struct BBPOSTillTests {
    /// The card verifies the issuer's cryptogram (ARPC), which `sendOnlineProcessResult` carries as object 91.
    @Test(arguments: ChipCardFile.allCases) func theIssuerApproves(_ file: ChipCardFile) throws {
        var till = try BBPOSTill.make(file)
        #expect(till.run() == .approved)
        #expect(till.disagreements == [])
        #expect(
            till.events == [
                .start, .prepared, .cardInserted, .pinRequested, .pinEntered, .firstARQC, .hostApproved, .secondTC,
                .recordStored,
            ])
        #expect(till.objects[0x95] == hex("0000000000"))
        #expect(till.objects[0x8A] == hex("3030"))
        #expect(till.sent.contains { hexadecimal($0).contains("8A02303091") })
    }

    @Test(arguments: ChipCardFile.allCases) func aWrongCryptogramOfTheIssuerIsReversed(_ file: ChipCardFile) throws {
        var till = try BBPOSTill.make(file, amount: 5141)
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
            var till = try BBPOSTill.make(file, amount: amount)
            #expect(till.run() == outcome)
            #expect(till.events.contains(event))
            #expect(till.disagreements == [], "\(file)")
        }
    }

    @Test func bytesThatComeOneByOneChangeNothing() throws {
        var whole = try BBPOSTill.make()
        var single = try BBPOSTill.make(step: 1)
        #expect(whole.run() == single.run())
        #expect(whole.events == single.events)
        #expect(whole.sent == single.sent)
    }

    /// The till chooses by the labels that the reader sends.
    @Test func theTillChoosesTheApplication() throws {
        let payer = "{\"pin\": {\"digits\": \"1234\"}}"
        var till = try BBPOSTill.make(payer: payer, card: ["\"priority\": \"01\"": "\"priority\": \"81\""])
        #expect(till.run() == .approved)
        #expect(till.events.contains(.applicationsFound))
        #expect(till.events.contains(.applicationChosen))
        #expect(till.disagreements == [])
    }

    @Test(arguments: [
        ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}", PaymentOutcome.approved, PaymentEvent.pinWrong),
        ("{\"pin\": {\"action\": \"cancel\"}}", .cancelled, .pinCancelled),
    ])
    func thePINIsEnteredAtTheReader(_ payer: String, _ outcome: PaymentOutcome, _ event: PaymentEvent) throws {
        var till = try BBPOSTill.make(payer: payer)
        #expect(till.run() == outcome)
        #expect(till.events.contains(event), "\(till.events)")
        #expect(till.disagreements == [])
    }

    /// Without a PIN the card asks for a signature, which the app takes.
    @Test func aBypassedPINNeedsASignature() throws {
        var till = try BBPOSTill.make(payer: "{\"pin\": {\"action\": \"bypass\"}}")
        #expect(till.run() == .approved)
        #expect(till.events.contains(.pinBypassed), "\(till.events)")
        #expect(till.events.contains(.secondTCWithSignature), "\(till.events)")
        #expect(till.disagreements == [])
    }

    /// The card is removed at or soon after each of its answers: no money moves, or the whole payment is done.
    @Test(arguments: ChipCardFile.allCases) func aCardThatIsRemovedLosesNoMoney(_ file: ChipCardFile) throws {
        var outcomes: [PaymentOutcome: Int] = [:]
        let pin = file == .visa ? "1234" : "4315"
        for exchange in 1...40 {
            for delay in [0, 200] {
                let removal = "{\"after_exchange\": \(exchange), \"delay\": \(delay)}"
                var till = try BBPOSTill.make(
                    file, payer: "{\"pin\": {\"digits\": \"\(pin)\"}, \"removal\": \(removal)}")
                let end = till.run()
                let outcome = try #require(end)
                outcomes[outcome, default: 0] += 1
                #expect(till.disagreements == [], "exchange \(exchange): \(outcome)")
            }
        }
        #expect(Set(outcomes.keys).isSubset(of: [.failedCardRemoved, .failedAutoReversed, .approved]), "\(outcomes)")
        #expect(outcomes[.failedCardRemoved, default: 0] > 5)
        #expect(outcomes[.failedAutoReversed, default: 0] > 0)
    }

    /// The merchant cancels after each event. After the request has left, the payment goes on.
    @Test func aPaymentThatIsCancelledIsStopped() throws {
        var outcomes: Set<PaymentOutcome> = []
        for count in 1...9 {
            var till = try BBPOSTill.make(interference: (.cancelled, after: count))
            let end = till.run()
            outcomes.insert(try #require(end))
            #expect(till.disagreements == [], "after \(count)")
        }
        #expect(outcomes == [.cancelled, .approved])
    }

    /// A card without a chip is swiped, and pays by its stripe.
    @Test func aSwipeEntersTheSameFlow() throws {
        let track = ";4761739001010010=28121010000012345678?"
        var till = try BBPOSTill.make(
            payer: "{\"presents\": [\"tap\"]}", deck: [Presentation(SimulatedCard("stripe", track2: track))])
        #expect(till.run() == .approved)
        #expect(till.events == [.start, .prepared, .cardSwiped, .hostApproved, .recordStored])
        #expect(till.disagreements == [])
        #expect(till.issuer.ledger["1"]?.capture == .online)
    }

    /// A card with a chip is not accepted by its stripe: the reader waits for a card again.
    @Test func aSwipedChipCardIsRefused() throws {
        let track = ";4761739001010010=28122010000012345678?"
        var till = try BBPOSTill.make(
            payer: "{\"presents\": [\"tap\"]}", deck: [Presentation(SimulatedCard("stripe", track2: track))])
        #expect(till.run() == .failedTimeout)
        #expect(till.events.contains(.chipCardSwiped))
        #expect(till.disagreements == [])
    }

    /// Each message of the reader is lost, repeated, damaged or late, or the link breaks in it.
    @Test(arguments: [
        ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .disconnect, .late, .duplicate, .garbage,
    ])
    func aFaultOfTheReaderLosesNoMoney(_ fault: ReaderFault) throws {
        for message in 0..<16 {
            var till = try BBPOSTill.make(faults: [PlannedFault(fault, message..<message + 1)])
            let outcome = till.run()
            #expect(till.disagreements == [], "\(fault) in message \(message): \(outcome as Any), \(till.events)")
        }
    }
}
