import JackdawBytes
import JackdawCards

/// Swipes of encrypting readers as in an OEM's sample code of 2012 and 2013: 131 bytes that begin with 60 and end with
/// a CRC, or five bytes that begin with 66 if the swipe was not read.
///
/// That IPS's readers send these frames is inferred from names in their SDK, not documented: another profile may be
/// needed.
package struct IPSFormat: FrameFormat {
    /// The positions of the fields.
    package let layout: IPSLayout
    static let failureSize = 5

    /// The byte that wakes such a reader and requests its identification.
    package static let wake: [UInt8] = [0x0C]

    /// - Parameter layout: the positions of the fields.
    package init(_ layout: IPSLayout = IPSLayout()) { self.layout = layout }

    package var greatestSize: Int { max(layout.size, Self.failureSize) }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == layout.swipe || bytes[$0] == layout.failure }
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        switch bytes[0] {
        case layout.failure:
            return bytes.count < Self.failureSize
                ? .partial(atLeast: Self.failureSize) : .unchecked(Self.failureSize)
        case layout.swipe: break
        default: return .fault(.noStart(bytes[0]))
        }
        guard bytes.count >= layout.size else { return .partial(atLeast: layout.size) }
        let end = layout.size - 1
        let crc = RedundancyCheck.crc8(bytes.extracting(first: end))
        guard bytes[end] == crc else { return .fault(.check("CRC", at: end, bytes[end], expected: crc)) }
        return .whole(layout.size)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard let swipe = try? IPSSwipe(frame, layout) else {
            return [
                FrameField("kind", 0..<1, "66 swipe that was not read"),
                FrameField("line", 1..<3, "\(Int(frame[2]) << 8 | Int(frame[1]))"),
                FrameField("length of track 1", 3..<4, "\(frame[3])"),
                FrameField("length of track 2", 4..<5, "\(frame[4])"),
            ]
        }
        // The visible digits would be all of a short number.
        let issuer = swipe.accountNumberCount >= 13 ? frame.extracting(swipe.issuer).hexadecimal : "..."
        let name = frame.extracting(swipe.name)
        let place = layout
        return [
            FrameField("kind", 0..<1, "\(frame[0].hexadecimal) swipe"),
            FrameField("firmware", 1..<3, "\(frame[1].twoDigits).\(frame[2].twoDigits)"),
            FrameField(
                "key management", place.keyManagement..<place.keyManagement + 1,
                Self.keyManagement(frame[place.keyManagement])),
            FrameField(
                "digits of the PAN", place.numberLength..<place.numberLength + 1, "\(swipe.accountNumberCount)"),
            FrameField("PAN, first digits", swipe.issuer, issuer),
            FrameField("PAN, last digits", swipe.lastDigits, frame.extracting(swipe.lastDigits).hexadecimal),
            FrameField("expiry", swipe.expiry, frame.extracting(swipe.expiry).hexadecimal),
            FrameField("name", swipe.name, isRevealing ? name.printable : CardholderName.mask(name)),
            FrameField("KSN", swipe.keySerialNumber, frame.extracting(swipe.keySerialNumber).spacedHexadecimal()),
            // Some are not encrypted, and some have keys that are public.
            FrameField("encrypted tracks", swipe.encrypted, frame.extracting(swipe.encrypted).sensitive(isRevealing)),
            FrameField(
                "tracks", place.tracks..<place.tracks + 1,
                swipe.tracks.isEmpty ? "none" : swipe.tracks.map { "\($0)" }.joined(separator: ", ")),
            FrameField("swipes so far", frame.count - 2..<frame.count - 1, "\(frame[frame.count - 2])"),
            FrameField("CRC", frame.count - 1..<frame.count, "right"),
        ]
    }

    /// Makes the frame of a swipe.
    /// - Parameters:
    ///   - content: the frame without its CRC; in the inferred layout, 130 bytes that begin with 60.
    ///   - layout: the positions of the fields.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault``: `length` if there are more or fewer bytes, `start` if the first byte is another.
    package static func frame(
        _ content: [UInt8], _ layout: IPSLayout = IPSLayout()
    ) throws(FrameFault) -> [UInt8] {
        guard content.count == layout.size - 1 else {
            throw FrameFault(.length, at: 0, "\(content.count) bytes; a swipe has \(layout.size - 1) and a CRC")
        }
        guard content[0] == layout.swipe else { throw .noStart(content[0]) }
        return content + [RedundancyCheck.crc8(content.span)]
    }

    /// The value's meaning in the two kinds of device of that OEM.
    private static func keyManagement(_ byte: UInt8) -> String {
        switch byte {
        case 0x00: "00 fixed key"
        case 0xFE: "FE DUKPT"
        case 0xFD: "FD plain"
        case 0x01: "01 disperse I, or fixed key"
        default: "\(byte.hexadecimal), DUKPT in devices without a battery"
        }
    }
}

extension UInt8 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

