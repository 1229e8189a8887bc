import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole payments at a simulated EMVSwiper, over an invented wire, with the calls and callbacks of the vendor's SDK: what
/// other readers do not do. The rest is in `KernelReaderTillTests`.
@Suite struct BBPOSTillTests {
    /// The till chooses by the labels that the reader sends.
    @Test func theTillChoosesTheApplication() throws {
        let payer = "{\"pin\": {\"digits\": \"1234\"}}"
        var till = try KernelReader.emvswiper.bench(
            payer: payer, card: ["\"priority\": \"01\"": "\"priority\": \"81\""])
        #expect(till.run() == .approved)
        #expect(till.events.contains(.applicationsFound))
        #expect(till.events.contains(.applicationChosen))
        #expect(till.disagreements == [])
    }

    /// Without a PIN the card asks for a signature, which the app takes.
    @Test func aBypassedPINNeedsASignature() throws {
        var till = try KernelReader.emvswiper.bench(payer: "{\"pin\": {\"action\": \"bypass\"}}")
        #expect(till.run() == .approved)
        #expect(till.events.contains(.pinBypassed), "\(till.events)")
        #expect(till.events.contains(.secondTCWithSignature), "\(till.events)")
        #expect(till.disagreements == [])
    }
}
