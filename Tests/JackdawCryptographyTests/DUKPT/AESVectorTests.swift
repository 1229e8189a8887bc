import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Keys, PIN blocks, codes and data of DUKPT with AES, as other implementations make them.
@Suite struct AESVectorTests {
    struct Input: Decodable, Sendable {
        let bdk: String
        let ikid: String
        let ksn: String
        let counter: UInt32
        let data: String
    }
    struct Output: Decodable, Sendable {
        let ik: String
        let txn_key: String
        let iso4_pinfield: String
        let iso4_panfield: String
        /// By algorithm, then by use or by what is done with the key.
        let work: [String: [String: String]]
    }
    typealias Row = VectorRow<Input, Output>

    private static let usages: [String: AESKeyUsage] = [
        "pin": .pin, "mac_generate": .macGeneration, "mac_verify": .macVerification, "mac_both": .mac,
        "data_encrypt": .dataEncryption, "data_decrypt": .dataDecryption, "data_both": .data, "kek": .keyEncryption,
    ]
    /// What is done with a key, and with which one.
    private static let operations = [
        "enc_pinblock_iso4": "pin", "cmac_request": "mac_generate", "cmac_response": "mac_verify",
        "hmac_request": "mac_generate", "hmac_response": "mac_verify", "enc_data_request": "data_encrypt",
        "enc_data_response": "data_decrypt",
    ]

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("dukpt_aes", as: Row.self)
        #expect(rows.count == 47)
        #expect(
            Set(rows.flatMap(\.output.work.keys))
                == ["AES128", "AES192", "AES256", "HMAC128", "HMAC192", "HMAC256", "TDES2", "TDES3"])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("dukpt_aes", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let base = try aesKey(row.input.bdk)
        let serialNumber = try AESKeySerialNumber(hexadecimal: row.input.ksn)
        #expect(serialNumber.counter.value == row.input.counter, "\(row.id)")
        #expect(serialNumber.description == row.input.ksn, "\(row.id)")
        let initial = try AESDerivation.initialKey(from: base, for: serialNumber)
        #expect(initial.revealed == row.output.ik, "\(row.id)")
        let transaction = try AESDerivation.transactionKey(from: initial, for: serialNumber)
        #expect(transaction.revealed == row.output.txn_key, "\(row.id)")
        for (name, values) in row.output.work {
            let algorithm = try #require(algorithms[name])
            for (use, expected) in values {
                if let usage = Self.usages[use] {
                    let key = try AESDerivation.workingKey(
                        for: usage, algorithm, from: transaction, serialNumber: serialNumber)
                    #expect(key.revealed == expected, "\(name) \(use)")
                } else {
                    let key = try CipherKey(try #require(Self.operations[use].flatMap { values[$0] }), algorithm)
                    #expect(try result(of: use, with: key, row) == expected, "\(name) \(use)")
                }
            }
        }
    }

    private func result(of operation: String, with key: borrowing CipherKey, _ row: Row) throws -> String {
        let message = hex(row.input.data)
        switch operation {
        case "enc_pinblock_iso4":
            // Encrypted, XOR the account number, and encrypted again: the same as chaining.
            let fields = hex(row.output.iso4_pinfield + row.output.iso4_panfield)
            return String(try key.encrypt(fields.span).revealed.suffix(32))
        case "cmac_request", "cmac_response": return digits(try key.cipherMAC(of: message.span))
        case "hmac_request", "hmac_response": return digits(try key.hashMAC(of: message.span))
        default:
            let padded = message + [UInt8](repeating: 0, count: (16 - message.count % 16) % 16)
            let ciphertext = try key.encrypt(padded.span)
            let plaintext = try ciphertext.withBytes { try key.decrypt($0).revealed }
            #expect(plaintext == digits(padded))
            return ciphertext.revealed
        }
    }
}

/// Algorithms as the vectors call them.
let algorithms: [String: KeyAlgorithm] = [
    "TDES2": .tripleDES2, "TDES3": .tripleDES3, "AES128": .aes128, "AES192": .aes192, "AES256": .aes256,
    "HMAC128": .hmac128, "HMAC192": .hmac192, "HMAC256": .hmac256,
]

/// A key for AES of hexadecimal digits.
func aesKey(_ text: String) throws -> CipherKey {
    try CipherKey(text, try #require(algorithms["AES\(4 * text.count)"]))
}
