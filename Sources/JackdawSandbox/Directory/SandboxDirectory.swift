public import JackdawCards
import JackdawEMV
import JackdawSimulator

/// The users and merchants of a sandbox with what belongs to them, from a JSON file that docs/sandbox.md describes.
public struct SandboxDirectory: Sendable {
    /// A program that may ask for tokens.
    struct Client: Sendable {
        let identifier: String
        let secret: SecretOctets
    }

    /// A merchant, whose books are its own.
    struct Merchant: Sendable {
        let identifier: String
        let name: String
        /// The two letters of the country (ISO 3166).
        let country: String
        let currencies: [Currency]
        /// Hundredths of a percent: 700 is 7 %.
        let taxRates: [Int]
        /// Whether prices are without tax.
        let usesNetTaxation: Bool
        let limits: AmountLimits
        /// The charge for service in wire units, and its tax.
        let serviceCharge: (amount: Int, taxRate: Int)
        /// The minutes by which the merchant's zone is ahead of UTC.
        let offset: Int
        let products: VersionedFile?
    }

    /// The limits of a merchant's payments, in minor units of their currency; nil if there is none.
    struct AmountLimits: Sendable {
        let lower: UInt64?
        let upper: UInt64?
        /// The most money that a merchant takes on one day.
        let daily: UInt64?
    }

    /// A person or a till that logs in.
    struct User: Sendable {
        let identifier: String
        /// The name for logging in.
        let externalIdentifier: String
        let merchant: String
        let firstName: String
        let lastName: String
        let email: String
        let phone: String
        let password: Password
        /// The serial number of the user's terminal; empty without one.
        let terminal: String
        /// Days from 1970-01-01 to the day on which the account was made.
        let created: Int
    }

    /// A password as the file has it.
    enum Password: Sendable {
        case plain(SecretOctets)
        case hash(String)
    }

    struct Terminal: Sendable {
        let serial: String
        /// The acquirer's identifier of the terminal (TID).
        let identifier: String
        let type: String
        let merchant: String
    }

    /// A file for download, of which the host knows version, address and MD5.
    struct VersionedFile: Sendable {
        let version: String
        let url: String
        let md5: String
    }

    /// The configuration of terminals: a file at an address, or one that the sandbox serves.
    struct Configuration: Sendable {
        let version: String
        /// The address; nil for the file of the sandbox.
        let url: String?
        /// The MD5 of the file; empty without one.
        let md5: String
        /// The kinds of terminals that the sandbox's file is for, as in `paymentmethods.xml`.
        let terminals: [String]
    }

    var clients: [Client]
    var merchants: [Merchant]
    var users: [User]
    var terminals: [Terminal]
    /// Firmware, by type of terminal.
    var firmware: [(type: String, file: VersionedFile)]
    /// The configuration of terminals; nil without one.
    var configuration: Configuration?
    /// The applications of chip cards, as the file has them: names and texts.
    var applications: [[(name: String, value: String)]]
    /// The brand of the host's application.
    var brand: String
    /// Faults that the file plans.
    var faults: [PlannedFault]

    /// Checks the hashes of passwords that the file has.
    /// - Parameter isHash: whether a text is a hash of the program's hash function.
    /// - Throws: ``SandboxFileError`` with the place of the first that is none.
    package func checkHashes(_ isHash: (String) -> Bool) throws(SandboxFileError) {
        for (index, user) in users.enumerated() {
            guard case .hash(let hash) = user.password, !isHash(hash) else { continue }
            throw SandboxFileError(
                SimulationFileError(
                    .value, at: "users[\(index)].password_hash", "it is no hash that this program can verify"))
        }
    }

    /// The names for logging in, in the order of the file.
    package var userNames: [String] { users.map(\.externalIdentifier) }

    func merchant(_ identifier: String) -> Merchant? { merchants.first { $0.identifier == identifier } }
    func user(_ identifier: String) -> User? { users.first { $0.identifier == identifier } }
    func terminal(_ serial: String) -> Terminal? { terminals.first { $0.serial == serial } }
}

extension SandboxDirectory: RedactedDescription {
    /// The numbers of merchants and users, and none of their data.
    public var description: String { "directory with \(merchants.count) merchants and \(users.count) users" }
}

/// The reason why a file is no directory: a code, the place in the file and a message. It has no value of the file,
/// which may be a password.
public struct SandboxFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that codes can be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file is not JSON, or too long.
        public static let json = Code(rawValue: "json")
        /// A member is missing or unknown.
        public static let member = Code(rawValue: "member")
        /// A value has the wrong type.
        public static let kind = Code(rawValue: "kind")
        /// A value is out of its range, or contradicts another one.
        public static let value = Code(rawValue: "value")
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// The member of the file: `users[0].merchant`; `the file` for the whole of it.
    public let place: String
    /// The error, and the values that are valid.
    public let message: String

    init(_ error: SimulationFileError) {
        code = Code(rawValue: error.code.rawValue)
        place = error.place
        message = error.message
    }

    /// Place and message in one line.
    public var description: String { "\(place): \(message)" }
}
