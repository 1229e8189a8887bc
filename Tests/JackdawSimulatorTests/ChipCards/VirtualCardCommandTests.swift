import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The status words of a virtual card: EMV Book 1, section 11, Book 3, section 6.5, and ISO/IEC 7816-4.
@Suite struct VirtualCardCommandTests {
    private let select = "00A4040007A0000009990101"
    private let options = "80A800000483020528"
    /// A purchase of 10.00 EUR.
    private let first =
        "80AE40001D" + "000000001000" + "000000000000" + "0528" + "0000000000" + "0978" + "26011500"
        + "5A5A5A5A"

    private func card(_ changes: (String, String)...) throws -> VirtualCard {
        var card = try PlainCard.card(changes)
        _ = card.powerOn()
        return card
    }

    /// The same purchase of 60.00 EUR, for which the card goes online.
    private var online: String { first.replacing("000000001000", with: "000000006000") }

    /// The second GENERATE AC, which asks for a TC, with a response code and issuer authentication data.
    private func second(_ code: String, _ data: String = "00000000000000000000") -> String {
        "80AE400029" + code + data + first.dropFirst(10)
    }

    /// The answer to a command over T=0, which is fetched.
    private func fetch(_ command: String, _ card: inout VirtualCard) -> String {
        card.send("00C00000" + card.send(command).suffix(2))
    }

    @Test func aCardWithoutPowerAnswersNothing() throws {
        var card = try PlainCard.card()
        #expect(card.send(select) == "6F00")
        #expect(card.powerOn() == hex(PlainCard.contactT0))
        #expect(card.send(select).hasPrefix("61"))
        card.powerOff()
        #expect(card.send(select) == "6F00")
    }

    @Test(arguments: [
        ("", "6700"), ("00", "6700"), ("00A404", "6700"), ("00A4040007A00000099901", "6700"),
        ("00A40400000007A0000009990101", "6700"), ("00A4040011" + String(repeating: "A0", count: 17), "6700"),
        ("00A4040004A0000009", "6700"), ("00A4000002" + "3F00", "6A86"), ("00A4040107A0000009990101", "6A86"),
        ("00A4040007A0000009990103", "6A82"), ("00FF0000", "6D00"), ("80FF0000", "6D00"), ("FF000000", "6E00"),
        ("80A4040007A0000009990101", "6E00"), ("00AE400000", "6E00"), ("04A40400", "6E00"), ("00B2010C00", "6985"),
        ("80CA9F3600", "6985"), ("80A800000483020528", "6985"), ("0084000008", "6985"), ("00C0000000", "6985"),
        ("00C0", "6700"), ("00C00000", "6700"), ("00C0010000", "6A86"), ("0020008008241234FFFFFFFFFF", "6985"),
        ("008800000401020304", "6985"), ("80AE400000", "6985"), ("00820000080000000000000000", "6985"),
        ("841E0000080000000000000000", "6985"),
    ])
    func aFreshCardRefuses(_ command: String, _ status: String) throws {
        for reset in [PlainCard.contactT0, PlainCard.contactT1] {
            var card = try card((PlainCard.contactT0, reset))
            // Over T=1, a command whose answer has data needs Le.
            let needsLength = reset == PlainCard.contactT1 && (status.hasPrefix("69") || status.hasPrefix("6A"))
            let answer = card.send(command)
            #expect(answer == status || needsLength && answer == "6700", "\(command)")
        }
    }

    @Test(arguments: [
        ("80A8000000", "6A80"), ("80A800000283", "6700"), ("80A80000028300", "6700"), ("80A80000058303052800", "6700"),
        ("80A800000484020528", "6A80"), ("80A801000483020528", "6A86"), ("00B2000C00", "6A86"), ("00B2010800", "6A86"),
        ("00B2010400", "6A86"), ("00B2040C00", "6A83"), ("00B2011C00", "6A82"), ("00B2010C0100", "6700"),
        ("80CA9F1000", "6A88"), ("80CA000000", "6A88"), ("80CAFFFF00", "6A88"), ("80CA9F360100", "6700"),
        ("0084000100", "6A86"), ("0084000000", "6C08"), ("00840000", "6C00"),
    ])
    func aSelectedApplicationRefuses(_ command: String, _ status: String) throws {
        var card = try card()
        #expect(card.send([select, command]) == status)
    }

