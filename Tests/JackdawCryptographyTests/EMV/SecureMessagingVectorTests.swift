import JackdawCards
import JackdawEMV
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Secure messaging by pyemv 1.5.0; the codes of commands also by an independent reference.
@Suite struct SecureMessagingVectorTests {
    struct Input: Decodable, Sendable {
        let op: String
        let session_key: String?
        let data: String?
        let length: Int?
        let scheme: String?
        let icc_mk_ac: String?
        let issuer_mk_ac: String?
        let issuer_mk_smi: String?
        let issuer_mk_smc: String?
        let pan: String?
        let psn: String?
        let pin: String?
        let current_pin: String?
        let cryptogram: String?
        let counter: String?

        private enum CodingKeys: String, CodingKey {
            case op, session_key, data, length, scheme, icc_mk_ac, issuer_mk_ac, issuer_mk_smi, issuer_mk_smc, pan, psn
            case pin, current_pin
            case cryptogram = "9F26"
            case counter = "9F36"
        }
    }
    struct Output: Decodable, Sendable {
        let mac: String?
        let ciphertext: String?
        let block: String?
        let command: String?
        let script_71: String?
    }
    typealias Row = VectorRow<Input, Output>

    private static let formats: [String: CommandDataFormat] = ["visa": .visa, "mastercard": .mChip, "emv": .emv]

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("secure_messaging_scripts", as: Row.self)
        #expect(
            Dictionary(grouping: rows, by: \.input.op).mapValues(\.count) == [
                "command_mac": 15, "encrypt_command_data": 12, "vis_pin_block": 6, "iso9564_2_pin_block": 5,
                "pin_change_command": 7,
            ])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("secure_messaging_scripts", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let input = row.input
        switch input.op {
        case "command_mac":
            let key = try CipherKey(try #require(input.session_key), .tripleDES2)
            let mac = try key.commandMAC(of: hex(try #require(input.data)).span, length: try #require(input.length))
            #expect(digits(mac) == row.output.mac, "\(row.id)")
        case "encrypt_command_data":
            let key = try CipherKey(try #require(input.session_key), .tripleDES2)
            let format = try #require(input.scheme.flatMap { Self.formats[$0] })
            let ciphertext = try key.encryptCommandData(hex(try #require(input.data)).span, format: format)
            #expect(digits(ciphertext) == row.output.ciphertext, "\(row.id)")
        case "vis_pin_block":
            let key = try CipherKey(try #require(input.icc_mk_ac), .tripleDES2)
            let block = try PIN(try #require(input.pin)).visaBlock(key, current: input.current_pin.map { try PIN($0) })
            #expect(block.revealed == row.output.block, "\(row.id)")
        case "iso9564_2_pin_block":
            let block = try PIN(try #require(input.pin)).block(.iso2)
            #expect(block.revealed == row.output.block, "\(row.id)")
        default:
            #expect(input.op == "pin_change_command", "\(row.id)")
            let command = try pinChange(input)
            #expect(digits(command) == row.output.command, "\(row.id)")
            var script = TagLengthValueBuilder()
            script.append(0x71) { $0.append(0x86, command) }
            #expect(digits(script.octets) == row.output.script_71, "\(row.id)")
        }
    }

    private func pinChange(_ input: Input) throws -> [UInt8] {
        let version = try #require(input.scheme.flatMap { versions[$0] })
        let keys = try masterKeys(
            try #require(input.issuer_mk_ac), try #require(input.issuer_mk_smi), try #require(input.issuer_mk_smc))
        let account = try CardAccount(try #require(input.pan), sequence: try #require(input.psn))
        let card = try CardCryptography(version, issuerKeys: keys, account: account, mode: .test)
        // Scripts do not depend on the terminal's number.
        let transaction = try CardTransaction(
            counter: try #require(input.counter.flatMap { UInt16($0, radix: 16) }), unpredictableNumber: [0, 0, 0, 0],
            cryptogram: hex(try #require(input.cryptogram)))
        return try card.pinChangeCommand(
            to: try PIN(try #require(input.pin)), current: input.current_pin.map { try PIN($0) }, in: transaction)
    }
}
