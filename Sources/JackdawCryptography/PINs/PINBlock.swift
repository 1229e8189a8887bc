public import JackdawCards

/// The formats of PIN blocks with 8 bytes (ISO 9564-1), before they are encrypted.
public enum PINBlockFormat: UInt8, Sendable, Hashable, CaseIterable {
    /// Format 0: padding F, XOR the account number. Also ANSI X9.8, VISA-1 and ECI-1.
    case iso0 = 0
    /// Format 1: random padding, without the account number.
    case iso1 = 1
    /// Format 2: padding F, without the account number: for PINs that are sent to a card.
    case iso2 = 2
    /// Format 3: random padding A to F, XOR the account number.
    case iso3 = 3

    /// Whether the block depends on the account number.
    public var hasAccount: Bool { self == .iso0 || self == .iso3 }
}

extension PIN {
    /// A PIN block in clear, which the caller encrypts.
    /// - Parameters:
    ///   - format: the format.
    ///   - account: the account; formats 1 and 2 do not use it.
    ///   - filler: at least 5 random bytes for the padding of formats 1 and 3; nil takes them from the system. Format 3
    ///     uses each digit modulo 6, so that the padding is uniform if the digits are uniform from 0 to 5.
    /// - Returns: 8 bytes.
    /// - Throws: ``CryptographyError`` with code `account` if the format needs an account and there is none, `length`
    ///   if the filler is shorter.
    public func block(
        _ format: PINBlockFormat, account: CardAccount? = nil, filler: [UInt8]? = nil
    ) throws(CryptographyError) -> SecretBytes {
        let filler = try Self.filler(filler, 5, digits: format == .iso3 ? 0...5 : 0...15)
        let field = SecretBytes(packing: 16) { index in
            switch index {
            case 0: return format.rawValue
            case 1: return UInt8(count)
            case ..<(2 + count): return digit(index - 2)
            default:
                let random = filler.span.digit(index - 2 - count)
                return switch format {
                case .iso0, .iso2: 15
                case .iso1: random
                case .iso3: 10 + random % 6
                }
            }
        }
        guard format.hasAccount else { return field }
        return try Self.accountField(account).withBytes { field.xor($0) }
    }

    /// Parses a PIN block in clear.
    /// - Parameters:
    ///   - block: 8 bytes, decrypted.
    ///   - format: the format.
    ///   - account: the account; formats 1 and 2 do not use it.
    /// - Throws: ``CryptographyError`` with code `pinBlock` if it is not such a block or is for another account,
    ///   `account` if the format needs an account and there is none.
    public init(
        block: Span<UInt8>, _ format: PINBlockFormat, account: CardAccount? = nil
    ) throws(CryptographyError) {
        guard block.count == 8 else {
            throw CryptographyError(.pinBlock, "a PIN block of \(block.count) bytes; it has 8")
        }
        var field = SecretBytes(copying: block)
        if format.hasAccount { field = try Self.accountField(account).withBytes { field.xor($0) } }
        try self.init(field: field, control: format.rawValue) { padding in
            switch format {
            case .iso0, .iso2: padding == 15
            case .iso1: true
            case .iso3: padding >= 10
            }
        }
    }

    /// Parses a PIN field: control digit, length, digits and padding, of which the first 8 bytes are checked.
    init(
        field: borrowing SecretBytes, control: UInt8, isPadding: (UInt8) -> Bool
    ) throws(CryptographyError) {
        let digits = field.withBytes { field -> SecretText? in
            let count = Int(field.digit(1))
            guard field.digit(0) == control, (4...12).contains(count),
                (2..<2 + count).allSatisfy({ field.digit($0) < 10 }),
                (2 + count..<16).allSatisfy({ isPadding(field.digit($0)) })
            else { return nil }
            let text = SecretBytes(count: count) { text in
                for index in 0..<count { text[index] = field.digit(2 + index) | 0x30 }
            }
            return text.withBytes { SecretText(copying: $0) }
        }
        guard let digits else {
            throw CryptographyError(.pinBlock, "it is not a PIN block of format \(control) for this account and key")
        }
        try self.init(digits)
    }

    /// The account field of formats 0 and 3: four zeros, then the 12 digits before the check digit.
    private static func accountField(_ account: CardAccount?) throws(CryptographyError) -> SecretBytes {
        guard let account else {
            throw CryptographyError(.account, "a PIN block of this format needs an account number")
        }
        return SecretBytes(packing: 16) { $0 < 4 ? 0 : account.digitBeforeCheck(15 - $0) }
    }

    /// The bytes that fill a block: those given, or random ones with uniform digits of the given range.
    static func filler(
        _ given: [UInt8]?, _ count: Int, digits: ClosedRange<UInt8> = 0...15
    ) throws(CryptographyError) -> [UInt8] {
        guard let given else {
            var random = SystemRandomNumberGenerator()
            return (0..<count).map { _ in
                UInt8.random(in: digits, using: &random) << 4 | UInt8.random(in: digits, using: &random)
            }
        }
        guard given.count >= count else {
            throw CryptographyError(.length, "\(given.count) bytes of filler; the block needs \(count)")
        }
        return given
    }
}
