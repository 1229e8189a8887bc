import Foundation
import JackdawBytes
@testable import JackdawEMV
import JackdawTestSupport
import Testing

/// The rows of `atr` are verdicts of openemv/emv-utils. It rejects cards whose historical octets are not valid compact
/// data objects, which EMV does not ask for: the check is switched on here.
@Suite struct AnswerToResetVectors {
    private struct Input: Decodable, Sendable {
        let atr: String
    }

    private struct Output: Decodable, Sendable {
        let emv_acceptable: Bool
    }

    @Test func answersAreAcceptedOrRejected() throws {
        try Vectors.run("atr", in: .module, as: VectorRow<Input, Output>.self) { row in
            let answer = try? AnswerToReset(hex(row.input.atr).span)
            let isAcceptable = answer.map { $0.rejection(checkingHistoricalOctets: true) == nil } ?? false
            #expect(isAcceptable == row.output.emv_acceptable, "\(row.id)")
        }
    }
}

/// The formats of `issuer_application_data` are those that openemv/emv-utils recognises.
@Suite struct IssuerApplicationDataVectors {
    private struct Input: Decodable, Sendable {
        let iad: String
    }

    private struct Output: Decodable, Sendable {
        let error: String?
        let application: String?
        let format: String?
        let dki: String?
        let cvn: String?
        let cryptogram_version: String?
        let first_gac: String?
        let second_gac: String?
        let cvr: String?
    }

    /// The vectors name Visa's formats by their number alone.
    private static func name(_ format: IssuerApplicationData.Format) -> String? {
        switch format {
        case .ccd: "CCD Version 4.1"
        case .mChip4, .mChipAdvance, .unionPay: nil
        case .visa0: "0"
        case .visa1: "1"
        case .visa2: "2"
        case .visa3: "3"
        case .visa4: "4"
        }
    }

    @Test func formatsAreRecognised() throws {
        try Vectors.run("issuer_application_data", in: .module, as: VectorRow<Input, Output>.self) { row in
            let data = IssuerApplicationData(hex(row.input.iad).span)
            let out = row.output
            guard out.error == nil else {
                // emv-utils does not know UnionPay's format.
                #expect(data == nil || data?.format == .unionPay, "\(row.id)")
                return
            }
            let found = try #require(data, "\(row.id)")
            #expect(found.format.application == out.application, "\(row.id)")
            #expect(Self.name(found.format) == out.format, "\(row.id)")
            #expect(found.derivationKeyIndex.hexadecimal == out.dki, "\(row.id)")
            if let cvn = out.cvn { #expect(found.cryptogramVersion.hexadecimal == cvn, "\(row.id)") }
            if let version = out.cryptogram_version {
                #expect((found.cryptogramVersion & 0x0F == 6 ? "AES" : "TDES") == version, "\(row.id)")
            }
            if let first = out.first_gac { #expect(found.first.rawValue == first, "\(row.id)") }
            if let second = out.second_gac { #expect(found.second.rawValue == second, "\(row.id)") }
            if let cvr = out.cvr { #expect(found.cardVerificationResults == hex(cvr), "\(row.id)") }
        }
    }
}

/// The rows of `preferred_name_text` are those on which Boost.Locale and Python's codecs agree.
@Suite struct PreferredNameVectors {
    private struct Input: Decodable, Sendable {
        let code_table_index: UInt8
        let bytes: String
    }

    private struct Output: Decodable, Sendable {
        let text: String?
        let error: String?
    }

    @Test func namesAreDecoded() throws {
        try Vectors.run("preferred_name_text", in: .module, as: VectorRow<Input, Output>.self) { row in
            let table = try #require(CodeTable(row.input.code_table_index))
            let text = try? table.text(hex(row.input.bytes).span)
            #expect(text == row.output.text, "\(row.id)")
        }
    }
}
