import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole payments at a simulated Miura reader, with commands of MPI: what other readers do not do. The rest is in
/// `KernelReaderTillTests`.
@Suite struct MiuraTillTests {
    /// The APDUs of frames.
    private static func commands(_ frames: [[UInt8]]) -> [[UInt8]] { frames.map { Array($0.dropFirst(3).dropLast()) } }

    /// CONTINUE TRANSACTION carries the issuer's cryptogram as object 91.
    @Test(arguments: ChipCardFile.allCases) func theIssuersAnswerContinuesTheTransaction(_ file: ChipCardFile) throws {
        var till = try KernelReader.miura.bench(file)
        #expect(till.run() == .approved)
        let resumed = try #require(Self.commands(till.sent).first { $0.starts(with: hex("DED20000")) })
        #expect(hexadecimal(resumed).contains("8A02303091"))
    }

    /// A bypassed PIN may end as the issuer and the card say.
    @Test func aPINIsBypassed() throws {
        var till = try KernelReader.miura.bench(payer: "{\"pin\": {\"action\": \"bypass\"}}")
        _ = till.run()
        #expect(till.events.contains(.pinBypassed), "\(till.events)")
        #expect(till.disagreements == [])
    }

    /// The merchant cancels after each event: the reader is sent ABORT, beside the one with which a payment begins.
    @Test func aPaymentThatIsCancelledIsAborted() throws {
        for count in 1...9 {
            var till = try KernelReader.miura.bench(interference: (.cancelled, after: count))
            let outcome = till.run()
            let isAborted = Self.commands(till.sent).filter { $0 == hex("D0FF0000") }.count == 2
            #expect(isAborted == (outcome == .cancelled && count > 2), "after \(count): \(till.sent.map(hexadecimal))")
        }
    }
}
