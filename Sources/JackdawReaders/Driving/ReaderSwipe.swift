import JackdawBytes
public import JackdawCards

/// A swipe as a reader sent it: parts in clear, masked or encrypted, in a buffer that is overwritten when its last
/// owner releases it.
public struct ReaderSwipe: RedactedDescription {
    /// One kind of data in a swipe.
    public enum Part: Hashable, Sendable {
        /// A track's characters in clear, with sentinels; the track is 1 to 3.
        case track(Int)
        /// A track with some characters masked by the reader.
        case maskedTrack(Int)
        /// A track that is encrypted on its own.
        case encryptedTrack(Int)
        /// Several tracks that are encrypted together.
        case encryptedTracks
        /// Tracks in clear, packed in the format of IPS.
        case packedTracks
        /// SHA-1 of a track in clear, 20 bytes.
        case hash(Int)
        /// The serial number of the key (KSN), 8 to 12 bytes.
        case keySerialNumber
        /// The session identifier that the program sent.
        case session
        /// The reader's own serial number, ASCII.
        case serialNumber
        /// The stripe's fingerprint (MagnePrint), encrypted.
        case magnePrint
        /// The reader's status of the fingerprint, 4 bytes.
        case magnePrintStatus
        /// The account number, with some digits masked by the reader, ASCII.
        case maskedNumber
        /// Year and month of expiry, two digits a byte, if they are not in a track.
        case expiry
        /// The cardholder's name, ASCII, if it is not in a track.
        case cardholderName
        /// The frame or record as the reader sent it.
        case frame
    }

    /// The cipher and mode of the encrypted parts.
    public enum Cipher: String, Sendable, Hashable {
        /// Triple DES in cipher block chaining (CBC).
        case tripleDES
        /// Triple DES, each block on its own (ECB).
        case tripleDESBlocks
        /// AES-128 in cipher block chaining (CBC).
        case aes
    }

    /// The name of the reader's family.
    public let family: String
    /// The cipher of the encrypted parts; nil if nothing was encrypted, or the reader does not report the cipher.
    public let cipher: Cipher?
    /// The parts that the swipe has.
    public var parts: Set<Part> { Set(places.keys) }
    /// Whether tracks were encrypted. A reader with a fixed key need not report its cipher.
    package var isEncrypted: Bool {
        cipher != nil
            || places.keys.contains { part in
                switch part {
                case .encryptedTrack, .encryptedTracks: true
                default: false
                }
            }
    }

    private let places: [Part: Range<Int>]
    private let storage: Storage

    fileprivate init(family: String, cipher: Cipher?, places: [Part: Range<Int>], bytes: Span<UInt8>) {
        self.family = family
        self.cipher = cipher
        self.places = places
        storage = Storage(SecretBytes(copying: bytes))
    }

    /// Runs `body` on the bytes of a part. The caller wipes any copies.
    /// - Parameters:
    ///   - part: the part.
    ///   - body: receives the bytes.
    /// - Returns: the result of `body`; nil if the swipe does not have this part.
    /// - Throws: the error of `body`.
    public func withPart<Result: ~Copyable, Failure: Error>(
        _ part: Part, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let range = places[part] else { return nil }
        return try storage.bytes.withBytes { (all) throws(Failure) in try body(all.extracting(range)) }
    }

    /// The account number with stars for all but the first six and last four digits; the reader itself may have masked
    /// more.
    public var maskedNumber: String? {
        withPart(.maskedNumber) { Self.masked($0, in: 0..<$0.count) }
            ?? [2, 1, 3].lazy.compactMap { number in
                withPart(.track(number), Self.maskedNumber(ofTrack:))
                    ?? withPart(.maskedTrack(number), Self.maskedNumber(ofTrack:))
            }.compactMap(\.self).first
    }

