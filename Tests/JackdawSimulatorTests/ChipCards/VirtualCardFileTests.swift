import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The files of virtual cards, as docs/virtual-card.md describes them.
@Suite struct VirtualCardFileTests {
    private func error(_ changes: (String, String)..., isPublished: Bool = true) -> VirtualCardError? {
        do throws(VirtualCardError) {
            switch changes.count {
            case 1: _ = try PlainCard.card(changes[0], isPublished: isPublished)
            case 2: _ = try PlainCard.card(changes[0], changes[1], isPublished: isPublished)
            default: _ = try PlainCard.card(isPublished: isPublished)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("{\n  \"note\"", "[\n  \"note\"", VirtualCardError.Code.json, "the file"),
            ("\"atr\": \"3B65", "\"atr\": \"3C65", .value, "atr"),
            ("\"atr\": \"3B65", "\"atr\": \"3B6", .kind, "atr"),
            ("\"atr\"", "\"atrs\"", .member, ""),
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
            ("\"m-chip-17\"", "\"visa-14\"", .value, "applications[0].cryptograms.scheme"),
            ("\"issuer_keys\"", "\"keys\"", .member, "applications[0].cryptograms"),
            (
                "{\n          \"cryptogram\": \"0011", "{\n          \"cryptogram\": \"11", .key,
                "applications[0].cryptograms.issuer_keys"
            ),
            ("\"online_above\": 5000", "\"online_above\": -1", .value, "applications[0].limits.online_above"),
            ("\"authority\"", "\"authorities\"", .member, "applications[0].rsa"),
            ("\"index\": \"77\"", "\"index\": \"7\"", .kind, "applications[0].rsa.index"),
        ] as [(String, String, VirtualCardError.Code, String)])
    func errorsNameTheirPlace(_ old: String, _ new: String, _ code: VirtualCardError.Code, _ place: String) throws {
        let found = try #require(error((old, new)))
        #expect(found.code == code, "\(found)")
        #expect(found.place == place, "\(found)")
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
        #expect(throws: VirtualCardError.self) { try VirtualCard(json: long, PlainCryptography()) }
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
