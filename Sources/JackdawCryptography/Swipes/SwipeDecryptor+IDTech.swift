import JackdawCards
import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's readers, in either layout.
    /// - Parameter frame: the bytes from `02` to `03`, as `IDTechSwipeFormat` delimits them.
    /// - Returns: the encrypted tracks, and the tracks that the frame has in clear.
    /// - Throws: ``CryptographyError`` with code `frame`, `notEncrypted`, `counter`, `exhausted`, `length`, `algorithm`,
    ///   `padding`, `hash`, `text` or `library`.
    public borrowing func decryptIDTech(_ frame: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try IDTechSwipeFormat().check(frame)
            return try IDTechSwipe(frame)
        }
        guard swipe.encryptedTogether != nil || swipe.tracks.contains(where: { $0.encrypted != nil })
        else { throw CryptographyError(.notEncrypted, "the reader did not encrypt the swipe") }
        // A fixed key needs no serial number; without one, the derivation fails.
        let serialNumber = frame.extracting(swipe.keySerialNumber ?? 0..<0)
        let working = try workingKey(.idTech, serialNumber: serialNumber)
        let encrypted = try Self.tracks(of: swipe, in: frame, working)
        let tracks = encrypted + Self.tracksInClear(of: swipe, in: frame)
        let isDerived = isDeriving(.idTech)
        return DecryptedSwipe(
            tracks.sorted { $0.number < $1.number },
            keySerialNumber: isDerived ? serialNumber.indices.map { serialNumber[$0] } : nil)
    }

    /// The tracks that the frame has in clear; a track with asterisks is masked and is left out.
    private static func tracksInClear(of swipe: IDTechSwipe, in frame: Span<UInt8>) -> [DecryptedTrack] {
        swipe.tracks.indices.compactMap { index in
            swipe.trackInClear(index, of: frame).map { TrackCheck.trackInClear(index + 1, frame.extracting($0)) }
        }
    }

    /// The tracks, decrypted with the cipher that the frame names; if it names no cipher, with the one whose result is
    /// valid.
    private static func tracks(
        of swipe: IDTechSwipe, in frame: Span<UInt8>, _ working: borrowing CipherKey
    ) throws(CryptographyError) -> [DecryptedTrack] {
        guard let cipher = swipe.cipher else {
            do throws(CryptographyError) {
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
    ) throws(CryptographyError) -> [DecryptedTrack] {
        // AES uses the 16 bytes that triple DES DUKPT derives.
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

    /// The tracks of one ciphertext, in order.
    private static func tracks(
        _ numbers: [Int], of swipe: IDTechSwipe, in frame: Span<UInt8>, _ place: Range<Int>, _ key: borrowing CipherKey
    ) throws(CryptographyError) -> [DecryptedTrack] {
        let plaintext = try key.decrypt(frame.extracting(place))
        return try plaintext.withBytes { (plaintext) throws(CryptographyError) in
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

    /// Converts a `FrameFault` to a decryption error.
    static func reading<Result>(_ body: () throws(FrameFault) -> Result) throws(CryptographyError) -> Result {
        do throws(FrameFault) {
            return try body()
        } catch {
            throw CryptographyError(error)
        }
    }
}

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's NEO readers, which contains one for ``decryptIDTech(_:)``.
    /// - Parameter frame: the answer to activate transaction, as `NEOFormat` delimits it.
    /// - Returns: the encrypted tracks.
    /// - Throws: ``CryptographyError`` with code `frame` or `notEncrypted`, or a code of ``decryptIDTech(_:)``.
    public borrowing func decryptNEO(_ frame: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try NEOFormat(.answer).check(frame)
            return NEODialect.encryptedSwipe(in: frame)
        }
        guard let swipe else { throw CryptographyError(.notEncrypted, "the answer has no encrypted swipe (DFEE23)") }
        return try decryptIDTech(frame.extracting(swipe))
    }
}
