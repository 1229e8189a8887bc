import JackdawBytes
public import JackdawEMV
import JackdawReaders

/// The public keys of the certification authorities that a terminal accepts.
public struct AuthorityKeys: Sendable, Hashable {
    /// The keys, in the order of the file.
    public let keys: [AuthorityKey]

    /// Creates a set of keys.
    /// - Parameters:
    ///   - keys: the keys; each provider and index once.
    ///   - mode: live cards or test cards.
    /// - Throws: ``CryptographyError`` with code `publishedKey` if a key is published for tests and the mode is live
    ///   cards, `value` if a provider has an index twice.
    public init(_ keys: [AuthorityKey], mode: CardMode) throws(CryptographyError) {
        var seen: Set<[UInt8]> = []
        for key in keys {
            let name = Self.name(key)
            guard mode == .test || !key.isPublishedTestKey else {
                throw CryptographyError(.publishedKey, "CA key \(name) is published for tests, not for live cards")
            }
            guard seen.insert(key.provider + [key.index]).inserted else {
                throw CryptographyError(.value, "CA key \(name) occurs twice")
            }
        }
        self.keys = keys
    }

    /// The keys as JackdawEMV uses them for offline data authentication, without those that have expired.
    ///
    /// An expired key is a missing key for the kernel: a card that names it fails the authentication, and the terminal
    /// verification results say so (EMV Book 2, 5.2 and 6.2).
    /// - Parameters:
    ///   - day: the day of the transaction; a key is valid on its last day. With nil, expired keys stay, to explain old
    ///     dialogues.
    ///   - revoked: certificates of issuers that were revoked.
    /// - Returns: the keys that are valid on the day; those whose last day is not known are.
    public func authenticationKeys(on day: CardDate?, revoked: [RevokedCertificate] = []) -> AuthenticationKeys {
        let valid = keys.filter { key in
            guard let day, let expiry = key.expiry else { return true }
            return day <= expiry
        }
        return AuthenticationKeys(
            valid.map { CertificationAuthorityKey(provider: $0.provider, index: $0.index, key: $0.key) },
            revoked: revoked)
    }

    private static func name(_ key: AuthorityKey) -> String {
        "\(key.provider.hexadecimal)/\(key.index.hexadecimal)"
    }
}

/// Reading keys from JSON files.
///
/// ```json
/// {
///   "keys": [
///     {
///       "rid": "A000000003", "index": "95", "modulus": "BE9E1F...", "exponent": "03",
///       "expires": "2028-12-31", "checksum": "EE1511CEC71020A9B90443B37B1D5F6E703030F6",
///       "test": true, "source": "the scheme's list of test keys"
///     }
///   ]
/// }
/// ```
///
/// Bytes are hexadecimal digits, which may have spaces between them. `expires`, `checksum`, `test` and `source` are
/// optional; a checksum that is there is verified.
extension AuthorityKeys {
    /// The maximum size of a file, in bytes.
    public static let maxFileSize = 1 << 20

    /// Parses a file of keys.
    /// - Parameters:
    ///   - json: a JSON object in UTF-8.
    ///   - mode: live cards or test cards.
    /// - Throws: ``CryptographyError`` with code `keyFile` if it is not such a file, with the place and the reason;
    ///   `checksum` if a key does not match its checksum; `publishedKey` if a key is published for tests and the mode
    ///   is live cards; `library`.
    public init(json: [UInt8], mode: CardMode) throws(CryptographyError) {
        let root: JSONValue
        do throws(JSONValue.Fault) {
            root = try JSONValue(json, most: Self.maxFileSize)
        } catch {
            throw Self.fileError("the file", error.message)
        }
        guard case .object(let members) = root, members.count == 1, case .array(let entries)? = members["keys"] else {
            throw Self.fileError("the file", "it must be an object with one member, the array \"keys\"")
        }
        var keys: [AuthorityKey] = []
        var seen: Set<[UInt8]> = []
        for (number, entry) in entries.enumerated() {
            let key = try Self.key(entry, "keys[\(number)]")
            guard seen.insert(key.provider + [key.index]).inserted else {
                throw Self.fileError("keys[\(number)]", "\(Self.name(key)) occurs a second time")
            }
            keys.append(key)
        }
        try self.init(keys, mode: mode)
    }

    private static let required = ["rid", "index", "modulus", "exponent"]
    private static let optional = ["expires", "checksum", "test", "source"]

    private static func key(_ entry: JSONValue, _ place: String) throws(CryptographyError) -> AuthorityKey {
        guard case .object(let members) = entry else { throw fileError(place, "it must be an object") }
        if let other = members.keys.sorted().first(where: { !(required + optional).contains($0) }) {
            throw fileError(place, "it has a member \"\(other.prefix(40))\", which no key has")
        }
        var isTestKey = false
        if let test = members["test"] {
            guard case .flag(let flag) = test else { throw fileError("\(place).test", "it must be true or false") }
            isTestKey = flag
        }
        var expiry: CardDate?
        if let text = members["expires"] {
            guard let day = text.text.flatMap(Self.day) else {
                throw fileError("\(place).expires", "it must be a day, such as \"2028-12-31\"")
            }
            expiry = day
        }
        if let source = members["source"], source.text == nil {
            throw fileError("\(place).source", "it must be a text")
        }
        let provider = try bytes(members, "rid", place, count: 5)
        let index = try bytes(members, "index", place, count: 1)
        let (modulus, exponent) = try (bytes(members, "modulus", place), bytes(members, "exponent", place))
        let checksum = members["checksum"] == nil ? nil : try bytes(members, "checksum", place, count: 20)
        do {
            return try AuthorityKey(
                provider: provider, index: index[0], key: RSAPublicKey(modulus: modulus, exponent: exponent),
                expiry: expiry, isTestKey: isTestKey, checksum: checksum)
        } catch {
            guard error.code == .length || error.code == .value else {
                throw CryptographyError(error.code, "\(place): \(error.message)", underlying: error.underlying)
            }
            throw fileError(place, error.message)
        }
    }

    /// The day of a text such as `2028-12-31`; nil for anything else.
    private static func day(_ text: String) -> CardDate? {
        let digits = Array(text.utf8)
        guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
            let year = UInt(text.prefix(4)), let month = UInt(text.dropFirst(5).prefix(2)),
            let day = UInt(text.suffix(2))
        else { return nil }
        let date = CardDate(year: Int(year), month: Int(month), day: Int(day))
        // A sign is not a digit.
        return date?.description == text ? date : nil
    }

    /// The bytes of a member, of the given number.
    private static func bytes(
        _ members: [String: JSONValue], _ name: String, _ place: String, count: Int? = nil
    ) throws(CryptographyError) -> [UInt8] {
        guard let text = members[name]?.text else {
            throw fileError("\(place).\(name)", "it must be a text of hexadecimal digits")
        }
        let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
        guard let bytes = try? HexadecimalDigits.bytes(of: digits.span), !bytes.isEmpty else {
            throw fileError("\(place).\(name)", "it must be bytes, two hexadecimal digits each")
        }
        guard count == nil || bytes.count == count else {
            throw fileError("\(place).\(name)", "it has \(bytes.count) bytes instead of \(count ?? 0)")
        }
        return bytes
    }

    private static func fileError(_ place: String, _ reason: String) -> CryptographyError {
        CryptographyError(.keyFile, "\(place): \(reason)")
    }
}
