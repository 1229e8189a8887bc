import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The simulated issuer on the cryptograms of pyemv 1.5.0: it accepts each, and answers it as pyemv does.
@Suite struct IssuerVectorTests {
    private typealias Row = CryptogramVectorTests.Row

    @Test func rowsAgree() throws {
        try Vectors.run("cryptograms_arqc_arpc", in: .module, as: Row.self) { row in
            var issuer = try issuer(row)
            let request = IssuerRequest(reference: row.id, .authorisation(try objects(row)))
            guard case .replies(.decision(let decision), _) = issuer.receive(request, at: .zero) else {
                Issue.record("no decision, \(row.id)")
                return
            }
            #expect(decision.verdict == .approved, "\(row.id)")
            #expect(issuer.ledger[row.id]?.reason == .rule, "\(row.id)")
            #expect(
                digits(decision.response.authenticationData ?? []) == row.output.issuer_authentication_data_91,
                "\(row.id)")
        }
    }

    /// A bit of any value that the cryptogram covers makes it wrong.
    @Test func otherValuesAreDeclined() throws {
        try Vectors.run("cryptograms_arqc_arpc", in: .module, as: Row.self) { row in
            for tag in [0x9F02, 0x9F03, 0x9F1A, 0x95, 0x9A, 0x9C, 0x9F37, 0x82, 0x9F36, 0x9F26] as [JackdawEMV.Tag] {
                var issuer = try issuer(row)
                var objects = try objects(row)
                var value = try #require(objects[tag])
                value[value.count - 1] ^= 0x01
                objects[tag] = value
                let request = IssuerRequest(reference: row.id, .authorisation(objects))
                _ = issuer.receive(request, at: .zero)
                let entry = try #require(issuer.ledger[row.id])
                #expect(entry.reason == .cryptogram || entry.reason == .malformed, "\(row.id), \(tag)")
                #expect(entry.held == 0)
            }
        }
    }

    /// The issuer of a row, whose rule has the answer of the row. Interac and version 14 have no form of their own, and
    /// the data of version 22 are random in the rows.
    private func issuer(_ row: Row) throws -> SimulatedIssuer {
        let input = row.input
        let status = input.csu.map { $0 + (input.proprietary_auth_data ?? "") }
        let answer = try #require(status ?? input.arc ?? input.arpc_rc)
        let version = try #require(versions[input.scheme])
        let scheme = [.interac133, .visa14, .visa22].contains(version) ? "\"scheme\": \"\(version.rawValue)\", " : ""
        let text = """
            {
              "currency": "\(input.currency)", "unknown_accounts": "approve",
              "keys": [{
                \(scheme)"cryptogram": "\(input.issuer_mk_ac)",
                "integrity": "\(input.issuer_mk_smi ?? input.issuer_mk_ac)",
                "confidentiality": "\(input.issuer_mk_smc ?? input.issuer_mk_ac)"
              }],
              "rules": [{"decision": "approve", "answer": "\(answer)"}]
            }
            """
        return try SimulatedIssuer(json: Array(text.utf8), LibCryptoPrimitives(mode: .test), allowsOwnKeys: true)
    }

    private func objects(_ row: Row) throws -> DataObjectStore {
        let input = row.input
        var objects = DataObjectStore()
        objects[0x5A] = hex(input.pan + (input.pan.count.isMultiple(of: 2) ? "" : "F"))
        objects[0x5F34] = hex(input.psn)
        objects[0x9F02] = hex(input.amount)
        objects[0x9F03] = hex(input.otherAmount)
        objects[0x9F1A] = hex(input.country)
        objects[0x95] = hex(input.results)
        objects[0x5F2A] = hex(input.currency)
        objects[0x9A] = hex(input.date)
        objects[0x9C] = hex(input.type)
        objects[0x9F37] = hex(input.unpredictableNumber)
        objects[0x82] = hex(input.profile)
        objects[0x9F36] = hex(input.counter)
        objects[0x9F27] = [0x80]
        objects[0x9F26] = hex(row.output.ac)
        objects[0x9F10] = try issuerApplicationData(input)
        return objects
    }

    /// Issuer application data with the values that a row has; its other octets are not covered.
    private func issuerApplicationData(_ input: CryptogramVectorTests.Input) throws -> [UInt8] {
        if let data = input.issuerApplicationData { return hex(data) }
        let results = hex(try #require(input.cvr))
        let counters = input.counters.map { hex($0) } ?? [UInt8](repeating: 0, count: 8)
        return switch try #require(versions[input.scheme]) {
        case .visa10: [0x06, 0x01, 0x0A] + results
        case .visa14: [0x06, 0x01, 0x0E] + results
        case .mChip16: [0x01, 0x10] + results + [0xDA, 0xC0] + counters
        case .mChip17: [0x01, 0x11] + results + [0xDA, 0xC0] + counters
        case .mChip20: [0x01, 0x14] + results + [0xDA, 0xC0] + counters
        default: [0x01, 0x15] + results + [0xDA, 0xC0] + counters
        }
    }
}

