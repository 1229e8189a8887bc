import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw emv read` with the transcript of a card. The card has published test data.
@Suite struct EMVReadTests {
    /// The dialogue with a contactless Visa-style card with one application.
    /// - Parameter qualifiers: the qualifiers (9F66) that the card asks for and receives.
    /// - Returns: commands and answers in turn.
    private static func dialogue(qualifiers: String) -> [String] {
        [
            "00A404000E 315041592E5359532E4444463031 00", "6A82",
            "00A404000E 325041592E5359532E4444463031 00",
            "6F20 840E325041592E5359532E4444463031 A50E BF0C0B 6109 4F07A0000000031010 9000",
            "00A4040007 A0000000031010 00", "6F17 8407A0000000031010 A50C 500456495341 9F3803 9F6604 9000",
            "80A8000006 8304 \(qualifiers) 00", "770A 82022000 940408010100 9000",
            "00B2010C00",
            "703A 5A084012888888881881 57114012888888881881D29121010000000000 5F20105155454E54494E2F524F53414D554E44 "
                + "8C039F3704 9303C1C2C3 9000",
            "80CA9F3600", "9F36020041 9000", "80CA9F1300", "6A88", "80CA9F1700", "9F170103 9000", "80CA9F4F00", "6A88",
        ]
    }

    private static let cryptogram = ["80AE000004 00000000 00", "8012 00 0042 1122334455667788 06010A03A00000 9000"]

    /// The transcript of a dialogue, masked as that of a link to a card.
    private static func masked(_ messages: [String]) -> String {
        var mask = CardMessageMask()
        let entries = messages.enumerated().map { index, message in
            let kept = mask.mask(hex(message), isSent: index % 2 == 0)
            return TranscriptEntry(time: .zero, event: index % 2 == 0 ? .sent(kept) : .received(kept))
        }
        return Transcript(header: TranscriptHeader(link: "pcsc:0", isMasked: true), entries: entries).text
    }

    private func read(_ transcript: String, _ options: String...) async throws -> CommandRun {
        let folder = try TemporaryFolder()
        let link = "replay:" + (try folder.write(transcript.utf8, to: "card.txt"))
        defer { withExtendedLifetime(folder) {} }
        return try await onOwnThread { CommandRun(["emv", "read", "--link", link] + options) }
    }

    @Test(.timeLimit(.minutes(10))) func theApplicationsOfACardAreExplained() async throws {
        let run = try await read(Self.masked(Self.dialogue(qualifiers: "00000000")))
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(
            run.lines == [
                "SELECT 00A40400: by name, first or only occurrence",
                "    84 Dedicated File (DF) Name: 315041592E5359532E4444463031, 1PAY.SYS.DDF01",
                "  answer 6A82: file not found",
                "SELECT 00A40400: by name, first or only occurrence",
                "    84 Dedicated File (DF) Name: 325041592E5359532E4444463031, 2PAY.SYS.DDF01",
                "  answer 9000: success",
                "    6F File Control Information (FCI) Template",
                "      84 Dedicated File (DF) Name: 325041592E5359532E4444463031, 2PAY.SYS.DDF01",
                "      A5 File Control Information (FCI) Proprietary Template",
                "        BF0C File Control Information (FCI) Issuer Discretionary Data",
                "          61 Application Template",
                "            4F Application Dedicated File (ADF) Name: A0000000031010",
                "SELECT 00A40400: by name, first or only occurrence",
                "    84 Dedicated File (DF) Name: A0000000031010",
                "  answer 9000: success",
                "    6F File Control Information (FCI) Template",
                "      84 Dedicated File (DF) Name: A0000000031010",
                "      A5 File Control Information (FCI) Proprietary Template",
                "        50 Application Label: 56495341, VISA",
                "        9F38 Processing Options Data Object List (PDOL): 9F6604",
                "          9F66 Terminal Transaction Qualifiers (TTQ), 4 octets",
                "GET PROCESSING OPTIONS 80A80000",
                "    83 Command Template: 00000000",
                "      9F66 Terminal Transaction Qualifiers (TTQ): 00000000",
                "  answer 9000: success",
                "    77 Response Message Template Format 2",
                "      82 Application Interchange Profile (AIP): 2000",
                "        octet 1 bit 6: DDA supported",
                "      94 Application File Locator (AFL): 08010100",
                "        File 1, record 1",
                "READ RECORD 00B2010C: File 1, record 1",
                "  answer 9000: success",
                "    70 READ RECORD Response Message Template",
                "      5A Application Primary Account Number (PAN): hidden, 8 octets",
                "      57 Track 2 Equivalent Data: hidden, 17 octets",
                "      5F20 Cardholder Name: hidden, 16 octets",
                "      8C Card Risk Management Data Object List 1 (CDOL1): 9F3704",
                "        9F37 Unpredictable Number, 4 octets",
                "      93 Signed Static Application Data: hidden, 3 octets",
                "GET DATA 80CA9F36: 9F36 Application Transaction Counter (ATC)",
                "  answer 9000: success",
                "    9F36 Application Transaction Counter (ATC): 0041, 65",
                "GET DATA 80CA9F13: 9F13 Last Online Application Transaction Counter (ATC) Register",
                "  answer 6A88: referenced data not found",
                "GET DATA 80CA9F17: 9F17 Personal Identification Number (PIN) Try Counter",
                "  answer 9000: success",
                "    9F17 Personal Identification Number (PIN) Try Counter: 03, 3",
                "GET DATA 80CA9F4F: 9F4F Log Format",
                "  answer 6A88: referenced data not found",
            ])
    }

    @Test(.timeLimit(.minutes(10))) func eachCommandIsAnObject() async throws {
        let run = try await read(Self.masked(Self.dialogue(qualifiers: "00000000")), "--json")
        #expect(run.status == 0 && run.messages.isEmpty)
        let objects = try run.lines.map(jsonObject)
        #expect(
            objects.map { $0["command"] as? String } == [
                "SELECT", "SELECT", "SELECT", "GET PROCESSING OPTIONS", "READ RECORD", "GET DATA", "GET DATA",
                "GET DATA",
                "GET DATA",
            ])
        #expect(objects.map { $0["status"] as? String }.prefix(3) == ["6A82", "9000", "9000"])
        #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"line":null,"#) })
        let record = try #require((objects[4]["received"] as? [String: Any])?["objects"] as? [[String: Any]])
        #expect(record.map { $0["tag"] as? String } == ["70", "5A", "57", "5F20", "8C", "93"])
        #expect(record.map { $0["hidden"] as? Bool } == [false, true, true, true, false, true])
    }

    /// The reader requires an online cryptogram, without which a contactless card need not answer
    /// with one: TTQ octet 2, bit 8.
    @Test(.timeLimit(.minutes(10))) func aCryptogramIsAskedForOnDemand() async throws {
        let transcript = Self.masked(Self.dialogue(qualifiers: "36800000") + Self.cryptogram)
        let run = try await read(transcript, "--cryptogram")
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(run.lines.contains("        octet 2 bit 8: Online cryptogram required"))
        #expect(run.lines.contains("GENERATE AC 80AE0000: asks for an AAC: decline, first of the transaction"))
        #expect(run.lines.contains("      9F36 Application Transaction Counter (ATC): 0042, 66"))
        // Without the option the command sends other qualifiers, which the transcript does not have.
        #expect(try await read(transcript).status != 0)
    }

    @Test(.timeLimit(.minutes(10))) func aCardWithoutApplicationIsReported() async throws {
        let directories = [
            "00A404000E 315041592E5359532E4444463031 00", "6A82", "00A404000E 325041592E5359532E4444463031 00", "6A82",
        ]
        let schemes = [
            "03", "04", "25", "65", "0152", "0333", "0277", "42", "0359", "0121", "0384", "0524", "0658",
        ].flatMap { ["00A4040005 A0" + String(repeating: "0", count: 8 - $0.count) + $0 + "00", "6A82"] }
        let run = try await read(Self.masked(directories + schemes))
        #expect(run.status == 1 && run.messages.contains("no application"))
    }

    @Test func otherLinksAreRefused() async throws {
        for link in ["tcp:192.0.2.7:4000", "sim:miura", "replay", "wav:a.wav"] {
            #expect(CommandRun("emv", "read", "--link", link).status == 64)
        }
    }

    /// A missing file is a missing input, also if it replaces a device.
    @Test(arguments: ["replay:/nonexistent/card.txt", "record:/dev/null,replay:/nonexistent/card.txt"])
    func aMissingTranscriptIsAMissingInput(link: String) async throws {
        let run = try await onOwnThread { CommandRun("emv", "read", "--link", link) }
        #expect(run.status == 66)
        #expect(run.messages.contains("there is no /nonexistent/card.txt"))
    }
}
