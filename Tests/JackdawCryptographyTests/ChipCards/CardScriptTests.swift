import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Commands of the issuer with secure messaging, made by pyemv 1.5.0 (`Benchmarks/tools/card-cryptograms`) for the
/// first transaction of a card.
@Suite struct CardScriptTests {
    private func run(_ file: ChipCardFile, _ commands: [String], template: String = "71") throws -> ChipCardRun {
        var run = ChipCardRun(file, try file.card(), amount: 6000)
        let objects = commands.flatMap { TagLengthValueBuilder.encode(0x86, hex($0)) }
        let script = TagLengthValueBuilder.encode(template == "71" ? 0x71 : 0x72, objects)
        run.host = try issuer(
            file == .visa ? "A7F14960D89E01E23030" : "4FCFF74A8CAEDA2C0012",
            scripts: script.map { String(Int($0) + 256, radix: 16).suffix(2) }.joined())
        return run
    }

    @Test(arguments: [
        (ChipCardFile.visa, "841E00000860D12691F150AEEA"), (.mChip, "841E000008D8E7D8DE3B690EA7"),
    ])
    func theIssuerBlocksTheApplication(_ file: ChipCardFile, _ command: String) throws {
        for (template, disposition) in [("71", KernelOutcome.Disposition.declined), ("72", .approved)] {
            var run = try run(file, [command], template: template)
            let outcome = try run.finish()
            #expect(outcome.disposition == disposition)
            #expect(run.statuses(of: 0x1E) == [0x9000])
            #expect(outcome.scriptResults.map { $0.octets } == [hex("2000000000")])
            #expect(run.card.powerOnAndSelect(file.name) == 0x6283)
        }
    }

    /// A blocked application answers only AACs, and can be unblocked after one.
    @Test func aBlockedApplicationDeclines() throws {
        let card = try ChipCardFile.visa.card(["\"counter\": 0": "\"blocked\": true, \"counter\": 0"])
        var blocked = card
        #expect(blocked.powerOnAndSelect(ChipCardFile.visa.name) == 0x6283)
        #expect(blocked.send("80A80000028300") == "6110")
        let data = "000000006000" + "000000000000" + "0528" + "0000000000" + "0978" + "260115" + "00" + "5A5A5A5A"
        #expect(blocked.send("80AE80001D" + data) == "6114")
        #expect(blocked.send("00C0000014").hasPrefix("8012000001"))
        #expect(blocked.send("84180000080011223344556677") == "6988")
        #expect(blocked.powerOnAndSelect(ChipCardFile.visa.name) == 0x6283)
    }

    @Test(arguments: [
        (ChipCardFile.visa, ["841E00000860D12691F150AEEA", "84180000086DD23C46E8B7EE41"]),
        (.mChip, ["841E000008D8E7D8DE3B690EA7", "8418000008223996F781CB2527"]),
    ])
    func theIssuerUnblocksTheApplication(_ file: ChipCardFile, _ commands: [String]) throws {
        var run = try run(file, commands)
        #expect(try run.finish().disposition == .approved)
        #expect(run.card.powerOnAndSelect(file.name) == (file == .visa ? 0x6130 : 0x9000))
        #expect(run.statuses(of: 0x18) == [0x9000])
    }

    @Test(arguments: [
        (ChipCardFile.visa, "8416000008756973C6069062DE"), (.mChip, "841600000852DED4DE5E32B066"),
    ])
    func theIssuerBlocksTheCard(_ file: ChipCardFile, _ command: String) throws {
        var run = try run(file, [command], template: "72")
        #expect(try run.finish().disposition == .approved)
        #expect(run.card.powerOnAndSelect(file.name) == 0x6A81)
        #expect(run.card.powerOnAndSelect(Array("1PAY.SYS.DDF01".utf8)) == 0x6A81)
    }

    @Test(arguments: [
        (ChipCardFile.visa, "", [9, 8, 7, 6]), (.visa, "current", [2, 4, 6, 8, 0, 2]), (.mChip, "", [9, 8, 7, 6]),
    ])
    func theIssuerChangesThePIN(_ file: ChipCardFile, _ kind: String, _ new: [UInt8]) throws {
        let command =
            switch (file, kind) {
            case (.visa, "current"): "8424000118718DDDF46E1DEF54D6796D7BEC9328683860DF4FEE0D5246"
            case (.visa, _): "842400021889A92E1BCFB24511D6796D7BEC9328683864807558C2496B"
            case (.mChip, _): "842400021013CA26A3696364A025A825683C12E11E"
            }
        var run = try run(file, [command])
        #expect(try run.finish().disposition == .approved)
        #expect(run.statuses(of: 0x24) == [0x9000])
        run.host = .unreachable
        run.amount = 1000
        run.pins = [file.pin, new]
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(run.statuses(of: 0x20).suffix(2) == [0x63C2, 0x9000])
    }

    @Test(arguments: [
        (ChipCardFile.visa, "842400000867D702DA1FD4047B"), (.mChip, "842400000841EC27021487CFAA"),
    ])
    func theIssuerUnblocksThePIN(_ file: ChipCardFile, _ command: String) throws {
        // The cryptogram of pyemv is that of a transaction with the right PIN: the tries are used up afterwards.
        var run = try run(file, [command])
        #expect(try run.finish().disposition == .approved)
        #expect(run.statuses(of: 0x24) == [0x9000])
        #expect(try run.transmit(try CardCommand.getData(0x9F17)).requested(0x9F17) == [3])
    }

    @Test func theIssuerReplacesAnObject() throws {
        var run = try run(.visa, ["84DA9F4F139F02069A035F2A029F360210A460AE348D9FB4"])
        #expect(try run.finish().disposition == .approved)
        #expect(run.statuses(of: 0xDA) == [0x9000])
        #expect(
            try run.transmit(try CardCommand.getData(0x9F4F)).requested(0x9F4F) == hex("9F02069A035F2A029F3602"))
    }

    /// A wrong code changes nothing, and the next transaction reports it.
    @Test(arguments: [
        "841E00000860D12691F150AEEB", "841E0000040D12691F", "841E00010860D12691F150AEEA",
        "8424000208D702DA1FD4047B00", "84DA9F4E0860D12691F150AEEA",
    ])
    func otherCommandsAreRefused(_ command: String) throws {
        var run = try run(.visa, [command])
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(outcome.tvr.contains(.scriptFailedBeforeFinalGAC))
        let status = try #require(run.answers.first { [0x1E, 0x24, 0xDA].contains($0.instruction) }?.status)
        #expect([0x6988, 0x6700, 0x6A86, 0x6A88].contains(status))
        #expect(run.card.powerOnAndSelect(ChipCardFile.visa.name) == 0x6130)
    }
}

extension VirtualCard {
    /// Sends a command of hexadecimal digits; returns the answer as such digits.
    mutating func send(_ command: String) -> String {
        let octets = hex(command)
        return receive(octets.span).octets.map { String(Int($0) + 256, radix: 16, uppercase: true).suffix(2) }.joined()
    }
}
