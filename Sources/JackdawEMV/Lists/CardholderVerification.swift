/// A cardholder verification method (CVM) with what follows if it fails: octet 1 of a rule (EMV Book 3, annex C3).
public struct CardholderVerificationMethod: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kinds of methods.
    public enum Kind: String, Sendable, Hashable {
        /// Code 00: the verification fails.
        case fail
        /// Code 01: the card checks a PIN that it receives in clear.
        case plaintextPIN = "plaintext_pin_icc"
        /// Code 02: the issuer checks the PIN.
        case encipheredPINOnline = "enciphered_pin_online"
        /// Code 03: as code 01, and the cardholder signs.
        case plaintextPINAndSignature = "plaintext_pin_icc_and_signature"
        /// Code 04: the card checks a PIN that it receives enciphered.
        case encipheredPIN = "enciphered_pin_icc"
        /// Code 05: as code 04, and the cardholder signs.
        case encipheredPINAndSignature = "enciphered_pin_icc_and_signature"
        /// Code 1E: the cardholder signs.
        case signature
        /// Code 1F: no verification is required.
        case noCVM = "no_cvm"
        /// Code 3F, which no rule may have.
        case unavailable
        /// A code that is reserved for payment systems.
        case paymentSystemReserved = "payment_system_reserved"
        /// A code that is reserved for issuers.
        case issuerReserved = "issuer_reserved"
        /// A code that is reserved for future use, or of a biometric method (06 to 0F), which terminals without biometrics
        /// need not know.
        case reserved = "rfu"
    }

    /// The number of the method, bits 6 to 1.
    public var code: UInt8 { rawValue & 0x3F }

    /// Whether the next rule applies if the method fails (bit 7); else the verification fails.
    public var continuesIfFailed: Bool { rawValue & 0x40 != 0 }

    /// The method.
    ///
    /// Codes 20 to 2F are reserved for payment systems and 30 to 3E for issuers.
    public var kind: Kind {
        switch code {
        case 0x00: .fail
        case 0x01: .plaintextPIN
        case 0x02: .encipheredPINOnline
        case 0x03: .plaintextPINAndSignature
        case 0x04: .encipheredPIN
        case 0x05: .encipheredPINAndSignature
        case 0x1E: .signature
        case 0x1F: .noCVM
        case 0x20...0x2F: .paymentSystemReserved
        case 0x30...0x3E: .issuerReserved
        case 0x3F: .unavailable
        default: .reserved
        }
    }

    /// The method, for people.
    public var text: String {
        switch kind {
        case .fail: "Fail CVM processing"
        case .plaintextPIN: "Plaintext PIN verification performed by ICC"
        case .encipheredPINOnline: "Enciphered PIN verified online"
        case .plaintextPINAndSignature: "Plaintext PIN verification performed by ICC and signature"
        case .encipheredPIN: "Enciphered PIN verification performed by ICC"
        case .encipheredPINAndSignature: "Enciphered PIN verification performed by ICC and signature"
        case .signature: "Signature"
        case .noCVM: "No CVM required"
        case .unavailable: "Not available for use"
        case .paymentSystemReserved: "Reserved for the payment system"
        case .issuerReserved: "Reserved for the issuer"
        case .reserved: "Reserved"
        }
    }
}

