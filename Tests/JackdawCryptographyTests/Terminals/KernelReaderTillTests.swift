import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole payments at each simulated reader with a kernel: virtual card and contact kernel in the reader, the flow and the
/// issuer at the till. Each ends as with the kernel in the till itself (`SimulatedTillTests`).
@Suite struct KernelReaderTillTests {
    /// The card verifies the issuer's cryptogram (ARPC), which the reader receives as object 91.
    @Test(arguments: KernelReader.allCases, ChipCardFile.allCases)
    func theIssuerApproves(_ reader: KernelReader, _ file: ChipCardFile) throws {
        var till = try reader.bench(file)
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

    @Test(arguments: KernelReader.allCases, ChipCardFile.allCases)
    func aWrongCryptogramOfTheIssuerIsReversed(_ reader: KernelReader, _ file: ChipCardFile) throws {
        var till = try reader.bench(file, amount: 5141)
        #expect(till.run() == .declinedByCard)
        #expect(till.disagreements == [])
        #expect(till.entry?.isReversed == true)
    }

    /// The rules of `issuers/test.json`, as in `SimulatedTillTests`.
    @Test(
        arguments: KernelReader.allCases,
        [
            (UInt64(5105), PaymentOutcome.declinedOnline, PaymentEvent.hostDeclined),
            (5101, .declinedOnline, .hostReferred), (5142, .approved, .hostApproved),
            (5198, .approvedOffline, .hostUnreachable), (1000, .approvedOffline, .firstTC),
            (250_000, .declinedOffline, .firstAAC), (5196, .failedHostTimeout, .timer),
            (5199, .failedHostTimeout, .hostAnswerUnreadable),
        ])
    func paymentsEndAsTheIssuerSays(
        _ reader: KernelReader, _ payment: (amount: UInt64, outcome: PaymentOutcome, event: PaymentEvent)
    ) throws {
        for file in ChipCardFile.allCases {
            var till = try reader.bench(file, amount: payment.amount)
            #expect(till.run() == payment.outcome)
            #expect(till.events.contains(payment.event))
            #expect(till.disagreements == [], "\(file)")
        }
    }

    @Test(arguments: KernelReader.allCases) func bytesThatComeOneByOneChangeNothing(_ reader: KernelReader) throws {
        var whole = try reader.bench()
        var single = try reader.bench(step: 1)
        #expect(whole.run() == single.run())
        #expect(whole.events == single.events)
        #expect(whole.sent == single.sent)
    }

    @Test(
        arguments: KernelReader.allCases,
        [
            ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 1}}", PaymentOutcome.approved, PaymentEvent.pinWrong),
            ("{\"pin\": {\"action\": \"cancel\"}}", .cancelled, .pinCancelled),
        ])
    func thePINIsEnteredAtTheReader(
        _ reader: KernelReader, _ entry: (payer: String, outcome: PaymentOutcome, event: PaymentEvent)
    ) throws {
        var till = try reader.bench(payer: entry.payer)
        #expect(till.run() == entry.outcome)
        #expect(till.events.contains(entry.event), "\(till.events)")
        #expect(till.disagreements == [])
    }

    /// The card is removed at or soon after each of its answers: no money moves, or the whole payment is done.
    @Test(arguments: KernelReader.allCases, ChipCardFile.allCases)
    func aCardThatIsRemovedLosesNoMoney(_ reader: KernelReader, _ file: ChipCardFile) throws {
        var outcomes: [PaymentOutcome: Int] = [:]
        let pin = file == .visa ? "1234" : "4315"
        for exchange in 1...40 {
            // An EMVSwiper reports the removal late.
            for delay in reader == .emvswiper ? [0, 200] : [0] {
                let removal = "{\"after_exchange\": \(exchange), \"delay\": \(delay)}"
                var till = try reader.bench(
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
    @Test(arguments: KernelReader.allCases) func aPaymentThatIsCancelledIsStopped(_ reader: KernelReader) throws {
        var outcomes: Set<PaymentOutcome> = []
        for count in 1...9 {
            var till = try reader.bench(interference: (.cancelled, after: count))
            let end = till.run()
            outcomes.insert(try #require(end))
            #expect(till.disagreements == [], "after \(count)")
        }
        #expect(outcomes == [.cancelled, .approved])
    }

    /// A card without a chip is swiped, and pays by its stripe.
    @Test(arguments: [KernelReader.posmate, .emvswiper]) func aSwipeEntersTheSameFlow(_ reader: KernelReader) throws {
        let track = ";4761739001010010=28121010000012345678?"
        var till = try reader.bench(
            payer: "{\"presents\": [\"tap\"]}", deck: [Presentation(SimulatedCard("stripe", track2: track))])
        #expect(till.run() == .approved)
        #expect(till.events == Self.swiped)
        #expect(till.disagreements == [])
        #expect(till.entry?.capture == .online)
    }

    /// The cardholder of the till signs, as there is no PIN.
    private static let swiped: [PaymentEvent] = [
        .start, .prepared, .cardSwiped, .hostApprovedWithSignature, .signatureCaptured, .signatureAccepted,
        .recordStored,
    ]

    /// A card with a chip is not accepted by its stripe: the reader waits for a card again.
    @Test(arguments: [KernelReader.posmate, .emvswiper]) func aSwipedChipCardIsRefused(_ reader: KernelReader) throws {
        let track = ";4761739001010010=28122010000012345678?"
        var till = try reader.bench(
            payer: "{\"presents\": [\"tap\"]}", deck: [Presentation(SimulatedCard("stripe", track2: track))])
        #expect(till.run() == .failedTimeout)
        #expect(till.events.contains(.chipCardSwiped))
        #expect(till.disagreements == [])
    }

    /// Each message of the reader is lost, repeated, damaged or late, or the link breaks in it.
    @Test(
        arguments: KernelReader.allCases,
        [
            ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .disconnect, .late, .duplicate,
            .garbage,
        ])
    func aFaultOfTheReaderLosesNoMoney(_ reader: KernelReader, _ fault: ReaderFault) throws {
        for message in 0..<16 {
            var till = try reader.bench(faults: [PlannedFault(fault, message..<message + 1)])
            let outcome = till.run()
            #expect(till.disagreements == [], "\(fault) in message \(message): \(outcome as Any), \(till.events)")
        }
    }
}