    @Test(arguments: [
        ("80A800000483020528", "6985"), ("0020008107241234FFFFFFFF", "6A86"),
        ("0020008007241234FFFFFFFF", "6700"), ("0020008808241234FFFFFFFFFF", "6700"),
        ("0020008860" + String(repeating: "00", count: 96), "6985"), ("0088000003010203", "6700"),
        ("008800010401020304", "6A86"), ("80AE4000040102030400", "6700"), ("80AEC0001D", "6A86"),
        ("80AE41001D" + String(repeating: "00", count: 29), "6A86"),
        ("80AEC0001D" + String(repeating: "00", count: 29), "6A86"),
        ("80AE40011D" + String(repeating: "00", count: 29), "6A86"), ("0082000007" + "00000000000000", "6700"),
        ("00820000080000000000000000", "6985"), ("841E0000080000000000000000", "6985"),
    ])
    func anOpenTransactionRefuses(_ command: String, _ status: String) throws {
        var card = try card()
        #expect(card.send([select, options, command]) == status)
    }

    @Test func cryptogramsComeInTheirOrder() throws {
        var card = try card()
        let second = second("3030")
        #expect(card.send([select, options, second]) == "6700")
        #expect(card.send(first).hasPrefix("61"))
        // A TC is the end.
        #expect(card.send(first) == "6985")
        #expect(card.send(second) == "6985")
        #expect(card.send([select, options, online]).hasPrefix("61"))
        #expect(card.send("008200000800000000000000") == "6700")
        #expect(card.send("0082000008" + "0000000000000000") == "6300")
        #expect(card.send("0082000008" + "0000000000000000") == "6985")
        #expect(card.send("80AE800029" + second.dropFirst(10)) == "6A86")
        #expect(card.send(second).hasPrefix("61"))
        #expect(card.send(second) == "6985")
    }

    /// The terminal's code says that the issuer was not reached (Y3), or that it approved (00).
    @Test(arguments: ["5933", "3030"])
    func anIssuerThatFailedIsNotTrusted(_ code: String) throws {
        for (limit, type) in [("", "00"), (", \"issuer_may_fail\": true", "40")] {
            var card = try card(("\"online_above\": 5000", "\"online_above\": 5000" + limit))
            #expect(card.send([select, options, online]).hasPrefix("61"))
            #expect(card.send("0082000008" + "0000000000000000") == "6300")
            #expect(fetch(second(code), &card).contains("9F2701" + type))
            // The transaction does not count as one that was online.
            #expect(card.send("80CA9F1305") == "9F13020000" + "9000")
        }
        // Without an authentication that failed, Y3 lets the card approve.
        var card = try card()
        #expect(card.send([select, options, online]).hasPrefix("61"))
        #expect(fetch(second(code), &card).contains("9F270140"))
    }

    @Test(arguments: [
        ("00000000000000000000", "00", "0000"), ("AC1D020E00000001" + "3030", "40", "0001"),
        ("AC1D020E00000002" + "3030", "00", "0000"),
    ])
    func countersNeedAnIssuerThatIsRequired(_ data: String, _ type: String, _ lastOnline: String) throws {
        var card = try card(("\"online_above\": 5000", "\"online_above\": 5000, \"issuer_required\": true"))
        #expect(card.send([select, options, online]).hasPrefix("61"))
        #expect(fetch(second("3030", data), &card).contains("9F2701" + type))
        #expect(card.send("80CA9F1305") == "9F1302" + lastOnline + "9000")
    }

    /// EMV Book 3, 6.5.7 and 6.5.12; the verification results are those of M/Chip and of Visa.
    @Test func aCardWithoutAPINHasNotExceededItsTries() throws {
        let pin = "\"pin\": {\"digits\": \"1234\", \"tries\": 2},"
        for (change, tries) in [(pin, "02"), ("", "00")] {
            var card = try card((pin, change))
            #expect(card.send([select, options, "80CA9F1704"]) == (change.isEmpty ? "6A88" : "9F170102" + "9000"))
            if change.isEmpty {
                #expect(card.send("0020008008241234FFFFFFFFFF") == "6A88")
                #expect(card.send(["0084000008", "0020008860" + String(repeating: "00", count: 96)]) == "6A88")
                #expect(card.send("00200000") == "6A86")
            }
            #expect(fetch(first, &card).contains("9F1012" + "0111" + "9000" + tries + "2200" + "00"))
            #expect(card.send(["00A4040007A0000009990102", "80A80000028300"]).hasPrefix("61"))
            #expect(fetch(first, &card).contains("0601120390" + "1000"))
        }
    }

