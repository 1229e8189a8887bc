/// How characters lie among start and stop bits, as in a UART.
public struct CharacterFraming: Sendable, Hashable {
    /// The parity bit behind the data bits.
    public enum Parity: String, Sendable, Hashable, CaseIterable {
        /// None.
        case none
        /// An even number of ones with the parity bit.
        case even
        /// An odd number of ones with the parity bit.
        case odd
    }

    /// How long the line rests between characters, at least.
    public enum StopBits: Double, Sendable, Hashable, CaseIterable {
        /// One bit.
        case one = 1
        /// One bit and a half.
        case onePointFive = 1.5
        /// Two bits.
        case two = 2
    }

    /// Which data bit goes first.
    public enum BitOrder: String, Sendable, Hashable, CaseIterable {
        /// The least significant one, as in every UART.
        case leastSignificantFirst
        /// The most significant one.
        case mostSignificantFirst
    }

    /// Data bits of a character, 5 to 9.
    public var dataBits: Int
    /// The parity bit.
    public var parity: Parity
    /// The stop bits.
    public var stopBits: StopBits
    /// The order of the data bits.
    public var bitOrder: BitOrder

    /// A framing; 8N1 with the least significant bit first unless told.
    /// - Parameters:
    ///   - dataBits: 5 to 9.
    ///   - parity: the parity bit.
    ///   - stopBits: the stop bits.
    ///   - bitOrder: the order of the data bits.
    public init(
        dataBits: Int = 8, parity: Parity = .none, stopBits: StopBits = .one,
        bitOrder: BitOrder = .leastSignificantFirst
    ) {
        self.dataBits = dataBits
        self.parity = parity
        self.stopBits = stopBits
        self.bitOrder = bitOrder
    }

    /// Eight data bits, no parity, one stop bit.
    public static let eightNoneOne = CharacterFraming()

    /// Bits from start bit to parity bit, without the stop bits.
    var bitsBeforeStop: Int { 1 + dataBits + (parity == .none ? 0 : 1) }
}

extension CharacterFraming {
    /// The parity bit of a value; nil for no parity.
    func parityBit(of value: UInt16) -> Int? {
        let ones = value.nonzeroBitCount & 1
        return switch parity {
        case .none: nil
        case .even: ones
        case .odd: 1 - ones
        }
    }

    /// Place of the data bit in a value, for the data bits in the order of the line.
    func place(ofDataBit index: Int) -> Int {
        bitOrder == .leastSignificantFirst ? index : dataBits - 1 - index
    }
}

/// A character off the line. Its value never shows in `description` or reflection: it may be card data.
public struct LineCharacter: Sendable, Hashable, BitwiseCopyable, CustomStringConvertible, CustomReflectable {
    /// The data bits, 5 to 9 of them, the first bit of the line at the place that the framing says.
    public let value: UInt16
    /// Sample at which the character begins, counted from the first one received since the last reset; between two samples
    /// where the bits are.
    public let startSample: Double
    /// The probability that its least certain bit is right, as far as the noise tells: 0.5, a coin toss, to 1.
    public let confidence: Float
    /// Whether start, stop and parity bits are as they should be.
    public let isFramed: Bool
    /// Bits that a check of the whole frame turned over.
    public let repairedBits: UInt8
    /// The tier that decided it.
    public let tier: DecoderTier
    /// Log-likelihood ratio (nats) of each data bit against its opposite, 0 to 25.5 in tenths; bit 0 of `value` first.
    let reliabilities: SIMD16<UInt8>

    init(
        value: UInt16, startSample: Double, confidence: Float, isFramed: Bool = true, repairedBits: UInt8 = 0,
        tier: DecoderTier, reliabilities: SIMD16<UInt8> = .init(repeating: 255)
    ) {
        self.value = value
        self.startSample = startSample
        self.confidence = confidence
        self.isFramed = isFramed
        self.repairedBits = repairedBits
        self.tier = tier
        self.reliabilities = reliabilities
    }

    /// Everything but the value.
    public var description: String { "character at sample \(startSample), \(tier.rawValue) tier" }

    /// Reflection shows nothing of the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["startSample": startSample, "confidence": confidence], displayStyle: .struct)
    }
}

/// How long a line idles that is asked to: one meaning for all encoders.
enum IdleTime {
    /// What one call appends at most, in seconds: its samples have to fit the memory.
    static let longest = 600.0

    /// The seconds that are meant: 0 for what is negative, not a number or without end, and no more than the longest.
    static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(0, seconds), longest) : 0
    }
}
