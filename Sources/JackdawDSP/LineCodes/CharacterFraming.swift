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
