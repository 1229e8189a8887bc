/// The framing of characters by start, parity and stop bits, as in a UART.
public struct CharacterFraming: Sendable, Hashable {
    /// The parity bit after the data bits.
    public enum Parity: String, Sendable, Hashable, CaseIterable {
        /// No parity bit after the data bits.
        case none
        /// An even number of ones with the parity bit.
        case even
        /// An odd number of ones with the parity bit.
        case odd
    }

    /// The least time for which the line rests between characters.
    public enum StopBits: Double, Sendable, Hashable, CaseIterable {
        /// One bit long, the usual case.
        case one = 1
        /// One and a half bits long.
        case onePointFive = 1.5
        /// Two bits long, twice the usual case.
        case two = 2
    }

    /// The data bit that goes first.
    public enum BitOrder: String, Sendable, Hashable, CaseIterable {
        /// The least significant bit goes first, as in every UART.
        case leastSignificantFirst
        /// The most significant bit goes first.
        case mostSignificantFirst
    }

    /// Data bits of a character, 5 to 9.
    public var dataBits: Int
    /// The parity bit; default: no parity.
    public var parity: Parity
    /// The length of the stop bit; default: one bit.
    public var stopBits: StopBits
    /// The order of the data bits.
    public var bitOrder: BitOrder

    /// Creates a framing; by default 8N1 with the least significant bit first.
    /// - Parameters:
    ///   - dataBits: data bits of a character, 5 to 9.
    ///   - parity: the parity bit after the data bits.
    ///   - stopBits: the length of the stop bit.
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
    /// The parity bit of a value; nil without parity.
    func parityBit(of value: UInt16) -> Int? {
        let ones = value.nonzeroBitCount & 1
        return switch parity {
        case .none: nil
        case .even: ones
        case .odd: 1 - ones
        }
    }

    /// Bit position in a value of the data bit with an index in the order of the line.
    func place(ofDataBit index: Int) -> Int {
        bitOrder == .leastSignificantFirst ? index : dataBits - 1 - index
    }
}

/// A character received over the line. `description` and reflection never show its value: it may be card data.
public struct LineCharacter: Sendable, Hashable, BitwiseCopyable, CustomStringConvertible {
    /// The data bits, 5 to 9, arranged by the framing's bit order.
    public let value: UInt16
    /// Sample at which the character begins, counted from the first one received since the last reset; not an integer
    /// if the bits are between two samples.
    public let startSample: Double
    /// The probability that its least certain bit is right, estimated from the noise: 0.5, a coin toss, to 1.
    public let confidence: Float
    /// Whether start, stop and parity bits are correct.
    public let isFramed: Bool
    /// The number of bits that a check of the whole frame turned over.
    public let repairedBits: UInt8
    /// The tier that decided the character.
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

    /// The position and the tier, without the value.
    public var description: String { "character at sample \(startSample), \(tier.rawValue) tier" }
}

/// Limits the idle time of a line, in the same way for all encoders.
enum IdleTime {
    /// The longest time that one call appends, in seconds: its samples must fit into memory.
    static let longest = 600.0

    /// The seconds to append: 0 if negative, infinite or not a number, and at most the longest time.
    static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(0, seconds), longest) : 0
    }
}