/// Scripts and answers of the issuer for whole transactions of the cards, as pyemv 1.5.0 computes them
/// (`Benchmarks/tools/card-cryptograms`).
@Suite struct IssuerScriptTests {
    private func issuer(_ commands: String) throws -> SimulatedIssuer {
        let rule = "{\"from\": 6000, \"to\": 6000, \"scripts\": [{\"commands\": [\(commands)]}]}, "
        let text = try IssuerFile.text.replacing("\"rules\": [", with: "\"rules\": [\(rule)")
        return try SimulatedIssuer(json: Array(text.utf8), LibCryptoPrimitives(mode: .test))
    }

    @Test(
        arguments: [
            (ChipCardFile.visa, ["block_application"], ["841E00000860D12691F150AEEA"]),
            (.mChip, ["block_application"], ["841E000008D8E7D8DE3B690EA7"]),
            (
                .visa, ["block_application", "unblock_application"],
                ["841E00000860D12691F150AEEA", "84180000086DD23C46E8B7EE41"]
            ),
            (
                .mChip, ["block_application", "unblock_application"],
                ["841E000008D8E7D8DE3B690EA7", "8418000008223996F781CB2527"]
            ),
            (.visa, ["block_card"], ["8416000008756973C6069062DE"]),
            (.mChip, ["block_card"], ["841600000852DED4DE5E32B066"]),
            (.visa, ["unblock_pin"], ["842400000867D702DA1FD4047B"]),
            (.mChip, ["unblock_pin"], ["842400000841EC27021487CFAA"]),
            (
                .visa, ["change_pin\", \"pin\": \"9876"], ["842400021889A92E1BCFB24511D6796D7BEC9328683864807558C2496B"]
            ),
            (.mChip, ["change_pin\", \"pin\": \"9876"], ["842400021013CA26A3696364A025A825683C12E11E"]),
            (
                .visa, ["put_data\", \"tag\": \"9F4F\", \"value\": \"9F02069A035F2A029F3602"],
                ["84DA9F4F139F02069A035F2A029F360210A460AE348D9FB4"]
            ),
        ] as [(ChipCardFile, [String], [String])])
    func commandsAreThoseOfPyemv(_ file: ChipCardFile, _ names: [String], _ commands: [String]) throws {
        var run = ChipCardRun(file, try file.card(), amount: 6000)
        run.issuer = try issuer(names.map { "{\"command\": \"\($0)\"}" }.joined(separator: ", "))
        let outcome = try run.finish()
        let scripts = commands.flatMap { TagLengthValueBuilder.encode(0x86, hex($0)) }
        guard case .answered(let response) = run.host else {
            Issue.record("no answer")
            return
        }
        #expect(response.scripts.octets == TagLengthValueBuilder.encode(0x71, scripts))
        let data = file == .visa ? "A7F14960D89E01E23030" : "4FCFF74A8CAEDA2C0012"
        #expect(response.authenticationData == hex(data))
        #expect(outcome.scriptResults.map { $0.octets } == [hex("2000000000")])
    }
}
