// The error of an offline data authentication.

/// The reason for which offline data authentication failed.
///
/// It names the step of EMV Book 2 that failed, and has no content of the card.
public struct AuthenticationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String {
            case missing, length, format, hash, expired, identifier, algorithm, exponent, revoked, record, response
            case authorityKeyMissing = "authority_key_missing"
            case tagList = "tag_list"
            case dynamicList = "dynamic_list"
            case limitExceeded = "limit_exceeded"
            case cryptogramInformation = "cryptogram_information"
            case transactionData = "transaction_data"
        }
        let kind: Kind
        /// The card does not have an object that the method needs. The TVR says "ICC data missing", too.
        public static let missing = Code(kind: .missing)
        /// The terminal does not have the certification authority key that the card names.
        public static let authorityKeyMissing = Code(kind: .authorityKeyMissing)
        /// A certificate or signature is not as long as the key that signs it, or its fields do not fit into it.
        public static let length = Code(kind: .length)
        /// The header, the trailer or the format of a recovered block is wrong, or the key cannot be used.
        public static let format = Code(kind: .format)
        /// The hash in a recovered block is not the hash of the data.
        public static let hash = Code(kind: .hash)
        /// A certificate has expired.
        public static let expired = Code(kind: .expired)
        /// A certificate is of another issuer or another card.
        public static let identifier = Code(kind: .identifier)
        /// A certificate names an algorithm that is not RSA with SHA-1.
        public static let algorithm = Code(kind: .algorithm)
        /// The exponent of a public key is neither 3 nor 65,537.
        public static let exponent = Code(kind: .exponent)
        /// The issuer's certificate is revoked.
        public static let revoked = Code(kind: .revoked)
        /// The Static Data Authentication Tag List has another tag than 82.
        public static let tagList = Code(kind: .tagList)
        /// The list of the values to be signed (DDOL) does not ask for the unpredictable number.
        public static let dynamicList = Code(kind: .dynamicList)
        /// A record that takes part in the authentication is not a record template.
        public static let record = Code(kind: .record)
        /// The static data have more than ``StaticAuthenticationData/maxOctets`` octets.
        public static let limitExceeded = Code(kind: .limitExceeded)
        /// The Cryptogram Information Data in the signature is not that of the response.
        public static let cryptogramInformation = Code(kind: .cryptogramInformation)
        /// The signature of the cryptogram is over other transaction data.
        public static let transactionData = Code(kind: .transactionData)
        /// The card refused INTERNAL AUTHENTICATE, or its response has an invalid form.
        public static let response = Code(kind: .response)

        /// A name for machines: `hash`, `expired`, ...
        public var name: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The object in which the failure was found; nil if it concerns none.
    public let tag: Tag?

    init(_ code: Code, in tag: Tag? = nil) {
        self.code = code
        self.tag = tag
    }

    /// One line for a person.
    public var description: String {
        let place = tag.map { " in \($0)" } ?? ""
        return "offline data authentication failed\(place): \(reason)"
    }

    private var reason: String {
        switch code.kind {
        case .missing: "the card does not have the object"
        case .authorityKeyMissing: "the terminal does not have the certification authority key; load the scheme's keys"
        case .length: "the length does not fit the key"
        case .format: "the recovered block has another format"
        case .hash: "the hash is wrong"
        case .expired: "the certificate has expired"
        case .identifier: "the certificate is of another issuer or card"
        case .algorithm: "the certificate names an unknown algorithm"
        case .exponent: "the exponent of the public key is neither 03 nor 010001"
        case .revoked: "the certificate is revoked"
        case .tagList: "the list has another tag than 82"
        case .dynamicList: "the list does not ask for the unpredictable number"
        case .record: "the record is not a template 70"
        case .limitExceeded: "the static data are longer than the terminal accepts"
        case .cryptogramInformation: "the signed cryptogram information is another one"
        case .transactionData: "the signed transaction data are other ones"
        case .response: "the card refused to sign, or its response has an invalid form"
        }
    }
}
