// The functions and restrictions of a card's application: AIP, AUC and CTQ.

/// Application Interchange Profile (AIP, tag 82): the functions of the card's application (EMV Book 3, annex C1).
public struct ApplicationInterchangeProfile: BitField {
    public static let tag: Tag = 0x82
    public static let octetCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: XDA supported.
    public static let xdaSupported = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: SDA supported.
    public static let sdaSupported = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: DDA supported.
    public static let ddaSupported = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Cardholder verification is supported.
    public static let cardholderVerificationSupported = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Terminal risk management must be performed.
    public static let terminalRiskManagement = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Issuer authentication by EXTERNAL AUTHENTICATE is supported.
    public static let issuerAuthenticationSupported = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: On-device cardholder verification is supported (contactless).
    public static let onDeviceCVMSupported = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: CDA supported.
    public static let cdaSupported = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: EMV mode is supported (contactless).
    public static let contactlessEmvMode = Self(octet: 2, bit: 8)
    /// Octet 2, bit 6: Transaction by a consumer device is supported (contactless).
    public static let contactlessTransaction = Self(octet: 2, bit: 6)
    /// Octet 2, bit 1: Relay resistance protocol is supported (contactless).
    public static let relayResistance = Self(octet: 2, bit: 1)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.xdaSupported, "xda_supported", "XDA supported"),
        NamedBit(.sdaSupported, "sda_supported", "SDA supported"),
        NamedBit(.ddaSupported, "dda_supported", "DDA supported"),
        NamedBit(
            .cardholderVerificationSupported, "cardholder_verification_supported",
            "Cardholder verification is supported"),
        NamedBit(.terminalRiskManagement, "terminal_risk_management", "Terminal risk management must be performed"),
        NamedBit(
            .issuerAuthenticationSupported, "issuer_authentication_supported",
            "Issuer authentication by EXTERNAL AUTHENTICATE is supported"),
        NamedBit(
            .onDeviceCVMSupported, "on_device_cvm_supported",
            "On-device cardholder verification is supported (contactless)"),
        NamedBit(.cdaSupported, "cda_supported", "CDA supported"),
        NamedBit(.contactlessEmvMode, "contactless_emv_mode", "EMV mode is supported (contactless)"),
        NamedBit(
            .contactlessTransaction, "contactless_transaction",
            "Transaction by a consumer device is supported (contactless)"),
        NamedBit(.relayResistance, "relay_resistance", "Relay resistance protocol is supported (contactless)"),
    ]
}

/// Application Usage Control (AUC, tag 9F07): the transactions that the issuer allows (EMV Book 3, annex C2).
public struct ApplicationUsageControl: BitField {
    public static let tag: Tag = 0x9F07
    public static let octetCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Valid for domestic cash transactions.
    public static let domesticCash = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: Valid for international cash transactions.
    public static let internationalCash = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: Valid for domestic goods.
    public static let domesticGoods = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Valid for international goods.
    public static let internationalGoods = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Valid for domestic services.
    public static let domesticServices = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Valid for international services.
    public static let internationalServices = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: Valid at ATMs.
    public static let atm = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: Valid at terminals other than ATMs.
    public static let nonATM = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: Domestic cashback allowed.
    public static let domesticCashback = Self(octet: 2, bit: 8)
    /// Octet 2, bit 7: International cashback allowed.
    public static let internationalCashback = Self(octet: 2, bit: 7)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.domesticCash, "domestic_cash", "Valid for domestic cash transactions"),
        NamedBit(.internationalCash, "international_cash", "Valid for international cash transactions"),
        NamedBit(.domesticGoods, "domestic_goods", "Valid for domestic goods"),
        NamedBit(.internationalGoods, "international_goods", "Valid for international goods"),
        NamedBit(.domesticServices, "domestic_services", "Valid for domestic services"),
        NamedBit(.internationalServices, "international_services", "Valid for international services"),
        NamedBit(.atm, "atm", "Valid at ATMs"),
        NamedBit(.nonATM, "non_atm", "Valid at terminals other than ATMs"),
        NamedBit(.domesticCashback, "domestic_cashback", "Domestic cashback allowed"),
        NamedBit(.internationalCashback, "international_cashback", "International cashback allowed"),
    ]
}

/// Card Transaction Qualifiers (CTQ, tag 9F6C): what a Visa-style contactless card asks of the reader (EMV Book
/// C-3).
public struct CardTransactionQualifiers: BitField {
    public static let tag: Tag = 0x9F6C
    public static let octetCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Online PIN required.
    public static let onlinePINRequired = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: Signature required.
    public static let signatureRequired = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: Go online if offline data authentication fails.
    public static let onlineIfODAFails = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Switch interface if offline data authentication fails.
    public static let switchInterfaceIfODAFails = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Go online if application expired.
    public static let onlineIfExpired = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Switch interface for cash transactions.
    public static let switchInterfaceForCash = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: Switch interface for cashback transactions.
    public static let switchInterfaceForCashback = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: Not valid for contactless ATM transactions.
    public static let notValidForContactlessATM = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: Consumer device CVM performed.
    public static let cdcvmPerformed = Self(octet: 2, bit: 8)
    /// Octet 2, bit 7: Issuer update processing supported at the point of sale.
    public static let issuerUpdateSupported = Self(octet: 2, bit: 7)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.onlinePINRequired, "online_pin_required", "Online PIN required"),
        NamedBit(.signatureRequired, "signature_required", "Signature required"),
        NamedBit(.onlineIfODAFails, "online_if_oda_fails", "Go online if offline data authentication fails"),
        NamedBit(
            .switchInterfaceIfODAFails, "switch_interface_if_oda_fails",
            "Switch interface if offline data authentication fails"),
        NamedBit(.onlineIfExpired, "online_if_expired", "Go online if application expired"),
        NamedBit(.switchInterfaceForCash, "switch_interface_for_cash", "Switch interface for cash transactions"),
        NamedBit(
            .switchInterfaceForCashback, "switch_interface_for_cashback",
            "Switch interface for cashback transactions"),
        NamedBit(
            .notValidForContactlessATM, "not_valid_for_contactless_atm",
            "Not valid for contactless ATM transactions"),
        NamedBit(.cdcvmPerformed, "cdcvm_performed", "Consumer device CVM performed"),
        NamedBit(
            .issuerUpdateSupported, "issuer_update_supported",
            "Issuer update processing supported at the point of sale"),
    ]
}
