// The facts of a contactless reader that the books leave to its owner.

/// A contactless reader, with its settings for the selected application. Experimental.
///
/// ``KernelConfiguration`` describes its terminal.
public struct ContactlessProfile: Sendable {
    /// The limits and qualifiers of pre-processing (Book B section 3.1.1). A Visa-style card needs its qualifiers.
    /// Default: no limit and no qualifiers.
    public var limits = ContactlessLimits()
    /// The data of the reader for Mastercard-style cards (Book C-2).
    public var mastercard = Mastercard()
    /// The data of the reader for Visa-style cards (Book C-3).
    public var visa = Visa()
    /// The optional functions of Mastercard-style cards that end the transaction as "other interface", because this
    /// kernel does not have them. A card with one of the others is processed as the books have it for a reader without
    /// the function. Default: all.
    public var refused = ContactlessFunctions.all

    /// A reader with the defaults.
    public init() {}

    /// The data of a reader for Mastercard-style cards. Amounts are in minor units.
    public struct Mastercard: Sendable {
        /// The amount above which the TVR says "exceeds floor limit" (DF8123). Default: 0, as in Book C-2.
        public var floorLimit: UInt64 = 0
        /// The amount above which the next application is selected (DF8124). Default: nil, no limit.
        public var transactionLimit: UInt64?
        /// The same for cards that verify the cardholder themselves (DF8125). Default: nil, no limit.
        public var onDeviceTransactionLimit: UInt64?
        /// The amount above which the cardholder must be verified (DF8126). Default: 0, as in Book C-2.
        public var verificationLimit: UInt64 = 0
        /// The methods of verification above that limit: octet 2 of the Terminal Capabilities (DF8118). Default: nil,
        /// those of ``KernelConfiguration/capabilities``.
        public var requiredMethods: TerminalCapabilities?
        /// The methods up to that limit (DF8119). Default: nil, those of ``KernelConfiguration/capabilities``.
        public var ordinaryMethods: TerminalCapabilities?
        /// Whether the reader lets cards verify the cardholder themselves (DF811B, bit 6). Default: false.
        public var allowsOnDeviceVerification = false
        /// Whether the first entry of the file locator is left out if it is 08010100: it has the records of magnetic
        /// stripe mode. Readers with that mode leave it out (Book C-2, S3.30). Default: false, as this kernel does not
        /// have the mode.
        public var skipsMagneticStripeRecord = false
        /// The time for which a message is shown (DF812D), in units of 100 ms. Default: 13, as in Book C-2.
        public var holdTime = 13
        /// Whether octet 1 of the CVM Results is the method alone, without bit 7 of the rule, as MohamedHassanNasr/emv
        /// sends it. Default: false.
        public var sendsMethodAlone = false

        /// The data with the defaults.
        public init() {}
    }

    /// The data of a reader for Visa-style cards.
    public struct Visa: Sendable {
        /// Whether cash is allowed only if the card's usage control says so. Default: false.
        public var checksCash = false
        /// Whether cashback is allowed only if the card's usage control says so. Default: false.
        public var checksCashback = false
        /// Whether the amount that the card can spend offline (9F5D) is shown. Default: false.
        public var showsAvailableAmount = false

        /// The data with the defaults.
        public init() {}
    }
}

/// Functions of Mastercard-style cards that a reader may leave out.
public struct ContactlessFunctions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The relay resistance protocol, which the AIP offers.
    public static let relayResistance = ContactlessFunctions(rawValue: 1)
    /// The recovery of a transaction that was torn during GENERATE AC, which a DRDOL (9F51) offers.
    public static let tornTransactions = ContactlessFunctions(rawValue: 2)

    /// All of these functions.
    public static let all: ContactlessFunctions = [.relayResistance, .tornTransactions]
}
