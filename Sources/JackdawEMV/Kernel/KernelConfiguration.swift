// The facts that a kernel is given: the terminal, the transaction, the selected application.

/// A terminal as a kernel sees it, with its settings for the selected application.
public struct KernelConfiguration: Sendable {
    /// The kind of the terminal (9F35).
    public var type: TerminalType
    /// The functions of the terminal (9F33).
    public var capabilities: TerminalCapabilities
    /// Further functions of the terminal (9F40).
    public var additionalCapabilities: AdditionalTerminalCapabilities
    /// The country of the terminal (9F1A), two octets.
    public var country: [UInt8]
    /// The version of the application that the terminal supports (9F09), two octets.
    public var applicationVersion: [UInt8]
    /// The Terminal Action Codes (TAC) of the acquirer: only a bit that they or the card's codes have declines a
    /// transaction or sends it to the issuer. Default: no bit is set, so that the card's codes alone decide.
    public var actionCodes = ActionCodes.none
    /// The limits of risk management. Default: a floor limit of 0, which every transaction exceeds.
    public var limits = RiskLimits(floorLimit: 0)
    /// The approved transactions, oldest first, for the floor limit. Default: none.
    public var approved: [ApprovedTransaction] = []
    /// The account numbers, as in tag 5A with any padding, whose cards set the bit "exception file" of the TVR; the
    /// action codes decide on them. Without contacts, none of them is approved offline. Default: none.
    public var exceptionFile: [SecretOctets] = []
    /// The certification authority keys. Default: none, every certificate fails.
    public var keys = AuthenticationKeys()
    /// The DDOL for cards that have none. Default: 9F3704, the unpredictable number.
    public var defaultDDOL: [UInt8] = [0x9F, 0x37, 0x04]
    /// The TDOL for cards that have none. Default: empty.
    public var defaultTDOL: [UInt8] = []
    /// Whether an online-only terminal declines without the Default action codes if it cannot
    /// go online. Default: false.
    public var skipsDefaultCodes = false
    /// Whether the PIN pad is present and works. Default: true.
    public var isPINPadWorking = true
    /// Further data objects of the terminal for the lists of the card, such as 9F1E or 9F15. Default: none.
    public var objects = DataObjectStore()

    /// - Parameters:
    ///   - type: the kind of the terminal.
    ///   - capabilities: its functions.
    ///   - additionalCapabilities: its further functions.
    ///   - country: ISO 3166 numeric, two octets.
    ///   - applicationVersion: two octets.
    public init(
        type: TerminalType, capabilities: TerminalCapabilities, additionalCapabilities: AdditionalTerminalCapabilities,
        country: [UInt8], applicationVersion: [UInt8]
    ) {
        self.type = type
        self.capabilities = capabilities
        self.additionalCapabilities = additionalCapabilities
        self.country = country
        self.applicationVersion = applicationVersion
    }
}

/// A transaction that a kernel carries out.
public struct KernelTransaction: Sendable {
    /// The amount authorised, cashback included (9F02 and 81). Minor units, at most 999,999,999,999; at most
    /// ``maxBinaryAmount`` with a card that asks for 81.
    public var amount: UInt64
    /// The part of the amount that is cashback (9F03 and 9F04). Minor units, at most 999,999,999,999; at most
    /// ``maxBinaryAmount`` with a card that asks for 9F04. Default: 0.
    public var otherAmount: UInt64 = 0
    /// The currency (5F2A), ISO 4217 numeric, two octets.
    public var currency: [UInt8]
    /// Number of decimal places of the currency (5F36), 0 to 9. Default: 2.
    public var currencyExponent: UInt8 = 2
    /// The kind of transaction (9C).
    public var type: TransactionType
    /// The local day (9A).
    public var date: CardDate
    /// The local time (9F21), `hhmmss` in BCD, three octets. Default: midnight.
    public var time: [UInt8] = [0, 0, 0]
    /// The number of the transaction at the terminal (9F41), 0 to 99,999,999. Default: 0.
    public var sequenceNumber: UInt64 = 0
    /// Whether the merchant wants the issuer to decide: a bit of the TVR, on which the action codes decide. Without
    /// contacts, no card is then approved offline. Default: false.
    public var isOnlineForced = false

