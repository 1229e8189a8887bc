import Foundation
import JackdawBytes
import JackdawTestSupport
import Testing

@testable import JackdawEMV

/// The processing restrictions of EMV Book 3, 10.4, against vectors of emv-utils.
@Suite struct ProcessingRestrictionsVectorTests {
    struct Input: Decodable, Sendable {
        let terminal: [String: String]
        let transaction: [String: String]
        let icc: [String: String]
    }
    struct Output: Decodable, Sendable { let tvr: String }

    @Test func rowsSetTheirBits() throws {
        try Vectors.run("processing_restrictions", in: .module, as: VectorRow<Input, Output>.self) { row in
            let report = try check(row.input)
            #expect(report.tvr.octets == hex(row.output.tvr), "\(row.id)")
            #expect(report.findings.isEmpty == report.tvr.isEmpty, "\(row.id)")
        }
    }

    private func check(_ input: Input) throws -> ProcessingRestrictionsReport {
        let terminal = input.terminal.mapValues { hex($0) }
        let transaction = input.transaction.mapValues { hex($0) }
        let card = input.icc.mapValues { hex($0) }
        let type = try TerminalType(rawValue: #require(terminal["9F35"]?.first))
        let capabilities = try #require(AdditionalTerminalCapabilities(terminal["9F40"] ?? []))
        let situation = try RestrictionSituation(
            applicationVersion: #require(terminal["9F09"]), isATM: type.isATM(capabilities),
            country: #require(terminal["9F1A"]), type: TransactionType(rawValue: #require(transaction["9C"]?.first)),
            otherAmount: 0, date: #require(date(transaction["9A"])))
        return ProcessingRestrictions.check(
            situation, version: card["9F08"], usage: card["9F07"].flatMap { ApplicationUsageControl($0) },
            issuerCountry: card["5F28"], effective: date(card["5F25"]), expiration: date(card["5F24"]))
    }

    private func date(_ octets: [UInt8]?) -> CardDate? {
        guard let octets else { return nil }
        return CardDate(octets.span)
    }

    /// Type 17 is cash, as type 01 is: the usage control needs cash, and not goods or services.
    @Test(arguments: [0x01, 0x17] as [UInt8]) func bothKindsOfCashNeedTheirBit(type: UInt8) throws {
        let day = try #require(CardDate(year: 2026, month: 1, day: 15))
        let situation = RestrictionSituation(
            applicationVersion: hex("0096"), isATM: false, country: hex("0528"), type: TransactionType(rawValue: type),
            otherAmount: 0, date: day)
        // Octet 1: domestic and international cash are bits 8 and 7, and bit 1 is for terminals other than ATMs.
        for (usage, country, isAllowed) in [
            ("8100", "0528", true), ("7F00", "0528", false), ("4100", "0840", true), ("BF00", "0840", false),
        ] {
            let report = ProcessingRestrictions.check(
                situation, version: nil, usage: ApplicationUsageControl(hex(usage)), issuerCountry: hex(country),
                effective: nil, expiration: nil)
            #expect(report.tvr.contains(.serviceNotAllowed) == !isAllowed, "\(usage)")
        }
    }

    /// The expiry date is card data.
    @Test func noPrintedFormHasADateOfTheCard() throws {
        let day = try #require(CardDate(year: 2026, month: 1, day: 15))
        let situation = RestrictionSituation(
            applicationVersion: hex("0096"), isATM: false, country: hex("0528"), type: .purchase, otherAmount: 0,
            date: day)
        let report = ProcessingRestrictions.check(
            situation, version: nil, usage: nil, issuerCountry: nil, effective: CardDate(year: 2031, month: 11, day: 1),
            expiration: CardDate(year: 2024, month: 12, day: 31))
        #expect(report.tvr == [.applicationNotYetEffective, .expiredApplication])
        var text = "\(report) \(KernelStep.restrictions(report)) \(KernelStep.restrictions(report).text)"
        dump(report, to: &text)
        for part in ["2024", "12-31", "31", "2031", "11"] { #expect(!text.contains(part)) }
    }
}

/// Terminal risk management of EMV Book 3, 10.6, against vectors of emv-utils.
@Suite struct TerminalRiskManagementVectorTests {
    struct Input: Decodable, Sendable {
        struct Entry: Decodable, Sendable {
            let pan: String
            let amount: UInt64
        }
        let floor_limit: UInt64
        let amount: UInt64
        let lower_consecutive: String?
        let upper_consecutive: String?
        let approved_log: [Entry]
        let pan: String
    }
    struct Output: Decodable, Sendable {
        let tvr: String
        let tsi: String
    }

    @Test func rowsSetTheirBits() throws {
        try Vectors.run("terminal_risk_management", in: .module, as: VectorRow<Input, Output>.self) { row in
            var report = TerminalRiskReport()
            let log = row.input.approved_log.map {
                ApprovedTransaction(account: SecretOctets(hex($0.pan)), amount: $0.amount)
            }
            let finding = TerminalRiskManagement.floorLimit(
                amount: row.input.amount, account: SecretOctets(hex(row.input.pan)), log: log,
                limit: row.input.floor_limit)
            if let finding { report.findings.append(finding) }
            let lower = row.input.lower_consecutive.map { hex($0)[0] }
            let upper = row.input.upper_consecutive.map { hex($0)[0] }
            var exchanges = (row.exchanges ?? [])[...]
            if let lower, let upper, TerminalRiskManagement.asksForVelocityChecking(lower: lower, upper: upper) {
                let counter = try self.counter(0x9F36, exchanges.popFirst())
                let lastOnline = try self.counter(0x9F13, exchanges.popFirst())
                report.findings += TerminalRiskManagement.velocity(
                    counter: counter, lastOnline: lastOnline, lower: lower, upper: upper)
            }
            #expect(exchanges.isEmpty, "\(row.id)")
            #expect(report.tvr.octets == hex(row.output.tvr), "\(row.id)")
            #expect(
                TransactionStatusInformation.terminalRiskManagementPerformed.octets == hex(row.output.tsi), "\(row.id)")
        }
    }

    /// Checks that the command reads a counter, and takes it from the response.
    private func counter(_ tag: JackdawEMV.Tag, _ exchange: VectorRow<Input, Output>.Exchange?) throws -> UInt16? {
        let exchange = try #require(exchange)
        #expect(try CardCommand.getData(tag).octets == hex(exchange.c))
        let response = hex(exchange.r ?? "")
        return try CardResponse(response.span).counter(tag)
    }

    /// The padding of an account number does not count.
    @Test func paddedNumbersAreTheSameAccount() {
        let log = [ApprovedTransaction(account: SecretOctets(hex("9999990000000014FFFF")), amount: 600)]
        func finding(_ account: String) -> TerminalRiskReport.Finding? {
            TerminalRiskManagement.floorLimit(
                amount: 500, account: SecretOctets(hex(account)), log: log, limit: 1000)
        }
        for account in ["9999990000000014", "9999990000000014FF", "9999990000000014FFFF"] {
            #expect(finding(account) == .floorLimitExceeded(amount: 500, logged: 600, limit: 1000))
        }
        for account in ["999999000000001F", "99999900000000140F", "9999990000000014F0", ""] {
            #expect(finding(account) == nil)
        }
    }
}

/// Terminal action analysis of EMV Book 3, 10.7, against vectors of a rule model.
@Suite struct TerminalActionAnalysisVectorTests {
    struct Input: Decodable, Sendable {
        let tvr: String
        let terminal: String
        let iac_denial: String?
        let iac_online: String?
        let iac_default: String?
        let tac_denial: String
        let tac_online: String
        let tac_default: String
        let skip_default: Bool
    }
    struct Output: Decodable, Sendable {
        struct Action: Decodable, Sendable {
            let request: String
            let arc: String?
        }
        let first: Action
        let if_unable_to_go_online: Action
    }

    @Test(arguments: [VectorFile.copied("terminal_action_analysis"), .handWorked("terminal_action_analysis")])
    func rowsRequestTheirCryptogram(_ file: VectorFile) throws {
        try file.run(as: VectorRow<Input, Output>.self) { row in
            let tvr = try results(row.input.tvr)
            let issuer = try ActionCodes(
                issuerDenial: row.input.iac_denial.map(results), issuerOnline: row.input.iac_online.map(results),
                issuerDefault: row.input.iac_default.map(results))
            let terminal = try ActionCodes(
                denial: results(row.input.tac_denial), online: results(row.input.tac_online),
                default: results(row.input.tac_default))
            let connection = try #require(TerminalType.Connection(rawValue: row.input.terminal))
            let first = TerminalActionAnalysis.first(
                tvr: tvr, issuer: issuer, terminal: terminal, connection: connection)
            #expect(first.request.name == row.output.first.request, "\(row.id)")
            #expect(first.responseCode?.description == row.output.first.arc, "\(row.id)")
            let second = TerminalActionAnalysis.unableToGoOnline(
                tvr: tvr, issuer: issuer, terminal: terminal, connection: connection,
                skipsDefault: row.input.skip_default)
            #expect(second.request.name == row.output.if_unable_to_go_online.request, "\(row.id)")
            #expect(second.responseCode?.description == row.output.if_unable_to_go_online.arc, "\(row.id)")
        }
    }

    private func results(_ text: String) throws -> TerminalVerificationResults {
        try #require(TerminalVerificationResults(hex(text)))
    }
}

/// The decisions on cryptograms of EMV Book 3, 9.3 and 10.8 to 10.11, against vectors of a rule model.
@Suite struct CryptogramDecisionVectorTests {
    struct Input: Decodable, Sendable {
        let generate_ac: Int
        let requested: String
        let cid: String
        let host: String?
    }
    struct Output: Decodable, Sendable {
        let action: String
        let reason: String?
        let not_accepted: Bool?
        let treated_as: String?
        let advice_requested: Bool?
        let reversal_required: Bool?
        let reversal_policy_unknown_host_state: Bool?
    }

    @Test(arguments: [VectorFile.copied("cryptogram_decision"), .handWorked("cryptogram_decision")])
    func rowsHaveTheirDecision(_ file: VectorFile) throws {
        try file.run(as: VectorRow<Input, Output>.self) { row in
            let requested = try #require([CryptogramType.aac, .tc, .arqc].first { $0.name == row.input.requested })
            let information = CryptogramInformation(rawValue: hex(row.input.cid)[0])
            if row.input.generate_ac == 1 {
                let decision = CryptogramDecision.first(requested: requested, information: information)
                switch decision.action {
                case .approveOffline: #expect(row.output.action == "approve_offline", "\(row.id)")
                case .declineOffline(let isServiceNotAllowed):
                    #expect(row.output.action == "decline_offline", "\(row.id)")
                    #expect(row.output.not_accepted == isServiceNotAllowed, "\(row.id)")
                case .goOnline: #expect(row.output.action == "go_online", "\(row.id)")
                case .terminate:
                    #expect(row.output.action == "terminate", "\(row.id)")
                    #expect(row.output.reason == "card_logic_error", "\(row.id)")
                }
                if let advice = row.output.advice_requested {
                    #expect(decision.isAdviceRequested == advice, "\(row.id)")
                }
            } else {
                // The rows have one name for a host that was not asked and one whose decision is not known.
                let isUnable = row.input.host == "unable_to_go_online"
                let host = isUnable ? HostDecision.unknown : try #require(HostDecision(rawValue: row.input.host ?? ""))
                if isUnable {
                    let unreachable = CryptogramDecision.second(
                        requested: requested, information: information, host: .unreachable)
                    #expect((unreachable.isApproved ? "approve" : "decline") == row.output.action, "\(row.id)")
                    #expect(!unreachable.isReversalRequired && !unreachable.isHostDecisionUnknown, "\(row.id)")
                }
                let decision = CryptogramDecision.second(requested: requested, information: information, host: host)
                #expect((decision.isApproved ? "approve" : "decline") == row.output.action, "\(row.id)")
                #expect(decision.treatedAs.name == row.output.treated_as, "\(row.id)")
                #expect(decision.isAdviceRequested == row.output.advice_requested, "\(row.id)")
                #expect(decision.isReversalRequired == row.output.reversal_required, "\(row.id)")
                if let unknown = row.output.reversal_policy_unknown_host_state {
                    #expect(decision.isHostDecisionUnknown == unknown, "\(row.id)")
                }
            }
        }
    }
}

/// Issuer scripts of EMV Book 3, 10.10, against vectors of a rule model.
@Suite struct IssuerScriptsVectorTests {
    struct Input: Decodable, Sendable {
        let issuer_response: String
        let card_status_words: [String]
    }
    struct Output: Decodable, Sendable {
        struct Exchange: Decodable, Sendable, Equatable {
            let apdu: String
            let sw: String
        }
        let before_final_gac: [Exchange]
        let after_final_gac: [Exchange]
        let script_results: String
        let tvr_byte5: String
        let tsi_script: Bool
        let total_script_octets: Int
        let over_128_octets: Bool
    }

    @Test(arguments: [VectorFile.copied("issuer_scripts"), .handWorked("issuer_scripts")])
    func rowsHaveTheirResults(_ file: VectorFile) throws {
        try file.run(as: VectorRow<Input, Output>.self) { row in
            let response = hex(row.input.issuer_response)
            let scripts = IssuerScript.scripts(in: response.span)
            let total = scripts.reduce(0) { $0 + $1.octetCount }
            #expect(total == row.output.total_script_octets, "\(row.id)")
            #expect((total > IssuerScript.guaranteedOctets) == row.output.over_128_octets, "\(row.id)")
            var words = row.input.card_status_words[...]
            var before = IssuerScriptRun(scripts, .beforeFinalCryptogram)
            #expect(send(&before, &words) == row.output.before_final_gac, "\(row.id)")
            var after = IssuerScriptRun(scripts, .afterFinalCryptogram)
            #expect(send(&after, &words) == row.output.after_final_gac, "\(row.id)")
            #expect(words.isEmpty, "\(row.id)")
            let results = (before.results + after.results).flatMap { $0.octets }
            #expect(results == hex(row.output.script_results), "\(row.id)")
            #expect(before.tvr.union(after.tvr).octets[4] == hex(row.output.tvr_byte5)[0], "\(row.id)")
            #expect((before.hasScripts || after.hasScripts) == row.output.tsi_script, "\(row.id)")
        }
    }

    /// Each template that begins has a result, also if its length is missing or invalid.
    @Test(arguments: [
        ("71", 1), ("7181", 1), ("7180", 1), ("728600000001", 1), ("7184FF", 1), ("000071", 1),
        ("72079F18040000000171", 2),
        ("8A02303071", 1), ("9F", 0), ("8A", 0),
    ])
    func templatesWithInvalidLengthsHaveResults(_ response: String, _ count: Int) {
        let scripts = IssuerScript.scripts(in: hex(response).span)
        #expect(scripts.count == count)
        guard count > 0 else { return }
        #expect(scripts.last?.isMalformed == true)
        let results = [IssuerScript.Phase.beforeFinalCryptogram, .afterFinalCryptogram].map { phase in
            var run = IssuerScriptRun(scripts, phase)
            while run.next() != nil { run.receive(.success) }
            return run.results.count
        }
        #expect(results.reduce(0, +) == count)
    }

    private func send(_ run: inout IssuerScriptRun, _ words: inout ArraySlice<String>) -> [Output.Exchange] {
        var exchanges: [Output.Exchange] = []
        while let command = run.next() {
            let word = words.popFirst() ?? "6F00"
            exchanges.append(Output.Exchange(apdu: command.octets.hexadecimal, sw: word))
            run.receive(StatusWord(rawValue: UInt16(word, radix: 16) ?? 0))
        }
        return exchanges
    }
}
