import Foundation
import Testing

@testable import JackdawCards

/// Tracks, tag 57 data and numbers of public test cards with what they say (see the file for its origin).
@Suite struct VectorTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        struct Input: Decodable, Sendable {
            let op: String
            let value: String
        }
        struct Output: Decodable, Sendable {
            let error: String?
            let pan: String?
            let name: String?
            let surname: String?
            let first: String?
            let expiry: String?
            let service_code: String?
            let discretionary: String?
            let luhn: Bool?
            let masked: String?
            let masked_first6_last4: String?
            let last4: String?
            let chip_service_code: Bool?
            let ascii: String?
        }
        let id: String
        let `in`: Input
        let out: Output
        var testDescription: String { id }
    }

    private struct File: Decodable { let rows: [Row] }

    static func rows() throws -> [Row] {
        let url = try #require(
            Bundle.module.url(forResource: "tracks-and-pan", withExtension: "json", subdirectory: "Resources"))
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).rows
    }

    @Test func allRowsAreThere() throws {
        let operations = try Self.rows().map(\.in.op)
        #expect(operations.count == 61)
        #expect(Set(operations) == ["track2_equivalent", "track2", "track1", "pan"])
    }

    @Test(arguments: try rows())
    func row(_ row: Row) throws {
        do throws(CardDataError) {
            switch row.in.op {
            case "track2_equivalent":
                let track = try Track2(equivalentData: bytes(row.in.value).span)
                check(track, track.discretionaryData, row.out)
                #expect(row.out.ascii.map { ";\($0)?" } == track.revealed)
            case "track2":
                let track = try parse(row.in.value, as: Track2.self)
                check(track, track.discretionaryData, row.out)
            case "track1":
                let track = try parse(row.in.value, as: Track1.self)
                check(track, track.discretionaryData, row.out)
                #expect(track.name?.surname.revealedText() == row.out.surname)
                #expect(track.name?.givenName.revealedText() == row.out.first)
            default:
                let pan = try number(row.in.value)
                #expect(pan.isLuhnValid == row.out.luhn)
                #expect(pan.masked == row.out.masked)
            }
            #expect(row.out.error == nil)
        } catch {
            #expect(row.out.error != nil, "\(error)")
        }
    }

    private func check(_ track: some TrackContent, _ data: SecretText, _ expected: Row.Output) {
        #expect(track.pan?.revealed == expected.pan)
        #expect(track.pan?.isLuhnValid == expected.luhn)
        #expect(track.name?.text.revealedText() == expected.name)
        #expect(track.expiry?.text == expected.expiry)
        #expect(track.serviceCode?.text == expected.service_code)
        #expect(data.revealedText() == expected.discretionary)
        if let masked = expected.masked_first6_last4 { #expect(track.pan?.masked == masked) }
        if let hasChip = expected.chip_service_code { #expect(track.serviceCode?.hasChip == hasChip) }
        if let last = expected.last4 { #expect(track.pan?.masked.suffix(4) == last[...]) }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
