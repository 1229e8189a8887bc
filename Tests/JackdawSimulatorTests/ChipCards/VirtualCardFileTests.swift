import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The files of virtual cards, as docs/virtual-card.md describes them.
@Suite struct VirtualCardFileTests {
    private func error(_ changes: (String, String)..., isPublished: Bool = true) -> SimulationFileError? {
        do throws(SimulationFileError) {
            _ = try PlainCard.card(changes, isPublished: isPublished)
            return nil
        } catch {
            return error
        }
    }

    private static func octets(_ count: Int) -> String { String(repeating: "41", count: count) }

    @Test(
        arguments: [
            ("{\n  \"note\"", "[\n  \"note\"", SimulationFileError.Code.json, "the file"),
            ("\"atr\": \"3B65", "\"atr\": \"3C65", .value, "atr"),
            ("\"atr\": \"3B65", "\"atr\": \"3B6", .kind, "atr"),
            ("\"atr\"", "\"atrs\"", .member, "the file"),
            ("\"note\": \"for tests\"", "\"note\": 5", .kind, "note"),
            ("\"language\": \"en\"", "\"language\": \"e1\"", .value, "language"),
            ("\"language\": \"en\"", "\"directories\": [\"PSE\", \"MF\"]", .value, "directories[1]"),
            ("\"digits\": \"1234\"", "\"digits\": \"123\"", .value, "pin.digits"),
            ("\"tries\": 2", "\"tries\": 2.5", .value, "pin.tries"),
            ("\"tries\": 2", "\"tries\": 16", .value, "pin.tries"),
            ("\"aid\": \"A0000009990101\"", "\"aid\": \"A0\"", .length, "applications[0].aid"),
            ("\"aid\": \"A0000009990102\"", "\"aid\": \"A0000009990101\"", .value, "applications[1].aid"),
            ("\"label\": \"PLAIN\"", "\"label\": \"\"", .value, "applications[0].label"),
            ("\"9F38\": \"9F1A02\"", "\"9F38\": \"9F1A\"", .value, "applications[0].records"),
            ("\"9F38\": \"9F1A02\"", "\"9F38\": \"9F1A03\"", .value, "applications[0].records"),
            ("\"9F38\"", "\"9F3\"", .value, "applications[0].control.9F3"),
            ("\"9F38\"", "\"9F\"", .value, "applications[0].control.9F"),
            ("\"profile\": \"3D00\"", "\"profile\": \"3D\"", .length, "applications[0].profile"),
            ("\"profile\": \"1000\"", "\"profile\": \"3000\"", .value, "applications[1].profile"),
            ("\"format\": 2", "\"format\": 3", .value, "applications[0].format"),
            ("\"file\": 1, \"record\": 2", "\"file\": 1, \"record\": 1", .value, "applications[0].records[1]"),
            ("\"file\": 1, \"record\": 2", "\"file\": 31, \"record\": 2", .value, "applications[0].records[1].file"),
            ("\"file\": 1, \"record\": 2", "\"record\": 2", .member, "applications[0].records[1]"),
            ("\"5F28\": \"0528\"", "\"5A\": \"0528\"", .value, "applications[0].records[2].objects.5A"),
            ("\"5F28\": \"0528\"", "\"5F28\": \"made\"", .value, "applications[0].records[2].objects.5F28"),
            ("\"5F28\": \"0528\"", "\"9F48\": \"made\"", .value, "applications[0].records[5].objects.9F48"),
            ("\"5A\": \"9999990000000014\"", "\"5A\": \"99999A\"", .value, "applications[0].records"),
            ("\"5A\": \"9999990000000014\"", "\"57\": \"99\"", .member, "applications[0].records"),
            ("\"8E\": \"00\"", "\"8E\": 0", .kind, "applications[0].records[1].objects.8E"),
            ("\"8C\": \"9F0206", "\"8C\": \"9F0205", .value, "applications[0].records"),
            ("\"8C\": \"9F0206", "\"8C\": \"9F0106", .value, "applications[0].records"),
            ("\"8D\": \"8A02", "\"8D\": \"8A01", .value, "applications[0].records"),
            ("\"9F4F\": \"9F2701\"", "\"9F36\": \"9F2701\"", .value, "applications[0].data.9F36"),
            ("\"9F4F\": \"9F2701\"", "\"9f4f\": \"9F2701\"", .value, "applications[0].data.9f4f"),
            ("\"5F28\": \"0528\"", "\"5F34\": \"0001\"", .value, "applications[0].records"),
            (
                "\"online_above\": 5000", "\"online_above\": 1000000000000", .value,
                "applications[0].limits.online_above"
            ),
            ("\"m-chip-17\"", "\"visa-14\"", .value, "applications[0].cryptograms.scheme"),
            ("\"issuer_keys\"", "\"keys\"", .member, "applications[0].cryptograms"),
            (
                "{\n          \"cryptogram\": \"0011", "{\n          \"cryptogram\": \"11", .key,
                "applications[0].cryptograms.issuer_keys"
            ),
            ("\"online_above\": 5000", "\"online_above\": -1", .value, "applications[0].limits.online_above"),
            (
                "\"online_above\": 5000", "\"issuer_required\": true, \"issuer_may_fail\": true", .value,
                "applications[0].limits.issuer_may_fail"
            ),
            ("\"5F28\": \"0528\"", "\"9F2D\": \"made\"", .value, "applications[0].records[2].objects.9F2D"),
            ("\"5F28\": \"0528\"", "\"9F2F\": \"made\"", .value, "applications[0].records[2].objects.9F2F"),
            ("\"90\": \"made\"", "\"9F20\": \"00\"", .value, "applications[0].records[3].objects.9F32"),
            ("\"9F46\": \"made\", ", "", .value, "applications[0].records[3].objects.9F47"),
            (
                "\"5F28\": \"0528\"}",
                "\"5F28\": \"0528\"}}, {\"file\": 4, \"record\": 1, \"objects\": {\"9F2E\": \"made\"}", .value,
                "applications[0].records[3].objects.9F2E"
            ),
            ("\"index\": \"77\", ", "", .member, "applications[0].records[3].objects.8F"),
            (
                "\"authority\": {\"modulus\": \"7F", "\"authority\": {\"modulus\": \"00", .key,
                "applications[0].rsa.authority.modulus"
            ),
            (
                "\"authority\": {", "\"authority\": {\"exponent\": \"0003\", ", .key,
                "applications[0].rsa.authority.exponent"
            ),
            (
                "\"9F38\": \"9F1A02\"",
                "\"5F53\": \"\(Self.octets(115))\", \"5F54\": \"\(Self.octets(115))\"", .length,
                "applications[0].control"
            ),
            ("\"authority\"", "\"authorities\"", .member, "applications[0].rsa"),
            ("\"index\": \"77\"", "\"index\": \"7\"", .kind, "applications[0].rsa.index"),
        ] as [(String, String, SimulationFileError.Code, String)])
    func errorsNameTheirPlace(_ old: String, _ new: String, _ code: SimulationFileError.Code, _ place: String) throws {
        let found = try #require(error((old, new)))
        #expect(found.code == code, "\(found)")
        #expect(found.place == place, "\(found)")
    }

