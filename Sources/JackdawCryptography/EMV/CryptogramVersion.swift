/// A scheme's rules for cryptograms and secure messaging, by the cryptogram version number (CVN) that a card sends in
/// its issuer application data (tag 9F10).
public enum CryptogramVersion: String, Sendable, Hashable, CaseIterable {
    /// Visa CVN 10: the master key itself, without a session key.
    case visa10 = "visa-10"
    /// CVN 14: the tree of EMV2000. The order of its data is not confirmed by any public source: only the arithmetic is
    /// tested.
    case visa14 = "visa-14"
    /// Visa CVN 18: EMV's common session key, response by method 2.
    case visa18 = "visa-18"
    /// Visa CVN 22: as CVN 18, with the common session key for secure messaging too.
    case visa22 = "visa-22"
    /// Interac CVN 133.
    case interac133 = "interac-133"
    /// M/Chip CVN 16: Mastercard's session key, without counters in the data.
    case mChip16 = "m-chip-16"
    /// M/Chip CVN 17: Mastercard's session key, with counters.
    case mChip17 = "m-chip-17"
    /// M/Chip CVN 20: EMV's common session key, without counters.
    case mChip20 = "m-chip-20"
    /// M/Chip CVN 21: EMV's common session key, with counters.
    case mChip21 = "m-chip-21"

    /// The derivation of the card's master keys.
    public var cardKeyOption: CardKeyOption {
        switch self {
        case .visa18, .visa22: .b
        case .visa10, .visa14, .interac133, .mChip16, .mChip17, .mChip20, .mChip21: .a
        }
    }

    /// The padding of the data of a cryptogram.
    public var padding: MessagePadding { self == .visa10 ? .zeros : .mark }

    /// The method of the response cryptogram.
    public var responseMethod: ResponseMethod {
        switch self {
        case .visa18, .visa22: .method2
        case .visa10, .visa14, .interac133, .mChip16, .mChip17, .mChip20, .mChip21: .method1
        }
    }

    /// Whether the response is made with the card's master key; false if with the session key of the cryptogram.
    var respondsWithCardKey: Bool { self == .visa10 || self == .mChip16 || self == .mChip17 }

    /// The method of the session key of cryptograms.
    var sessionKey: SessionKeyMethod {
        switch self {
        case .visa10: .cardKey
        case .visa14: .tree
        case .visa18, .visa22, .mChip20, .mChip21: .counter
        case .interac133, .mChip16, .mChip17: .counterAndNumber
        }
    }

    /// The rules of secure messaging; nil if they are not known.
    var secureMessaging: SecureMessagingRules? {
        switch self {
        case .visa10, .visa18:
            SecureMessagingRules(hasVisaKey: true, bindsTransaction: true, countsCommands: false, format: .visa)
        case .visa14: nil
        case .visa22:
            SecureMessagingRules(hasVisaKey: false, bindsTransaction: true, countsCommands: false, format: .visa)
        case .interac133:
            SecureMessagingRules(hasVisaKey: false, bindsTransaction: false, countsCommands: false, format: .mChip)
        case .mChip16, .mChip17, .mChip20, .mChip21:
            SecureMessagingRules(hasVisaKey: false, bindsTransaction: true, countsCommands: true, format: .mChip)
        }
    }
}

/// A method of the response cryptogram (EMV Book 2, 8.2).
public enum ResponseMethod: Sendable, Hashable {
    /// Method 1: 8 bytes, from the card's cryptogram and a response code.
    case method1
    /// Method 2: 4 bytes, from the card's cryptogram, a card status update and proprietary data.
    case method2
}

/// The method of the session key of a cryptogram.
enum SessionKeyMethod {
    /// There is none: the card's master key makes cryptograms.
    case cardKey
    /// The tree of EMV2000.
    case tree
    /// The common session key of the counter.
    case counter
    /// The common session key of the counter and the terminal's unpredictable number.
    case counterAndNumber
}

/// The rules of a scheme for secure messaging.
struct SecureMessagingRules {
    /// Whether the session keys are Visa's, of the counter; false if they are EMV's, of the cryptogram.
    let hasVisaKey: Bool
    /// Whether the code of a command also covers the counter and the cryptogram.
    let bindsTransaction: Bool
    /// Whether each further command of a transaction adds 1 to the cryptogram; if false, the rule for
    /// further commands is not public.
    let countsCommands: Bool
    /// The encryption of a command's data.
    let format: CommandDataFormat
}
