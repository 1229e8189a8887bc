import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Keys, PIN blocks, codes and data of DUKPT with triple DES, as other implementations make them.
@Suite struct TripleDESVectorTests {
    struct Input: Decodable, Sendable {
        let bdk: String
        let ksn: String
        let counter: UInt32
        let data: String
    }
    struct Output: Decodable, Sendable {
        let ik: String
        let txn_key: String
        let key_pin: String
        let key_mac_request: String
        let key_mac_response: String
        let key_data_request: String
        let key_data_response: String
        let variant_data_request_no_owf: String
        let pinblock_iso0: String
        let enc_pinblock: String
        let mac_request_full: String
        let mac_request: String
        let mac_response: String
        let cmac_request: String
        let cmac_response: String
        let data_padded: String
        let enc_data_request: String
        let enc_data_response: String
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("dukpt_tdes", as: Row.self)
        #expect(rows.count == 77)
    }

    @Test func rowsAgree() throws {
        try Vectors.run("dukpt_tdes", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let expected = row.output
        let base = try CipherKey(row.input.bdk, .tripleDES2)
        let serialNumber = try KeySerialNumber(hexadecimal: row.input.ksn)
        #expect(serialNumber.counter.value == row.input.counter, "\(row.id)")
        #expect(serialNumber.description == row.input.ksn, "\(row.id)")
        let initial = try TripleDESDerivation.initialKey(from: base, for: serialNumber)
        #expect(initial.revealed == expected.ik, "\(row.id)")
        let transaction = try TripleDESDerivation.transactionKey(from: initial, for: serialNumber)
        #expect(transaction.revealed == expected.txn_key, "\(row.id)")
        for usage in TripleDESKeyUsage.allCases {
            let key = try TripleDESDerivation.workingKey(for: usage, from: transaction)
            #expect(key.revealed == expected.key(for: usage), "\(row.id)")
            let inOneGo = try TripleDESDerivation.workingKey(for: usage, from: base, serialNumber: serialNumber)
            #expect(inOneGo.revealed == expected.key(for: usage), "\(row.id)")
        }
        let pin = try CipherKey(expected.key_pin, .tripleDES2)
        #expect(try pin.encrypt(hex(expected.pinblock_iso0).span).revealed == expected.enc_pinblock, "\(row.id)")
        #expect(try pin.decrypt(hex(expected.enc_pinblock).span).revealed == expected.pinblock_iso0, "\(row.id)")
        let message = hex(row.input.data)
        let request = try CipherKey(expected.key_mac_request, .tripleDES2)
        let response = try CipherKey(expected.key_mac_response, .tripleDES2)
        #expect(digits(try request.retailMAC(of: message.span)) == expected.mac_request_full, "\(row.id)")
        #expect(digits(try request.retailMAC(of: message.span).prefix(4)) == expected.mac_request, "\(row.id)")
        #expect(digits(try response.retailMAC(of: message.span).prefix(4)) == expected.mac_response, "\(row.id)")
        #expect(digits(try request.cipherMAC(of: message.span)) == expected.cmac_request, "\(row.id)")
        #expect(digits(try response.cipherMAC(of: message.span)) == expected.cmac_response, "\(row.id)")
        let padded = hex(expected.data_padded)
        for (key, ciphertext) in [
            (expected.key_data_request, expected.enc_data_request),
            (expected.key_data_response, expected.enc_data_response),
        ] {
            let key = try CipherKey(key, .tripleDES2)
            #expect(try key.encrypt(padded.span).revealed == ciphertext, "\(row.id)")
            #expect(try key.decrypt(hex(ciphertext).span).revealed == expected.data_padded, "\(row.id)")
        }
    }
}

extension TripleDESVectorTests.Output {
    func key(for usage: TripleDESKeyUsage) -> String {
        switch usage {
        case .pin: key_pin
        case .macRequest: key_mac_request
        case .macResponse: key_mac_response
        case .dataRequest: key_data_request
        case .dataResponse: key_data_response
        case .plainDataRequest: variant_data_request_no_owf
        }
    }
}