    /// The longest answer has 256 octets.
    @Test func answersAreLimited() throws {
        // 6F; 84 with the name; A5 with 50, 87, 9F38, 5F53 with 100 octets, and 5F54.
        let room = 256 - 3 - 9 - (3 + 7 + 3 + 6 + 103 + 3)
        for (count, isRight) in [(room, true), (room + 1, false)] {
            let more = "\"5F53\": \"\(Self.octets(100))\", \"5F54\": \"\(Self.octets(count))\", \"9F38\": \"9F1A02\""
            #expect(error(("\"9F38\": \"9F1A02\"", more))?.code == (isRight ? nil : .length))
        }
        let others = (3...16).map { PlainCard.other.replacing("A0000009990102", with: "A00000099901\(10 + $0)") }
        let many = ([PlainCard.other] + others).joined(separator: ",")
        #expect(error((PlainCard.other, many))?.place == "directories")
        #expect(error((PlainCard.other, many), ("\"language\"", "\"directories\": [\"PSE\"], \"language\"")) == nil)
        let records = (0..<60).map { "{\"file\": 3, \"record\": \(2 * $0 + 1), \"objects\": {}}" }
        let last = "{\"file\": 11, \"record\": 1, \"objects\": {\"9F27\": \"40\"}}"
        let found = error((last, records.joined(separator: ",")))
        #expect(found?.code == .length)
        #expect(found?.place == "applications[0].records")
    }

