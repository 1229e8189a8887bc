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
    typealias File = Vectors<Input, Output>

    @Test func allRowsAreThere() throws {
        let file = try File("reader_swipe_frames")
        #expect(file.count == 23)
        let groups = Dictionary(grouping: file.rows, by: \.in.group).mapValues(\.count)
        #expect(
            groups == [
                "published_magtek": 2, "synthetic_idtech_original": 8, "synthetic_idtech_enhanced": 8,
                "damaged_frame": 5,
            ])
        #expect(Set(file.rows.compactMap(\.out.error)) == ["bad_lrc", "bad_end", "bad_length", "truncated"])
    }

    @Test(arguments: try File("reader_swipe_frames").rows)
    func row(_ row: File.Row) throws {
        if row.in.group == "published_magtek" {
            let base = try CipherKey(row.in.bdk, .tripleDES2)
            let key = try KeyScheme.magTek([]).workingKey(
                from: base, serialNumber: hex(try #require(row.in.ksn)).span)
            #expect(key.revealed == row.out.session_key)
            let plaintext = try key.decrypt(hex(try #require(row.in.ciphertext)).span).revealed
            #expect(plaintext.hasPrefix(digits(try #require(row.out.track).utf8)))
            return
        }
        let decryptor = try SwipeDecryptor(key: secret(row.in.bdk), mode: .test)
        let frame = hex(try #require(row.in.frame))
        guard let expected = row.out.error else {
            let swipe = try decryptor.decryptIDTech(frame.span)
            let tracks = [row.out.track1, row.out.track2, row.out.track3]
            #expect((1...3).map { swipe.revealed($0) } == tracks)
            #expect(!swipe.tracks.contains { !$0.isHashChecked })
            #expect(swipe.keySerialNumber.map(digits) == row.out.ksn)
            let base = try CipherKey(row.in.bdk, .tripleDES2)
            let key = try KeyScheme.idTech.workingKey(from: base, serialNumber: hex(try #require(row.out.ksn)).span)
            #expect(key.revealed == row.out.session_key)
            return
        }
        let error = #expect(throws: CryptographyError.self) { _ = try decryptor.decryptIDTech(frame.span).tracks }
        #expect(error?.code == .frame)
        switch expected {
        case "bad_lrc": #expect(error?.fault?.code == .check)
        case "bad_end": #expect(error?.fault?.code == .end)
        // With a wrong length, another byte is taken for the sum.
        case "bad_length": #expect(error?.fault?.code == .check)
        default: #expect(error?.fault?.code == .truncated)
        }
    }
}
