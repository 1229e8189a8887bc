// Offline data authentication: EMV Book 2, sections 5 and 6, and Book 3, section 10.3.

/// A method of offline data authentication.
public enum AuthenticationMethod: String, Sendable, Hashable {
    /// Static data authentication: the issuer has signed the card's data.
    case sda = "SDA"
    /// Dynamic data authentication: the card signs a number of the terminal.
    case dda = "DDA"
    /// Combined authentication: the card signs with its cryptogram.
    case cda = "CDA"

    /// Selects the method that card and terminal have in common: CDA before DDA before SDA (Book 3, 10.3).
    /// - Returns: nil if they have none in common.
    public init?(_ card: ApplicationInterchangeProfile, _ terminal: TerminalCapabilities) {
        if card.contains(.cdaSupported), terminal.contains(.cda) {
            self = .cda
        } else if card.contains(.ddaSupported), terminal.contains(.dda) {
            self = .dda
        } else if card.contains(.sdaSupported), terminal.contains(.sda) {
            self = .sda
        } else {
            return nil
        }
    }
}

/// The result of offline data authentication, with the reason.
public struct AuthenticationReport: Sendable, Hashable {
    /// The method; nil if card and terminal have none in common.
    public let method: AuthenticationMethod?
    /// The reason of a failure; nil if nothing has failed so far.
    public let failure: AuthenticationFailure?

    /// The bits that the result sets (Book 3, annex C5).
    public var tvr: TerminalVerificationResults {
        guard let method else { return .odaNotPerformed }
        var tvr: TerminalVerificationResults = method == .sda ? .sdaSelected : []
        guard let failure else { return tvr }
        switch method {
        case .sda: tvr.insert(.sdaFailed)
        case .dda: tvr.insert(.ddaFailed)
        case .cda: tvr.insert(.cdaFailed)
        }
        if failure.code == .missing { tvr.insert(.iccDataMissing) }
        return tvr
    }
}

/// The static data to be authenticated: the records that the AFL marks, and the AIP if the card's tag list asks for it
/// (Book 3, 10.3).
public struct StaticAuthenticationData: Sendable {
    /// The greatest number of octets. The books set no limit; the records of a card have some hundred octets.
    public static let maxOctets = 16_384

    private var records: [SecretOctets] = []
    private var count = 0
    private var hasInvalidRecord = false

    /// Static data without records.
    public init() {}

    /// Adds a record that takes part in the authentication, in the order of the AFL. Of files 1 to 10 the contents of
    /// the template count, of other files the whole record. A record that is not one template 70 fails the
    /// authentication with code `record`. Records beyond ``maxOctets`` are not kept, and the
    /// authentication then fails with code `limitExceeded`.
    public mutating func add(_ record: Span<UInt8>, file: Int) {
        guard let template = TagLengthValue.single(in: record), template.tag == 0x70 else {
            hasInvalidRecord = true
            return
        }
        let data = file <= 10 ? record.extracting(template.value) : record
        count += data.count
        if isTooLong { records = [] } else { records.append(SecretOctets(copying: data)) }
    }

    private var isTooLong: Bool { count > Self.maxOctets }

    /// The data, with the AIP if the tag list has its tag.
    func octets(of card: DataObjectStore) throws(AuthenticationFailure) -> SecretOctets {
        guard !hasInvalidRecord else { throw AuthenticationFailure(.record) }
        guard !isTooLong else { throw AuthenticationFailure(.limitExceeded) }
        let list = card[.staticDataTagList]
        guard list == nil || list == [0x82] else { throw AuthenticationFailure(.tagList, in: .staticDataTagList) }
        let profile = list == nil ? nil : card.secret(ApplicationInterchangeProfile.tag)
        return SecretOctets(joining: records + (profile.map { [$0] } ?? []))
    }
}

/// The result of a signature over a cryptogram: the objects that only the signature has.
public struct SignedCryptogram: Sendable, Hashable {
    /// The ICC Dynamic Number (9F4C), 2 to 8 octets.
    public let dynamicNumber: [UInt8]
    /// The application cryptogram (9F26), eight octets.
    public let cryptogram: [UInt8]
}

/// The checks of offline data authentication over the objects of a card.
public struct OfflineAuthentication<Primitives: AuthenticationPrimitives>: Sendable {
    /// RSA and SHA-1 of the caller.
    public let primitives: Primitives
    /// The keys that the terminal has.
    public let keys: AuthenticationKeys
    /// The day of the transaction.
    public let date: CardDate

