import FoundationEssentials
import JackdawCryptography
import JackdawEMV
import JackdawSandbox

/// Hashes of passwords by scrypt, in the form of the PHC string format: `$scrypt$ln=14,r=8,p=1$SALT$HASH`, both in
/// Base64 without padding.
struct ScryptHashing: PasswordHashing {
    /// The parameters of new hashes.
    var parameters = Scrypt.interactive

    /// The length of a hash, in bytes.
    private static let size = 32

    /// A text that no password has, if there is not enough memory.
    private static let none = "!"

    func hash(_ password: SecretOctets, salt: [UInt8]) -> String {
        guard let key = Self.key(password, salt, parameters) else { return Self.none }
        let (cost, block, parallelism) = (
            parameters.costExponent, parameters.blockSize, parameters.parallelism
        )
        return "$scrypt$ln=\(cost),r=\(block),p=\(parallelism)$\(Self.text(salt))$\(Self.text(key))"
    }

    func verify(_ password: SecretOctets, _ hash: String) -> Bool {
        guard let (parameters, salt, wanted) = Self.parse(hash), let key = Self.key(password, salt, parameters) else {
            return false
        }
        // Its comparison takes the same time for all octets.
        return SecretOctets(key) == SecretOctets(wanted)
    }

    /// Whether a text is a hash that ``verify(_:_:)`` can read.
    static func isHash(_ text: String) -> Bool { parse(text) != nil }

    private static func key(_ password: SecretOctets, _ salt: [UInt8], _ parameters: Scrypt) -> [UInt8]? {
        password.withOctets { octets in try? parameters.key(octets, salt: salt.span, size: size) }
    }

    private static func parse(_ hash: String) -> (Scrypt, salt: [UInt8], key: [UInt8])? {
        guard hash.utf8.count <= 200 else { return nil }
        let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        var numbers: [Int] = []
        for (part, name) in zip(parts[2].split(separator: ",", omittingEmptySubsequences: false), ["ln=", "r=", "p="])
        where part.hasPrefix(name) {
            guard let number = Int(part.dropFirst(name.count)) else { return nil }
            numbers.append(number)
        }
        guard numbers.count == 3,
            let parameters = Scrypt(costExponent: numbers[0], blockSize: numbers[1], parallelism: numbers[2]),
            let salt = octets(parts[3]), let key = octets(parts[4]), key.count == size
        else { return nil }
        return (parameters, salt, key)
    }

    private static func text(_ octets: [UInt8]) -> String {
        String(Data(octets).base64EncodedString().prefix { $0 != "=" })
    }

    private static func octets(_ text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { [UInt8]($0) }
    }
}