    /// A list of no octets gives a command without data: 6Cxx corrects its Le, and says that it was not carried out.
    @Test func aCommandWithoutDataIsCarriedOutOnceOverT0() throws {
        let changes = [
            ("\"9F38\": \"9F1A02\"", "\"9F38\": \"\(PlainCard.list)\""),
            ("\"8C\": \"\(PlainCard.list)\"", "\"8C\": \"9F3500\""),
        ]
        var card = try card(changes[0], changes[1])
        let options = "80A800001F" + "831D" + first.dropFirst(10)
        #expect(card.send([select, options]).hasPrefix("61"))
        for command in ["80AE5000", "80AE4000"] {
            let corrected = card.send(command + "00")
            #expect(corrected.hasPrefix("6C") && corrected.count == 4)
            #expect(card.send(command + "01") == corrected)
            if command == "80AE4000" {
                let answer = card.send(command + corrected.suffix(2))
                #expect(answer.contains("9F270140") && answer.hasSuffix("9000"))
            }
        }
        #expect(card.send("80AE400000") == "6985")
        // Over T=1, Le is the most that the terminal takes.
        var other = try self.card(changes[0], changes[1], (PlainCard.contactT0, PlainCard.contactT1))
        #expect(other.send([select + "00", options + "00", "80AE400000"]).contains("9F270140"))
        #expect(other.send("80AE400000") == "6985")
    }

    @Test func theDataOfAnAnswerAreFetchedOverT0() throws {
        var card = try card()
        let counted = card.send(select)
        let length = String(counted.suffix(2))
        #expect(card.send("00C0000000") == "6C" + length)
        #expect(card.send("00C0000004").hasSuffix("61" + hexadecimal(hex(length)[0] - 4)))
        #expect(card.send("00C00000" + hexadecimal(hex(length)[0] - 4)).hasSuffix("9000"))
        #expect(card.send("00C0000001") == "6985")
        // Another command forgets the data.
        #expect(card.send([select, "00B2010C00", "00C0000001"]) == "6985")
        let record = card.send("00B2010C00")
        #expect(record.hasPrefix("6C"))
        #expect(card.send("00B2010C" + record.suffix(2)).hasPrefix("70"))
    }

    @Test func anAnswerComesAtOnceOverT1() throws {
        var card = try card((PlainCard.contactT0, PlainCard.contactT1))
        #expect(card.send(select) == "6700")
        let whole = card.send(select + "00")
        #expect(whole.hasPrefix("6F") && whole.hasSuffix("9000"))
        let part = card.send("00B2010C05")
        #expect(part.count == 14 && part.dropLast(2).hasSuffix("61"))
        #expect(card.send("00C00000" + part.suffix(2)).hasSuffix("9000"))
    }

    @Test func applicationsAreSelectedByPartialNames() throws {
        var card = try card((PlainCard.contactT0, PlainCard.contactT1))
        #expect(card.send("00A4040005A00000099900").contains("A0000009990101"))
        #expect(card.send("00A4040205A00000099900").contains("A0000009990102"))
        #expect(card.send("00A4040205A00000099900") == "6A82")
        #expect(card.send("00A404000E315041592E5359532E444446303100").contains("88010" + "1"))
        #expect(card.send("00B2020C00").contains("A0000009990102"))
        #expect(card.send("00B2030C00") == "6A83")
        #expect(card.send("00B2011400") == "6A82")
        #expect(card.send("00A404000E325041592E5359532E444446303100").contains("BF0C"))
    }

    @Test func aPINIsBlockedAfterItsTries() throws {
        var card = try card()
        let (right, wrong) = ("0020008008241234FFFFFFFFFF", "0020008008241235FFFFFFFFFF")
        #expect(card.send([select, options, wrong]) == "63C1")
        #expect(card.send(right) == "9000")
        #expect(card.send("0020008008FFFFFFFFFFFFFFFF") == "63C1")
        #expect(card.send(wrong) == "63C0")
        #expect(card.send(right) == "6983")
        // The tries outlast a reset.
        _ = card.powerOn()
        #expect(card.send([select, "80CA9F1704"]) == "9F170100" + "9000")
        // A card without tries goes online.
        #expect(card.send([options, first]).hasPrefix("61"))
        #expect(card.send("00C0000016").contains("9F270180"))
    }

