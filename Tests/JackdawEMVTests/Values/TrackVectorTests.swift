import Foundation
import JackdawCards
import JackdawTestSupport
import Testing

/// The rows of `tracks_and_pan` come from a model; those of tag 57 agree with
/// openemv/emv-utils. `JackdawCards` parses tracks.
@Suite struct TrackVectors {
    private struct Input: Decodable, Sendable {
        let op: String
        let value: String
    }

    private struct Output: Decodable, Sendable {
        let error: String?
        let pan: String?
        let expiry: String?
        let service_code: String?
        let discretionary: String?
        let luhn: Bool?
        let masked: String?
        let masked_first6_last4: String?
        let last4: String?
        let chip_service_code: Bool?
        let ascii: String?
        let name: String?
        let surname: String?
        let first: String?
    }

    private static func digits(_ pan: PrimaryAccountNumber?) -> String? {
        pan?.withRevealedDigits { digits in String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self) }
    }

    private static func track(_ input: Input) throws(CardDataError) -> (any TrackContent)? {
        switch input.op {
        case "track2_equivalent": try Track2(equivalentData: hex(input.value).span)
        case "track2": try Track2(parsing: Array(input.value.utf8).span)
        case "track1": try Track1(parsing: Array(input.value.utf8).span)
        default: nil
        }
    }

    private static func discretionaryData(_ track: any TrackContent) -> String? {
        ((track as? Track1)?.discretionaryData ?? (track as? Track2)?.discretionaryData)?.revealedText()
    }

    @Test func fieldsAreReadAndMasked() throws {
        try Vectors.run("tracks_and_pan", in: .module, as: VectorRow<Input, Output>.self) { row in
            let (input, out) = (row.input, row.output)
            guard out.error == nil else {
                #expect(throws: CardDataError.self, "\(row.id)") {
                    if input.op == "pan" {
                        _ = try PrimaryAccountNumber(Array(input.value.utf8).span)
                    } else {
                        _ = try Self.track(input)
                    }
                }
                return
            }
            guard let track = try Self.track(input) else {
                let pan = try PrimaryAccountNumber(Array(input.value.utf8).span)
                #expect(pan.masked == out.masked && pan.isLuhnValid == out.luhn, "\(row.id)")
                return
            }
            #expect(Self.digits(track.pan) == out.pan, "\(row.id)")
            #expect(track.expiry?.text == out.expiry, "\(row.id)")
            #expect(track.serviceCode?.text == out.service_code, "\(row.id)")
            #expect(Self.discretionaryData(track) == out.discretionary, "\(row.id)")
            #expect(track.pan?.isLuhnValid == out.luhn, "\(row.id)")
            if let masked = out.masked_first6_last4 { #expect(track.pan?.masked == masked, "\(row.id)") }
            if let last = out.last4 { #expect(track.pan?.masked.hasSuffix(last) == true, "\(row.id)") }
            if let hasChip = out.chip_service_code { #expect(track.serviceCode?.hasChip == hasChip, "\(row.id)") }
            if let ascii = out.ascii { #expect(track.text.revealedText() == ";\(ascii)?", "\(row.id)") }
            if let name = out.name { #expect(track.name?.text.revealedText() == name, "\(row.id)") }
            if let surname = out.surname { #expect(track.name?.surname.revealedText() == surname, "\(row.id)") }
            if let first = out.first { #expect(track.name?.givenName.revealedText() == first, "\(row.id)") }
        }
    }
}
