import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Cryptograms and responses on raw inputs, by pyemv 1.5.0 and an independent reference.
@Suite struct CryptogramPrimitiveVectorTests {
    struct Input: Decodable, Sendable {
        let session_key: String
        let data: String
        let padding_method: Int
        let arpc_rc: String
        let csu: String
        let proprietary_auth_data: String
    }
    struct Output: Decodable, Sendable {
        let ac: String
        let arpc_method1: String
        let arpc_method2: String
    }

    @Test func rowsAgree() throws {
        try Vectors.run("ac_arpc_primitive", in: .module, as: VectorRow<Input, Output>.self) { row in
            let key = try CipherKey(row.input.session_key, .tripleDES2)
            let padding = try #require(MessagePadding(rawValue: row.input.padding_method))
            let cryptogram = try key.applicationCryptogram(of: hex(row.input.data).span, padding: padding)
            #expect(digits(cryptogram) == row.output.ac, "\(row.id)")
            let first = try key.responseCryptogram(to: cryptogram, code: hex(row.input.arpc_rc))
            #expect(digits(first) == row.output.arpc_method1, "\(row.id)")
            let second = try key.responseCryptogram(
                to: cryptogram, status: hex(row.input.csu), proprietary: hex(row.input.proprietary_auth_data))
            #expect(digits(second) == row.output.arpc_method2, "\(row.id)")
        }
    }
}

/// Cryptograms and responses of the schemes, by pyemv 1.5.0; all but Interac's also by an independent reference. The
/// rows of CVN 14 are synthetic: no public source confirms the order of its data.
@Suite struct CryptogramVectorTests {
    struct Input: Decodable, Sendable {
        let scheme: String
        let issuer_mk_ac: String
        let issuer_mk_smi: String?
        let issuer_mk_smc: String?
        let pan: String
        let psn: String
        let amount: String
        let otherAmount: String
        let country: String
        let results: String
        let currency: String
        let date: String
        let type: String
        let unpredictableNumber: String
        let profile: String
        let counter: String
        let issuerApplicationData: String?
        let cvr: String?
        let counters: String?
        let arc: String?
        let arpc_rc: String?
        let csu: String?
        let proprietary_auth_data: String?

        private enum CodingKeys: String, CodingKey {
            case scheme, issuer_mk_ac, issuer_mk_smi, issuer_mk_smc, pan, psn, cvr, counters, arc, arpc_rc, csu
            case proprietary_auth_data
            case amount = "9F02"
            case otherAmount = "9F03"
            case country = "9F1A"
            case results = "95"
            case currency = "5F2A"
            case date = "9A"
            case type = "9C"
            case unpredictableNumber = "9F37"
            case profile = "82"
            case counter = "9F36"
            case issuerApplicationData = "9F10"
        }

        /// In the order of ``CryptogramData``.
        var terminalData: [UInt8] {
            hex(amount + otherAmount + country + results + currency + date + type + unpredictableNumber)
        }
        /// In the order of ``CardCryptography/cryptogram(of:cardData:)``.
        var cardData: [UInt8] { hex(issuerApplicationData ?? "") + hex(cvr ?? "") + hex(counters ?? "") }
        var answer: IssuerAnswer? {
            csu.map { .status(hex($0), proprietary: hex(proprietary_auth_data ?? "")) }
                ?? (arc ?? arpc_rc).map { .code(hex($0)) }
        }
    }
    struct Output: Decodable, Sendable {
        let icc_mk_ac: String
        let session_key_ac: String
        let ac: String
        let arpc: String
        let issuer_authentication_data_91: String
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("cryptograms_arqc_arpc", as: Row.self)
        #expect(rows.count == 45)
        #expect(Set(rows.map(\.input.scheme)) == Set(versions.keys))
    }

    @Test func rowsAgree() throws {
        try Vectors.run("cryptograms_arqc_arpc", in: .module, as: Row.self) { row in
            let (input, output) = (row.input, row.output)
            let version = try #require(versions[input.scheme], "\(row.id)")
            let account = try CardAccount(input.pan, sequence: input.psn)
            let issuer = try CipherKey(input.issuer_mk_ac, .tripleDES2)
            let key = try issuer.cardKey(for: account, option: version.cardKeyOption)
            #expect(key.revealed == output.icc_mk_ac, "\(row.id)")

            let keys = try masterKeys(
                input.issuer_mk_ac, input.issuer_mk_smi ?? input.issuer_mk_ac,
                input.issuer_mk_smc ?? input.issuer_mk_ac)
            let card = try CardCryptography(version, issuerKeys: keys, account: account, mode: .test)
            let counter = try #require(UInt16(input.counter, radix: 16))
            let number = hex(input.unpredictableNumber)
            let session = try card.sessionKey(counter: counter, unpredictableNumber: number)
            #expect(session.revealed == output.session_key_ac, "\(row.id)")

            let data = try CryptogramData(
                terminalData: input.terminalData, profile: hex(input.profile), counter: counter)
            let cryptogram = try card.cryptogram(of: data, cardData: input.cardData)
            #expect(digits(cryptogram) == output.ac, "\(row.id)")

            let transaction = try CardTransaction(
                counter: counter, unpredictableNumber: number, cryptogram: cryptogram)
            let answer = try #require(input.answer)
            let response = try card.issuerAuthenticationData(for: transaction, answer: answer)
            #expect(digits(response) == output.issuer_authentication_data_91, "\(row.id)")
            #expect(digits(response).hasPrefix(output.arpc), "\(row.id)")
            #expect(try card.isAuthentic(response, for: transaction), "\(row.id)")
            for index in response.indices {
                var wrong = response
                wrong[index] ^= 0x10
                #expect(try !card.isAuthentic(wrong, for: transaction), "\(row.id)")
            }
        }
    }
}

/// The schemes, as the vectors call them.
let versions: [String: CryptogramVersion] = [
    "VisaCVN10": .visa10, "VisaCVN18": .visa18, "VisaCVN22": .visa22, "InteracCVN133": .interac133,
    "MasterCardCVN16": .mChip16, "MasterCardCVN17": .mChip17, "MasterCardCVN20": .mChip20, "MasterCardCVN21": .mChip21,
    "CVN14_emv2000_tree_synthetic": .visa14,
]
