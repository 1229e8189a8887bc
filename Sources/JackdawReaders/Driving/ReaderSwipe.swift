public import JackdawCards

/// A swipe as a reader sent it: parts in clear, masked or encrypted, in a buffer that is overwritten when the last who holds it
/// lets it go.
public struct ReaderSwipe: RedactedDescription {
    /// One part of a swipe.
    public enum Part: Hashable, Sendable {
        /// A track's characters in clear, sentinels included; 1 to 3.
        case track(Int)
        /// A track with some characters masked by the reader.
        case maskedTrack(Int)
        /// A track, encrypted on its own.
        case encryptedTrack(Int)
        /// Tracks encrypted as one.
        case encryptedTracks
        /// Tracks in clear, packed as IPS packs them.
        case packedTracks
        /// SHA-1 of a track in clear, 20 bytes.
        case hash(Int)
        /// The serial number of the key (KSN), 8 to 12 bytes.
        case keySerialNumber
        /// The session that the program gave.
        case session
        /// The reader's own number, ASCII.
        case serialNumber
        /// The stripe's fingerprint, encrypted.
        case magnePrint
        /// What the reader says of the fingerprint, 4 bytes.
        case magnePrintStatus
        /// The account number, some digits masked by the reader, ASCII.
        case maskedNumber
        /// Year and month of the expiry, two digits a byte, where they are not in a track.
        case expiry
        /// The cardholder's name, ASCII, where it is not in a track.
        case cardholderName
        /// The frame or record as it came.
        case frame
    }

    /// How the encrypted parts were made.
    public enum Cipher: String, Sendable, Hashable {
        /// Triple DES, each block chained to the one before (CBC).
        case tripleDES
        /// Triple DES, each block on its own (ECB).
        case tripleDESBlocks
        /// AES-128, CBC.
        case aes
    }

    /// The name of the reader's family.
    public let family: String
    /// How the encrypted parts were made; nil where nothing was encrypted, or the reader does not say.
    public let cipher: Cipher?
    /// What the swipe has.
    public var parts: Set<Part> { Set(places.keys) }
    /// Whether tracks were encrypted; with a fixed key a reader need not say how.
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

    /// Runs a body over the bytes of a part; what it copies out is the caller's to wipe.
    /// - Parameters:
    ///   - part: which one.
    ///   - body: gets its bytes.
    /// - Returns: what the body returns; nil where the swipe has no such part.
    /// - Throws: what the body throws.
    public func withPart<Result: ~Copyable, Failure: Error>(
        _ part: Part, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let range = places[part] else { return nil }
        return try storage.bytes.withBytes { (all) throws(Failure) in try body(all.extracting(range)) }
    }

    /// The account number, its first six digits and the last four, where the reader sent as many in clear; the rest as stars.
    public var maskedNumber: String? {
        withPart(.maskedNumber) { Self.masked($0, in: 0..<$0.count) }
            ?? [2, 1, 3].lazy.compactMap { number in
                withPart(.track(number), Self.maskedNumber(ofTrack:))
                    ?? withPart(.maskedTrack(number), Self.maskedNumber(ofTrack:))
            }.compactMap(\.self).first
    }

    /// Family, masked number and what was encrypted.
    public var description: String {
        let number = maskedNumber.map { " \($0)" } ?? ""
        let encrypted = isEncrypted ? ", encrypted" + (cipher.map { " (\($0.rawValue))" } ?? "") : ""
        return "\(family)\(number)\(encrypted)"
    }

    /// Of a track that begins with a sentinel, a bank card's format code after that of track 1.
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
        // Of a short number that would be all of it; a longer one is none.
        guard (13...19).contains(range.count),
            range.allSatisfy({ digits.contains(text[$0]) || text[$0] == UInt8(ascii: "*") })
        else { return nil }
        return range.map { index in
            let isShown = index < range.lowerBound + 6 || index >= range.upperBound - 4
            return String(UnicodeScalar(isShown ? text[index] : UInt8(ascii: "*")))
        }.joined()
    }

    /// The bytes and their owner's life.
    private final class Storage: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// Puts a swipe together; what it has taken is overwritten when it goes.
    public struct Builder: ~Copyable {
        private var bytes = FrameBuffer()
        private var places: [Part: Range<Int>] = [:]

        /// A swipe without parts.
        public init() {}

        /// Adds a part, in place of one of the same kind.
        /// - Parameters:
        ///   - part: which one.
        ///   - content: its bytes, copied; nothing is added where there are none.
        public mutating func add(_ part: Part, _ content: Span<UInt8>) {
            guard content.count > 0 else { return }
            places[part] = bytes.count..<bytes.count + content.count
            bytes.append(content)
        }

        /// Adds a part that was written as hexadecimal digits.
        /// - Parameters:
        ///   - part: which one.
        ///   - digits: two a byte; nothing is added where there are none, or one is no digit.
        public mutating func add(_ part: Part, hexadecimal digits: Span<UInt8>) {
            let content = SecretBytes(count: digits.count / 2) { target in
                for index in target.indices { target[index] = digits.byte(at: 2 * index) ?? 0 }
            }
            guard digits.count.isMultiple(of: 2), (0..<digits.count).allSatisfy({ digits[$0].digitValue != nil })
            else { return }
            content.withBytes { add(part, $0) }
        }

        /// The swipe.
        /// - Parameters:
        ///   - family: the name of the reader's family.
        ///   - cipher: how the encrypted parts were made.
        /// - Returns: what was added.
        public consuming func finish(family: String, cipher: Cipher?) -> ReaderSwipe {
            let places = places
            return bytes.withBytes { ReaderSwipe(family: family, cipher: cipher, places: places, bytes: $0) }
        }
    }
}

/// Bytes that a reader has sent and that may be of a card: one place in memory, which is overwritten when nobody needs it any
/// more.
public final class ReaderBytes: Sendable, Hashable, CustomStringConvertible {
    private let bytes: SecretBytes

    /// - Parameter bytes: copied; the caller's own are its own to wipe.
    public init(copying bytes: Span<UInt8>) { self.bytes = SecretBytes(copying: bytes) }

    /// Lends the bytes.
    /// - Parameter body: gets them; they must not be kept.
    /// - Returns: what the body does.
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes { body($0) } }

    /// How many bytes there are.
    public var count: Int { withBytes { $0.count } }

    /// How many bytes there are, in words.
    public var description: String { count == 1 ? "1 byte" : "\(count) bytes" }

    /// Whether they are the same bytes.
    public static func == (one: ReaderBytes, other: ReaderBytes) -> Bool {
        one.withBytes { first in
            other.withBytes { second in
                first.count == second.count && first.indices.allSatisfy { first[$0] == second[$0] }
            }
        }
    }

    /// Hashes how many there are.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
