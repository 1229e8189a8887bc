import JackdawBytes

/// The positions of a swipe's fields in its frame, in the original or the enhanced layout.
///
/// Holds no card data itself: each field is a range of the frame.
package struct IDTechSwipe: Sendable, Hashable {
    /// The kind of card that was swiped.
    package enum CardType: UInt8, Sendable, Hashable, CaseIterable {
        /// ISO 7813, ABA: bank cards.
        case bank = 0x00
        /// AAMVA: driving licences.
        case licence = 0x01
        /// A card with another format.
        case other = 0x03
        /// Raw bits, which the reader did not decode.
        case raw = 0x04
    }

    /// The cipher of encrypted tracks.
    package enum Cipher: UInt8, Sendable, Hashable {
        case tripleDES = 0
        case aes = 1

        /// The cipher's block size in bytes.
        var blockSize: Int { self == .tripleDES ? 8 : 16 }
    }

    /// A track; its places are ranges of the frame.
    package struct Track: Sendable, Hashable {
        /// The number of characters on the card, sentinels included; 0 if there were none.
        package var length = 0
        /// Whether it was decoded without an error.
        package var isDecoded = false
        /// Whether the reader sampled any signal on the track.
        package var isSampled = false
        /// The place of the masked track; nil if the reader did not send it. Track 3 of the original layout is in
        /// clear.
        package var masked: Range<Int>?
        /// The place of the encrypted track, padded with zeros; nil if the reader did not send it on its own.
        package var encrypted: Range<Int>?
        /// The place of the SHA-1 of the track in clear, 20 bytes; nil if the reader did not send it.
        package var hash: Range<Int>?
    }

    /// The card type's bit for the enhanced layout.
    static let enhanced: UInt8 = 0x80

    package let cardType: CardType
    /// Whether the frame has the enhanced layout.
    package let isEnhanced: Bool
    /// The cipher; nil if nothing was encrypted, or if the original layout, which does not have a cipher field, fits
    /// both ciphers.
    package private(set) var cipher: Cipher?
    package private(set) var tracks = [Track](repeating: Track(), count: 3)
    /// In the original layout tracks 1 and 2, encrypted as one; nil if they were not encrypted, or each on its own.
    package private(set) var encryptedTogether: Range<Int>?
    /// The session identifier that the program sent, 8 bytes; nil if there is none.
    package private(set) var session: Range<Int>?
    /// The reader's serial number, 10 characters; nil if the reader did not send it.
    package private(set) var serialNumber: Range<Int>?
    /// The key's serial number (KSN), 10 bytes; nil if nothing was encrypted.
    package private(set) var keySerialNumber: Range<Int>?

    /// Parses a frame with correct checks.
    /// - Parameter frame: a frame of ``IDTechSwipeFormat``.
    /// - Throws: ``FrameFault`` if the fields do not fit the frame.
    package init(_ frame: Span<UInt8>) throws(FrameFault) {
        let end = frame.count - IDTechBody.endSize
        guard end - IDTechBody.start >= IDTechSwipeFormat.bodySizes.lowerBound else {
            throw FrameFault(.truncated, at: max(0, end), "too short for a swipe")
        }
        guard let type = CardType(rawValue: frame[3] & ~Self.enhanced) else {
            throw FrameFault(.field, at: 3, "\(frame[3].hexadecimal) is not a card type")
        }
        cardType = type
        isEnhanced = frame[3] & Self.enhanced != 0
        var places = FieldPlaces(next: 8, end: end)
        if isEnhanced {
            let flags = try places.take(2, "the flags")
            let sent = frame[flags.lowerBound]
            guard let named = Cipher(rawValue: sent >> 4 & 3) else {
                throw FrameFault(.field, at: flags.lowerBound, "\(sent >> 4 & 3) is not a cipher")
            }
            cipher = named
        }
        guard frame[4] >> 6 & 1 == 0 else {
            throw FrameFault(.field, at: 4, "fields of newer readers (optional bytes) are not known")
        }
        for index in 0..<3 {
            tracks[index].length = Int(frame[5 + index])
            tracks[index].isDecoded = frame[4] >> index & 1 == 1
            tracks[index].isSampled = frame[4] >> (index + 3) & 1 == 1
        }
        if isEnhanced {
            try readEnhanced(frame, &places)
        } else {
            try readOriginal(&places)
        }
        guard places.next == end else {
            throw FrameFault(.length, at: places.next, "\(end - places.next) bytes more than the fields have")
        }
    }

    private mutating func readEnhanced(_ frame: Span<UInt8>, _ places: inout FieldPlaces) throws(FrameFault) {
        let (sent, follows) = (frame[8], frame[9])
        for index in 0..<3 where sent >> index & 1 == 1 {
            tracks[index].masked = try places.take(tracks[index].length, "masked track \(index + 1)")
        }
        for index in 0..<3 where follows >> index & 1 == 1 {
            let size = padded(tracks[index].length, cipher ?? .tripleDES)
            tracks[index].encrypted = try places.take(size, "encrypted track \(index + 1)")
        }
        if follows >> 6 & 1 == 1 { session = try places.take(8, "the session") }
        for index in 0..<3 where follows >> (index + 3) & 1 == 1 {
            tracks[index].hash = try places.take(20, "the hash of track \(index + 1)")
        }
        if sent >> 7 == 1 { serialNumber = try places.take(10, "the serial number") }
        if follows >> 7 == 1 { keySerialNumber = try places.take(10, "the KSN") }
    }

    private mutating func readOriginal(_ places: inout FieldPlaces) throws(FrameFault) {
        for index in 0..<3 where tracks[index].length > 0 {
            tracks[index].masked = try places.take(tracks[index].length, "track \(index + 1)")
        }
        guard places.left > 0 else { return }
        let together = tracks[0].length + tracks[1].length
        let hashes = tracks[..<2].count { $0.length > 0 }
        // The size without hashes and KSN shows the cipher's padding.
        let size = places.left - 20 * hashes - 10
        let fitting = [Cipher.tripleDES, .aes].filter { padded(together, $0) == size }
        guard let first = fitting.first else {
            throw FrameFault(.length, at: places.next, "\(size) encrypted bytes; the tracks have \(together)")
        }
        if together > 0 {
            cipher = fitting.count == 1 ? first : nil
            encryptedTogether = try places.take(size, "the encrypted tracks")
        }
        for index in 0..<2 where tracks[index].length > 0 {
            tracks[index].hash = try places.take(20, "the hash of track \(index + 1)")
        }
        keySerialNumber = try places.take(10, "the KSN")
    }

    /// Returns the range of a track that was sent in clear: track 3 of the original layout, an unencrypted track of an
    /// enhanced layout, and all tracks of a reader without a key.
    /// - Parameters:
    ///   - index: the index of the track, 0 to 2.
    ///   - frame: the frame from which the layout was parsed.
    /// - Returns: nil for a track that is encrypted, has asterisks as a mask, or was not sent.
    package func trackInClear(_ index: Int, of frame: Span<UInt8>) -> Range<Int>? {
        let isEncrypted = tracks[index].encrypted != nil || (index < 2 && encryptedTogether != nil)
        guard !isEncrypted, let place = tracks[index].masked else { return nil }
        // A raw track consists of bits, in which an asterisk is not a mask.
        return cardType != .raw && place.contains { frame[$0] == UInt8(ascii: "*") } ? nil : place
    }

    private func padded(_ count: Int, _ cipher: Cipher) -> Int {
        (count + cipher.blockSize - 1) / cipher.blockSize * cipher.blockSize
    }
}

