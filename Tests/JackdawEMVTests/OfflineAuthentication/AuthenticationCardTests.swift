import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// Cards with SDA, DDA or CDA and broken chains (EMV Book 2, sections 5 and 6), made by `Benchmarks/tools/emv-cards`
/// with its own RSA, in whole transactions.
@Suite struct AuthenticationCardTests {
    private struct File: Decodable {
        let count: Int
        let rows: [Row]
    }

    private struct Row: Decodable {
        struct Authority: Decodable {
            let rid: String
            let index: String
            let modulus: String
            let exponent: String
        }

        struct Input: Decodable {
            let aip: String
            let records: [String]
            let ca: Authority
            let unpredictable_number: String
            let internal_authenticate: String?
            let generate_ac: String?
            let terminal_capabilities: String
            let pin: PIN?
            /// The serial number of the issuer's certificate if it is revoked.
            let revoked: String?
        }

        /// A PIN, the card's challenge, and the data that VERIFY must have.
        struct PIN: Decodable {
            let digits: String
            let challenge: String
            let verify: String
        }

        struct Output: Decodable {
            let method: String
            let tvr: String
            let failure: String?
            let dynamic_number: String?
            let data_authentication_code: String?
        }

        let id: String
        let input: Input
        let output: Output

        private enum CodingKeys: String, CodingKey {
            case id
            case input = "in"
            case output = "out"
        }
    }

    @Test func cardsAreAuthenticatedOrSetTheirBits() throws {
        let url = try #require(
            Bundle.module.url(forResource: "authentication_cards", withExtension: "json", subdirectory: "Cases"))
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
        #expect(file.rows.count == file.count)
        #expect(file.rows.count { $0.output.failure == nil && $0.input.pin == nil } == 12)
        #expect(file.rows.count { $0.output.failure != nil } >= 6)
        for row in file.rows {
            var run = try transaction(row)
            let outcome = try run.finish()
            #expect(outcome.tvr.octets == hex(row.output.tvr), "\(row.id)")
            #expect(outcome.tsi.contains(.odaPerformed), "\(row.id)")
            let reports = run.steps.compactMap { step in
                if case .offlineAuthentication(let report) = step { report } else { nil }
            }
            #expect(reports.last?.method?.rawValue == row.output.method, "\(row.id)")
            #expect(reports.last?.failure?.code.name == row.output.failure, "\(row.id)")
            #expect(outcome.objects[0x9F4C] == row.output.dynamic_number.map { hex($0) }, "\(row.id)")
            #expect(outcome.objects[0x9F45] == row.output.data_authentication_code.map { hex($0) }, "\(row.id)")
            if let pin = row.input.pin {
                let sent = run.card.commands.filter { $0[1] == 0x20 }
                let length = UInt8(hex(pin.verify).count)
                #expect(sent == [[0x00, 0x20, 0x00, 0x88, length] + hex(pin.verify)], "\(row.id)")
            }
            guard row.output.method == "CDA" else { continue }
            // A valid signature approves; a wrong one declines, by a second cryptogram if the card answered an ARQC.
            #expect(outcome.disposition == (row.output.failure == nil ? .approved : .declined), "\(row.id)")
            if row.output.failure == nil { #expect(outcome.objects[0x9F26] == hex("0123456789ABCDEF"), "\(row.id)") }
        }
    }

