import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawTestSupport
import Testing

/// Whole swipes: those of the manuals, others made by the documented layouts, and damaged ones.
@Suite struct SwipeFrameVectorTests {
    struct Input: Decodable, Sendable {
        let group: String
        let bdk: String
        let frame: String?
        let ksn: String?
        let ciphertext: String?
    }
    struct Output: Decodable, Sendable {
        let session_key: String?
        let ksn: String?
        let track: String?
        let track1: String?
        let track2: String?
        let track3: String?
        let error: String?
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("reader_swipe_frames", as: Row.self)
        #expect(rows.count == 23)
        let groups = Dictionary(grouping: rows, by: \.input.group).mapValues(\.count)
        #expect(
            groups == [
                "published_magtek": 2, "synthetic_idtech_original": 8, "synthetic_idtech_enhanced": 8,
                "damaged_frame": 5,
            ])
        #expect(Set(rows.compactMap(\.output.error)) == ["bad_lrc", "bad_end", "bad_length", "truncated"])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("reader_swipe_frames", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        if row.input.group == "published_magtek" {
            let base = try CipherKey(row.input.bdk, .tripleDES2)
            let key = try KeyScheme.magTek([]).workingKey(
                from: base, serialNumber: hex(try #require(row.input.ksn)).span)
            #expect(key.revealed == row.output.session_key, "\(row.id)")
            let plaintext = try key.decrypt(hex(try #require(row.input.ciphertext)).span).revealed
            #expect(plaintext.hasPrefix(digits(try #require(row.output.track).utf8)), "\(row.id)")
            return
        }
        let decryptor = try SwipeDecryptor(key: secret(row.input.bdk), mode: .test)
        let frame = hex(try #require(row.input.frame))
        guard let expected = row.output.error else {
            let swipe = try decryptor.decryptIDTech(frame.span)
            let tracks = [row.output.track1, row.output.track2, row.output.track3]
            #expect((1...3).map { swipe.revealed($0) } == tracks, "\(row.id)")
            #expect(!swipe.tracks.contains { !$0.isHashChecked }, "\(row.id)")
            #expect(swipe.keySerialNumber.map(digits) == row.output.ksn, "\(row.id)")
            let base = try CipherKey(row.input.bdk, .tripleDES2)
            let key = try KeyScheme.idTech.workingKey(from: base, serialNumber: hex(try #require(row.output.ksn)).span)
            #expect(key.revealed == row.output.session_key, "\(row.id)")
            return
        }
        let error = #expect(throws: CryptographyError.self) { _ = try decryptor.decryptIDTech(frame.span).tracks }
        #expect(error?.code == .frame, "\(row.id)")
        switch expected {
        case "bad_lrc": #expect(error?.fault?.code == .check)
        case "bad_end": #expect(error?.fault?.code == .end)
        // With a wrong length, another byte is taken for the sum.
        case "bad_length": #expect(error?.fault?.code == .check)
        default: #expect(error?.fault?.code == .truncated)
        }
    }
}
