// The functions of a terminal: its capabilities, and the qualifiers of a contactless transaction.

/// Terminal Capabilities (tag 9F33): card input, cardholder verification and security (EMV Book 4, annex A2).
public struct TerminalCapabilities: BitField {
    public static let tag: Tag = 0x9F33
    public static let octetCount = 3
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Manual key entry.
    public static let manualKeyEntry = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: Magnetic stripe.
    public static let magneticStripe = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: IC with contacts.
    public static let icWithContacts = Self(octet: 1, bit: 6)
    /// Octet 2, bit 8: Plaintext PIN for ICC verification.
    public static let plaintextPINOffline = Self(octet: 2, bit: 8)
    /// Octet 2, bit 7: Enciphered PIN for online verification.
    public static let encipheredPINOnline = Self(octet: 2, bit: 7)
    /// Octet 2, bit 6: Signature.
    public static let signature = Self(octet: 2, bit: 6)
    /// Octet 2, bit 5: Enciphered PIN for offline verification (RSA).
    public static let encipheredPINOffline = Self(octet: 2, bit: 5)
    /// Octet 2, bit 4: No CVM required.
    public static let noCVM = Self(octet: 2, bit: 4)
    /// Octet 2, bit 3: Online biometric.
    public static let onlineBiometric = Self(octet: 2, bit: 3)
    /// Octet 2, bit 2: Offline biometric.
    public static let offlineBiometric = Self(octet: 2, bit: 2)
    /// Octet 2, bit 1: Enciphered PIN for offline verification (ECC).
    public static let encipheredPINOfflineECC = Self(octet: 2, bit: 1)
    /// Octet 3, bit 8: SDA.
    public static let sda = Self(octet: 3, bit: 8)
    /// Octet 3, bit 7: DDA.
    public static let dda = Self(octet: 3, bit: 7)
    /// Octet 3, bit 6: Card capture.
    public static let cardCapture = Self(octet: 3, bit: 6)
    /// Octet 3, bit 4: CDA.
    public static let cda = Self(octet: 3, bit: 4)
    /// Octet 3, bit 3: XDA.
    public static let xda = Self(octet: 3, bit: 3)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.manualKeyEntry, "manual_key_entry", "Manual key entry"),
        NamedBit(.magneticStripe, "magnetic_stripe", "Magnetic stripe"),
        NamedBit(.icWithContacts, "ic_with_contacts", "IC with contacts"),
        NamedBit(.plaintextPINOffline, "plaintext_pin_offline", "Plaintext PIN for ICC verification"),
        NamedBit(.encipheredPINOnline, "enciphered_pin_online", "Enciphered PIN for online verification"),
        NamedBit(.signature, "signature", "Signature"),
        NamedBit(.encipheredPINOffline, "enciphered_pin_offline", "Enciphered PIN for offline verification (RSA)"),
        NamedBit(.noCVM, "no_cvm", "No CVM required"),
        NamedBit(.onlineBiometric, "online_biometric", "Online biometric"),
        NamedBit(.offlineBiometric, "offline_biometric", "Offline biometric"),
        NamedBit(
            .encipheredPINOfflineECC, "enciphered_pin_offline_ecc",
            "Enciphered PIN for offline verification (ECC)"),
        NamedBit(.sda, "sda", "SDA"),
        NamedBit(.dda, "dda", "DDA"),
        NamedBit(.cardCapture, "card_capture", "Card capture"),
        NamedBit(.cda, "cda", "CDA"),
        NamedBit(.xda, "xda", "XDA"),
    ]
}

