import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Cards whose file has a base, as docs/virtual-card.md describes them.
@Suite struct DerivedFileTests {
    private func card(_ text: String, _ files: [String: String] = [:]) throws(SimulationFileError) -> VirtualCard {
        try VirtualCard(json: Array(text.utf8), PlainCryptography()) { name in
            name == "plain" ? Array(PlainCard.text.utf8) : files[name].map { Array($0.utf8) }
        }
    }

    private func pinTries(_ card: VirtualCard) -> String {
        var card = card
        _ = card.powerOn()
        _ = card.send("00A4040007A000000999010100")
        return card.send("80CA9F1704")
    }

    @Test func aFileChangesItsBase() throws {
        let card = try card("{\"base\": \"plain\", \"changes\": {\"pin.tries_left\": 1}}")
        #expect(pinTries(card) == "9F1701019000")
        #expect(try pinTries(self.card(PlainCard.text)) == "9F1701029000")
    }

    @Test func aFileOverridesItsBases() throws {
        let files = [
            "once": "{\"base\": \"plain\", \"changes\": {\"pin.tries_left\": 0, \"pin.tries\": 3}}",
            "twice": "{\"base\": \"once\", \"changes\": {\"pin.tries_left\": 2}, \"note\": \"two\"}",
        ]
        let card = try card("{\"base\": \"twice\", \"changes\": {\"atr\": \"\(PlainCard.contactT1)\"}}", files)
        #expect(card.answerToReset == hex(PlainCard.contactT1))
        #expect(pinTries(card) == "9F1701029000")
    }

    @Test func nullRemovesAMember() throws {
        let card = try card("{\"base\": \"plain\", \"changes\": {\"pin\": null}}")
        #expect(pinTries(card) == "6A88")
    }

    @Test func elementsOfArraysAreRemovedAndAdded() throws {
        var first = try card("{\"base\": \"plain\", \"changes\": {\"applications[0]\": null}}")
        _ = first.powerOn()
        #expect(first.send("00A4040007A0000009990101").hasPrefix("6A82"))
        #expect(first.send("00A4040007A0000009990102").hasPrefix("61"))
        let other = PlainCard.other.replacing("0102", with: "0103")
        var third = try card("{\"base\": \"plain\", \"changes\": {\"applications[2]\": \(other)}}")
        _ = third.powerOn()
        #expect(third.send("00A4040007A0000009990103").hasPrefix("61"))
    }

    /// Removals come last and from the last place to the first, so that places are those of the base.
    @Test func placesAreThoseOfTheBase() throws {
        let changes = "\"applications[0]\": null, \"applications[1].label\": \"SECOND\""
        var card = try card("{\"base\": \"plain\", \"changes\": {\(changes)}}")
        _ = card.powerOn()
        #expect(card.send("00A4040007A0000009990102").hasPrefix("61"))
    }

    /// Places are in the order of their numbers, not of their spelling: 9 before 10.
    @Test func placesFromTenOnAreThoseOfTheBase() throws {
        func application(_ number: Int) -> String { PlainCard.other.replacing("0102", with: "01\(number)") }
        let added = (2...12).map { "\"applications[\($0)]\": \(application($0 + 10))" }.joined(separator: ", ")
        let files = ["many": "{\"base\": \"plain\", \"changes\": {\(added)}}"]
        let removed = "\"applications[2]\": null, \"applications[9]\": null, \"applications[10]\": null"
        var card = try card("{\"base\": \"many\", \"changes\": {\(removed)}}", files)
        _ = card.powerOn()
        for number in 12...22 {
            let isRemoved = [12, 19, 20].contains(number)
            let answer = card.send("00A4040007A00000099901\(number)")
            #expect(answer.hasPrefix(isRemoved ? "6A82" : "61"), "\(number)")
        }
    }