extension IDTechSwipe {
    /// Returns the places of a swipe's encrypted blocks.
    /// - Parameter frame: the bytes from `02` to `03`.
    /// - Returns: the encrypted tracks, and the tracks in clear.
    /// - Throws: ``FrameFault`` if they are not a frame of ``IDTechSwipeFormat``, or the fields do not fit it.
    package static func blocks(in frame: Span<UInt8>) throws(FrameFault) -> EncryptedBlocks {
        try IDTechSwipeFormat().check(frame)
        let swipe = try IDTechSwipe(frame)
        var encrypted: [EncryptedBlocks.Track] = []
        var inClear: [EncryptedBlocks.Track] = []
        for (index, track) in swipe.tracks.enumerated() {
            let together = index < 2 ? swipe.encryptedTogether : nil
            if let place = together ?? track.encrypted {
                encrypted.append(
                    EncryptedBlocks.Track(index + 1, at: place, length: track.length, hash: track.hash))
            } else if let place = swipe.trackInClear(index, of: frame) {
                inClear.append(EncryptedBlocks.Track(index + 1, at: place))
            }
        }
        let cipher = swipe.cipher.map { $0 == .aes ? ReaderSwipe.Cipher.aes : .tripleDES }
        return EncryptedBlocks(
            cipher, keySerialNumber: swipe.keySerialNumber, encrypted, inClear: inClear,
            hasSentinels: swipe.cardType == .bank || swipe.cardType == .licence)
    }
}