/// Frames that an IPS reader may send after the wake-up byte: the answer, of which only the second byte is known, or a
/// swipe.
///
/// An answer has no check, so it is not accepted directly after bytes that are not a frame. If its length is unknown,
/// it ends with the received block: for links that keep packets apart.
package struct IPSAnswerFormat: FrameFormat {
    /// The answer's second byte, by which it is recognised.
    package let second: UInt8
    /// The length of the answer in bytes, 2 or more; nil if it is unknown.
    package let size: Int?
    private let swipes: IPSFormat

    /// - Parameters:
    ///   - second: the answer's second byte.
    ///   - size: the length of the answer in bytes, 2 or more; nil if it is unknown.
    ///   - layout: the positions of the fields in a swipe.
    package init(second: UInt8, size: Int?, layout: IPSLayout = IPSLayout()) {
        precondition(size ?? 2 >= 2, "an answer has 2 bytes or more")
        self.second = second
        self.size = size
        swipes = IPSFormat(layout)
    }

    package var greatestSize: Int { max(size ?? 512, swipes.greatestSize) }

    /// Finds the byte before an answer's second byte, the first byte of a swipe, or the last byte received.
    package func start(in bytes: Span<UInt8>) -> Int? {
        let swipe = swipes.start(in: bytes) ?? bytes.count
        return bytes.indices.first { $0 == swipe || $0 + 1 == bytes.count || bytes[$0 + 1] == second }
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count > 1 else { return .partial(atLeast: 2) }
        guard isAnswer(bytes) else { return swipes.measure(bytes) }
        guard let size else { return .unchecked(min(bytes.count, greatestSize)) }
        return bytes.count < size ? .partial(atLeast: size) : .unchecked(size)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard isAnswer(frame) else { return swipes.fields(of: frame, isRevealing: isRevealing) }
        let rest = frame.extracting(2...)
        return [
            FrameField("not known", 0..<1, frame[0].hexadecimal),
            FrameField("answer to being woken", 1..<2, frame[1].hexadecimal),
        ] + (rest.count > 0 ? [FrameField("rest", 2..<frame.count, rest.sensitive(isRevealing))] : [])
    }

    /// Whether a frame is an answer to the wake-up byte.
    func isAnswer(_ frame: Span<UInt8>) -> Bool { frame.count > 1 && frame[1] == second }
}

/// The positions of the fields in frames of IPS's readers. All are inferred from an OEM's sample code; a profile may
/// change them.
package struct IPSLayout: Sendable, Hashable {
    /// The first byte of a swipe's frame.
    package var swipe: UInt8 = 0x60
    /// The first byte of the frame for a swipe that was not read.
    package var failure: UInt8 = 0x66
    /// The length of a swipe's frame in bytes, with its CRC; 2 to 255.
    package var size = 131
    /// Position of the key management byte. Positions count from 0, the frame's first byte.
    package var keyManagement = 3
    /// Position of the number of digits of the account number.
    package var numberLength = 4
    /// Position of the account number's first six digits, two a byte.
    package var issuer = 5
    /// Position of the account number's last four digits, two a byte.
    package var lastDigits = 8
    /// Position of year and month of the expiry, two digits a byte.
    package var expiry = 10
    /// Position of the cardholder's name.
    package var name = 12
    /// The number of characters of that name.
    package var nameLength = 26
    /// Position of the key's serial number (KSN), 10 bytes.
    package var keySerialNumber = 38
    /// Position of the tracks, encrypted together, 80 bytes.
    package var encrypted = 48
    /// Position of the byte with the tracks that were read, one bit each.
    package var tracks = 128

    /// Creates the inferred layout.
    package init() {}

    /// Whether all fields are inside a frame.
    var fits: Bool {
        let ends = [
            keyManagement + 1, numberLength + 1, issuer + 3, lastDigits + 2, expiry + 2, name + nameLength,
            keySerialNumber + 10, encrypted + 80, tracks + 1,
        ]
        return swipe != failure && size <= 255 && ends.allSatisfy { $0 < size }
    }

    /// The positions, with their keys in a profile.
    static let places: [(key: ProfileKey, title: String, path: any WritableKeyPath<IPSLayout, Int> & Sendable)] = [
        ("ips.size", "bytes of a swipe, its CRC included", \.size),
        ("ips.keyManagementAt", "place of the key management", \.keyManagement),
        ("ips.numberLengthAt", "place of the length of the account number", \.numberLength),
        ("ips.issuerAt", "place of the account number's first six digits", \.issuer),
        ("ips.lastDigitsAt", "place of the account number's last four digits", \.lastDigits),
        ("ips.expiryAt", "place of the expiry", \.expiry), ("ips.nameAt", "place of the name", \.name),
        ("ips.nameLength", "characters of the name", \.nameLength),
        ("ips.keySerialNumberAt", "place of the KSN", \.keySerialNumber),
        ("ips.encryptedAt", "place of the encrypted tracks", \.encrypted),
        ("ips.tracksAt", "place of the tracks that were read", \.tracks),
    ]
}
