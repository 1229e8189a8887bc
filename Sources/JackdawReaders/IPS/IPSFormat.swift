import JackdawCards

/// Swipes of encrypting readers as an OEM's sample code of 2012 and 2013 has them: 131 bytes that begin with 60 and end with a
/// CRC, or five that begin with 66 where a swipe was not read.
///
/// That IPS's readers send these is inferred from names in their SDK, not documented: another profile may be needed.
package struct IPSFormat: FrameFormat {
    /// Where the fields lie.
    package let layout: IPSLayout
    static let failureSize = 5

    /// What a program sends to wake such a reader and have it say what it is.
    package static let wake: [UInt8] = [0x0C]

    /// - Parameter layout: where the fields lie.
    package init(_ layout: IPSLayout = IPSLayout()) { self.layout = layout }

    /// The most bytes that a frame has.
    package var greatestSize: Int { max(layout.size, Self.failureSize) }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == layout.swipe || bytes[$0] == layout.failure }
    }

    /// Measures the frame that may begin with the first byte.
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

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard let swipe = try? IPSSwipe(frame, layout) else {
            return [
                FrameField("kind", 0..<1, "66 swipe that was not read"),
                FrameField("line", 1..<3, "\(Int(frame[2]) << 8 | Int(frame[1]))"),
                FrameField("length of track 1", 3..<4, "\(frame[3])"),
                FrameField("length of track 2", 4..<5, "\(frame[4])"),
            ]
        }
        // Of a short number that would be all of it.
        let issuer = swipe.accountNumberCount >= 13 ? frame.extracting(swipe.issuer).digits : "..."
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
            FrameField("PAN, last digits", swipe.lastDigits, frame.extracting(swipe.lastDigits).digits),
            FrameField("expiry", swipe.expiry, frame.extracting(swipe.expiry).digits),
            FrameField("name", swipe.name, isRevealing ? name.printable : CardholderName.mask(name)),
            FrameField("KSN", swipe.keySerialNumber, frame.extracting(swipe.keySerialNumber).hexadecimal()),
            // Some are not encrypted, and some with keys that everybody knows.
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
    ///   - content: all but the CRC, 130 bytes that begin with 60 where the layout is as inferred.
    ///   - layout: where the fields lie.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where there are more or fewer; (`start`) where it begins otherwise.
    package static func frame(
        _ content: [UInt8], _ layout: IPSLayout = IPSLayout()
    ) throws(FrameFault) -> [UInt8] {
        guard content.count == layout.size - 1 else {
            throw FrameFault(.length, at: 0, "\(content.count) bytes, where a swipe has \(layout.size - 1) and a CRC")
        }
        guard content[0] == layout.swipe else { throw .noStart(content[0]) }
        return content + [RedundancyCheck.crc8(content.span)]
    }

    /// What the two kinds of device of that OEM write there.
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

extension Span<UInt8> {
    /// Two digits a byte, as BCD has them.
    var digits: String { indices.map { self[$0].hexadecimal }.joined() }
}

extension UInt8 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

