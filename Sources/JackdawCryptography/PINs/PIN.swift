public import JackdawCards

/// A PIN, in memory that is wiped after use; it has no printed form.
public struct PIN: RedactedDescription, Equatable {
    private let digits: SecretText

    /// Creates a PIN.
    /// - Parameter digits: 4 to 12 decimal digits.
    /// - Throws: ``CryptographyError`` with code `pin` for anything else.
    public init(_ digits: SecretText) throws(CryptographyError) {
        guard (4...12).contains(digits.count), digits.isDecimal else {
            throw CryptographyError(.pin, "a PIN has 4 to 12 digits")
        }
        self.digits = digits
    }

    /// The number of digits.
    public var count: Int { digits.count }

    /// Runs a body over the digits in ASCII. The caller wipes any copy that the body makes.
    public func withRevealedDigits<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try digits.withRevealedText(body)
    }

    /// A digit, 0 to 9.
    func digit(_ index: Int) -> UInt8 { withRevealedDigits { $0[index] & 15 } }

    /// Neither the digits nor their number.
    public var description: String { "a PIN" }

    /// Whether both are the same; the time depends on the numbers of digits only.
    public static func == (left: PIN, right: PIN) -> Bool { left.digits == right.digits }
}
