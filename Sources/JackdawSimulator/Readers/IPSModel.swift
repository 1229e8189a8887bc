package import JackdawReaders

/// An IPS reader as its protocol is inferred, set to send tracks in clear unless it has a key. Everything of IPS
/// Enterprise, and the answer to the wake command, is invented.
package struct IPSModel: ReaderModel {
    package let family: String
    /// Always armed: it reads cards from the start.
    package var isAlwaysArmed: Bool { true }
    private let layout: IPSLayout
    private let wake: [UInt8]
    /// Empty if the reader does not answer.
    private let wakeAnswer: [UInt8]
    private var swipeCount: UInt8 = 0

    private let cipher: (any SwipeCipher)?

    /// Creates a reader with the family's simulated profile.
    /// - Parameters:
    ///   - family: the name of the family, `ips` or `ipsenterprise`.
    ///   - cipher: encrypts its swipes; nil for a reader without a key.
    package init(family: String = "ips", cipher: (any SwipeCipher)? = nil) {
        guard let known = ReaderFamily.named(family), let model = try? Self(family, known.simulatedProfile, cipher)
        else { preconditionFailure("\(family) is not a family of IPS readers") }
        self = model
    }

    /// - Parameters:
    ///   - family: the name of the family, `ips` or `ipsenterprise`.
    ///   - profile: supplies all values that the reader needs.
    ///   - cipher: encrypts its swipes; nil for a reader without a key.
    /// - Throws: `ReaderError` (`missingValue`, `badProfile`) if a value is missing or invalid.
    init(_ family: String, _ profile: ReaderProfile, _ cipher: (any SwipeCipher)? = nil) throws(ReaderError) {
        self.family = family
        self.cipher = cipher
        layout = try profile.ipsLayout()
        wake = try profile.bytes(.ipsWake, count: 1...64)
        // The firmware as in swipes, then zeros.
        let rest = [1, 2] + [UInt8](repeating: 0, count: 512)
        let first = wake[0]
        wakeAnswer = try profile.ipsAnswer(layout).map { [first, $0.second] + rest.prefix(($0.size ?? 4) - 2) } ?? []
    }

    /// The format of the wake command, the only one.
    package var commandFormat: any FrameFormat { WakeFormat(wake: wake) }

    /// The invented answer to the wake command, if the reader answers; of the real answer one byte is known.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        wakeAnswer.isEmpty ? [] : [wakeAnswer]
    }

    /// Nil: the protocol has no refusal.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// Sends a swipe, with tracks 1 and 2 only, as the frame has no space for track 3, or a failed one; reports no chip
    /// cards.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let track1 = Array(presentation.card.tracks[0].utf8)
        let track2 = Array(presentation.card.tracks[1].utf8)
        switch presentation.manner {
        case .swipedInVain: return [[layout.failure, 0, 0, UInt8(track1.count), UInt8(track2.count)]]
        case .inserted, .removed, .unreadable, .tapped, .swipedWithChip: return []
        case .swiped: break
        }
        let number = presentation.card.tracks[1].dropFirst().prefix { $0 != "=" }.compactMap(\.hexDigitValue)
        let expiry = presentation.card.tracks[1].split(separator: "=").last?.prefix(4).compactMap(\.hexDigitValue) ?? []
        var tracks =
            Self.packed(track2.map { Int($0) - 0x30 }, count: 20, filler: 15) + Self.packedSixBits(track1, count: 60)
        swipeCount &+= 1
        var management = Self.plain
        var serialNumber = [UInt8](repeating: 0, count: 10)
        if let cipher {
            guard let encrypted = cipher.encrypt([tracks], by: .tripleDESBlocks) else { return [] }
            tracks = encrypted.parts[0]
            management = cipher.isDeriving ? Self.derived : Self.fixed
            // With a fixed key this field counts the swipes.
            serialNumber = cipher.isDeriving ? encrypted.keySerialNumber : serialNumber.dropLast() + [swipeCount]
        }
        var content = [UInt8](repeating: 0, count: layout.size - 1)
        func put(_ bytes: [UInt8], at place: Int) {
            content.replaceSubrange(place..<place + bytes.count, with: bytes)
        }
        put([layout.swipe, 1, 2], at: 0)
        put([management], at: layout.keyManagement)
        put([UInt8(number.count)], at: layout.numberLength)
        put(Self.packed(number.prefix(6), count: 3), at: layout.issuer)
        put(Self.packed(number.suffix(4), count: 2), at: layout.lastDigits)
        put(Self.packed(expiry, count: 2), at: layout.expiry)
        let name = Array("TEST/CARD".utf8) + [UInt8](repeating: 0x20, count: layout.nameLength)
        put(Array(name.prefix(layout.nameLength)), at: layout.name)
        put(serialNumber, at: layout.keySerialNumber)
        put(tracks, at: layout.encrypted)
        put([track1.isEmpty ? 0x02 : 0x03], at: layout.tracks)
        put([swipeCount], at: layout.size - 2)
        return (try? IPSFormat.frame(content, layout)).map { [$0] } ?? []
    }

    /// Values of the key management field.
    private static let plain: UInt8 = 0xFD
    private static let fixed: UInt8 = 0x00
    private static let derived: UInt8 = 0xFE

    /// Packs digits into four bits each, with a filler after them.
    private static func packed(_ digits: some Collection<Int>, count: Int, filler: Int = 0) -> [UInt8] {
        let padded = Array(digits.prefix(2 * count)) + Array(repeating: filler, count: max(0, 2 * count - digits.count))
        return (0..<count).map { UInt8(padded[2 * $0] & 15) << 4 | UInt8(padded[2 * $0 + 1] & 15) }
    }

    /// Packs characters into six bits each, the highest bit first.
    private static func packedSixBits(_ text: [UInt8], count: Int) -> [UInt8] {
        var packed = [UInt8](repeating: 0, count: count)
        for (place, character) in text.enumerated() {
            for bit in 0..<6 where (character &- 0x20) >> UInt8(5 - bit) & 1 == 1 {
                let index = 6 * place + bit
                if index / 8 < count { packed[index / 8] |= 0x80 >> UInt8(index % 8) }
            }
        }
        return packed
    }
}

/// The format of the wake command, the only bytes that an IPS reader accepts.
private struct WakeFormat: FrameFormat {
    let wake: [UInt8]

    var greatestSize: Int { wake.count }

    func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0] == wake[0] } }

    func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        for (index, byte) in zip(bytes.indices, wake) where bytes[index] != byte {
            return .fault(FrameFault(.start, at: index, "this kind of reader accepts only the wake-up bytes"))
        }
        return bytes.count < wake.count ? .partial(atLeast: wake.count) : .whole(wake.count)
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        [FrameField("wake up", 0..<frame.count, "the bytes that wake the reader")]
    }
}

extension SimulatedFamily {
    static let ips = SimulatedFamily(
        name: "ips", encrypting: { IPSModel(cipher: $0) },
        profiled: { profile throws(ReaderError) in try IPSModel("ips", profile) }, { IPSModel() })
    static let ipsEnterprise = SimulatedFamily(
        name: "ipsenterprise",
        profiled: { profile throws(ReaderError) in try IPSModel("ipsenterprise", profile) },
        { IPSModel(family: "ipsenterprise") })
}
