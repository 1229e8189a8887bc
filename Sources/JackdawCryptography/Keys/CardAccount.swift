public import JackdawCards

/// The account number (PAN) and sequence number of a card, from which keys, codes and PIN blocks are made.
public struct CardAccount: RedactedDescription {
    private let number: SecretText
    /// The sequence number (tag 5F34), which distinguishes cards of one account, 0 to 99.
    public let sequenceNumber: UInt8

    /// Creates an account.
    /// - Parameters:
    ///   - number: the account number, 1 to 19 digits.
    ///   - sequenceNumber: the sequence number, 0 to 99; 0 for a card that has none.
    /// - Throws: ``CryptographyError`` with code `account` if the number is something else, `value` if the sequence
    ///   number is greater.
    public init(number: SecretText, sequenceNumber: UInt8 = 0) throws(CryptographyError) {
        guard (1...19).contains(number.count), number.isDecimal else {
            throw CryptographyError(.account, "an account number has 1 to 19 digits")
        }
        guard sequenceNumber < 100 else {
            throw CryptographyError(.value, "the sequence number \(sequenceNumber) has more than two digits")
        }
        self.number = number
        self.sequenceNumber = sequenceNumber
    }

    /// The number of digits of the account number.
    var count: Int { number.count }

    /// A digit of the account number, 0 to 9.
    func digit(_ index: Int) -> UInt8 { number.withRevealedText { $0[index] & 15 } }

    /// A digit that precedes the check digit, counted from the right: 0 for the last of them; 0 also for the digits
    /// that a short number lacks.
    func digitBeforeCheck(_ index: Int) -> UInt8 { index + 2 <= count ? digit(count - 2 - index) : 0 }

    /// A digit of account number and sequence number together.
    func digitWithSequence(_ index: Int) -> UInt8 {
        switch index - count {
        case ..<0: digit(index)
        case 0: sequenceNumber / 10
        default: sequenceNumber % 10
        }
    }

    /// The number of digits, and none of them.
    public var description: String { "an account of \(count) digits" }
}

extension SecretText {
    /// Whether all characters are decimal digits.
    var isDecimal: Bool {
        withRevealedText { text in text.indices.allSatisfy { (0x30...0x39).contains(text[$0]) } }
    }
}
