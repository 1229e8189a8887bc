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
    /// The day on which ``entry(_:)`` expires, and the next one.
    private static let (lastDay, nextDay) = (day(2028, 12, 31), day(2029, 1, 1))

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> CardDate {
        guard let date = CardDate(year: year, month: month, day: day) else { preconditionFailure("no such day") }
        return date
    }

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
        #expect(key.expiry == Self.lastDay)
        #expect(digits(key.checksum) == Self.checksum)
        let found = keys.authenticationKeys(on: Self.lastDay).keys
        #expect(found == [CertificationAuthorityKey(provider: key.provider, index: key.index, key: key.key)])
    }

    @Test func expiredKeysAreLeftOut() throws {
        let keys = try Self.keys(Self.entry())
        #expect(keys.authenticationKeys(on: Self.lastDay).keys.count == 1)
        #expect(keys.authenticationKeys(on: Self.nextDay).keys.isEmpty)
        #expect(try Self.keys(Self.entry(["expires": nil])).authenticationKeys(on: Self.nextDay).keys.count == 1)
        let revoked = RevokedCertificate(provider: hex("A000000003"), index: 0x95, serialNumber: [0, 0, 1])
        #expect(keys.authenticationKeys(on: Self.lastDay, revoked: [revoked]).revoked == [revoked])
    }

    /// EMV Book 2, 5.2: a terminal that does not have the key fails the authentication.
    @Test func anExpiredKeyIsMissingForTheKernel() throws {
        let keys = try Self.keys(Self.entry())
        var card = DataObjectStore()
        let objects: [(JackdawEMV.Tag, String)] = [
            (0x84, "A0000000031010"), (0x8F, "95"), (0x90, Self.visa95), (0x9F32, "03"), (0x5A, "9999990000000009"),
        ]
        for (tag, value) in objects { card.set(tag, SecretOctets(hex(value))) }
        let codes = [Self.lastDay, Self.nextDay].map { day -> AuthenticationFailure.Code? in
            let authentication = OfflineAuthentication(
                LibCryptoPrimitives(mode: .test), keys: keys.authenticationKeys(on: day), date: day)
            do throws(AuthenticationFailure) {
                _ = try authentication.issuerKey(of: card)
                return nil
            } catch {
                return error.code
            }
        }
        // The certificate is none: the block is not smaller than the modulus.
        #expect(codes == [.format, .authorityKeyMissing])
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

    @Test func aLongFileIsSearchedForKeysThatOccurTwice() throws {
        let modulus = "\"\(String(repeating: "C5", count: 64))\""
        let entries = (0..<2_000).map { number in
            Self.entry([
                "rid": "\"A0000000\(digits([UInt8(number / 256)]))\"", "index": "\"\(digits([UInt8(number % 256)]))\"",
                "modulus": modulus, "checksum": nil, "expires": nil,
            ])
        }
        let text = { (entries: [String]) in Array("{ \"keys\": [\(entries.joined(separator: ","))] }".utf8) }
        #expect(try AuthorityKeys(json: text(entries), mode: .live).keys.count == 2_000)
        let error = #expect(throws: CryptographyError.self) {
            _ = try AuthorityKeys(json: text(entries + [entries[0]]), mode: .live)
        }
        #expect(error?.code == .keyFile)
        #expect(error?.message.hasPrefix("keys[2000]") == true)
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
