import Foundation
import JackdawCryptography
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// `jackdaw frame --key-file`: swipes are decrypted with the key in a file.
@Suite struct FrameDecryptionTests {
    private static let key = Array("0123456789ABCDEF FEDCBA9876543210\n".utf8)
    private static let otherKey = Array("A1B2C3D4E5F60718293A4B5C6D7E8F90".utf8)
    /// A test card in ID TECH's original layout, encrypted with the published test key by other code.
    private static let swipe = """
        02C200001F241F00252A353431332A2A2A2A2A2A2A2A303034345E412F425E2A2A2A2A2A2A2A2A2A2A2A3F2A3B353431332A2A2A2A2A2A\
        2A2A303034343D2A2A2A2A2A2A2A2A2A2A2A3F2AA67738CBD187CEFB324BB5006C86E2A6DBE0DF0808B436C76CBD48A5D888CA98D8CBEE\
        FD8DEF0F363358FAB12508C4091F0E6E47E6AC650DC2C6F2DFB9F6F4C8D3D28F811CB98F4A45B2F13E1125920E444B3FDAD9190C58116F\
        25F92F6ED79E40EF2A34210E6E79DB0EC7190765AE5E62994901190000000007F06E03
        """

    @Test func theTracksAreShownMasked() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun("frame", "--key-file", folder.write(Self.key, to: "key"), "idtech", Self.swipe)
        #expect(run.status == 0)
        #expect(run.lines.first?.hasPrefix("ID TECH") == true)
        #expect(
            run.lines.suffix(4) == [
                "decrypted with a published test key, KSN 62994901190000000007",
                "  card     541333******0044, mastercard, */*, expires 12/30, service code 101, "
                    + "source decrypted_swipe",
                "  track 1  %B541333******0044^*/*^3012101****?  SHA-1 right",
                "  track 2  ;541333******0044=3012101****?  SHA-1 right",
            ])
        #expect(!run.output.contains("5413330089600044"))
    }

    /// Track 3 of the swipe that ID TECH's manual prints (MS246).
    @Test func aTrackInClearIsShownMasked() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let run = CommandRun("frame", "--key-file", path, "idtech", Self.digits(PublishedSwipes.original))
        #expect(run.status == 0)
        let line = try #require(run.lines.last)
        #expect(line.hasPrefix("  track 3  ;") && line.hasSuffix("?  sent in clear"))
        #expect(!line.contains("33333333337676760707"))
    }

    /// Other users who can write the file can replace the key: error. Those who can read it have the key: warning.
    @Test(arguments: [
        (0o600, true, false), (0o400, true, false), (0o640, true, true), (0o604, true, true), (0o620, false, false),
        (0o602, false, false), (0o666, false, false),
    ])
    func aKeyFileIsForItsUserAlone(mode: Int, isTaken: Bool, isWarnedOf: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key", mode: mode)
        let run = CommandRun("frame", "--key-file", path, "idtech", Self.swipe)
        #expect(run.status == (isTaken ? 0 : 66))
        #expect(run.output.contains("decrypted") == isTaken)
        #expect(run.messages.isEmpty == (isTaken && !isWarnedOf), "\(run.messages)")
        // The same file as standard input.
        let child = try ChildProcess(["frame", "--key-file", "-", "idtech", Self.swipe], from: path)
        #expect(child.status == run.status)
        #expect(child.messages.isEmpty == run.messages.isEmpty)
        #expect(!run.messages.contains("0123"))
    }

    @Test func tracksAreShownWholeWithReveal() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let run = CommandRun("frame", "--reveal", "--key-file", path, "idtech", Self.swipe)
        #expect(
            run.lines.suffix(2) == [
                "  track 1  %B5413330089600044^A/B^30121010000?  SHA-1 right",
                "  track 2  ;5413330089600044=30121010000?  SHA-1 right",
            ])
    }

    @Test func jsonHasOneObjectATrack() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let run = CommandRun("frame", "--json", "--key-file", path, "idtech", Self.swipe)
        let line = try #require(run.lines.last)
        let fields = [
            "track", "text", "masked", "encrypted", "hash", "ksn", "published_test_key", "pan", "name", "expiry",
            "service_code",
            "format", "brand", "source", "tracks", "track", "form", "text", "format", "time",
        ]
        #expect(fieldNames(line) == fields)
        let object = try jsonObject(line)
        #expect(object["track"] as? Int == 2)
        #expect(object["pan"] as? String == "541333******0044")
        #expect(object["hash"] as? String == "right")
        #expect(object["ksn"] as? String == "62994901190000000007")
        #expect(object["published_test_key"] as? Bool == true)
        #expect(run.lines.count { $0.hasPrefix(#"{"track""#) } == 2)
    }

    @Test func theKeyMayComeFromStandardInput() throws {
        let child = try ChildProcess(["frame", "--key-file", "-", "idtech", Self.swipe], input: Self.key)
        #expect(String(decoding: child.output, as: UTF8.self).contains("decrypted with a published test key"))
        let run = CommandRun("frame", "--key-file", "-", "idtech", "-")
        #expect(run.status == 64)
        #expect(run.messages.contains("Only one of key and frame comes from standard input."))
    }

    @Test func aWrongKeyGivesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.otherKey, to: "key")
        let run = CommandRun("frame", "--key-file", path, "idtech", Self.swipe)
        #expect(run.status == 65)
        #expect(run.output.isEmpty)
        #expect(run.messages.contains("not decrypted: "))
        #expect(run.messages.contains("the key is wrong, or the frame is damaged"))
        #expect(!run.messages.contains("A1B2"))
    }

    /// The hexadecimal digits of a frame, as an argument of `frame`.
    private static func digits(_ frame: [UInt8]) -> String {
        frame.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    /// The swipe of MagTek's manual, after changes to its fields.
    private static func magTek(_ replace: (inout [[UInt8]]) -> Void) throws -> String {
        var fields = PublishedSwipes.magTek.dropLast().split(
            separator: UInt8(ascii: "|"), omittingEmptySubsequences: false
        ).dropLast(3).map { Array($0) }
        replace(&fields)
        return digits(try MagTekFormat.swipe(fields))
    }

    @Test(arguments: [false, true]) func aSwipeWithoutTracksIsNothing(isJSON: Bool) throws {
        var content = Array(PublishedSwipes.ips.dropLast())
        content[128] = 0
        let folder = try TemporaryFolder()
        let options = try ["--key-file", folder.write(Self.key, to: "key")] + (isJSON ? ["--json"] : [])
        let run = CommandRun(["frame", "ips", Self.digits(try IPSFormat.frame(content))] + options)
        #expect(run.status == 1)
        #expect(run.messages.isEmpty)
        #expect(run.lines.last == "  no tracks" || isJSON)
        #expect(!run.lines.contains { $0.contains(#""track":"#) })
        content[128] = 3
        #expect(CommandRun(["frame", "ips", Self.digits(try IPSFormat.frame(content))] + options).status == 0)
    }

    @Test func aDecryptedMagnePrintIsReported() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let swipe = try Self.magTek { _ in }
        let run = CommandRun("frame", "--key-file", path, "magtek", swipe)
        #expect(run.status == 0)
        #expect(run.lines.last == "  MagnePrint decrypted, 54 bytes")
        let object = try jsonObject(
            try #require(CommandRun("frame", "--json", "--key-file", path, "magtek", swipe).lines.last))
        #expect(object["magneprint"] as? String == "decrypted")
        #expect(object["message"] is NSNull)
        // The fingerprint is card data, and nothing of it is shown.
        #expect(!run.output.uppercased().contains("010002D4B69C"))
    }

    @Test func aMagnePrintThatDoesNotDecryptIsReported() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        // The last block is replaced; its padding is no longer zeros.
        let swipe = try Self.magTek { $0[6].replaceSubrange(96..<112, with: Array("0123456789ABCDEF".utf8)) }
        let run = CommandRun("frame", "--key-file", path, "magtek", swipe)
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.contains("track 2  ;545230") })
        #expect(run.lines.last?.hasPrefix("  MagnePrint not decrypted: ") == true)
        let object = try jsonObject(
            try #require(CommandRun("frame", "--json", "--key-file", path, "magtek", swipe).lines.last))
        #expect(object["magneprint"] as? String == "not decrypted")
        #expect(object["reason"] as? String == "padding")
        #expect((object["message"] as? String)?.isEmpty == false)
    }

    @Test func aSwipeWithoutAMagnePrintHasNoLineForIt() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let swipe = try Self.magTek { $0[6] = [] }
        #expect(!CommandRun("frame", "--key-file", path, "magtek", swipe).lines.contains { $0.hasPrefix("  MagneP") })
    }

    /// The contents of the key file, the exit status and the message.
    @Test(arguments: [
        ("", 65, "there are no bytes"), ("0123", 65, "not decrypted: no key for these readers has 2 bytes"),
        ("0123G", 65, "character 5 "),
        (String(repeating: "01", count: 600), 65, "too long for a key"),
    ])
    func filesWithoutAKeyAreRefused(_ text: String, status: Int32, message: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text.utf8, to: "key")
        let run = CommandRun("frame", "--key-file", path, "idtech", Self.swipe)
        #expect(run.status == status)
        #expect(run.messages.contains(message))
        #expect(run.output.isEmpty)
    }

    @Test func aMissingFileIsNoInput() throws {
        let folder = try TemporaryFolder()
        let run = CommandRun("frame", "--key-file", folder("none"), "idtech", Self.swipe)
        #expect(run.status == 66)
        #expect(CommandRun("frame", "--key-file", folder.path, "idtech", Self.swipe).status == 74)
    }

    @Test func otherProtocolsHaveNoSwipes() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let run = CommandRun("frame", "--key-file", path, "miura", "010004D0620000B7")
        #expect(run.status == 64)
        #expect(run.messages.contains("no swipes of miura are known"))
    }

    @Test func theSchemeCanBeNamed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.key, to: "key")
        let named = ["frame", "--key-file", path, "--key-scheme"]
        #expect(CommandRun(named + ["data-request", "idtech", Self.swipe]).status == 0)
        #expect(CommandRun(named + ["pin", "idtech", Self.swipe]).status == 65)
        let unknown = CommandRun(named + ["caesar", "idtech", Self.swipe])
        #expect(unknown.status == 64)
        #expect(unknown.messages.contains(KeyScheme.allCases.map(\.rawValue).joined(separator: ", ")))
        #expect(CommandRun("frame", "--key-scheme", "pin", "idtech", Self.swipe).status == 64)
    }
}