    /// Checks with the primitives and keys of the caller, on a day.
    public init(_ primitives: Primitives, keys: AuthenticationKeys, date: CardDate) {
        self.primitives = primitives
        self.keys = keys
        self.date = date
    }

    private var blocks: SignedBlocks<Primitives> { SignedBlocks(primitives: primitives) }

    /// Recovers the issuer's key.
    /// - Parameter card: the objects of the card, with the name of its application (84).
    /// - Returns: the key.
    /// - Throws: the failure of the certificate.
    public func issuerKey(of card: DataObjectStore) throws(AuthenticationFailure) -> RSAPublicKey {
        let index = try required(.authorityKeyIndex, card)
        let parts = try parts(.issuerCertificate, .issuerRemainder, .issuerExponent, card)
        let provider = Array((card[0x84] ?? card[0x4F] ?? []).prefix(5))
        guard index.count == 1, let authority = keys.key(of: provider, index: index[0]) else {
            throw AuthenticationFailure(.authorityKeyMissing, in: .authorityKeyIndex)
        }
        guard authority.key.hasValidExponent else { throw AuthenticationFailure(.exponent, in: .authorityKeyIndex) }
        return try blocks.issuerKey(
            parts, of: authority, revoked: keys.revoked, account: account(card), on: date)
    }

    /// Recovers the card's key for signatures.
    /// - Parameters:
    ///   - card: the objects of the card.
    ///   - staticData: the static data to be authenticated.
    /// - Returns: the key.
    /// - Throws: the failure of a certificate.
    public func cardKey(
        of card: DataObjectStore, _ staticData: StaticAuthenticationData
    ) throws(AuthenticationFailure) -> RSAPublicKey {
        let issuer = try issuerKey(of: card)
        let parts = try parts(.cardCertificate, .cardRemainder, .cardExponent, card)
        let data = try staticData.octets(of: card)
        return try blocks.cardKey(parts, of: issuer, staticData: data, account: account(card), on: date)
    }

    /// Recovers the key with which PINs are enciphered: the card's own key for PINs, else its key for signatures (Book
    /// 2, 7.1).
    /// - Parameters:
    ///   - card: the objects of the card.
    ///   - staticData: the static data to be authenticated.
    /// - Returns: the key.
    /// - Throws: the failure of a certificate.
    public func pinKey(
        of card: DataObjectStore, _ staticData: StaticAuthenticationData
    ) throws(AuthenticationFailure) -> RSAPublicKey {
        guard card.contains(.pinCertificate) else { return try cardKey(of: card, staticData) }
        let issuer = try issuerKey(of: card)
        let parts = try parts(.pinCertificate, .pinRemainder, .pinExponent, card)
        return try blocks.cardKey(parts, of: issuer, staticData: SecretOctets([]), account: account(card), on: date)
    }

    /// Authenticates the static data (SDA).
    /// - Parameters:
    ///   - card: the objects of the card.
    ///   - staticData: the static data to be authenticated.
    /// - Returns: the Data Authentication Code (9F45), two octets.
    /// - Throws: the failure of a certificate or of the signature.
    public func authenticate(
        _ card: DataObjectStore, _ staticData: StaticAuthenticationData
    ) throws(AuthenticationFailure) -> [UInt8] {
        let block = try required(.signedStaticApplicationData, card)
        let issuer = try issuerKey(of: card)
        let data = try staticData.octets(of: card)
        return try blocks.dataAuthenticationCode(block, signedBy: issuer, over: data)
    }

    /// Checks the answer to INTERNAL AUTHENTICATE (DDA).
    /// - Parameters:
    ///   - response: the data of the answer, in format 1 or 2.
    ///   - card: the card's key.
    ///   - terminalData: the values that the DDOL asked for.
    /// - Returns: the ICC Dynamic Number (9F4C), 2 to 8 octets.
    /// - Throws: the failure of the answer or the signature.
    public func dynamicNumber(
        _ response: SecretOctets, signedBy card: RSAPublicKey, over terminalData: SecretOctets
    ) throws(AuthenticationFailure) -> [UInt8] {
        let block: [UInt8]? = response.withOctets { octets in
            guard let outer = TagLengthValue.single(in: octets) else { return nil }
            let object: TagLengthValue? =
                switch outer.tag {
                case 0x80: outer
                case 0x77: try? TagLengthValue.first(0x9F4B, in: octets)
                default: nil
                }
            return object.map { Array(copying: octets.extracting($0.value)) }
        }
        guard let block else {
            let isTemplate = response.withOctets { TagLengthValue.single(in: $0)?.tag == 0x77 }
            throw AuthenticationFailure(isTemplate ? .missing : .response, in: .signedDynamicApplicationData)
        }
        let dynamic = try blocks.dynamicData(block, signedBy: card, over: terminalData)
        guard let count = dynamic.first.map({ Int($0) }), (2...8).contains(count), dynamic.count >= 1 + count else {
            throw AuthenticationFailure(.length, in: .signedDynamicApplicationData)
        }
        return Array(dynamic[1..<(1 + count)])
    }

