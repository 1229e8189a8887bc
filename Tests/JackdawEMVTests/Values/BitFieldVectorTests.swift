import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// The names of bits are those of `bit_fields`; the positions follow EMV 4.4 Book 3, annex C, and Book 4, annex A.
@Suite struct BitFieldVectors {
    private struct Input: Decodable, Sendable {
        let field: String
        let value: String
    }

    private struct Output: Decodable, Sendable {
        let set: [String]
    }

    private static func names<Field: BitField>(_ octets: [UInt8], _ field: Field.Type) -> [String]? {
        guard let value = Field(octets), value.octets == octets else { return nil }
        return value.names
    }

    private static func names(_ field: String, _ octets: [UInt8]) -> [String]? {
        switch field {
        case "95": names(octets, TerminalVerificationResults.self)
        case "9B": names(octets, TransactionStatusInformation.self)
        case "82": names(octets, ApplicationInterchangeProfile.self)
        case "9F07": names(octets, ApplicationUsageControl.self)
        case "9F33": names(octets, TerminalCapabilities.self)
        case "9F40": names(octets, AdditionalTerminalCapabilities.self)
        case "9F66": names(octets, TerminalTransactionQualifiers.self)
        case "9F6C": names(octets, CardTransactionQualifiers.self)
        default: nil
        }
    }

    @Test func setBitsAreNamed() throws {
        try Vectors.run("bit_fields", in: .module, as: VectorRow<Input, Output>.self) { row in
            #expect(Self.names(row.input.field, hex(row.input.value)) == row.output.set, "\(row.id)")
        }
    }
}