/// The condition of a CVM rule: octet 2 (EMV Book 3, annex C3).
public struct CardholderVerificationCondition: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kinds of conditions.
    public enum Kind: String, Sendable, Hashable {
        /// Code 00.
        case always
        /// Code 01: cash at an unattended terminal.
        case unattendedCash = "unattended_cash"
        /// Code 02: neither cash nor a purchase with cashback.
        case notCashOrCashback = "not_cash_or_cashback"
        /// Code 03: the terminal supports the method.
        case terminalSupports = "terminal_supports"
        /// Code 04: cash that a person hands over.
        case manualCash = "manual_cash"
        /// Code 05.
        case purchaseWithCashback = "purchase_with_cashback"
        /// Code 06: the amount is in the application's currency and under X.
        case underX = "app_currency_under_x"
        /// Code 07: the amount is in the application's currency and over X.
        case overX = "app_currency_over_x"
        /// Code 08: the amount is in the application's currency and under Y.
        case underY = "app_currency_under_y"
        /// Code 09: the amount is in the application's currency and over Y.
        case overY = "app_currency_over_y"
        /// A code that is reserved for payment systems.
        case paymentSystem = "payment_system"
        /// A code that is reserved for future use.
        case reserved = "rfu"
    }

    /// The condition. Codes from 80 on are reserved for payment systems.
    public var kind: Kind {
        switch rawValue {
        case 0x00: .always
        case 0x01: .unattendedCash
        case 0x02: .notCashOrCashback
        case 0x03: .terminalSupports
        case 0x04: .manualCash
        case 0x05: .purchaseWithCashback
        case 0x06: .underX
        case 0x07: .overX
        case 0x08: .underY
        case 0x09: .overY
        case 0x80...: .paymentSystem
        default: .reserved
        }
    }

    /// The condition, for people.
    public var text: String {
        switch kind {
        case .always: "Always"
        case .unattendedCash: "If unattended cash"
        case .notCashOrCashback: "If not unattended cash, manual cash or purchase with cashback"
        case .terminalSupports: "If terminal supports the CVM"
        case .manualCash: "If manual cash"
        case .purchaseWithCashback: "If purchase with cashback"
        case .underX: "If transaction is in the application currency and is under X"
        case .overX: "If transaction is in the application currency and is over X"
        case .underY: "If transaction is in the application currency and is under Y"
        case .overY: "If transaction is in the application currency and is over Y"
        case .paymentSystem: "Reserved for the payment system"
        case .reserved: "Reserved"
        }
    }
}

/// The CVM list (tag 8E): two amounts and the rules in the order of the issuer's preference.
public struct CardholderVerificationList: Sendable, Hashable {
    /// A method and its condition.
    public struct Rule: Sendable, Hashable {
        /// The method, and whether the next rule applies if it fails.
        public let method: CardholderVerificationMethod
        /// The condition of the rule.
        public let condition: CardholderVerificationCondition

        /// A rule for a list that a program makes itself.
        public init(method: CardholderVerificationMethod, condition: CardholderVerificationCondition) {
            self.method = method
            self.condition = condition
        }
    }

    /// Amount X, in minor units of the application's currency.
    public let x: UInt32
    /// Amount Y, in minor units of the application's currency.
    public let y: UInt32
    /// The rules in their order; empty if the card states none.
    public let rules: [Rule]

    /// Parses a CVM list.
    /// - Throws: ``DataObjectError`` with code `length` if the number of octets is below 8, odd or above 252.
    public init(_ octets: Span<UInt8>) throws(DataObjectError) {
        guard (8...252).contains(octets.count), octets.count % 2 == 0 else {
            throw DataObjectError(.length, at: 0, "a CVM list has 8 to 252 octets, an even number")
        }
        x = UInt32(octets.extracting(first: 4).bigEndian)
        y = UInt32(octets.extracting(4..<8).bigEndian)
        rules = stride(from: 8, to: octets.count, by: 2).map { index in
            Rule(method: .init(rawValue: octets[index]), condition: .init(rawValue: octets[index + 1]))
        }
    }
}

/// The CVM results (tag 9F34): the last method that the terminal performed, and its outcome (EMV Book 4, annex A4).
public struct CardholderVerificationResults: Sendable, Hashable {
    /// The outcomes of a method.
    public enum Outcome: UInt8, Sendable, Hashable {
        /// The outcome of a signature.
        case unknown = 0
        /// Of an offline PIN that is wrong, or if no method was performed.
        case failed = 1
        /// Of an offline PIN that is right, or of "no CVM".
        case successful = 2
    }

    /// The method, octet 1.
    public var method: CardholderVerificationMethod
    /// The condition of the rule, octet 2.
    public var condition: CardholderVerificationCondition
    /// Octet 3. Values above 2 are reserved.
    public var outcomeCode: UInt8

    /// Results of a method.
    public init(
        method: CardholderVerificationMethod, condition: CardholderVerificationCondition, outcome: Outcome
    ) {
        self.method = method
        self.condition = condition
        outcomeCode = outcome.rawValue
    }

    /// Parses CVM results.
    /// - Returns: nil if there are not 3 octets.
    public init?(_ octets: Span<UInt8>) {
        guard octets.count == 3 else { return nil }
        method = .init(rawValue: octets[0])
        condition = .init(rawValue: octets[1])
        outcomeCode = octets[2]
    }

    /// The outcome; nil if its code is reserved.
    public var outcome: Outcome? { Outcome(rawValue: outcomeCode) }

    /// The value, 3 octets.
    public var octets: [UInt8] { [method.rawValue, condition.rawValue, outcomeCode] }
}