    /// Checks the signature that a card returns with its cryptogram (CDA).
    /// - Parameters:
    ///   - response: the data of the answer to GENERATE AC, in format 2.
    ///   - card: the card's key.
    ///   - unpredictableNumber: the terminal's number (9F37).
    ///   - terminalData: the values of PDOL and CDOL1, and of CDOL2 with the second cryptogram.
    /// - Returns: the cryptogram and the dynamic number.
    /// - Throws: the failure of the answer or the signature.
    public func cryptogram(
        _ response: SecretOctets, signedBy card: RSAPublicKey, unpredictableNumber: [UInt8],
        over terminalData: [SecretOctets]
    ) throws(AuthenticationFailure) -> SignedCryptogram {
        let answer = response.withOctets { SignedAnswer($0) }
        guard let answer else { throw AuthenticationFailure(.response, in: .signedDynamicApplicationData) }
        let dynamic = try blocks.dynamicData(answer.signature, signedBy: card, over: SecretOctets(unpredictableNumber))
        // Length and number, cryptogram information, cryptogram, hash of the transaction data (Book 2, table 19).
        guard let count = dynamic.first.map({ Int($0) }), (2...8).contains(count), dynamic.count >= 30 + count else {
            throw AuthenticationFailure(.length, in: .signedDynamicApplicationData)
        }
        guard dynamic[1 + count] == answer.information else {
            throw AuthenticationFailure(.cryptogramInformation, in: .signedDynamicApplicationData)
        }
        let hash = primitives.sha1(covering: terminalData + [answer.others])
        guard dynamic[(10 + count)..<(30 + count)].elementsEqual(hash) else {
            throw AuthenticationFailure(.transactionData, in: .signedDynamicApplicationData)
        }
        return SignedCryptogram(
            dynamicNumber: Array(dynamic[1..<(1 + count)]), cryptogram: Array(dynamic[(2 + count)..<(10 + count)]))
    }

    /// The parts of an answer to GENERATE AC with a signature.
    private struct SignedAnswer {
        let information: UInt8
        let signature: [UInt8]
        /// All objects but the signature, with tags and lengths, as the hash covers them.
        let others: SecretOctets

        init?(_ octets: Span<UInt8>) {
            var signature: [UInt8]?
            var information: UInt8?
            var others: [SecretOctets] = []
            guard TagLengthValue.single(in: octets)?.tag == 0x77, let objects = try? TagLengthValue.list(octets) else {
                return nil
            }
            for object in objects where object.depth == 1 {
                let value = octets.extracting(object.value)
                if object.tag == 0x9F4B {
                    signature = Array(copying: value)
                } else {
                    others.append(SecretOctets(copying: octets.extracting(object.start..<object.value.upperBound)))
                }
                if object.tag == 0x9F27, value.count == 1 { information = value[0] }
            }
            guard let signature, let information else { return nil }
            self.signature = signature
            self.information = information
            self.others = SecretOctets(joining: others)
        }
    }

    private func account(_ card: DataObjectStore) throws(AuthenticationFailure) -> SecretOctets {
        guard let account = card.secret(.account) else { throw AuthenticationFailure(.missing, in: .account) }
        return account
    }

    private func required(_ tag: Tag, _ card: DataObjectStore) throws(AuthenticationFailure) -> [UInt8] {
        guard let value = card[tag] else { throw AuthenticationFailure(.missing, in: tag) }
        return value
    }

    private func parts(
        _ certificate: Tag, _ remainder: Tag, _ exponent: Tag, _ card: DataObjectStore
    ) throws(AuthenticationFailure) -> PublicKeyParts {
        try PublicKeyParts(
            tag: certificate, certificate: required(certificate, card), remainderTag: remainder,
            remainder: card[remainder], exponentTag: exponent, exponent: required(exponent, card))
    }
}