    @Test func theDescriptionHasTheObjectsThatWereMade() throws {
        let description = "\(try PlainCard.card())"
        #expect(description.contains("A0000009990101 (made: 8F 90 92 9F32 9F46 9F47 9F48), A0000009990102"))
        #expect(!"\(try PlainCard.card(("\"9F48\": \"made\"", "\"9F20\": \"00\"")))".contains("9F48"))
    }

    /// The file has private exponents as digits, and no memory but that of the card has their octets. There are 48 of them,
    /// of eight lengths, with the same octets in the middle: if the memory of one were freed and not overwritten, other
    /// values would not take all of its places before the second look.
    @Test func keysAreNotLeftInMemory() throws {
        var random = SeededRandom(seed: 5)
        let inverted = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        let digits = inverted.map { String(Int(~$0) + 256, radix: 16).suffix(2) }.joined()
        let modulus = String(repeating: "7F", count: 208)
        let applications = (0..<12).map { number in
            let keys = ["authority", "issuer", "card", "pin"].enumerated().map { place, name in
                let start = Self.octets(32 + 16 * ((4 * number + place) % 8))
                return """
                    "\(name)": {"modulus": "\(modulus)", "private_exponent": "\(start)\(digits)\(Self.octets(16))"}
                    """
            }
            return PlainCard.other.replacing("A0000009990102", with: "A00000099901\(10 + number)")
                .replacing("\"profile\"", with: "\"rsa\": {\(keys.joined(separator: ", "))}, \"profile\"")
        }
        let changes = [
            (PlainCard.other, applications.joined(separator: ",")),
            ("\"language\"", "\"directories\": [\"PSE\"], \"language\""),
        ]
        func load() throws -> Bool {
            let card = try PlainCard.card(changes)
            return try memoryHolds(inverted: inverted) && !card.isPowered
        }
        #expect(try load())
        #expect(try !memoryHolds(inverted: inverted))
    }

    @Test func masterKeysMustBePublished() throws {
        #expect(error(isPublished: false)?.code == .notPublished)
        let card = try VirtualCard(
            json: Array(PlainCard.text.utf8), PlainCryptography(usesPublishedTestKeys: false), allowsOwnKeys: true)
        #expect(card.answerToReset == hex(PlainCard.contactT0))
    }

    @Test func errorsShowNoValue() throws {
        for (old, new) in [
            ("\"digits\": \"1234\"", "\"digits\": \"12345x\""), ("\"0011", "\"001"), ("\"5A\"", "\"59\""),
        ] {
            let found = try #require(error((old, new)))
            for secret in ["1234", "2233", "999999"] { #expect(!"\(found)".contains(secret)) }
        }
    }

    @Test func aFileThatIsTooLongIsRefused() {
        let long = [UInt8](repeating: 0x20, count: VirtualCard.maxFileSize + 1)
        #expect(throws: SimulationFileError.self) { try VirtualCard(json: long, PlainCryptography()) }
    }

    /// Records 1 to 3 of file 1, of which the first and the third are signed; record 5; file 2.
    @Test func theFileLocatorFollowsFromTheRecords() throws {
        var card = try PlainCard.card()
        _ = card.powerOn()
        let options = card.send(["00A4040007A0000009990101", "80A80000048302" + "0528", "00C0000018"])
        #expect(options == "7716" + "82023D00" + "9410" + "08010201" + "08030301" + "08050500" + "10010200" + "9000")
    }

    @Test func certificatesAreMade() throws {
        var card = try PlainCard.card()
        _ = card.powerOn()
        _ = card.send(["00A4040007A0000009990101"])
        let record = card.send(["00B2010C00", "00B2051400"])
        #expect(record == "6A83")
        let index = card.send("00B2050C0F")
        // The remainders: 104 - (112 - 36) octets of the issuer's modulus, none of the card's would be 96 - (104 - 42).
        #expect(index.hasPrefix("6C"))
        let whole = card.send("00B2050C" + index.suffix(2))
        #expect(whole.contains("8F0177") && whole.contains("9F320103") && whole.contains("9F470103"))
        #expect(whole.contains("921C" + String(repeating: "7F", count: 28)))
        let authority = card.send("00B2011400")
        #expect(authority == "6C74")
        #expect(card.send("00B2011474").hasPrefix("70729070" + "6A"))
    }
}
