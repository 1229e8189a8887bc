import JackdawEMV
import JackdawTestSupport
import Testing

/// PINs and keys in traces: never shown, whatever the caller asks for.
@Suite struct TraceSecretTests {
    private static let pin = "241234FFFFFFFFFF"
    private static let key = "0123456789ABCDEF"

    /// What is shown of a dialogue if card data is revealed.
    private static func revealed(_ text: String) throws -> String {
        var shown = ""
        dump(try explained(text, isRevealing: true), to: &shown)
        return shown
    }

    @Test func secretsAreNeverShown() throws {
        let (pin, key) = (Self.pin, Self.key)
        let text =
            TraceText.send("00200080", pin, "6983") + TraceText.send("00240000", key, "9000")
            + TraceText.send("84240002", key, "9000")
            + TraceText.send("84D80000", key, "9000") + TraceText.send("80E20000", key, "9000")
            // T=0: header and data.
            + "> 0020008008\n< 20\n> \(pin)\n< 9000\n"
            // A length that is wrong.
            + "> 0020008008\(pin)241234\n< 6700\n"
            // A list that asks for the PIN.
            + TraceText.record("8C029908") + TraceText.send("80AE8000", pin, "6985")
        let found = try explained(text, isRevealing: true)
        #expect(found.count == 9)
        var shown = ""
        dump(found, to: &shown)
        for secret in [pin, key, "241234", "1234FF"] { #expect(!shown.contains(secret)) }
        #expect(found.last?.command.data.objects.map { $0.isHidden } == [true])
    }

    /// ISO/IEC 7816-4: the class has secure messaging (04, 08, 0C), chaining (10) and logical channels (01, 40), and 80
    /// and above is proprietary. VERIFY, CHANGE REFERENCE DATA, DISABLE and ENABLE VERIFICATION REQUIREMENT, RESET
    /// RETRY COUNTER, with data objects in their odd instructions, and ENVELOPE.
    @Test(arguments: ["00", "01", "04", "08", "0C", "10", "40", "60", "80", "84", "8C", "A0"])
    func noClassShowsAPIN(_ classOctet: String) throws {
        for instruction in ["20", "21", "24", "25", "26", "28", "2C", "2D", "C2", "C3", "D8", "E2"] {
            let text = TraceText.send(classOctet + instruction + "0080", Self.pin, "9000")
            let found = try explained(text, isRevealing: true)
            #expect(found.first?.command.data.isHidden == true, "\(classOctet) \(instruction)")
            #expect(found.first?.command.name.hasPrefix("Command") == false, "\(classOctet) \(instruction)")
            #expect(try !Self.revealed(text).contains("1234FF"), "\(classOctet) \(instruction)")
        }
    }

    @Test func theCommandsOfPINsAreNamed() throws {
        let headers = ["0C200080", "00260001", "00280001", "00240080", "84240002", "002C0080", "00C20000"]
        let found = try explained(headers.map { TraceText.send($0, Self.pin, "9000") }.joined())
        #expect(
            found.map { $0.command.name } == [
                "VERIFY", "DISABLE VERIFICATION REQUIREMENT", "ENABLE VERIFICATION REQUIREMENT",
                "CHANGE REFERENCE DATA",
                "PIN CHANGE/UNBLOCK", "RESET RETRY COUNTER", "ENVELOPE",
            ])
        #expect(found[0].command.parameters.map { $0.name } == ["plaintext_pin", "secure_messaging"])
    }

    /// A template of values shows none of them if one is a PIN, and values that do not fit a
    /// list with a PIN are hidden.
    @Test func listsThatAskForAPINShowNone() throws {
        let select = TraceText.select("A0000000031010", "9F3805 9F1A02 9908")
        let found = try explained(
            select + TraceText.send("80A80000", "830A 0276 \(Self.pin)", "6985"), isRevealing: true)
        #expect(found.last?.command.data.objects.map { $0.digits } == [nil, "0276", nil])
        for (data, list) in [("830B 0276 \(Self.pin)00", select), ("8308 \(Self.pin)", select)] {
            let text = list + TraceText.send("80A80000", data, "6985")
            #expect(try !Self.revealed(text).contains("1234FF"))
        }
        for list in ["8C029908", "8C0199"] {
            let text = TraceText.record(list) + TraceText.send("80AE8000", Self.pin + "00", "6985")
            #expect(try !Self.revealed(text).contains("1234FF"))
        }
    }
}