    @Test func changesAreLimited() {
        for count in [1_000, 1_001] {
            let changes = (0..<count).map { "\"pin.member\($0)\": 1" }.joined(separator: ", ")
            let error = #expect(throws: SimulationFileError.self) {
                try card("{\"base\": \"plain\", \"changes\": {\(changes)}}")
            }
            // Up to the limit they are made, and the card does not know the members.
            #expect(error?.code == (count > 1_000 ? .value : .member))
            #expect(error?.place == (count > 1_000 ? "changes" : "pin"))
        }
    }

    @Test(
        arguments: [
            ("{\"base\": \"none\"}", SimulationFileError.Code.base, "base"),
            ("{\"base\": 1}", .kind, "base"),
            ("{\"base\": \"../plain\"}", .value, "base"),
            ("{\"base\": \"plain.json\"}", .value, "base"),
            ("{\"base\": \"\"}", .value, "base"),
            ("{\"base\": \"plain\", \"atr\": \"3B00\"}", .member, "the file"),
            ("{\"base\": \"plain\", \"changes\": []}", .kind, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"pin..tries\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[a]\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[-1]\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[0\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[00].label\": \"A\"}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[1000]\": 1}}", .value, "changes"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[3]\": {}}}", .base, "changes.applications[3]"),
            ("{\"base\": \"plain\", \"changes\": {\"applications[2]\": null}}", .base, "changes.applications[2]"),
            ("{\"base\": \"plain\", \"changes\": {\"pin.digit\": null}}", .base, "changes.pin.digit"),
            ("{\"base\": \"plain\", \"changes\": {\"pin[0]\": 1}}", .base, "changes.pin[0]"),
            ("{\"base\": \"plain\", \"changes\": {\"pan.tries\": 1}}", .base, "changes.pan.tries"),
            ("{\"base\": \"plain\", \"changes\": {\"pin.tries\": 99}}", .value, "pin.tries"),
            ("{\"base\": \"broken\"}", .json, "base"),
            ("{\"base\": \"wrong\"}", .base, "wrong.changes.pan.tries"),
            ("{\"base\": \"same\"}", .base, "same.base"),
            ("{\"base\": \"left\"}", .base, "right.base"),
            ("{\"base\": \"a\"}", .base, "d.base"),
        ] as [(String, SimulationFileError.Code, String)])
    func errorsNameTheirPlace(_ text: String, _ code: SimulationFileError.Code, _ place: String) throws {
        let files = [
            "broken": "{", "wrong": "{\"base\": \"plain\", \"changes\": {\"pan.tries\": 1}}",
            "same": "{\"base\": \"same\"}", "left": "{\"base\": \"right\"}", "right": "{\"base\": \"left\"}",
            "a": "{\"base\": \"b\"}", "b": "{\"base\": \"c\"}", "c": "{\"base\": \"d\"}", "d": "{\"base\": \"plain\"}",
        ]
        let error = #expect(throws: SimulationFileError.self) { try card(text, files) }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test func withoutFilesThereIsNoBase() {
        let error = #expect(throws: SimulationFileError.self) {
            try VirtualCard(json: Array("{\"base\": \"plain\"}".utf8), PlainCryptography())
        }
        #expect(error?.code == .base)
    }

    // MARK: cards that are tapped

    /// 6986 to the first GET PROCESSING OPTIONS of each payment (EMV Book C-3, 5.2.2.2).
    @Test func theDeviceWaitsForItsHolderBeforeEachPayment() throws {
        let tap = "{\"qualifiers\": \"0080\", \"waits_for_cardholder\": true}"
        let changes = "\"applications[1].control\": {\"9F38\": \"9F6604\"}, \"applications[1].tap\": \(tap)"
        var card = try card("{\"base\": \"plain\", \"changes\": {\(changes)}}")
        _ = card.powerOn()
        for _ in 1...2 {
            for status in ["6986", "61"] {
                #expect(card.send("00A4040007A0000009990102").hasPrefix("61"))
                #expect(card.send("80A8000006830426000000").hasPrefix(status))
            }
        }
    }

    // MARK: chips that fall silent

    @Test func aMuteChipDoesNotAnswerTheReset() throws {
        var card = try card("{\"base\": \"plain\", \"changes\": {\"mute_after\": 0}}")
        #expect(card.powerOn() == [])
        #expect(card.isMute)
        #expect(card.send("00A4040007A0000009990101") == "6F00")
    }

    @Test func aChipFallsSilentAfterItsAnswers() throws {
        var card = try card("{\"base\": \"plain\", \"changes\": {\"mute_after\": 2}}")
        for _ in 1...2 {
            #expect(card.powerOn() != [])
            #expect(card.send("00A4040007A0000009990101").hasPrefix("61"))
            #expect(!card.isMute)
            #expect(card.send("00A4040007A0000009990109") == "6A82")
            #expect(card.isMute)
            #expect(card.send("00A4040007A0000009990101") == "6F00")
        }
    }

    @Test func aBlockedCardSelectsNothing() throws {
        var card = try card("{\"base\": \"plain\", \"changes\": {\"blocked\": true}}")
        _ = card.powerOn()
        #expect(card.send("00A4040007A0000009990101") == "6A81")
    }

    @Test(
        arguments: [
            ("\"mute_after\": -1", SimulationFileError.Code.value, "mute_after"),
            ("\"stripe\": \"41\"", .length, "stripe"),
            ("\"wedge\": {\"objects\": {\"8\": \"\"}}", .value, "wedge.objects.8"),
            ("\"wedge\": {\"issuer\": {\"data\": \"00\"}}", .length, "wedge.issuer.data"),
            ("\"applications[0].tap\": {\"qualifiers\": \"0000\"}", .value, "applications[0].tap"),
            ("\"applications[1].tap\": {\"qualifiers\": \"0000\"}", .value, "applications[1].tap"),
        ] as [(String, SimulationFileError.Code, String)])
    func faultsHaveTheirRanges(_ change: String, _ code: SimulationFileError.Code, _ place: String) throws {
        let error = #expect(throws: SimulationFileError.self) {
            try card("{\"base\": \"plain\", \"changes\": {\(change)}}")
        }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }
}
