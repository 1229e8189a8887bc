import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole payments at a simulated PosMate, over an invented wire, with the messages and statuses of the terminal: what other
/// readers do not do. The rest is in `KernelReaderTillTests`.
@Suite struct EPOSTillTests {
    /// Without a PIN the card asks for a signature, which the merchant compares at the terminal before the card
    /// decides.
    @Test(arguments: [
        ("", PaymentOutcome.approved, [PaymentEvent.readerSignatureRequested, .readerSignatureAccepted, .secondTC]),
        (", \"signature\": \"wrong\"", .declinedSignature, [.readerSignatureRequested, .readerSignatureRejected]),
        (", \"signature\": \"refused\"", .declinedSignature, [.readerSignatureRequested, .readerSignatureRejected]),
        (", \"signature\": \"none\"", .declinedSignature, [.readerSignatureRequested, .timer]),
    ])
    func theSignatureIsComparedAtTheTerminal(
        _ signature: String, _ outcome: PaymentOutcome, _ events: [PaymentEvent]
    ) throws {
        var till = try KernelReader.posmate.bench(payer: "{\"pin\": {\"action\": \"bypass\"}\(signature)}")
        #expect(till.run() == outcome)
        #expect(till.disagreements == [])
        #expect(till.events.contains(.pinBypassed))
        for event in events { #expect(till.events.contains(event), "\(till.events)") }
        #expect(till.entry?.isReversed == (outcome != .approved))
    }
}