    /// Family, masked number, and the cipher of encrypted parts.
    public var description: String {
        let number = maskedNumber.map { " \($0)" } ?? ""
        let encrypted = isEncrypted ? ", encrypted" + (cipher.map { " (\($0.rawValue))" } ?? "") : ""
        return "\(family)\(number)\(encrypted)"
    }

    /// Masks the number of a track that begins with a sentinel; on track 1, a format code of one character follows it.
    private static func maskedNumber(ofTrack track: Span<UInt8>) -> String? {
        guard track.count > 2 else { return nil }
        let first = track[0] == UInt8(ascii: "%") ? 2 : 1
        let separators = [UInt8(ascii: "^"), UInt8(ascii: "=")]
        guard let end = track.indices.first(where: { $0 >= first && separators.contains(track[$0]) }) else {
            return nil
        }
        return masked(track, in: first..<end)
    }

    private static func masked(_ text: Span<UInt8>, in range: Range<Int>) -> String? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        // Masking would show all of a short number; a longer one is not an account number.
        guard (13...19).contains(range.count),
            range.allSatisfy({ digits.contains(text[$0]) || text[$0] == UInt8(ascii: "*") })
        else { return nil }
        return range.map { index in
            let isShown = index < range.lowerBound + 6 || index >= range.upperBound - 4
            return String(UnicodeScalar(isShown ? text[index] : UInt8(ascii: "*")))
        }.joined()
    }

    /// Owns the bytes for all copies of a swipe.
    private final class Storage: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// Builds a swipe from its parts; its memory is overwritten when it is released.
    public struct Builder: ~Copyable {
        private var bytes = FrameBuffer()
        private var places: [Part: Range<Int>] = [:]

        /// Creates a swipe without parts.
        public init() {}

        /// Adds a part; replaces a part of the same kind.
        /// - Parameters:
        ///   - part: the part.
        ///   - content: its bytes, which are copied; if there are none, nothing is added.
        public mutating func add(_ part: Part, _ content: Span<UInt8>) {
            guard content.count > 0 else { return }
            places[part] = bytes.count..<bytes.count + content.count
            bytes.append(content)
        }

        /// Adds a part from hexadecimal digits.
        /// - Parameters:
        ///   - part: the part.
        ///   - digits: two a byte; if there are none, or one is not a digit, nothing is added.
        public mutating func add(_ part: Part, hexadecimal digits: Span<UInt8>) {
            do throws(HexadecimalError) {
                let content = try SecretBytes(hexadecimal: digits)
                content.withBytes { add(part, $0) }
            } catch {
                return
            }
        }

        /// Returns the swipe and ends the builder.
        /// - Parameters:
        ///   - family: the name of the reader's family.
        ///   - cipher: the cipher and mode of the encrypted parts.
        /// - Returns: the swipe with the parts added.
        public consuming func finish(family: String, cipher: Cipher?) -> ReaderSwipe {
            let places = places
            return bytes.withBytes { ReaderSwipe(family: family, cipher: cipher, places: places, bytes: $0) }
        }
    }
}

/// Bytes from a reader that may be card data, in one place in memory that is overwritten when its last owner releases
/// it.
public final class ReaderBytes: Sendable, Hashable, CustomStringConvertible {
    private let bytes: SecretBytes

    /// - Parameter bytes: the bytes to copy. The caller wipes its own copy.
    public init(copying bytes: Span<UInt8>) { self.bytes = SecretBytes(copying: bytes) }

    /// Runs `body` on the bytes.
    /// - Parameter body: receives the bytes, and must not keep them.
    /// - Returns: the result of `body`.
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes { body($0) } }

    /// The number of bytes, 0 or more.
    public var count: Int { withBytes { $0.count } }

    public var description: String { count == 1 ? "1 byte" : "\(count) bytes" }

    public static func == (one: ReaderBytes, other: ReaderBytes) -> Bool {
        one.withBytes { first in
            other.withBytes { second in
                first.count == second.count && first.indices.allSatisfy { first[$0] == second[$0] }
            }
        }
    }

    /// Hashes the number of bytes only.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
