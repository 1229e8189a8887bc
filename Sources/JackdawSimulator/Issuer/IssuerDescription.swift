import JackdawCards
import JackdawEMV

/// An issuer, as its file describes it.
struct IssuerDescription: Sendable {
    /// The currency of all amounts, ISO 4217 numeric, two octets.
    var currency: [UInt8]
    /// The time from a message to its reply.
    var delay: Duration
    /// The key that PIN pads share with the issuer; nil if no PIN can be checked.
    var pinKey: SecretOctets?
    /// Whether accounts that are not listed are good; if not, they are declined.
    var acceptsUnknownAccounts: Bool
    /// Whether the card's counter must increase from one authorisation to the next.
    var checksCounters: Bool
    /// The amount, in minor units, above which a payment is declined; nil if there is none.
    var maxAmount: UInt64?
    /// The amount, in minor units, above which the merchant must call; nil if there is none.
    var referAbove: UInt64?
    var keys: [IssuerKeySet]
    var accounts: [IssuerAccount]
    var rules: [IssuerRule]
}

/// The master keys for some cards.
struct IssuerKeySet: Sendable {
    /// The beginning of the names (AID) of the cards' applications; empty for all.
    var application: [UInt8]
    /// The beginning of the account numbers, digits in ASCII; empty for all.
    var accounts: SecretOctets
    /// The scheme; nil if the cards name it.
    var scheme: CryptogramScheme?
    /// The number of octets of a command's authentication code, 4 to 8.
    var macLength: Int
    var cryptogram: SecretOctets
    var integrity: SecretOctets
    var confidentiality: SecretOctets

    /// The keys as a cipher takes them, for the digits of an account number in ASCII and a sequence number, 0 to 99.
    func keys(_ scheme: CryptogramScheme, account: SecretOctets, sequenceNumber: UInt8) -> ChipCardKeys {
        ChipCardKeys(
            scheme: scheme.rawValue, areIssuerKeys: true, cryptogram: cryptogram, integrity: integrity,
            confidentiality: confidentiality, account: account, sequenceNumber: sequenceNumber)
    }
}

/// An account with its state.
struct IssuerAccount: Sendable {
    /// The state of the card, with the response code that it leads to.
    enum Status: String, Sendable, CaseIterable {
        case good, lost, stolen, expired, restricted

        /// The response code; nil if the state is no reason to decline.
        var code: ResponseCode? {
            switch self {
            case .good: nil
            case .lost: .lost
            case .stolen: .stolen
            case .expired: .expired
            case .restricted: .restricted
            }
        }
    }

    var number: PrimaryAccountNumber
    var status: Status
    /// The digits of the PIN in ASCII; nil if the issuer checks none.
    var pin: SecretOctets?
    /// The tries after a right PIN.
    var tryLimit: Int
    var triesLeft: Int
    /// The money of the account in minor units; nil if it is not limited.
    var available: UInt64?
    /// The part of it that is held or captured.
    var taken: UInt64 = 0
    /// The counter of the card's last authorisation, by the sequence number of the card.
    var counters: [UInt8: UInt16] = [:]
}

/// A case in which the issuer does something else than its limits say.
struct IssuerRule: Sendable {
    /// The kind of a message. The raw value is the name in the file.
    enum Message: String, Sendable, CaseIterable {
        case authorisation, reversal, confirmation, advice, refund
    }

    /// The fate of a message. The raw value is the name in the file.
    enum Delivery: String, Sendable, CaseIterable {
        /// It is processed, and the reply arrives.
        case replies
        /// It is processed, and the reply is lost.
        case silent
        /// It is lost before it is processed.
        case lost
        /// The till cannot send it.
        case unreachable
        /// It is processed, and the reply arrives damaged.
        case unreadable
    }

    /// The issuer authentication data. The raw value is the name in the file.
    enum Authentication: String, Sendable, CaseIterable {
        case right, wrong
        case absent = "none"
    }

    /// The decision on an authorisation. The raw value is the name in the file.
    enum Decision: String, Sendable, CaseIterable {
        case approve, decline, refer

        var verdict: IssuerDecision.Verdict {
            switch self {
            case .approve: .approved
            case .decline: .declined
            case .refer: .referred
            }
        }
    }

    // MARK: the messages concerned

    var message: Message
    /// The beginning of the account numbers, digits in ASCII; nil for all messages.
    var account: SecretOctets?
    /// The amounts in minor units; nil for all messages.
    var amounts: ClosedRange<UInt64>?
    /// Bits of the TVR (95), of which a message must have one; nil for all messages.
    var results: TerminalVerificationResults?
    /// The number of messages to which the rule applies; nil for all.
    var times: Int?

    // MARK: the reaction to them

    /// The verdict; nil if the limits decide.
    var verdict: IssuerDecision.Verdict?
    /// The response code of the verdict; nil for its usual one.
    var code: [UInt8]?
    var delivery: Delivery
    /// The time to the reply; nil for that of the issuer.
    var delay: Duration?
    var authentication: Authentication
    /// The answer that the response cryptogram covers; nil for that of the scheme.
    var answer: [UInt8]?
    var scripts: [IssuerScriptPlan]
}

/// A script that the issuer sends.
struct IssuerScriptPlan: Sendable {
    /// A command of a script.
    enum Command: Sendable {
        /// The issuer adds an authentication code.
        case protected(ProtectedCommand)
        /// It is sent as it is.
        case whole(SecretOctets)
    }

    /// A command with an authentication code.
    enum ProtectedCommand: Sendable {
        case applicationBlock, applicationUnblock, cardBlock, pinUnblock
        /// Changes the PIN to digits in ASCII.
        case pinChange(SecretOctets)
        /// Writes at most 200 octets to a tag of two octets.
        case putData(Tag, [UInt8])
    }

    /// The time at which the card receives a script. The raw value is the tag in the file.
    enum Template: String, Sendable, CaseIterable {
        case beforeCryptogram = "71"
        case afterCryptogram = "72"

        var tag: Tag { self == .beforeCryptogram ? 0x71 : 0x72 }
    }

    var template: Template
    /// The identifier (9F18), four octets; nil if the script has none.
    var identifier: [UInt8]?
    var commands: [Command]
}

/// A response code (8A) of the issuer: field 39 of ISO 8583:1987, as manuals of hosts list it.
enum ResponseCode: String, Sendable {
    case approved = "00"
    case refer = "01"
    case doNotHonour = "05"
    case invalidTransaction = "12"
    case unknownAccount = "14"
    case malformed = "30"
    case lost = "41"
    case stolen = "43"
    case insufficientFunds = "51"
    case expired = "54"
    case wrongPIN = "55"
    case exceedsLimit = "61"
    case restricted = "62"
    case pinTriesExceeded = "75"

    /// As in tag 8A.
    var octets: [UInt8] { Array(rawValue.utf8) }
}
