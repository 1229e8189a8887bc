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

    /// Two tracks in the same blocks, by a cipher that the record does not name, with a hash, beside a track in clear.
    @Test(arguments: [ReaderSwipe.Cipher.tripleDES, .aes], [true, false])
    func blocksOfSeveralTracksAreDecrypted(cipher: ReaderSwipe.Cipher, isHashRight: Bool) throws {
        let encryptor = try SwipeEncryptor(testKey: secret(PublishedSwipes.key), scheme: .dataRequest)
        let texts = Self.tracks.map { Array($0.utf8) }
        let encrypted = try #require(encryptor.encrypt([texts[0] + texts[1]], by: cipher))
        let part = try #require(encrypted.parts.first)
        var hash = try #require(encryptor.hash(of: texts[1]))
        if !isHashRight { hash[0] ^= 1 }
        let inClear = Array(";5163499080=000?".utf8)
        let record = encrypted.keySerialNumber + part + hash + inClear
        let place = 10..<10 + part.count
        let hashPlace = place.upperBound..<place.upperBound + hash.count
        let blocks = EncryptedBlocks(
            nil, keySerialNumber: 0..<10,
            [
                EncryptedBlocks.Track(1, at: place, length: texts[0].count),
                EncryptedBlocks.Track(2, at: place, length: texts[1].count, hash: hashPlace),
            ], inClear: [EncryptedBlocks.Track(3, at: hashPlace.upperBound..<record.count)])
        let decryptor = try decryptor()
        guard isHashRight else {
            #expect(throws: CryptographyError.self) {
                _ = try decryptor.decrypt(record.span, blocks, .dataRequest).tracks
            }
            return
        }
        let swipe = try decryptor.decrypt(record.span, blocks, .dataRequest)
        #expect(swipe.tracks.map { $0.text.revealedText() } == Self.tracks + [";5163499080=000?"])
        #expect(swipe.tracks.map(\.isHashChecked) == [false, true, false])
        #expect(swipe.tracks.map(\.wasEncrypted) == [true, true, false])
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
