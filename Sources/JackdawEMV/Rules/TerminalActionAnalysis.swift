import JackdawBytes

// Terminal action analysis: EMV Book 3, section 10.7.

/// The type of an application cryptogram, bits 8 and 7 of the reference control parameter and of the Cryptogram
/// Information Data.
public enum CryptogramType: UInt8, Sendable, Hashable, Comparable {
    /// Application Authentication Cryptogram: the transaction is declined.
    case aac = 0x00
    /// Transaction Certificate: the transaction is approved.
    case tc = 0x40
    /// Authorisation Request Cryptogram: the issuer decides.
    case arqc = 0x80

    /// The type in an octet; nil if bits 8 and 7 are 11, which EMV reserves.
    public init?(octet: UInt8) { self.init(rawValue: octet & 0xC0) }

    /// The name of the book: `AAC`, `TC`, `ARQC`.
    public var name: String {
        switch self {
        case .aac: "AAC"
        case .tc: "TC"
        case .arqc: "ARQC"
        }
    }

    /// The place in the hierarchy of cryptograms (Book 3, 9.3): AAC below ARQC below TC.
    private var rank: Int {
        switch self {
        case .aac: 0
        case .arqc: 1
        case .tc: 2
        }
    }

    public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
}

/// The Issuer Action Codes (IAC) or Terminal Action Codes (TAC): three masks over the TVR.
public struct ActionCodes: Sendable, Hashable {
    /// A common bit declines the transaction.
    public var denial: TerminalVerificationResults
    /// A common bit sends the transaction to the issuer.
    public var online: TerminalVerificationResults
    /// A common bit declines the transaction if the issuer cannot be reached.
    public var `default`: TerminalVerificationResults

    /// The three action codes.
    public init(
        denial: TerminalVerificationResults, online: TerminalVerificationResults, default: TerminalVerificationResults
    ) {
        self.denial = denial
        self.online = online
        self.default = `default`
    }

    /// The Issuer Action Codes of a card: 9F0E, 9F0F and 9F0D. An absent code is all zeros for denial, and all ones for
    /// online and default (Book 3, 10.7).
    public init(
        issuerDenial: TerminalVerificationResults?, issuerOnline: TerminalVerificationResults?,
        issuerDefault: TerminalVerificationResults?
    ) {
        let all = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        self.init(denial: issuerDenial ?? [], online: issuerOnline ?? all, default: issuerDefault ?? all)
    }

    /// No bit is set: the Terminal Action Codes of a terminal whose acquirer supplies none (Book 3, 10.7).
    public static let none = ActionCodes(denial: [], online: [], default: [])
}

/// The cryptogram that the terminal asks for, with the reason.
public struct TerminalAction: Sendable, Hashable {
    /// The reason for a request.
    public enum Reason: Sendable, Hashable {
        /// Bits of the TVR that the Denial action codes have.
        case denial(TerminalVerificationResults)
        /// Bits of the TVR that the Online action codes have.
        case online(TerminalVerificationResults)
        /// Bits of the TVR that the Default action codes have.
        case `default`(TerminalVerificationResults)
        /// The terminal is online-only.
        case onlineOnly
        /// The terminal is online-only, could not go online and does not use the Default action codes.
        case defaultSkipped
        /// No action code has a bit of the TVR.
        case noMatch
    }

    /// The type of cryptogram that the terminal asks for.
    public let request: CryptogramType
    /// The Authorisation Response Code (tag 8A), two characters; nil if the issuer will give it.
    public let responseCode: AuthorisationResponseCode?
    /// The reason for the request.
    public let reason: Reason
}

/// An Authorisation Response Code (tag 8A): two characters of the host, or of the terminal for what it decides itself.
public struct AuthorisationResponseCode: Sendable, Hashable, CustomStringConvertible {
    /// Two octets, as in tag 8A.
    public let octets: [UInt8]

