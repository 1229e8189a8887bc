// The results of a transaction that the terminal keeps: TVR and TSI.

/// Terminal Verification Results (TVR, tag 95): the steps that failed or were not performed (EMV Book 3, annex C5).
public struct TerminalVerificationResults: BitField {
    public static let tag: Tag = 0x95
    public static let octetCount = 5
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Offline data authentication was not performed.
    public static let odaNotPerformed = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: SDA failed.
    public static let sdaFailed = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: ICC data missing.
    public static let iccDataMissing = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Card appears on terminal exception file.
    public static let cardOnExceptionFile = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: DDA failed.
    public static let ddaFailed = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: CDA failed.
    public static let cdaFailed = Self(octet: 1, bit: 3)
    /// Octet 1, bit 2: SDA selected.
    public static let sdaSelected = Self(octet: 1, bit: 2)
    /// Octet 1, bit 1: XDA selected.
    public static let xdaSelected = Self(octet: 1, bit: 1)
    /// Octet 2, bit 8: ICC and terminal have different application versions.
    public static let versionsDiffer = Self(octet: 2, bit: 8)
    /// Octet 2, bit 7: Expired application.
    public static let expiredApplication = Self(octet: 2, bit: 7)
    /// Octet 2, bit 6: Application not yet effective.
    public static let applicationNotYetEffective = Self(octet: 2, bit: 6)
    /// Octet 2, bit 5: Requested service not allowed for card product.
    public static let serviceNotAllowed = Self(octet: 2, bit: 5)
    /// Octet 2, bit 4: New card.
    public static let newCard = Self(octet: 2, bit: 4)
    /// Octet 2, bit 2: Biometric performed and successful.
    public static let biometricPerformedAndSuccessful = Self(octet: 2, bit: 2)
    /// Octet 2, bit 1: Biometric template format not supported.
    public static let biometricTemplateFormatNotSupported = Self(octet: 2, bit: 1)
    /// Octet 3, bit 8: Cardholder verification was not successful.
    public static let cardholderVerificationFailed = Self(octet: 3, bit: 8)
    /// Octet 3, bit 7: Unrecognised CVM.
    public static let unrecognisedCVM = Self(octet: 3, bit: 7)
    /// Octet 3, bit 6: PIN try limit exceeded.
    public static let pinTryLimitExceeded = Self(octet: 3, bit: 6)
    /// Octet 3, bit 5: PIN entry required and PIN pad not present or not working.
    public static let pinPadNotPresentOrNotWorking = Self(octet: 3, bit: 5)
    /// Octet 3, bit 4: PIN entry required, PIN pad present, but PIN was not entered.
    public static let pinNotEntered = Self(octet: 3, bit: 4)
    /// Octet 3, bit 3: Online CVM captured.
    public static let onlineCVMCaptured = Self(octet: 3, bit: 3)
    /// Octet 3, bit 2: Biometric required but device not working.
    public static let biometricDeviceNotWorking = Self(octet: 3, bit: 2)
    /// Octet 3, bit 1: Biometric required, device present, but subtype entry was bypassed.
    public static let biometricSubtypeBypassed = Self(octet: 3, bit: 1)
    /// Octet 4, bit 8: Transaction exceeds floor limit.
    public static let floorLimitExceeded = Self(octet: 4, bit: 8)
    /// Octet 4, bit 7: Lower consecutive offline limit exceeded.
    public static let lowerConsecutiveLimitExceeded = Self(octet: 4, bit: 7)
    /// Octet 4, bit 6: Upper consecutive offline limit exceeded.
    public static let upperConsecutiveLimitExceeded = Self(octet: 4, bit: 6)
    /// Octet 4, bit 5: Transaction selected randomly for online processing.
    public static let randomSelectedOnline = Self(octet: 4, bit: 5)
    /// Octet 4, bit 4: Merchant forced transaction online.
    public static let merchantForcedOnline = Self(octet: 4, bit: 4)
    /// Octet 4, bit 3: Biometric try limit exceeded.
    public static let biometricTryLimitExceeded = Self(octet: 4, bit: 3)
    /// Octet 4, bit 2: A selected biometric type is not supported.
    public static let biometricTypeNotSupported = Self(octet: 4, bit: 2)
    /// Octet 4, bit 1: XDA signature verification failed.
    public static let xdaSignatureFailed = Self(octet: 4, bit: 1)
    /// Octet 5, bit 8: Default TDOL used.
    public static let defaultTDOLUsed = Self(octet: 5, bit: 8)
    /// Octet 5, bit 7: Issuer authentication failed.
    public static let issuerAuthenticationFailed = Self(octet: 5, bit: 7)
    /// Octet 5, bit 6: Script processing failed before final GENERATE AC.
    public static let scriptFailedBeforeFinalGAC = Self(octet: 5, bit: 6)
    /// Octet 5, bit 5: Script processing failed after final GENERATE AC.
    public static let scriptFailedAfterFinalGAC = Self(octet: 5, bit: 5)
    /// Octet 5, bit 4: Reserved for contactless (relay resistance threshold exceeded).
    public static let reservedContactless1 = Self(octet: 5, bit: 4)
    /// Octet 5, bit 3: CA ECC key missing.
    public static let caECCKeyMissing = Self(octet: 5, bit: 3)
    /// Octet 5, bit 2: ECC key recovery failed.
    public static let eccKeyRecoveryFailed = Self(octet: 5, bit: 2)
    /// Octet 5, bit 1: Reserved for contactless (relay resistance performed).
    public static let reservedContactless2 = Self(octet: 5, bit: 1)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.odaNotPerformed, "oda_not_performed", "Offline data authentication was not performed"),
        NamedBit(.sdaFailed, "sda_failed", "SDA failed"),
        NamedBit(.iccDataMissing, "icc_data_missing", "ICC data missing"),
        NamedBit(.cardOnExceptionFile, "card_on_exception_file", "Card appears on terminal exception file"),
        NamedBit(.ddaFailed, "dda_failed", "DDA failed"),
        NamedBit(.cdaFailed, "cda_failed", "CDA failed"),
        NamedBit(.sdaSelected, "sda_selected", "SDA selected"),
        NamedBit(.xdaSelected, "xda_selected", "XDA selected"),
        NamedBit(.versionsDiffer, "versions_differ", "ICC and terminal have different application versions"),
        NamedBit(.expiredApplication, "expired_application", "Expired application"),
        NamedBit(.applicationNotYetEffective, "application_not_yet_effective", "Application not yet effective"),
        NamedBit(.serviceNotAllowed, "service_not_allowed", "Requested service not allowed for card product"),
        NamedBit(.newCard, "new_card", "New card"),
        NamedBit(
            .biometricPerformedAndSuccessful, "biometric_performed_and_successful",
            "Biometric performed and successful"),
        NamedBit(
            .biometricTemplateFormatNotSupported, "biometric_template_format_not_supported",
            "Biometric template format not supported"),
        NamedBit(
            .cardholderVerificationFailed, "cardholder_verification_failed",
            "Cardholder verification was not successful"),
        NamedBit(.unrecognisedCVM, "unrecognised_cvm", "Unrecognised CVM"),
        NamedBit(.pinTryLimitExceeded, "pin_try_limit_exceeded", "PIN try limit exceeded"),
        NamedBit(
            .pinPadNotPresentOrNotWorking, "pin_pad_not_present_or_not_working",
            "PIN entry required and PIN pad not present or not working"),
        NamedBit(.pinNotEntered, "pin_not_entered", "PIN entry required, PIN pad present, but PIN was not entered"),
        NamedBit(.onlineCVMCaptured, "online_cvm_captured", "Online CVM captured"),
        NamedBit(
            .biometricDeviceNotWorking, "biometric_device_not_working",
            "Biometric required but device not working"),
        NamedBit(
            .biometricSubtypeBypassed, "biometric_subtype_bypassed",
            "Biometric required, device present, but subtype entry was bypassed"),
        NamedBit(.floorLimitExceeded, "floor_limit_exceeded", "Transaction exceeds floor limit"),
        NamedBit(
            .lowerConsecutiveLimitExceeded, "lower_consecutive_limit_exceeded",
            "Lower consecutive offline limit exceeded"),
        NamedBit(
            .upperConsecutiveLimitExceeded, "upper_consecutive_limit_exceeded",
            "Upper consecutive offline limit exceeded"),
        NamedBit(
            .randomSelectedOnline, "random_selected_online",
            "Transaction selected randomly for online processing"),
        NamedBit(.merchantForcedOnline, "merchant_forced_online", "Merchant forced transaction online"),
        NamedBit(.biometricTryLimitExceeded, "biometric_try_limit_exceeded", "Biometric try limit exceeded"),
        NamedBit(
            .biometricTypeNotSupported, "biometric_type_not_supported",
            "A selected biometric type is not supported"),
        NamedBit(.xdaSignatureFailed, "xda_signature_failed", "XDA signature verification failed"),
        NamedBit(.defaultTDOLUsed, "default_tdol_used", "Default TDOL used"),
        NamedBit(.issuerAuthenticationFailed, "issuer_authentication_failed", "Issuer authentication failed"),
        NamedBit(
            .scriptFailedBeforeFinalGAC, "script_failed_before_final_gac",
            "Script processing failed before final GENERATE AC"),
        NamedBit(
            .scriptFailedAfterFinalGAC, "script_failed_after_final_gac",
            "Script processing failed after final GENERATE AC"),
        NamedBit(
            .reservedContactless1, "reserved_contactless_1",
            "Reserved for contactless (relay resistance threshold exceeded)"),
        NamedBit(.caECCKeyMissing, "ca_ecc_key_missing", "CA ECC key missing"),
        NamedBit(.eccKeyRecoveryFailed, "ecc_key_recovery_failed", "ECC key recovery failed"),
        NamedBit(
            .reservedContactless2, "reserved_contactless_2",
            "Reserved for contactless (relay resistance performed)"),
    ]
}

