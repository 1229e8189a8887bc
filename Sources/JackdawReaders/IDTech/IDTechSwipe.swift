/// Where the fields of a swipe lie in its frame, in the original or the enhanced layout.
///
/// It holds no card data itself: the frame has it, and each field is a range of that.
package struct IDTechSwipe: Sendable, Hashable {
    /// What kind of card it was.
    package enum CardType: UInt8, Sendable, Hashable, CaseIterable {
        /// ISO 7813, ABA: bank cards.
        case bank = 0x00
        /// AAMVA: driving licences.
        case licence = 0x01
        /// Another one.
        case other = 0x03
        /// Not decoded.
        case raw = 0x04
    }

    /// How it was encrypted.
    package enum Cipher: UInt8, Sendable, Hashable {
        /// Triple DES, CBC.
        case tripleDES = 0
        /// AES-128, CBC.
        case aes = 1

        /// Bytes that are encrypted at once.
        var blockSize: Int { self == .tripleDES ? 8 : 16 }
    }

    /// One track.
    package struct Track: Sendable, Hashable {
        /// Characters on the card, sentinels included; 0 where there was none.
        package var length = 0
        /// Whether it was decoded without an error.
        package var isDecoded = false
        /// Whether anything was there.
        package var isSampled = false
        /// The track with stars in it; nil where it was not sent. Track 3 of the original layout is in clear.
        package var masked: Range<Int>?
        /// The track encrypted, padded with zeros; nil where it was not sent on its own.
        package var encrypted: Range<Int>?
        /// SHA-1 of the track in clear; nil where it was not sent.
        package var hash: Range<Int>?
    }

    /// The card type's bit that says that the layout is the enhanced one.
    static let enhanced: UInt8 = 0x80

    /// What kind of card it was.
    package let cardType: CardType
    /// Whether the layout is the enhanced one.
    package let isEnhanced: Bool
    /// How it was encrypted; nil where nothing was, or where the original layout, which does not say, fits both ways.
    package private(set) var cipher: Cipher?
    /// Tracks 1 to 3.
    package private(set) var tracks = [Track](repeating: Track(), count: 3)
    /// In the original layout tracks 1 and 2 encrypted as one; nil where they were not, or each on its own.
    package private(set) var encryptedTogether: Range<Int>?
    /// 8 bytes that the program gave; nil where there are none.
    package private(set) var session: Range<Int>?
    /// The reader's serial number, 10 characters; nil where it was not sent.
    package private(set) var serialNumber: Range<Int>?
    /// The key's serial number (KSN), 10 bytes; nil where nothing was encrypted.
    package private(set) var keySerialNumber: Range<Int>?

    /// Reads the layout of a frame whose checks are right.
    /// - Parameter frame: as ``IDTechSwipeFormat`` found it.
    /// - Throws: ``FrameFault`` where fields do not fit.
    package init(_ frame: Span<UInt8>) throws(FrameFault) {
        let end = frame.count - IDTechBody.endSize
        guard end - IDTechBody.start >= IDTechSwipeFormat.bodySizes.lowerBound else {
            throw FrameFault(.truncated, at: max(0, end), "too short for a swipe")
        }
        guard let type = CardType(rawValue: frame[3] & ~Self.enhanced) else {
            throw FrameFault(.field, at: 3, "no card type is \(frame[3].hexadecimal)")
        }
        cardType = type
        isEnhanced = frame[3] & Self.enhanced != 0
        var places = FieldPlaces(next: 8, end: end)
        if isEnhanced {
            let flags = try places.take(2, "the flags")
            let sent = frame[flags.lowerBound]
            guard let named = Cipher(rawValue: sent >> 4 & 3) else {
                throw FrameFault(.field, at: flags.lowerBound, "no cipher is \(sent >> 4 & 3)")
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
            throw FrameFault(.length, at: places.next, "\(end - places.next) bytes more than the fields take")
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
        // What is not hashes and KSN tells how blocks are padded.
        let size = places.left - 20 * hashes - 10
        let fitting = [Cipher.tripleDES, .aes].filter { padded(together, $0) == size }
        guard let first = fitting.first else {
            throw FrameFault(.length, at: places.next, "\(size) encrypted bytes, where the tracks have \(together)")
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

    /// Where a track lies that is sent as it is: track 3 of the original layout, what an enhanced one does not encrypt, and all
    /// tracks of a reader without a key.
    /// - Parameters:
    ///   - index: of the track, 0 to 2.
    ///   - frame: the same that the layout was read of.
    /// - Returns: nil for one that is encrypted, has stars in it, or was not sent.
    package func trackInClear(_ index: Int, of frame: Span<UInt8>) -> Range<Int>? {
        let isEncrypted = tracks[index].encrypted != nil || (index < 2 && encryptedTogether != nil)
        guard !isEncrypted, let place = tracks[index].masked else { return nil }
        // Bits are no characters.
        return cardType != .raw && place.contains { frame[$0] == UInt8(ascii: "*") } ? nil : place
    }

    private func padded(_ count: Int, _ cipher: Cipher) -> Int {
        (count + cipher.blockSize - 1) / cipher.blockSize * cipher.blockSize
    }
}

/// The places of fields that follow each other.
private struct FieldPlaces {
    var next: Int
    let end: Int

    var left: Int { end - next }

    mutating func take(_ count: Int, _ name: String) throws(FrameFault) -> Range<Int> {
        guard count <= left else {
            throw FrameFault(.length, at: next, "\(left) bytes are left, where \(name) has \(count)")
        }
        defer { next += count }
        return next..<next + count
    }
}

extension IDTechSwipe {
    /// Explains the body, field by field.
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        /// Whole where everything is shown.
        func shown(_ name: String, _ range: Range<Int>) -> FrameField {
            FrameField(name, range, frame.extracting(range).hexadecimal(first: isRevealing ? range.count : 32))
        }
        let layout = isEnhanced ? "enhanced" : "original"
        var fields = [
            FrameField("card type", 3..<4, "\(cardType), \(layout) layout"),
            FrameField("track status", 4..<5, status), FrameField("track lengths", 5..<8, lengths),
        ]
        if isEnhanced { fields.append(FrameField("flags", 8..<10, cipher == .aes ? "AES" : "TDES")) }
        for (index, track) in tracks.enumerated() {
            if let range = track.masked {
                // Track 3 of the original layout is not masked, and neither is a reader's that does not encrypt.
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
            // A hash can be searched for: a PAN has few unknown digits.
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
/// ``IDTechSwipe`` reads the body.
///
/// Source: ID TECH's MS246, SecureMag and UniMag II manuals; two published swipes.
package struct IDTechSwipeFormat: FrameFormat {
    /// From card type, status and three lengths, which every body has, to the most that its fields can take: three tracks,
    /// masked, encrypted and hashed, session, serial and KSN.
    static let bodySizes = 5...(7 + 3 * 255 + 3 * 256 + 8 + 3 * 20 + 10 + 10)

    /// The format, which has no settings.
    package init() {}

    /// The most bytes that a frame has.
    package var greatestSize: Int { IDTechBody.start + Self.bodySizes.upperBound + IDTechBody.endSize }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        IDTechBody.measure(bytes, sizes: Self.bodySizes) { first in
            IDTechSwipe.CardType(rawValue: first & ~IDTechSwipe.enhanced) == nil
                ? FrameFault(.field, at: IDTechBody.start, "no card type is \(first.hexadecimal)") : nil
        }
    }

    /// Explains a frame, field by field.
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
    /// - Parameter body: from the card type to the KSN.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where no body is that long.
    package static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        try IDTechBody.frame(body, sizes: bodySizes)
    }
}