/// The ranges of consecutive fields.
private struct FieldPlaces {
    var next: Int
    let end: Int

    var left: Int { end - next }

    mutating func take(_ count: Int, _ name: String) throws(FrameFault) -> Range<Int> {
        guard count <= left else {
            throw FrameFault(.length, at: next, "\(left) bytes are left; \(name) has \(count)")
        }
        defer { next += count }
        return next..<next + count
    }
}

extension IDTechSwipe {
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        /// Shows the field in full if `isRevealing`.
        func shown(_ name: String, _ range: Range<Int>) -> FrameField {
            FrameField(name, range, frame.extracting(range).spacedHexadecimal(first: isRevealing ? range.count : 32))
        }
        let layout = isEnhanced ? "enhanced" : "original"
        var fields = [
            FrameField("card type", 3..<4, "\(cardType), \(layout) layout"),
            FrameField("track status", 4..<5, status), FrameField("track lengths", 5..<8, lengths),
        ]
        if isEnhanced { fields.append(FrameField("flags", 8..<10, cipher == .aes ? "AES" : "TDES")) }
        for (index, track) in tracks.enumerated() {
            if let range = track.masked {
                // Track 3 of the original layout is not masked, nor are the tracks of a reader without encryption.
                fields.append(FrameField("track \(index + 1)", range, frame.extracting(range).sensitive(isRevealing)))
            }
        }
        for (index, track) in tracks.enumerated() {
            if let range = track.encrypted { fields.append(shown("encrypted track \(index + 1)", range)) }
        }
        if let encryptedTogether {
            fields.append(shown("encrypted tracks 1 and 2", encryptedTogether))
        }
        if let session { fields.append(shown("session", session)) }
        for (index, track) in tracks.enumerated() {
            // A hash can be reversed by search, as a PAN has few unknown digits.
            if let range = track.hash {
                fields.append(
                    FrameField("SHA-1 of track \(index + 1)", range, frame.extracting(range).sensitive(isRevealing)))
            }
        }
        if let serialNumber {
            let text = frame.extracting(serialNumber).readerText(isRevealing)
            fields.append(FrameField("serial number", serialNumber, text))
        }
        if let keySerialNumber { fields.append(shown("KSN", keySerialNumber)) }
        return fields
    }

    private var lengths: String { tracks.map { "\($0.length)" }.joined(separator: ", ") }

    private var status: String {
        tracks.enumerated().map { index, track in
            "\(index + 1) " + (track.isDecoded ? track.length > 0 ? "read" : "empty" : "not read")
        }.joined(separator: ", ")
    }
}

/// A swipe as ID TECH's encrypting readers send it: `02`, a length, a body, LRC and sum of the body, `03`.
/// ``IDTechSwipe`` parses the body.
///
/// Source: ID TECH's MS246, SecureMag and UniMag II manuals; two published swipes.
package struct IDTechSwipeFormat: FrameFormat {
    /// The range of a body's length, from card type, status and three lengths, which each body has, to the longest
    /// fields: three tracks, masked, encrypted and hashed, session, serial and KSN.
    static let bodySizes = 5...(7 + 3 * 255 + 3 * 256 + 8 + 3 * 20 + 10 + 10)

    package init() {}

    package var greatestSize: Int { IDTechBody.start + Self.bodySizes.upperBound + IDTechBody.endSize }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        IDTechBody.measure(bytes, sizes: Self.bodySizes) { first in
            IDTechSwipe.CardType(rawValue: first & ~IDTechSwipe.enhanced) == nil
                ? FrameFault(.field, at: IDTechBody.start, "\(first.hexadecimal) is not a card type") : nil
        }
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        do throws(FrameFault) {
            let swipe = try IDTechSwipe(frame)
            return IDTechBody.fields(around: swipe.fields(of: frame, isRevealing: isRevealing), count: frame.count)
        } catch {
            let body = IDTechBody.start..<frame.count - IDTechBody.endSize
            return IDTechBody.fields(
                around: [FrameField("body", body, "cannot be read: \(error)")], count: frame.count)
        }
    }

    /// Makes the frame of a body.
    /// - Parameter body: the bytes from the card type to the KSN.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) if the body's length is not allowed.
    package static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        try IDTechBody.frame(body, sizes: bodySizes)
    }
}
