import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The files of issuers, as docs/simulated-issuer.md describes them.
@Suite struct IssuerFileTests {
    private func error(_ changes: [(String, String)], isPublished: Bool = true) -> SimulationFileError? {
        do throws(SimulationFileError) {
            _ = try PlainIssuer.issuer(changes, isPublished: isPublished)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("{\n  \"note\"", "[\n  \"note\"", SimulationFileError.Code.json, "the file"),
            ("\"note\": \"for tests\"", "\"note\": 5", .kind, "note"),
            ("\"name\"", "\"names\"", .member, "the file"),
            ("\"currency\": \"0978\"", "\"currency\": \"97\"", .length, "currency"),
            ("\"currency\": \"0978\", ", "", .member, "the file"),
            ("\"delay\": 500", "\"delay\": -1", .value, "delay"),
            ("\"delay\": 500", "\"delay\": 3600001", .value, "delay"),
            ("\"pin_key\": \"0011", "\"pin_key\": \"00", .length, "pin_key"),
            ("\"delay\": 500", "\"unknown_accounts\": \"ask\"", .value, "unknown_accounts"),
            ("\"delay\": 500", "\"checks_counters\": 1", .kind, "checks_counters"),
            ("\"amount\": 90000", "\"amount\": 0.5", .value, "limits.amount"),
            ("\"amount\": 90000", "\"amount\": 1000000000000", .value, "limits.amount"),
            ("\"refer_above\": 40000", "\"refer_above\": -1", .value, "limits.refer_above"),
            ("\"aid\": \"A000000999\"", "\"aid\": \"A0000009990\"", .kind, "keys[0].aid"),
            ("\"prefix\": \"9999990000\"", "\"prefix\": \"99999A\"", .value, "keys[0].prefix"),
            ("\"prefix\"", "\"scheme\": \"visa\", \"prefix\"", .value, "keys[0].scheme"),
            ("\"prefix\"", "\"mac_length\": 3, \"prefix\"", .value, "keys[0].mac_length"),
            ("\"integrity\": \"00", "\"integrity\": \"", .length, "keys[0].integrity"),
            ("\"number\": \"9999990000000014\"", "\"number\": \"9999990\"", .value, "accounts[0].number"),
            ("\"number\": \"9999990000000014\"", "\"number\": \"9999990000000015\"", .value, "accounts[0].number"),
            ("\"number\": \"9999990000000014\", ", "", .member, "accounts[0]"),
            ("\"status\": \"stolen\"", "\"state\": \"stolen\"", .member, "accounts[1]"),
            ("\"available\": 50000", "\"available\": -1", .value, "accounts[0].available"),
            ("\"available\": 50000", "\"available\": 1000000000000", .value, "accounts[0].available"),
            ("\"9999990000000022\"", "\"9999990000000014\"", .value, "accounts[1].number"),
            ("\"status\": \"stolen\"", "\"status\": \"bad\"", .value, "accounts[1].status"),
            ("\"pin\": \"1234\"", "\"pin\": \"123\"", .value, "accounts[0].pin"),
            ("\"tries\": 2", "\"tries\": 0", .value, "accounts[0].tries"),
            ("\"rules\": []", "\"rules\": {}", .kind, "rules"),
            ("\"rules\": []", "\"rules\": [{\"message\": \"echo\"}]", .value, "rules[0].message"),
            ("\"rules\": []", "\"rules\": [{\"from\": 5, \"to\": 4}]", .value, "rules[0].to"),
            (
                "\"rules\": []", "\"rules\": [{\"decision\": \"decline\", \"code\": \"0\"}]", .value,
                "rules[0].code"
            ),
            ("\"rules\": []", "\"rules\": [{\"code\": \"54\"}]", .member, "rules[0]"),
            (
                "\"rules\": []", "\"rules\": [{\"message\": \"reversal\", \"decision\": \"decline\"}]", .member,
                "rules[0]"
            ),
            ("\"rules\": []", "\"rules\": [{\"from\": 1000000000000}]", .value, "rules[0].from"),
            ("\"rules\": []", "\"rules\": [{\"to\": -1}]", .value, "rules[0].to"),
            ("\"rules\": []", "\"rules\": [{\"times\": 0}]", .value, "rules[0].times"),
            ("\"rules\": []", "\"rules\": [{\"delivery\": \"late\"}]", .value, "rules[0].delivery"),
            ("\"rules\": []", "\"rules\": [{\"answer\": \"00\"}]", .length, "rules[0].answer"),
            (
                "\"rules\": []", "\"rules\": [{\"scripts\": [{\"commands\": [{\"command\": \"erase\"}]}]}]", .value,
                "rules[0].scripts[0].commands[0].command"
            ),
            (
                "\"rules\": []", "\"rules\": [{\"scripts\": [{\"commands\": [{\"pin\": \"1234\"}]}]}]", .member,
                "rules[0].scripts[0].commands[0]"
            ),
            (
                "\"rules\": []",
                "\"rules\": [{\"scripts\": [{\"commands\": [{\"command\": \"put_data\", \"tag\": \"5A\"}]}]}]", .value,
                "rules[0].scripts[0].commands[0].tag"
            ),
            (
                "\"rules\": []",
                "\"rules\": [{\"scripts\": [{\"commands\": [{\"command\": \"put_data\", \"tag\": \"9f4f\"}]}]}]",
                .value,
                "rules[0].scripts[0].commands[0].tag"
            ),
            (
                "\"rules\": []",
                "\"rules\": [{\"scripts\": [{\"commands\": [{\"command\": \"block_card\", \"pin\": \"1234\"}]}]}]",
                .member, "rules[0].scripts[0].commands[0]"
            ),
            (
                "\"rules\": []",
                "\"rules\": [{\"scripts\": [{\"commands\": [{\"command\": \"send\", \"value\": \"00A4\"}]}]}]",
                .length, "rules[0].scripts[0].commands[0].value"
            ),
        ] as [(String, String, SimulationFileError.Code, String)])
    func errorsNameTheirPlace(_ old: String, _ new: String, _ code: SimulationFileError.Code, _ place: String) throws {
        let found = try #require(error([(old, new)]))
        #expect(found.code == code, "\(found)")
        #expect(found.place == place, "\(found)")
    }