    /// A code of two octets; nil for another length.
    public init?(_ octets: [UInt8]) {
        guard octets.count == 2 else { return nil }
        self.octets = octets
    }

    private init(_ first: Character, _ second: Character) {
        octets = [first.asciiValue ?? 0, second.asciiValue ?? 0]
    }

    /// Y1: the card approved offline.
    public static let offlineApproved = Self("Y", "1")
    /// Z1: terminal or card declined offline.
    public static let offlineDeclined = Self("Z", "1")
    /// Y3: unable to go online, approved offline.
    public static let unableToGoOnlineApproved = Self("Y", "3")
    /// Z3: unable to go online, declined offline.
    public static let unableToGoOnlineDeclined = Self("Z", "3")

    /// The two characters if they are printable ASCII, else the digits of the octets.
    public var description: String {
        guard octets.allSatisfy({ (0x20...0x7E).contains($0) }) else { return octets.hexadecimal }
        var text = ""
        for octet in octets { text.unicodeScalars.append(Unicode.Scalar(octet)) }
        return text
    }
}

/// The rules of terminal action analysis, as functions of values.
public enum TerminalActionAnalysis {
    /// Decides the first cryptogram.
    /// - Parameters:
    ///   - tvr: the results of the checks.
    ///   - issuer: the Issuer Action Codes (IAC) of the card.
    ///   - terminal: the Terminal Action Codes (TAC) of the acquirer.
    ///   - connection: the way in which the terminal authorises.
    /// - Returns: the request, the response code if the terminal decides, and the reason.
    public static func first(
        tvr: TerminalVerificationResults, issuer: ActionCodes, terminal: ActionCodes,
        connection: TerminalType.Connection
    ) -> TerminalAction {
        let denied = tvr.intersection(issuer.denial.union(terminal.denial))
        guard denied.isEmpty else {
            return TerminalAction(request: .aac, responseCode: .offlineDeclined, reason: .denial(denied))
        }
        switch connection {
        case .onlineOnly:
            return TerminalAction(request: .arqc, responseCode: nil, reason: .onlineOnly)
        case .onlineCapable:
            let online = tvr.intersection(issuer.online.union(terminal.online))
            guard online.isEmpty else {
                return TerminalAction(request: .arqc, responseCode: nil, reason: .online(online))
            }
        case .offlineOnly:
            let declined = tvr.intersection(issuer.default.union(terminal.default))
            guard declined.isEmpty else {
                return TerminalAction(request: .aac, responseCode: .offlineDeclined, reason: .default(declined))
            }
        }
        return TerminalAction(request: .tc, responseCode: .offlineApproved, reason: .noMatch)
    }

    /// Decides the second cryptogram of a transaction whose issuer was not reached.
    /// - Parameters:
    ///   - tvr: the results of the checks.
    ///   - issuer: the Issuer Action Codes (IAC) of the card.
    ///   - terminal: the Terminal Action Codes (TAC) of the acquirer.
    ///   - connection: the way in which the terminal authorises.
    ///   - skipsDefault: whether an online-only terminal declines without the Default action
    ///     codes, as Book 3, 10.7 allows.
    /// - Returns: the request, TC or AAC, with its response code and the reason.
    public static func unableToGoOnline(
        tvr: TerminalVerificationResults, issuer: ActionCodes, terminal: ActionCodes,
        connection: TerminalType.Connection, skipsDefault: Bool = false
    ) -> TerminalAction {
        if skipsDefault, connection == .onlineOnly {
            return TerminalAction(request: .aac, responseCode: .unableToGoOnlineDeclined, reason: .defaultSkipped)
        }
        let declined = tvr.intersection(issuer.default.union(terminal.default))
        guard declined.isEmpty else {
            return TerminalAction(request: .aac, responseCode: .unableToGoOnlineDeclined, reason: .default(declined))
        }
        return TerminalAction(request: .tc, responseCode: .unableToGoOnlineApproved, reason: .noMatch)
    }
}