    /// The greatest amount of objects 81 and 9F04, which have four octets, in minor units.
    public static let maxBinaryAmount: UInt64 = 0xFFFF_FFFF

    /// - Parameters:
    ///   - amount: minor units.
    ///   - currency: ISO 4217 numeric, two octets.
    ///   - type: the kind of transaction.
    ///   - date: the local day.
    public init(amount: UInt64, currency: [UInt8], type: TransactionType, date: CardDate) {
        self.amount = amount
        self.currency = currency
        self.type = type
        self.date = date
    }
}

/// The error of a terminal or a transaction with a value that its data object cannot hold.
public struct KernelConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A number is greater than its data object can hold.
        public static let value = Code(rawValue: "value")
        /// A value does not have the number of octets of its data object.
        public static let length = Code(rawValue: "length")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The data object that cannot hold the value.
    public let tag: Tag
    /// The error, and the range that is valid.
    public let message: String

    init(_ code: Code, in tag: Tag, _ message: String) {
        self.code = code
        self.tag = tag
        self.message = message
    }

    /// Message and object in one line.
    public var description: String { "\(message), in object \(tag)" }
}

extension KernelConfiguration {
    /// Whether the exception file has an account number; false without a number.
    func isOnExceptionFile(_ account: SecretOctets?) -> Bool {
        exceptionFile.contains { account?.isSameNumber(as: $0) == true }
    }

    /// Checks that the data objects can hold the values of terminal and transaction.
    private func check(_ transaction: KernelTransaction) throws(KernelConfigurationError) {
        let numbers: [(tag: Tag, value: UInt64, limit: UInt64)] = [
            (.amountAuthorised, transaction.amount, Amount.maxNumeric),
            (.amountOther, transaction.otherAmount, Amount.maxNumeric),
            (.floorLimit, limits.floorLimit, UInt64(UInt32.max)),
            (.currencyExponent, UInt64(transaction.currencyExponent), 9),
            (.sequenceCounter, transaction.sequenceNumber, 99_999_999),
        ]
        for number in numbers where number.value > number.limit {
            throw KernelConfigurationError(
                .value, in: number.tag, "\(number.value) exceeds the greatest value, \(number.limit)")
        }
        let values: [(tag: Tag, value: [UInt8], count: Int)] = [
            (.terminalCountry, country, 2), (.terminalApplicationVersion, applicationVersion, 2),
            (.currency, transaction.currency, 2), (.transactionTime, transaction.time, 3),
        ]
        for value in values where value.value.count != value.count {
            throw KernelConfigurationError(
                .length, in: value.tag, "a value of \(value.value.count) octets instead of \(value.count)")
        }
    }

    /// The data objects of terminal and transaction, for the lists of the card. 81 and 9F04 are absent if they
    /// cannot hold their amounts.
    /// - Throws: ``KernelConfigurationError`` if an object cannot hold its value.
    func objects(of transaction: KernelTransaction) throws(KernelConfigurationError) -> DataObjectStore {
        try check(transaction)
        var store = objects
        store[.terminalType] = [type.rawValue]
        store[TerminalCapabilities.tag] = capabilities.octets
        store[AdditionalTerminalCapabilities.tag] = additionalCapabilities.octets
        store[.terminalCountry] = country
        store[.terminalApplicationVersion] = applicationVersion
        store[.amountAuthorised] = transaction.amount.packedDecimalOctets(6)
        store[.amountOther] = transaction.otherAmount.packedDecimalOctets(6)
        store[.amountAuthorisedBinary] = transaction.amount.binaryAmount
        store[.amountOtherBinary] = transaction.otherAmount.binaryAmount
        store[.currency] = transaction.currency
        store[.currencyExponent] = [transaction.currencyExponent]
        store[.transactionType] = [transaction.type.rawValue]
        store[.transactionDate] = transaction.date.octets
        store[.transactionTime] = transaction.time
        store[.sequenceCounter] = transaction.sequenceNumber.packedDecimalOctets(4)
        store[.floorLimit] = limits.floorLimit.bigEndianOctets(4)
        return store
    }
}

extension UInt64 {
    /// An amount in four octets; nil if it is above ``KernelTransaction/maxBinaryAmount``.
    fileprivate var binaryAmount: [UInt8]? { self <= KernelTransaction.maxBinaryAmount ? bigEndianOctets(4) : nil }
}
