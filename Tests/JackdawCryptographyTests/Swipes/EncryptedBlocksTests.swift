import JackdawCards
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Records whose encrypted blocks a family declares by their places alone. The encryptor, tested with published swipes
/// elsewhere, makes the blocks.
struct EncryptedBlocksTests {
    private static let tracks = [
        "%B4111111111111111^TEST/CARD^2512101000000000012345678?", ";4111111111111111=25121010000012345678?",
    ]

    @Test(arguments: [
        (KeyScheme.dataRequest, ReaderSwipe.Cipher.tripleDES), (.dataRequest, .aes), (.pin, .tripleDES),
        (.fixed, .tripleDESBlocks),
    ])
    func blocksAreDecrypted(scheme: KeyScheme, cipher: ReaderSwipe.Cipher) throws {
        let (record, blocks) = try record(scheme, cipher)
        let swipe = try decryptor().decrypt(record.span, blocks, scheme)
        #expect(swipe.tracks.map { $0.text.revealedText() } == Self.tracks)
        #expect(swipe.tracks.map(\.number) == [1, 2])
        #expect(swipe.keySerialNumber == (scheme == .fixed ? nil : SwipeEncryptor.testSerialNumber))
    }

    @Test func blocksOutsideTheRecordAreRefused() throws {
        let (record, blocks) = try record(.dataRequest, .tripleDES)
        let decryptor = try decryptor()
        for count in [0, 9, 10, record.count - 1] {
            #expect(throws: CryptographyError.self) {
                _ = try decryptor.decrypt(record.span.extracting(first: count), blocks, .dataRequest).tracks
            }
        }
        let none = EncryptedBlocks(.tripleDES, keySerialNumber: 0..<10, [])
        #expect(throws: CryptographyError.self) { _ = try decryptor.decrypt(record.span, none, .dataRequest).tracks }
    }

    private func record(
        _ scheme: KeyScheme, _ cipher: ReaderSwipe.Cipher
    ) throws -> ([UInt8], EncryptedBlocks) {
        let encryptor = try SwipeEncryptor(testKey: secret(PublishedSwipes.key), scheme: scheme)
        let encrypted = try #require(encryptor.encrypt(Self.tracks.map { Array($0.utf8) }, by: cipher))
        var record = encrypted.keySerialNumber
        let number = record.isEmpty ? nil : 0..<record.count
        var tracks: [EncryptedBlocks.Track] = []
        for (index, part) in encrypted.parts.enumerated() {
            // One with its length, one without.
            let length = index == 0 ? Self.tracks[index].utf8.count : nil
            tracks.append(
                EncryptedBlocks.Track(index + 1, at: record.count..<record.count + part.count, length: length))
            record += part
        }
        return (record, EncryptedBlocks(cipher, keySerialNumber: number, tracks))
    }

    private func decryptor() throws -> SwipeDecryptor {
        try SwipeDecryptor(key: secret(PublishedSwipes.key), mode: .test)
    }
}