/// Transaction Status Information (TSI, tag 9B): the steps that were performed (EMV Book 3, annex C6).
public struct TransactionStatusInformation: BitField {
    public static let tag: Tag = 0x9B
    public static let octetCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Octet 1, bit 8: Offline data authentication was performed.
    public static let odaPerformed = Self(octet: 1, bit: 8)
    /// Octet 1, bit 7: Cardholder verification was performed.
    public static let cardholderVerificationPerformed = Self(octet: 1, bit: 7)
    /// Octet 1, bit 6: Card risk management was performed.
    public static let cardRiskManagementPerformed = Self(octet: 1, bit: 6)
    /// Octet 1, bit 5: Issuer authentication was performed.
    public static let issuerAuthenticationPerformed = Self(octet: 1, bit: 5)
    /// Octet 1, bit 4: Terminal risk management was performed.
    public static let terminalRiskManagementPerformed = Self(octet: 1, bit: 4)
    /// Octet 1, bit 3: Script processing was performed.
    public static let scriptProcessingPerformed = Self(octet: 1, bit: 3)

    public static let bits: [NamedBit<Self>] = [
        NamedBit(.odaPerformed, "oda_performed", "Offline data authentication was performed"),
        NamedBit(
            .cardholderVerificationPerformed, "cardholder_verification_performed",
            "Cardholder verification was performed"),
        NamedBit(.cardRiskManagementPerformed, "card_risk_management_performed", "Card risk management was performed"),
        NamedBit(
            .issuerAuthenticationPerformed, "issuer_authentication_performed",
            "Issuer authentication was performed"),
        NamedBit(
            .terminalRiskManagementPerformed, "terminal_risk_management_performed",
            "Terminal risk management was performed"),
        NamedBit(.scriptProcessingPerformed, "script_processing_performed", "Script processing was performed"),
    ]
}
