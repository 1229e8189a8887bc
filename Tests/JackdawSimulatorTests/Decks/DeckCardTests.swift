import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The files of decks, as docs/virtual-card.md describes them.
@Suite struct DeckCardTests {
    private static let files: [SimulationFile: String] = [
        .card("plain"): PlainCard.text, .issuer("test"): PlainIssuer.text, .payer("plain"): "{}",
        .payer("other"): "{\"signature\": \"refused\"}", .card("broken"): "{\"note\": 1}",
        .payer("derived"): "{\"base\": \"other\", \"changes\": {\"signature\": \"wrong\"}}",
    ]

    private static func bytes(_ file: SimulationFile) -> [UInt8]? { files[file].map { Array($0.utf8) } }

    private static let ends = """
        "amount": 1000, "outcome": "declined_signature", "interface": "contact", "tvr": "8000000000",
        "reasons": ["oda.none"], "why": "a rule"
        """

    private func card(ends: String = ends, note: String = "\"a card\"") throws(SimulationFileError) -> DeckCard {
        let text = "{\"note\": \(note), \"base\": \"plain\", \"ends\": {\(ends)}}"
        return try DeckCard("card", json: Array(text.utf8), PlainCryptography(), reading: Self.bytes)
    }

    @Test func theEndIsThatOfTheFile() throws {
        let card = try card()
        #expect(card.note == "a card")
        #expect(card.ends.amount == 1000)
        #expect(card.ends.currency == hex("0978"))
        #expect(card.ends.outcome == .declinedSignature)
        #expect(card.ends.interface == .contact)
        #expect(card.ends.results == .odaNotPerformed)
        #expect(card.ends.reasons == ["oda.none"])
        #expect(card.ends.rule == "a rule")
        // The key of application 0.
        #expect(card.authorities.map(\.provider) == [hex("A000000999")])
        #expect(card.authorities.map(\.index) == [0x77])
    }

    /// The file changes the index of the authority's key, and the till has the key of the base.
    @Test func theTillTrustsTheAuthorityOfTheBase() throws {
        let text = """
            {"note": "a card", "base": "plain", "changes": {"applications[0].rsa.index": "78"}, "ends": {\(Self.ends)}}
            """
        let card = try DeckCard("card", json: Array(text.utf8), PlainCryptography(), reading: Self.bytes)
        #expect(card.authorities.map(\.index) == [0x77])
    }

    @Test(arguments: [
        ("", "signs right"), (", \"payer\": \"other\"", "refuses"), (", \"payer\": \"derived\"", "signs wrong"),
        (", \"payer\": {\"base\": \"other\", \"changes\": {\"signature\": \"wrong\"}}", "signs wrong"),
        (", \"payer\": {\"signature\": \"refused\"}", "refuses"),
    ])
    func thePayerIsNamedOrDescribed(_ payer: String, _ answer: String) throws {
        var payer = try card(ends: Self.ends + payer).payer
        let found =
            switch payer.receive(.sign, at: .zero)?.answer {
            case .refuses?: "refuses"
            case .signs(let isRight)?: isRight ? "signs right" : "signs wrong"
            default: "nothing"
            }
        #expect(found == answer)
    }

    @Test(
        arguments: [
            ("\"amount\": 1000", "\"amount\": -1", SimulationFileError.Code.value, "ends.amount"),
            ("\"amount\": 1000, ", "", .member, "ends"),
            ("\"outcome\": \"declined_signature\"", "\"outcome\": \"paid\"", .value, "ends.outcome"),
            ("\"contact\"", "\"hand\"", .value, "ends.interface"),
            ("\"8000000000\"", "\"80\"", .length, "ends.tvr"),
            ("[\"oda.none\"]", "[1]", .kind, "ends.reasons"),
            (", \"why\": \"a rule\"", "", .member, "ends"),
            ("\"why\": \"a rule\"", "\"why\": \"a rule\", \"how\": 1", .member, "ends"),
            ("\"why\": \"a rule\"", "\"why\": \"a rule\", \"payer\": \"none\"", .base, "ends.payer"),
            ("\"why\": \"a rule\"", "\"why\": \"a rule\", \"payer\": \"../other\"", .value, "ends.payer"),
            ("\"why\": \"a rule\"", "\"why\": \"a rule\", \"payer\": {\"sign\": 1}", .member, "ends.payer"),
            (
                "\"why\": \"a rule\"",
                "\"why\": \"a rule\", \"issuer\": {\"base\": \"test\", \"changes\": {\"a.b\": 1}}", .base,
                "ends.issuer.changes.a.b"
            ),
            (
                "\"why\": \"a rule\"",
                "\"why\": \"a rule\", \"issuer\": {\"base\": \"test\", \"changes\": {\"accounts[0].pin\": \"1\"}}",
                .value, "ends.issuer.accounts[0].pin"
            ),
        ] as [(String, String, SimulationFileError.Code, String)])
    func errorsNameTheirPlace(
        _ old: String, _ new: String, _ code: SimulationFileError.Code, _ place: String
    ) throws {
        let text = Self.ends.replacing("\n", with: " ")
        #expect(text.contains(old))
        let error = #expect(throws: SimulationFileError.self) { try card(ends: text.replacing(old, with: new)) }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test func aCardWithoutANoteIsRefused() {
        let error = #expect(throws: SimulationFileError.self) { try card(note: "1") }
        #expect(error?.code == .member)
    }

    @Test func aDeckNamesTheFileOfAnError() throws {
        let missing = #expect(throws: SimulationFileError.self) {
            try CardDeck(["none"], PlainCryptography(), reading: Self.bytes)
        }
        #expect(missing?.code == .base)
        #expect(missing?.place == "none")
        let broken = #expect(throws: SimulationFileError.self) {
            try CardDeck(["broken"], PlainCryptography(), reading: Self.bytes)
        }
        #expect(broken?.place == "broken: the file")
        // A card without the member `ends` is not one of a deck.
        let endless = #expect(throws: SimulationFileError.self) {
            try CardDeck(["plain"], PlainCryptography(), reading: Self.bytes)
        }
        #expect(endless?.code == .member)
    }
}
