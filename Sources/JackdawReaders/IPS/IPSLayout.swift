/// Where the fields lie in what IPS's readers send. All of it is inferred from an OEM's sample code, and may be changed by a
/// profile.
public struct IPSLayout: Sendable, Hashable {
    /// What the frame of a swipe begins with.
    public var swipe: UInt8 = 0x60
    /// What the frame of a swipe begins with that was not read.
    public var failure: UInt8 = 0x66
    /// Bytes of the frame of a swipe, its CRC included; 2 to 255.
    public var size = 131
    /// Place of the byte that says how the key is chosen. Places count from the frame's first byte, 0.
    public var keyManagement = 3
    /// Place of the number of digits of the account number.
    public var numberLength = 4
    /// Place of the account number's first six digits, two a byte.
    public var issuer = 5
    /// Place of the account number's last four digits, two a byte.
    public var lastDigits = 8
    /// Place of year and month of the expiry, two digits a byte.
    public var expiry = 10
    /// Place of the cardholder's name.
    public var name = 12
    /// Characters of that name.
    public var nameLength = 26
    /// Place of the key's serial number (KSN), 10 bytes.
    public var keySerialNumber = 38
    /// Place of the tracks, encrypted together, 80 bytes.
    public var encrypted = 48
    /// Place of the byte that says which tracks were read.
    public var tracks = 128

    /// As it is inferred.
    public init() {}

    /// Whether all fields are inside of a frame.
    var fits: Bool {
        let ends = [
            keyManagement + 1, numberLength + 1, issuer + 3, lastDigits + 2, expiry + 2, name + nameLength,
            keySerialNumber + 10, encrypted + 80, tracks + 1,
        ]
        return swipe != failure && size <= 255 && ends.allSatisfy { $0 < size }
    }

    /// The places by the names that a profile has for them.
    static let places: [(key: ProfileKey, title: String, path: any WritableKeyPath<IPSLayout, Int> & Sendable)] = [
        ("ips.size", "bytes of a swipe, its CRC included", \.size),
        ("ips.keyManagementAt", "place of how the key is chosen", \.keyManagement),
        ("ips.numberLengthAt", "place of the length of the account number", \.numberLength),
        ("ips.issuerAt", "place of the account number's first six digits", \.issuer),
        ("ips.lastDigitsAt", "place of the account number's last four digits", \.lastDigits),
        ("ips.expiryAt", "place of the expiry", \.expiry), ("ips.nameAt", "place of the name", \.name),
        ("ips.nameLength", "characters of the name", \.nameLength),
        ("ips.keySerialNumberAt", "place of the KSN", \.keySerialNumber),
        ("ips.encryptedAt", "place of the encrypted tracks", \.encrypted),
        ("ips.tracksAt", "place of which tracks were read", \.tracks),
    ]
}
