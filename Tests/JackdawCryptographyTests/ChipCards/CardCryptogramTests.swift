import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Whole transactions of the contact kernel with the cards of `cards`. Cryptograms, the issuer's answers and the codes
/// of its commands were computed by pyemv 1.5.0 (`Benchmarks/tools/card-cryptograms`).
@Suite struct CardCryptogramTests {
    @Test(arguments: [(ChipCardFile.visa, "EB5939E76474D126"), (.mChip, "4AB9931B533D69D0")])
    func aSmallAmountIsApprovedOffline(_ file: ChipCardFile, _ cryptogram: String) throws {
        var run = ChipCardRun(file, try file.card())
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(outcome.host == nil)
        #expect(outcome.tvr == [])
        #expect(outcome.objects[0x9F26] == hex(cryptogram))
        #expect(outcome.objects[0x9F27] == [0x40])
        #expect(outcome.objects[0x9F36] == [0, 1])
        #expect(outcome.objects[0x8A] == Array("Y1".utf8))
        // Plaintext or enciphered PIN by the card, successful.
        #expect(outcome.objects[0x9F34]?[0] == (file == .visa ? 0x41 : 0x44))
        #expect(outcome.objects[0x9F34]?[2] == 0x02)
        #expect(run.authentication.map(\.method) == (file == .visa ? [.dda] : [.cda, .cda]))
        #expect(run.authentication.allSatisfy { $0.failure == nil })
    }

    @Test(arguments: [(ChipCardFile.visa, "E13A95BEE7805B81"), (.mChip, "CBF166D499C2347B")])
    func aLargeAmountIsDeclined(_ file: ChipCardFile, _ cryptogram: String) throws {
        var run = ChipCardRun(file, try file.card(), amount: 250_000)
        let outcome = try run.finish()
        #expect(outcome.disposition == .declined)
        #expect(outcome.tvr == .floorLimitExceeded)
        #expect(outcome.objects[0x9F26] == hex(cryptogram))
        #expect(outcome.objects[0x9F27] == [0x00])
    }

    @Test(arguments: [
        (ChipCardFile.visa, "A7F14960D89E01E23030", "3C95A296609B767D"),
        (.mChip, "4FCFF74A8CAEDA2C0012", "AFCA7C2B6D6E397E"),
    ])
    func theIssuerApproves(_ file: ChipCardFile, _ data: String, _ cryptogram: String) throws {
        var run = ChipCardRun(file, try file.card(), amount: 6000)
        run.host = try issuer(data)
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(outcome.host == .approved)
        #expect(outcome.tvr == [])
        #expect(outcome.objects[0x9F26] == hex(cryptogram))
        // M/Chip has the issuer's data in its second list.
        #expect(run.statuses(of: 0x82) == (file == .visa ? [0x9000] : []))
        #expect(run.statuses(of: 0xAE) == [0x9000, 0x9000])
        #expect(run.authentication.allSatisfy { $0.failure == nil })
        #expect(try counter(0x9F13, &run) == [0, 1])
        // The card was online once: the next transaction is offline again.
        run.pins = [file.pin]
        run.amount = 4000
        #expect(try run.finish().disposition == .approved)
        #expect(try counter(0x9F36, &run) == [0, 2])
        #expect(try counter(0x9F13, &run) == [0, 1])
    }

    private func counter(_ tag: JackdawEMV.Tag, _ run: inout ChipCardRun) throws -> [UInt8]? {
        try run.transmit(try CardCommand.getData(tag)).requested(tag)
    }

    @Test(arguments: [
        (ChipCardFile.visa, "D61C4E0E32E79124"), (.mChip, "1808B96463673405"),
    ])
    func theFirstCryptogramGoesToTheIssuer(_ file: ChipCardFile, _ cryptogram: String) throws {
        var run = ChipCardRun(file, try file.card(), amount: 6000)
        run.host = .unreachable
        let outcome = try run.finish()
        // The default codes find nothing, and the card approves what the terminal asks for without the issuer.
        #expect(outcome.disposition == .approved)
        #expect(outcome.objects[0x8A] == Array("Y3".utf8))
        #expect(outcome.host == .unreachable)
        let types = run.steps.compactMap { if case .firstCryptogram(let info, _) = $0 { info.type } else { nil } }
        #expect(types == [.arqc])
        #expect(try counter(0x9F13, &run) == [0, 0])
        #expect(run.requestedCryptogram == hex(cryptogram))
    }

    @Test(arguments: ChipCardFile.allCases) func aFalseIssuerIsNotBelieved(_ file: ChipCardFile) throws {
        var run = ChipCardRun(file, try file.card(), amount: 6000)
        run.host = try issuer("00112233445566773030")
        let outcome = try run.finish()
        #expect(outcome.disposition == .declined)
        #expect(outcome.isReversalRequired)
        #expect(outcome.tvr == (file == .visa ? .issuerAuthenticationFailed : []))
        #expect(run.statuses(of: 0x82) == (file == .visa ? [0x6300] : []))
        #expect(try counter(0x9F13, &run) == [0, 0])
    }

    @Test func anIssuerWithoutDataIsBelievedUnlessItMustHaveSome() throws {
        for (isRequired, disposition) in [("false", KernelOutcome.Disposition.approved), ("true", .declined)] {
            let card = try ChipCardFile.visa.card(["\"issuer_required\": false": "\"issuer_required\": \(isRequired)"])
            var run = ChipCardRun(.visa, card, amount: 6000)
            run.host = try issuer()
            #expect(try run.finish().disposition == disposition)
        }
    }

    /// Visa's CVN 18: the issuer's answer is a card status update.
    @Test(arguments: [
        ("EF92176200800000", true), ("A6AF914600000000", false), ("6691BC4100A00000", false),
        ("7ED627EA00C00000", false), ("BE500EA301900000", true), (nil, true),
    ])
    func theCardStatusUpdateIsCarriedOut(_ data: String?, isApproved: Bool) throws {
        let card = try ChipCardFile.visa.card(["\"visa-10\"": "\"visa-18\""])
        var run = ChipCardRun(.visa, card, amount: 6000)
        run.host = try issuer(data)
        let outcome = try run.finish()
        #expect(outcome.disposition == (isApproved ? .approved : .declined))
        if data == "EF92176200800000" { #expect(outcome.objects[0x9F26] == hex("8F37077004B719DA")) }
        let tries = try run.transmit(try CardCommand.getData(0x9F17)).requested(0x9F17)
        #expect(tries == [data?.hasSuffix("01900000") == true ? 1 : 3])
        let status = run.card.powerOnAndSelect(ChipCardFile.visa.name)
        let blocked: [String: UInt16] = ["00A00000": 0x6283, "00C00000": 0x6A81]
        #expect(status == blocked[String((data ?? "").suffix(8))] ?? 0x6130)
    }
}

extension VirtualCard {
    /// Resets the card and selects an application.
    /// - Returns: the status word: over T=0 6130 for the Visa-style card, over T=1 9000.
    mutating func powerOnAndSelect(_ name: [UInt8]) -> UInt16 {
        _ = powerOn()
        let octets = [0x00, 0xA4, 0x04, 0x00, UInt8(name.count)] + name + [0x00]
        return receive(octets.span).status.rawValue
    }
}