/// Additional Terminal Capabilities (tag 9F40): transaction types, keys, output and code tables (EMV Book 4, annex
/// A3).
public struct AdditionalTerminalCapabilities: BitField {
    public static let tag: Tag = 0x9F40
    public static let octetCount = 5
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Cash.
    public static let cash = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: Goods.
    public static let goods = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: Services.
    public static let services = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Cashback.
    public static let cashback = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Inquiry.
    public static let inquiry = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Transfer.
    public static let transfer = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: Payment.
    public static let payment = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: Administrative.
    public static let administrative = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: Cash deposit.
    public static let cashDeposit = Self(octet: 2, bit: 8)
    /// Octet 3, bit 8: Numeric keys.
    public static let numericKeys = Self(octet: 3, bit: 8)
    /// Octet 3, bit 7: Alphabetic and special character keys.
    public static let alphabeticKeys = Self(octet: 3, bit: 7)
    /// Octet 3, bit 6: Command keys.
    public static let commandKeys = Self(octet: 3, bit: 6)
    /// Octet 3, bit 5: Function keys.
    public static let functionKeys = Self(octet: 3, bit: 5)
    /// Octet 4, bit 8: Print, attendant.
    public static let printAttendant = Self(octet: 4, bit: 8)
    /// Octet 4, bit 7: Print, cardholder.
    public static let printCardholder = Self(octet: 4, bit: 7)
    /// Octet 4, bit 6: Display, attendant.
    public static let displayAttendant = Self(octet: 4, bit: 6)
    /// Octet 4, bit 5: Display, cardholder.
    public static let displayCardholder = Self(octet: 4, bit: 5)
    /// Octet 4, bit 2: Code table 10.
    public static let codeTable10 = Self(octet: 4, bit: 2)
    /// Octet 4, bit 1: Code table 9.
    public static let codeTable9 = Self(octet: 4, bit: 1)
    /// Octet 5, bit 8: Code table 8.
    public static let codeTable8 = Self(octet: 5, bit: 8)
    /// Octet 5, bit 7: Code table 7.
    public static let codeTable7 = Self(octet: 5, bit: 7)
    /// Octet 5, bit 6: Code table 6.
    public static let codeTable6 = Self(octet: 5, bit: 6)
    /// Octet 5, bit 5: Code table 5.
    public static let codeTable5 = Self(octet: 5, bit: 5)
    /// Octet 5, bit 4: Code table 4.
    public static let codeTable4 = Self(octet: 5, bit: 4)
    /// Octet 5, bit 3: Code table 3.
    public static let codeTable3 = Self(octet: 5, bit: 3)
    /// Octet 5, bit 2: Code table 2.
    public static let codeTable2 = Self(octet: 5, bit: 2)
    /// Octet 5, bit 1: Code table 1.
    public static let codeTable1 = Self(octet: 5, bit: 1)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.cash, "cash", "Cash"),
        NamedBit(.goods, "goods", "Goods"),
        NamedBit(.services, "services", "Services"),
        NamedBit(.cashback, "cashback", "Cashback"),
        NamedBit(.inquiry, "inquiry", "Inquiry"),
        NamedBit(.transfer, "transfer", "Transfer"),
        NamedBit(.payment, "payment", "Payment"),
        NamedBit(.administrative, "administrative", "Administrative"),
        NamedBit(.cashDeposit, "cash_deposit", "Cash deposit"),
        NamedBit(.numericKeys, "numeric_keys", "Numeric keys"),
        NamedBit(.alphabeticKeys, "alphabetic_keys", "Alphabetic and special character keys"),
        NamedBit(.commandKeys, "command_keys", "Command keys"),
        NamedBit(.functionKeys, "function_keys", "Function keys"),
        NamedBit(.printAttendant, "print_attendant", "Print, attendant"),
        NamedBit(.printCardholder, "print_cardholder", "Print, cardholder"),
        NamedBit(.displayAttendant, "display_attendant", "Display, attendant"),
        NamedBit(.displayCardholder, "display_cardholder", "Display, cardholder"),
        NamedBit(.codeTable10, "code_table_10", "Code table 10"),
        NamedBit(.codeTable9, "code_table_9", "Code table 9"),
        NamedBit(.codeTable8, "code_table_8", "Code table 8"),
        NamedBit(.codeTable7, "code_table_7", "Code table 7"),
        NamedBit(.codeTable6, "code_table_6", "Code table 6"),
        NamedBit(.codeTable5, "code_table_5", "Code table 5"),
        NamedBit(.codeTable4, "code_table_4", "Code table 4"),
        NamedBit(.codeTable3, "code_table_3", "Code table 3"),
        NamedBit(.codeTable2, "code_table_2", "Code table 2"),
        NamedBit(.codeTable1, "code_table_1", "Code table 1"),
    ]
}

/// Terminal Transaction Qualifiers (TTQ, tag 9F66): what a contactless reader supports and asks for (EMV Book A,
/// table 5-4).
public struct TerminalTransactionQualifiers: BitField {
    public static let tag: Tag = 0x9F66
    public static let octetCount = 4
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Magnetic stripe mode supported.
    public static let msdSupported = Self(octet: 1, bit: 8)
    /// Octet 1, bit 6: EMV mode supported.
    public static let emvSupported = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: EMV contact chip supported.
    public static let contactChipSupported = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Offline-only reader.
    public static let offlineOnlyReader = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Online PIN supported.
    public static let onlinePINSupported = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: Signature supported.
    public static let signatureSupported = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: Offline data authentication for online authorisations supported.
    public static let odaForOnlineSupported = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: Online cryptogram required.
    public static let onlineCryptogramRequired = Self(octet: 2, bit: 8)
    /// Octet 2, bit 7: CVM required.
    public static let cvmRequired = Self(octet: 2, bit: 7)
    /// Octet 2, bit 6: Offline PIN supported (contact chip).
    public static let contactOfflinePINSupported = Self(octet: 2, bit: 6)
    /// Octet 3, bit 8: Issuer update processing supported.
    public static let issuerUpdateSupported = Self(octet: 3, bit: 8)
    /// Octet 3, bit 7: Consumer device CVM supported.
    public static let cdcvmSupported = Self(octet: 3, bit: 7)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.msdSupported, "msd_supported", "Magnetic stripe mode supported"),
        NamedBit(.emvSupported, "emv_supported", "EMV mode supported"),
        NamedBit(.contactChipSupported, "contact_chip_supported", "EMV contact chip supported"),
        NamedBit(.offlineOnlyReader, "offline_only_reader", "Offline-only reader"),
        NamedBit(.onlinePINSupported, "online_pin_supported", "Online PIN supported"),
        NamedBit(.signatureSupported, "signature_supported", "Signature supported"),
        NamedBit(
            .odaForOnlineSupported, "oda_for_online_supported",
            "Offline data authentication for online authorisations supported"),
        NamedBit(.onlineCryptogramRequired, "online_cryptogram_required", "Online cryptogram required"),
        NamedBit(.cvmRequired, "cvm_required", "CVM required"),
        NamedBit(.contactOfflinePINSupported, "contact_offline_pin_supported", "Offline PIN supported (contact chip)"),
        NamedBit(.issuerUpdateSupported, "issuer_update_supported", "Issuer update processing supported"),
        NamedBit(.cdcvmSupported, "cdcvm_supported", "Consumer device CVM supported"),
    ]
}