    @Test func anEncipheredPINNeedsTheChallengeJustBefore() throws {
        var card = try card()
        let challenge = String(card.send([select, options, "0084000008"]).dropLast(4))
        func block(_ challenge: String) -> String {
            let clear = hex("7F241234FFFFFFFFFF" + challenge + String(repeating: "00", count: 79))
            return "0020008860" + hexadecimal(clear[0]) + clear.dropFirst().map { hexadecimal(~$0) }.joined()
        }
        #expect(card.send(block(challenge)) == "9000")
        #expect(card.send(block(challenge)) == "6985")
        #expect(card.send(["0084000008", block(challenge)]) == "63C1")
        let next = String(card.send("0084000008").dropLast(4))
        #expect(next != challenge)
        #expect(card.send(["80CA9F3600", block(next)]) == "6985")
    }

    @Test func issuersCommandsNeedTheirCode() throws {
        var card = try card()
        #expect(card.send([select, options, first]).hasPrefix("61"))
        #expect(card.send("841E000008" + "0100000000000000") == "6988")
        #expect(card.send("841E000007" + "00000000000000") == "6700")
        #expect(card.send("841E000009" + "000000000000000000") == "6700")
        #expect(card.send("8424000008" + "0000000000000000") == "9000")
        #expect(card.send("8424000208" + "0000000000000000") == "6700")
        #expect(card.send("8424000210" + "1111111111111111" + "0808080808080808") == "9000")
        #expect(card.send("8424000310" + "1111111111111111" + "0808080808080808") == "6A86")
        #expect(card.send("04DA9F4F0B" + "9F3602" + "0303030303030303") == "9000")
        #expect(card.send("04DA9F4F0A" + "9F36" + "0202020202020202") == "6700")
        #expect(card.send("04DA9F500B" + "9F3602" + "0303030303030303") == "6A88")
        #expect(card.send("80CA9F4F06") == "9F4F039F3602" + "9000")
        #expect(card.send("8416000008" + "0000000000000000") == "9000")
        #expect(card.send(select) == "6A81")
        _ = card.powerOn()
        #expect(card.send(select) == "6A81")
        // The new PIN.
        #expect(card.send([options, "0020008008245678FFFFFFFFFF"]) == "6985")
    }

    @Test func theCounterEndsTheApplication() throws {
        var card = try card(("\"format\": 2", "\"counter\": 65534"))
        #expect(card.send([select, options]).hasPrefix("61"))
        #expect(card.send([select, options]) == "6985")
    }

    /// Commands of the card with random octets in them, and random octets.
    @Test(arguments: [PlainCard.contactT0, PlainCard.contactT1])
    func anyOctetsGetAnAnswer(_ reset: String) throws {
        var card = try card((PlainCard.contactT0, reset))
        var random = SeededRandom(seed: 14)
        let known = [
            select, options, first, "00B2010C00", "80CA9F3600", "0084000008", "0020008008241234FFFFFFFFFF",
            "008800000401020304", "00820000080000000000000000", "841E0000080000000000000000", "00C0000010",
            "04DA9F4F0B9F36020303030303030303", "8424000210" + "1111111111111111" + "0808080808080808",
        ].map { hex($0) }
        var words: Set<UInt16> = []
        var refused: [UInt16] = []
        for _ in 0..<10_000 {
            var octets = known.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) where !octets.isEmpty {
                octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                octets = (0..<Int.random(in: 0...300, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            case 1: octets.removeLast(Int.random(in: 0...octets.count, using: &random))
            case 2: _ = card.powerOn()
            case 3: octets.append(UInt8.random(in: 0...255, using: &random))
            case 4...11: octets.append(0)
            default: break
            }
            let response = card.receive(octets.span)
            words.insert(response.status.rawValue)
            let isStatus = (0x61...0x6F).contains(response.status.first) || response.status == .success
            if !isStatus || response.data.count > 256 { refused.append(response.status.rawValue) }
        }
        #expect(refused == [])
        #expect(words.count > 15)
    }

    private func hexadecimal(_ octet: UInt8) -> String {
        String(String(Int(octet) + 256, radix: 16, uppercase: true).suffix(2))
    }
}