/// What comes while an IPS reader's answer to being woken is awaited: that answer, of which the second byte alone is known, or
/// a swipe.
///
/// Nothing in an answer checks it, so that it is not taken for one behind bytes that are no frame. Where nobody has told how
/// long it is, it ends with what is received at once: for links that keep packets apart.
package struct IPSAnswerFormat: FrameFormat {
    /// The answer's second byte.
    package let second: UInt8
    /// Bytes of the answer, 2 or more; nil where nobody has told.
    package let size: Int?
    private let swipes: IPSFormat

    /// - Parameters:
    ///   - second: the answer's second byte.
    ///   - size: bytes of the answer, 2 or more; nil where nobody has told.
    ///   - layout: where the fields of a swipe lie.
    package init(second: UInt8, size: Int?, layout: IPSLayout = IPSLayout()) {
        precondition(size ?? 2 >= 2, "an answer has the byte that it is known by")
        self.second = second
        self.size = size
        swipes = IPSFormat(layout)
    }

    /// The most bytes that a frame has.
    package var greatestSize: Int { max(size ?? 512, swipes.greatestSize) }

    /// The first byte that may begin a frame: one before an answer's second byte, that of a swipe, or the last one that has come.
    package func start(in bytes: Span<UInt8>) -> Int? {
        let swipe = swipes.start(in: bytes) ?? bytes.count
        return bytes.indices.first { $0 == swipe || $0 + 1 == bytes.count || bytes[$0 + 1] == second }
    }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count > 1 else { return .partial(atLeast: 2) }
        guard isAnswer(bytes) else { return swipes.measure(bytes) }
        guard let size else { return .unchecked(min(bytes.count, greatestSize)) }
        return bytes.count < size ? .partial(atLeast: size) : .unchecked(size)
    }

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard isAnswer(frame) else { return swipes.fields(of: frame, isRevealing: isRevealing) }
        let rest = frame.extracting(2...)
        return [
            FrameField("not known", 0..<1, frame[0].hexadecimal),
            FrameField("answer to being woken", 1..<2, frame[1].hexadecimal),
        ] + (rest.count > 0 ? [FrameField("rest", 2..<frame.count, rest.sensitive(isRevealing))] : [])
    }

    /// Whether a frame is an answer.
    func isAnswer(_ frame: Span<UInt8>) -> Bool { frame.count > 1 && frame[1] == second }
}

/// Where the fields lie in what IPS's readers send. All of it is inferred from an OEM's sample code, and may be changed by a
/// profile.
package struct IPSLayout: Sendable, Hashable {
    /// What the frame of a swipe begins with.
    package var swipe: UInt8 = 0x60
    /// What the frame of a swipe begins with that was not read.
    package var failure: UInt8 = 0x66
    /// Bytes of the frame of a swipe, its CRC included; 2 to 255.
    package var size = 131
    /// Place of the byte that says how the key is chosen. Places count from the frame's first byte, 0.
    package var keyManagement = 3
    /// Place of the number of digits of the account number.
    package var numberLength = 4
    /// Place of the account number's first six digits, two a byte.
    package var issuer = 5
    /// Place of the account number's last four digits, two a byte.
    package var lastDigits = 8
    /// Place of year and month of the expiry, two digits a byte.
    package var expiry = 10
    /// Place of the cardholder's name.
    package var name = 12
    /// Characters of that name.
    package var nameLength = 26
    /// Place of the key's serial number (KSN), 10 bytes.
    package var keySerialNumber = 38
    /// Place of the tracks, encrypted together, 80 bytes.
    package var encrypted = 48
    /// Place of the byte that says which tracks were read.
    package var tracks = 128

    /// As it is inferred.
    package init() {}

    /// Whether all fields are inside of a frame.
    var fits: Bool {
        let ends = [
            keyManagement + 1, numberLength + 1, issuer + 3, lastDigits + 2, expiry + 2, name + nameLength,
            keySerialNumber + 10, encrypted + 80, tracks + 1,
        ]
        return swipe != failure && size <= 255 && ends.allSatisfy { $0 < size }
    }

    /// The places by the names that a profile has for them.
    static let places: [(key: ProfileKey, title: String, path: any WritableKeyPath<IPSLayout, Int> & Sendable)] = [
        ("ips.size", "bytes of a swipe, its CRC included", \.size),
        ("ips.keyManagementAt", "place of how the key is chosen", \.keyManagement),
        ("ips.numberLengthAt", "place of the length of the account number", \.numberLength),
        ("ips.issuerAt", "place of the account number's first six digits", \.issuer),
        ("ips.lastDigitsAt", "place of the account number's last four digits", \.lastDigits),
        ("ips.expiryAt", "place of the expiry", \.expiry), ("ips.nameAt", "place of the name", \.name),
        ("ips.nameLength", "characters of the name", \.nameLength),
        ("ips.keySerialNumberAt", "place of the KSN", \.keySerialNumber),
        ("ips.encryptedAt", "place of the encrypted tracks", \.encrypted),
        ("ips.tracksAt", "place of which tracks were read", \.tracks),
    ]
}
