import JackdawCryptography
import JackdawEMV
import JackdawTestSupport
import Testing

/// The keys of certification authorities, and their files.
@Suite struct AuthorityKeysTests {
    private static let visa95 = digits(RSATests.modulus)
    /// Another odd number of the same size.
    private static let unpublished = String(visa95.dropLast()) + (visa95.hasSuffix("B") ? "D" : "B")
    private static let checksum = "EE1511CEC71020A9B90443B37B1D5F6E703030F6"

    private static func entry(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "rid": #""A000000003""#, "index": #""95""#, "modulus": "\"\(visa95)\"", "exponent": #""03""#,
            "expires": #""2028-12-31""#, "checksum": "\"\(checksum)\"",
        ]
        members.merge(changes) { _, new in new }
        let pairs = members.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
        return "{ \(pairs.joined(separator: ", ")) }"
    }

    private static func keys(_ entries: String..., mode: CardMode = .test) throws -> AuthorityKeys {
        try AuthorityKeys(json: Array("{ \"keys\": [\(entries.joined(separator: ","))] }".utf8), mode: mode)
    }

    @Test func aKeyIsReadWithAllItsValues() throws {
        let keys = try Self.keys(Self.entry(["source": #""the scheme's list""#]))
        let key = try #require(keys.keys.first)
        #expect(key.provider == hex("A000000003") && key.index == 0x95)
        #expect(key.key.modulus == RSATests.modulus && key.key.exponent == [3])
        #expect(key.expiry == CardDate(year: 2028, month: 12, day: 31))
        #expect(digits(key.checksum) == Self.checksum)
        let found = keys.authenticationKeys().keys
        #expect(found == [CertificationAuthorityKey(provider: key.provider, index: key.index, key: key.key)])
    }

    @Test func expiredKeysAreLeftOut() throws {
        let keys = try Self.keys(Self.entry())
        let (last, next) = (CardDate(year: 2028, month: 12, day: 31), CardDate(year: 2029, month: 1, day: 1))
        #expect(keys.authenticationKeys(on: last).keys.count == 1)
        #expect(keys.authenticationKeys(on: next).keys.isEmpty)
        #expect(try Self.keys(Self.entry(["expires": nil])).authenticationKeys(on: next).keys.count == 1)
        let revoked = RevokedCertificate(provider: hex("A000000003"), index: 0x95, serialNumber: [0, 0, 1])
        #expect(keys.authenticationKeys(revoked: [revoked]).revoked == [revoked])
    }

    @Test func publishedTestKeysAreMarkedAndRefusedForLiveCards() throws {
        #expect(try Self.keys(Self.entry()).keys.map(\.isPublishedTestKey) == [true])
        #expect(code { _ = try Self.keys(Self.entry(), mode: .live) } == .publishedKey)
        let other: [String: String?] = ["modulus": "\"\(Self.unpublished)\"", "checksum": nil]
        #expect(try Self.keys(Self.entry(other), mode: .live).keys.map(\.isPublishedTestKey) == [false])
        let marked = Self.entry(other.merging(["test": "true"]) { _, new in new })
        #expect(try Self.keys(marked).keys.map(\.isPublishedTestKey) == [true])
        #expect(code { _ = try Self.keys(marked, mode: .live) } == .publishedKey)
    }

    @Test(arguments: [["index": #""01""#], ["rid": #""A000000004""#], ["exponent": #""010001""#]])
    func testKeysAreRecognisedByTheModulusAlone(_ changes: [String: String?]) throws {
        let entry = Self.entry(changes.merging(["checksum": nil]) { _, new in new })
        #expect(try Self.keys(entry).keys.map(\.isPublishedTestKey) == [true])
        #expect(code { _ = try Self.keys(entry, mode: .live) } == .publishedKey)
    }

    @Test(arguments: [
        ["exponent": #""0003""#], ["exponent": #""00010001""#], ["exponent": #""05""#], ["exponent": #""01""#],
        ["modulus": "\"00\(visa95)\""], ["modulus": "\"\(String(repeating: "C5", count: 63))\""],
        ["modulus": "\"\(String(repeating: "C5", count: 249))\""],
    ])
    func otherNumbersAreNoKeys(_ changes: [String: String?]) {
        let entry = Self.entry(changes.merging(["checksum": nil]) { _, new in new })
        #expect(code { _ = try Self.keys(entry) } == .keyFile)
    }

    @Test(arguments: [64, 248])
    func keysOfTheLeastAndTheGreatestSizeAreAccepted(_ size: Int) throws {
        let modulus = String(repeating: "C5", count: size)
        let entry = Self.entry(["modulus": "\"\(modulus)\"", "exponent": #""010001""#, "checksum": nil])
        #expect(try Self.keys(entry, mode: .live).keys.map(\.key.modulus.count) == [size])
    }

    @Test func checksumsAreVerified() {
        let wrong = String(Self.visa95.dropLast()) + "D"
        #expect(code { _ = try Self.keys(Self.entry(["modulus": "\"\(wrong)\""])) } == .checksum)
        #expect(code { _ = try Self.keys(Self.entry(["exponent": #""010001""#])) } == .checksum)
        #expect(code { _ = try Self.keys(Self.entry(["index": #""96""#])) } == .checksum)
    }

    @Test(arguments: [
        ["rid": nil], ["index": nil], ["modulus": nil], ["exponent": nil], ["rid": #""A0000000""#],
        ["index": #""0095""#],
        ["index": "95"], ["modulus": #""12 34 5""#], ["modulus": #""12G4""#], ["modulus": #""""#],
        ["modulus": #""1234""#, "checksum": nil], ["exponent": #""00""#, "checksum": nil], ["expires": #""12/28""#],
        ["expires": #""2027-02-32""#], ["expires": #""2027-+2-28""#], ["expires": #""2027-2-28""#],
        ["expires": "20281231"], ["checksum": #""1234""#], ["test": #""yes""#],
        ["source": "1"], ["name": #""Visa""#],
    ])
    func errorsOfAKeyHaveItsPlace(_ changes: [String: String?]) {
        let second = Self.entry(changes)
        let error = #expect(throws: CryptographyError.self) {
            _ = try Self.keys(Self.entry(["index": #""01""#, "checksum": nil]), second)
        }
        #expect(error?.code == .keyFile)
        #expect(error?.message.hasPrefix("keys[1]") == true)
    }

    @Test(arguments: ["", "[]", "{}", #"{ "keys": {} }"#, #"{ "keys": [], "more": 1 }"#, #"{ "keys": [1] }"#, "keys"])
    func otherFilesAreRefused(_ text: String) {
        #expect(code { _ = try AuthorityKeys(json: Array(text.utf8), mode: .test) } == .keyFile)
    }

    @Test func aKeyOccursOnce() throws {
        #expect(code { _ = try Self.keys(Self.entry(), Self.entry()) } == .keyFile)
        let key = try #require(try Self.keys(Self.entry()).keys.first)
        #expect(code { _ = try AuthorityKeys([key, key], mode: .test) } == .value)
    }

    @Test func aMemberOccursOnce() {
        let entry = Self.entry(["checksum": nil, "modulus": "\"\(Self.unpublished)\"", "test": "false"])
        for name in ["test", #"te\u0073t"#] {
            let twice = entry.dropLast() + ", \"\(name)\": true }"
            #expect(code { _ = try Self.keys(String(twice)) } == .keyFile)
        }
        let text = #"{ "keys": [], "keys": [] }"#
        #expect(code { _ = try AuthorityKeys(json: Array(text.utf8), mode: .test) } == .keyFile)
    }

    @Test func filesAreBounded() {
        let text = [UInt8](repeating: 0x20, count: AuthorityKeys.maxFileSize + 1)
        #expect(code { _ = try AuthorityKeys(json: text, mode: .test) } == .keyFile)
    }
}
