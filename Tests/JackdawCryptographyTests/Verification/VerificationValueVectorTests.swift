import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Verification values: CVV by psec 1.3.0 and an independent reference, PVV by psec 1.3.0, CVC3 by pyemv 1.5.0.
@Suite struct VerificationValueVectorTests {
    struct Input: Decodable, Sendable {
        let op: String
        let key: String?
        let pan: String?
        let expiry: String?
        let service_code: String?
        let pvki: String?
        let pin: String?
        let icc_mk_cvc3: String?
        let track_template: String?
        let atc: String?
        let un: String?
    }
    struct Output: Decodable, Sendable {
        let cvv: String?
        let pvv: String?
        let cvc3: String?
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("cvv_pvv_cvc3", as: Row.self)
        #expect(
            Dictionary(grouping: rows, by: \.input.op).mapValues(\.count) == ["cvv": 20, "visa_pvv": 10, "cvc3": 12])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("cvv_pvv_cvc3", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let input = row.input
        let key = try CipherKey(try #require(input.key ?? input.icc_mk_cvc3), .tripleDES2)
        switch input.op {
        case "cvv":
            let value = try key.cardVerificationValue(
                of: try CardAccount(try #require(input.pan)), expiry: try #require(input.expiry),
                serviceCode: try #require(input.service_code))
            #expect(value.revealedText() == row.output.cvv, "\(row.id)")
        case "visa_pvv":
            let value = try key.pinVerificationValue(
                of: try PIN(try #require(input.pin)), account: try CardAccount(try #require(input.pan)),
                keyIndex: try #require(input.pvki.flatMap { Int($0) }))
            #expect(value.revealedText() == row.output.pvv, "\(row.id)")
        default:
            #expect(input.op == "cvc3", "\(row.id)")
            let code = try key.dynamicVerificationCode(
                ofTrack: hex(try #require(input.track_template)).span,
                counter: try #require(input.atc.flatMap { UInt16($0, radix: 16) }),
                unpredictableNumber: hex(try #require(input.un)))
            #expect(String(code) == row.output.cvc3, "\(row.id)")
        }
    }
}