    private func rows() throws -> [Row] {
        let url = try #require(
            Bundle.module.url(forResource: "authentication_cards", withExtension: "json", subdirectory: "Cases"))
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).rows
    }

    /// The decision on a cryptogram takes its signature into account (Book 4, 6.3.2.1).
    @Test func theFirstDecisionComesAfterTheSignature() throws {
        var count = 0
        for row in try rows()
        where row.output.method == "CDA" && ["cryptogram_information", "transaction_data"].contains(row.output.failure)
        {
            count += 1
            var run = try transaction(row)
            _ = try run.finish()
            let signature = run.steps.lastIndex { step in
                if case .offlineAuthentication(let report) = step { report.failure != nil } else { false }
            }
            let decision = run.steps.firstIndex { step in
                guard case .firstCryptogram(_, let decision) = step else { return false }
                #expect(decision.action == .declineOffline(isServiceNotAllowed: false), "\(row.id)")
                return true
            }
            #expect(try #require(signature) < #require(decision), "\(row.id)")
        }
        #expect(count > 0)
    }

    private func transaction(_ row: Row) throws -> KernelRun<PlainPrimitives> {
        let input = row.input
        var configuration = try KernelConfiguration.test()
        configuration.capabilities = try #require(TerminalCapabilities(hex(input.terminal_capabilities)))
        let key = RSAPublicKey(modulus: hex(input.ca.modulus), exponent: hex(input.ca.exponent))
        let index = try #require(hex(input.ca.index).first)
        configuration.keys = AuthenticationKeys([
            CertificationAuthorityKey(provider: hex(input.ca.rid), index: index, key: key)
        ])
        configuration.keys.revoked =
            input.revoked.map {
                [RevokedCertificate(provider: hex(input.ca.rid), index: index, serialNumber: hex($0))]
            } ?? []
        var card = VirtualCard()
        card.profile = hex(input.aip)
        card.records = input.records.map { hex($0) }
        card.authenticatedCount = 1
        card.signature = input.internal_authenticate.map { hex($0) }
        // The terminal does not ask for a signature once the certificates have failed.
        let isSigned = [nil, "cryptogram_information", "transaction_data"].contains(row.output.failure)
        if let answer = input.generate_ac, isSigned { card.cryptograms = [hex(answer + "9000")] }
        var application = DataObjectStore()
        application[0x84] = hex("A0000009990101")
        let kernel = try ContactKernel(configuration, .test(), application: application, PlainPrimitives())
        var run = KernelRun(kernel, card)
        let number = hex(input.unpredictable_number)
        if let pin = input.pin {
            run.card.challenge = hex(pin.challenge)
            run.pins = [.pin(SecretOctets(pin.digits.compactMap { $0.hexDigitValue.map { UInt8($0) } }))]
        }
        run.random = { $0 == 4 ? number : [UInt8](repeating: 0, count: $0) }
        return run
    }

    /// A list with a part of the unpredictable number lets a card repeat a signature (Book 2, 6.5.1).
    @Test func aListWithAPartOfTheNumberFails() throws {
        let row = try #require(try rows().first { $0.id == "dda-default-ddol" })
        for (list, code) in [("9F3700", "dynamic_list"), ("9F3703", "dynamic_list"), ("9F3704", nil)] {
            var run = try transaction(row)
            run.card.records.append(hex("70069F4903" + list))
            _ = try run.finish()
            let reports = run.steps.compactMap { step in
                if case .offlineAuthentication(let report) = step { report } else { nil }
            }
            #expect(reports.last?.failure?.code.name == code)
            #expect(run.card.commands.contains { $0[1] == 0x88 } == (code == nil))
        }
    }

    /// A template that answers INTERNAL AUTHENTICATE must have the signature (Book 3, 6.5.9.4).
    @Test(arguments: ["77009000", "77039F4C009000"])
    func aTemplateWithoutASignatureTerminates(_ answer: String) throws {
        let row = try #require(try rows().first { $0.id == "dda-default-ddol" })
        var run = try transaction(row)
        _ = try run.finish()
        let index = try #require(run.card.commands.firstIndex { $0[1] == 0x88 })
        run = try transaction(row)
        run.card.replaced[index] = hex(answer)
        let reason = try run.finish().termination
        #expect(reason?.code == .missing)
        #expect(reason?.tag == 0x9F4B)
    }

    /// FIPS 180-4 publishes the digest of `abc`.
    @Test func theDigestOfTheTestsIsRight() {
        #expect(PlainPrimitives().sha1(Array("abc".utf8)) == hex("A9993E364706816ABA3E25717850C26C9CD0D89D"))
    }
}
