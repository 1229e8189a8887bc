import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Data of chip cards, explained. The card is a test card.
@Suite struct EMVTests {
    private static let dialogue = """
        # A record, a PIN try counter and a PIN.
        C: 00B2010C00
        R: 7011 5A084761739001010010 5F200454455354 9000
        C: 80CA9F1700
        R: 9F1701039000
        C: 0020008008241234FFFFFFFFFF
        R: 63C2

        """

    private func trace(_ text: String, _ options: String...) throws -> CommandRun {
        let folder = try TemporaryFolder()
        let file = try folder.write(text.utf8, to: "dialogue.txt")
        return withExtendedLifetime(folder) { CommandRun(["emv", "trace"] + options + [file]) }
    }

    @Test func objectsAreExplainedBitByBit() {
        let run = CommandRun("emv", "tlv", "9505", "80 00:04-80 00", "9F3501 22")
        #expect(run.status == 0)
        #expect(
            run.lines == [
                "95 Terminal Verification Results (TVR): 8000048000",
                "  octet 1 bit 8: Offline data authentication was not performed",
                "  octet 3 bit 3: Online CVM captured", "  octet 4 bit 8: Transaction exceeds floor limit",
                "9F35 Terminal Type: 22, attended, offline with online capability, operated by merchant",
            ])
    }

    @Test func partsOfTemplatesAreIndented() {
        let run = CommandRun("emv", "tlv", "700A5A0847617390010100 10")
        #expect(
            run.lines == [
                "70 READ RECORD Response Message Template",
                "  5A Application Primary Account Number (PAN): 476173******0010",
            ])
        #expect(
            CommandRun("emv", "tlv", "--reveal", "5A084761739001010010").lines.last?.hasSuffix(": 4761739001010010")
                == true)
    }

    @Test func eachObjectIsAnObjectOfJSON() {
        let run = CommandRun("emv", "tlv", "--json", "9F3602004199020000")
        #expect(
            run.lines == [
                #"{"tag":"9F36","name":"Application Transaction Counter (ATC)","depth":0,"offset":0,"size":2,"#
                    + #""value":"0041","text":"65","hidden":false,"parts":[]}"#,
                #"{"tag":"99","name":"Transaction Personal Identification Number (PIN) Data","depth":0,"offset":5,"#
                    + #""size":2,"value":null,"text":null,"hidden":true,"parts":[]}"#,
            ])
    }

    @Test func kernelsDecideOnMeanings() {
        #expect(CommandRun("emv", "tlv", "9F6C020001").lines.first?.contains("(CTQ)") == true)
        #expect(CommandRun("emv", "tlv", "--kernel", "2", "9F6C020001").lines.first?.contains("Mag-stripe") == true)
        #expect(CommandRun("emv", "tlv", "--kernel", "9", "9F6C020001").status == 64)
    }

    /// An argument may be card data: no error repeats it.
    @Test(arguments: [
        ("5A084761739001", 65, "offset 0"), ("4761739001010010Z", 65, ""), ("5A0", 65, ""), ("0000", 1, ""),
    ])
    func invalidObjectsAreReportedWithTheirOffset(digits: String, status: Int32, words: String) {
        let run = CommandRun("emv", "tlv", digits)
        #expect(run.status == status && run.output.isEmpty)
        #expect(run.messages.contains(words) && !run.messages.contains("4761739001"))
    }

    @Test func aDialogueIsExplained() throws {
        let run = try trace(Self.dialogue)
        #expect(run.status == 0)
        #expect(
            run.lines == [
                "line 2: READ RECORD 00B2010C: File 1, record 1", "  answer 9000: success",
                "    70 READ RECORD Response Message Template",
                "      5A Application Primary Account Number (PAN): 476173******0010",
                "      5F20 Cardholder Name: hidden, 4 octets",
                "line 4: GET DATA 80CA9F17: 9F17 Personal Identification Number (PIN) Try Counter",
                "  answer 9000: success", "    9F17 Personal Identification Number (PIN) Try Counter: 03, 3",
                "line 6: VERIFY 00200080: PIN in clear", "    data: hidden, 8 octets",
                "    not explained: PINs and keys are never shown",
                "  answer 63C2: verification failed, 2 tries left",
            ])
        let revealed = try trace(Self.dialogue, "--reveal")
        #expect(revealed.output.contains("4761739001010010") && revealed.output.contains("TEST"))
        #expect(!revealed.output.contains("241234"))
    }

    @Test func eachCommandIsAnObjectOfJSON() throws {
        let run = try trace("80CA9F1700\n9F1701039000\n", "--json")
        #expect(
            run.lines == [
                #"{"line":1,"command":"GET DATA","header":"80CA9F17","parameters":[{"name":"9F17","text":"9F17 "#
                    + #"Personal Identification Number (PIN) Try Counter","octet":null,"bit":null}],"sent":{"size":0,"#
                    + #""value":null,"hidden":false,"problem":null,"objects":[]},"status":"9000","meaning":"success","#
                    + #""received":{"size":4,"value":null,"hidden":false,"problem":null,"objects":[{"tag":"9F17","#
                    + #""name":"Personal Identification Number (PIN) Try Counter","depth":0,"offset":0,"size":1,"#
                    + #""value":"03","text":"3","hidden":false,"parts":[]}]},"recovered":[]}"#
            ])
    }

    @Test(arguments: [
        ("", 65, "line 1"), ("00B2010C00\n9000\n4761739001010010Q\n", 65, "line 3"), ("R: 9000\n", 65, "line 1"),
    ])
    func invalidTracesAreReportedWithTheLine(text: String, status: Int32, words: String) throws {
        let run = try trace(text)
        #expect(run.status == status && run.output.isEmpty)
        #expect(run.messages.contains(words) && !run.messages.contains("4761739001"))
    }

    @Test func filesThatAreMissingAreReported() throws {
        #expect(CommandRun("emv", "trace", "/nonexistent/dialogue.txt").status == 66)
        #expect(try trace(Self.dialogue, "--ca-keys", "/nonexistent/keys.json").status == 66)
        #expect(CommandRun("emv", "trace", "--ca-keys", "-", "-").status == 64)
    }

    @Test func filesOfKeysAreChecked() throws {
        let folder = try TemporaryFolder()
        let keys = try folder.write("{}".utf8, to: "keys.json")
        let run = try withExtendedLifetime(folder) { try trace(Self.dialogue, "--ca-keys", keys) }
        #expect(run.status == 65 && run.messages.contains("keys.json"))
    }

    @Test func standardInputIsRead() throws {
        let child = try ChildProcess(["emv", "tlv", "-"], input: Array("9F36 02\n0041".utf8))
        #expect(
            String(decoding: child.output, as: UTF8.self) == "9F36 Application Transaction Counter (ATC): 0041, 65\n")
        let other = try ChildProcess(["emv", "trace", "-"], input: Array("80CA9F1700\n6A88\n".utf8))
        #expect(String(decoding: other.output, as: UTF8.self).contains("answer 6A88: referenced data not found"))
    }
}
