public import JackdawReaders

/// An IPS reader as it is inferred, set to send tracks in clear unless it has a key.
public struct IPSModel: ReaderModel {
    /// The family.
    public let family = "ips"
    /// It reads cards from the start.
    public let isAlwaysArmed = true
    private var swipeCount: UInt8 = 0

    private let cipher: (any SwipeCipher)?

    /// A reader.
    /// - Parameter cipher: what it encrypts swipes with; nil for a reader without a key.
    public init(cipher: (any SwipeCipher)? = nil) { self.cipher = cipher }

    /// One byte, always the same.
    public var commandFormat: any FrameFormat { WakeFormat() }

    /// Nothing: what it answers is known by one byte only.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] { [] }

    /// It cannot.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// A swipe, of which the frame has room for tracks 1 and 2 only, or one that was not read; nothing of chips.
    public mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let track1 = Array(presentation.card.tracks[0].utf8)
        let track2 = Array(presentation.card.tracks[1].utf8)
        switch presentation.manner {
        case .swipedInVain: return [[0x66, 0, 0, UInt8(track1.count), UInt8(track2.count)]]
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
            // With one key for all the swipes are counted there.
            serialNumber = cipher.isDeriving ? encrypted.keySerialNumber : serialNumber.dropLast() + [swipeCount]
        }
        var content: [UInt8] = [0x60, 1, 2, management, UInt8(number.count)]
        content += Self.packed(number.prefix(6), count: 3) + Self.packed(number.suffix(4), count: 2)
        content += Self.packed(expiry, count: 2)
        content += Array("TEST/CARD".utf8) + [UInt8](repeating: 0x20, count: 17) + serialNumber + tracks
        content += [track1.isEmpty ? 0x02 : 0x03, swipeCount]
        return (try? IPSFormat.frame(content)).map { [$0] } ?? []
    }

    /// How the key is chosen.
    private static let plain: UInt8 = 0xFD
    private static let fixed: UInt8 = 0x00
    private static let derived: UInt8 = 0xFE

    /// Four bits each, and a filler behind them.
    private static func packed(_ digits: some Collection<Int>, count: Int, filler: Int = 0) -> [UInt8] {
        let padded = Array(digits.prefix(2 * count)) + Array(repeating: filler, count: max(0, 2 * count - digits.count))
        return (0..<count).map { UInt8(padded[2 * $0] & 15) << 4 | UInt8(padded[2 * $0 + 1] & 15) }
    }

    /// Six bits each, the highest first.
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

/// What a program sends to an IPS reader: one byte.
private struct WakeFormat: FrameFormat {
    var greatestSize: Int { 1 }

    func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0] == IPSFormat.wake[0] } }

    func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        bytes[0] == IPSFormat.wake[0]
            ? .whole(1) : .fault(FrameFault(.start, at: 0, "a reader of this kind is sent one byte only"))
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] { [FrameField("wake up", 0..<1, "0C")] }
}