    @Test func amountsMayHaveTwelveDigits() {
        #expect(error([("\"amount\": 90000", "\"amount\": 999999999999")]) == nil)
        #expect(error([("\"available\": 50000", "\"available\": 999999999999")]) == nil)
        #expect(error([("\"rules\": []", "\"rules\": [{\"from\": 999999999999}]")]) == nil)
    }

    @Test func keysMustBePublished() throws {
        #expect(error([], isPublished: false)?.code == .notPublished)
        let withoutPIN = ("\"pin_key\": \"00112233445566778899AABBCCDDEEFF\",", "")
        #expect(error([withoutPIN], isPublished: false)?.place == "keys[0]")
        let issuer = try SimulatedIssuer(
            json: Array(PlainIssuer.text.utf8), PlainCryptography(usesPublishedTestKeys: false), allowsOwnKeys: true)
        #expect(issuer.ledger.entries.isEmpty)
    }

    @Test func errorsAndDescriptionsShowNoValue() throws {
        for (old, new) in [
            ("\"pin\": \"1234\"", "\"pin\": \"1234x\""), ("\"cryptogram\": \"00", "\"cryptogram\": \"0"),
        ] {
            let found = try #require(error([(old, new)]))
            for secret in ["1234", "2233", "99999900"] { #expect(!"\(found)".contains(secret)) }
        }
        var issuer = try PlainIssuer.issuer()
        _ = issuer.authorise("1", PlainIssuer.objects())
        #expect("\(issuer)" == "simulated issuer with 2 accounts and 1 payments")
        var dump = ""
        Swift.dump(issuer.ledger, to: &dump)
        #expect(!dump.contains("9999990000000014"))
        #expect(dump.contains("999999******0014"))
    }
}
