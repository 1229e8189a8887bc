import JackdawCards
import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's readers, in either layout.
    /// - Parameter frame: from `02` to `03`, as `IDTechSwipeFormat` tells it.
    /// - Returns: the tracks that were encrypted, and those that the frame has in clear beside them.
    /// - Throws: ``DecryptionError`` with code `frame`, `notEncrypted`, `counter`, `exhausted`, `length`, `algorithm`,
    ///   `padding`, `hash`, `text` or `library`.
    public borrowing func decryptIDTech(_ frame: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try IDTechSwipeFormat().check(frame)
            return try IDTechSwipe(frame)
        }
        guard swipe.encryptedTogether != nil || swipe.tracks.contains(where: { $0.encrypted != nil })
        else { throw DecryptionError(.notEncrypted, "the reader has encrypted nothing") }
        // A fixed key needs none; without one deriving fails.
        let serialNumber = frame.extracting(swipe.keySerialNumber ?? 0..<0)
        let working = try workingKey(.idTech, serialNumber: serialNumber)
        let encrypted = try Self.tracks(of: swipe, in: frame, working)
        let tracks = encrypted + Self.tracksInClear(of: swipe, in: frame)
        let isDerived = isDeriving(.idTech)
        return DecryptedSwipe(
            tracks.sorted { $0.number < $1.number },
            keySerialNumber: isDerived ? serialNumber.indices.map { serialNumber[$0] } : nil)
    }

    /// The tracks that the frame has as they were on the card.
    private static func tracksInClear(of swipe: IDTechSwipe, in frame: Span<UInt8>) -> [DecryptedTrack] {
        swipe.tracks.indices.compactMap { index in
            swipe.trackInClear(index, of: frame).map { TrackCheck.trackInClear(index + 1, frame.extracting($0)) }
        }
    }

    /// The tracks by the cipher that the frame names, or by the one whose result is right.
    private static func tracks(
        of swipe: IDTechSwipe, in frame: Span<UInt8>, _ working: borrowing CipherKey
    ) throws(DecryptionError) -> [DecryptedTrack] {
        guard let cipher = swipe.cipher else {
            do throws(DecryptionError) {
                return try tracks(of: swipe, in: frame, working, .tripleDES)
            } catch {
                if let tracks = try? tracks(of: swipe, in: frame, working, .aes) { return tracks }
                throw error
            }
        }
        return try tracks(of: swipe, in: frame, working, cipher)
    }

    private static func tracks(
        of swipe: IDTechSwipe, in frame: Span<UInt8>, _ working: borrowing CipherKey, _ cipher: IDTechSwipe.Cipher
    ) throws(DecryptionError) -> [DecryptedTrack] {
        // AES takes the 16 bytes that triple DES's DUKPT derives.
        let key = try working.repurposed(for: cipher == .aes ? .aes128 : working.algorithm)
        guard let together = swipe.encryptedTogether else {
            var tracks: [DecryptedTrack] = []
            for (index, track) in swipe.tracks.enumerated() {
                guard let place = track.encrypted else { continue }
                tracks += try Self.tracks([index], of: swipe, in: frame, place, key)
            }
            return tracks
        }
        return try Self.tracks([0, 1], of: swipe, in: frame, together, key)
    }

    /// The tracks of one encrypted stretch, one behind the other.
    private static func tracks(
        _ numbers: [Int], of swipe: IDTechSwipe, in frame: Span<UInt8>, _ place: Range<Int>, _ key: borrowing CipherKey
    ) throws(DecryptionError) -> [DecryptedTrack] {
        let plaintext = try key.decrypt(frame.extracting(place))
        return try plaintext.withBytes { (plaintext) throws(DecryptionError) in
            var tracks: [DecryptedTrack] = []
            var start = 0
            try TrackCheck.padding(of: plaintext, from: numbers.reduce(0) { $0 + swipe.tracks[$1].length })
            for index in numbers where swipe.tracks[index].length > 0 {
                let track = swipe.tracks[index]
                let characters = plaintext.extracting(start..<start + track.length)
                start += track.length
                let hasSentinels = swipe.cardType == .bank || swipe.cardType == .licence
                if let hash = track.hash {
                    tracks.append(
                        try TrackCheck.track(
                            index + 1, characters, hash: frame.extracting(hash), hasSentinels: hasSentinels))
                } else {
                    tracks.append(try TrackCheck.track(index + 1, characters))
                }
            }
            return tracks
        }
    }

    /// What is no frame becomes an error of decryption.
    static func reading<Result>(_ body: () throws(FrameFault) -> Result) throws(DecryptionError) -> Result {
        do throws(FrameFault) {
            return try body()
        } catch {
            throw DecryptionError(error)
        }
    }
}

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's NEO readers, which is one of ``decryptIDTech(_:)`` inside their answer.
    /// - Parameter frame: the answer to activate transaction, as `NEOFormat` tells it.
    /// - Returns: the tracks that were encrypted.
    /// - Throws: ``DecryptionError`` with code `frame` or `notEncrypted`, or as for ID TECH's.
    public borrowing func decryptNEO(_ frame: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try NEOFormat(.answer).check(frame)
            return NEODialect.encryptedSwipe(in: frame)
        }
        guard let swipe else { throw DecryptionError(.notEncrypted, "the answer has no encrypted swipe (DFEE23)") }
        return try decryptIDTech(frame.extracting(swipe))
    }
}
