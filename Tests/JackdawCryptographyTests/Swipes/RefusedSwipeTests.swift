import JackdawCards
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Keys, serial numbers and swipes that are refused: published keys for live cards, wrong keys, checks and digits.
@Suite struct RefusedSwipeTests {
    @Test(arguments: [
        PublishedSwipes.key, "FEDCBA9876543210F1F1F1F1F1F1F1F1", "53EF0E3B0784CB17AC40C7BDC89921DF",
    ])
    func aPublishedKeyIsForTestsOnly(_ key: String) throws {
        let error = #expect(throws: CryptographyError.self) { _ = try makeDecryptor(key, .live).isPublishedTestKey }
        #expect(error?.code == .publishedKey)
        #expect(error.map { numbers(in: $0.description) } == [])
        #expect(try makeDecryptor(key, .test).isPublishedTestKey == true)
        #expect(code { _ = try makeDecryptor(key, .live, .aesDataEncryption).isPublishedTestKey } == .publishedKey)
    }

    @Test func anotherKeyIsForLiveCardsToo() throws {
        let live = try makeDecryptor("A1B2C3D4E5F60718293A4B5C6D7E8F90", .live)
        #expect(live.isPublishedTestKey == false)
        let frame = PublishedSwipes.original
        #expect(code { _ = try live.decryptIDTech(frame.span).tracks } == .padding)
    }

    @Test func aWrongKeyIsDetected() throws {
        let wrong = "A1B2C3D4E5F60718293A4B5C6D7E8F90"
        #expect(code { _ = try decrypt("idtech", PublishedSwipes.original, wrong).tracks } == .padding)
        #expect(code { _ = try decrypt("idtech", PublishedSwipes.enhanced, wrong).tracks } == .hash)
        #expect(code { _ = try decrypt("magtek", PublishedSwipes.magTek, wrong).tracks } == .text)
        #expect(code { _ = try decrypt("ips", PublishedSwipes.ips, wrong).tracks } == .padding)
    }

    @Test func aWrongHashOfATrackIsDetected() throws {
        var body = Array(PublishedSwipes.original[3..<PublishedSwipes.original.count - 3])
        body[body.count - 11] ^= 1
        let frame = try IDTechSwipeFormat.frame(body)
        let error = #expect(throws: CryptographyError.self) {
            _ = try decrypt("idtech", frame).tracks
        }
        #expect(error?.code == .hash)
        #expect(error?.message.hasPrefix("the SHA-1 of track 2 is not the frame's") == true)
    }

    /// What the frame says in clear: the expiry is byte 10, the last digits byte 9.
    @Test(arguments: [4, 5, 7, 8, 9, 10, 11])
    func digitsInClearOfAnotherCardAreDetected(_ place: Int) throws {
        let frame = Self.ips { $0[place] ^= 1 }
        #expect(code { _ = try decrypt("ips", frame).tracks } == .mismatch)
    }

    /// What looks like a track but has no account number, where the frame says one.
    @Test func anIPSTrackWithoutAnAccountNumberIsDetected() throws {
        let frame = try Self.repackedIPS {
            $0.replaceSubrange(0..<20, with: hex("B1F0") + [UInt8](repeating: 0, count: 18))
        }
        #expect(code { _ = try decrypt("ips", frame).tracks } == .mismatch)
    }

    /// The digits in the middle, which the frame does not say in clear; those of 92 have a right check digit, too.
    @Test(arguments: [(0x01, false), (0x01, true), (0x92, false)] as [(UInt8, Bool)])
    func otherDigitsInTheMiddleOfAnIPSTrackAreDetected(_ digits: UInt8, isAlone: Bool) throws {
        var frame = try Self.repackedIPS { $0[4] = digits }
        // Without track 1 only the check digit speaks against it.
        if isAlone {
            frame[128] = 2
            frame = withRightChecks(frame, "ips")
        }
        #expect(code { _ = try decrypt("ips", frame).tracks } == .mismatch)
    }

    @Test func swipesOfIPSWithDUKPTHaveAnUnknownScheme() throws {
        let dukpt = Self.ips { $0[3] = 0xFE }
        #expect(code { _ = try decrypt("ips", dukpt).tracks } == .unknownScheme)
        let found = code { _ = try decrypt("ips", dukpt, PublishedSwipes.key, .dataRequest).tracks }
        #expect(found == .padding)
        let plain = Self.ips { $0[3] = 0xFD }
        #expect(code { _ = try decrypt("ips", plain).tracks } == .notEncrypted)
    }

    @Test func swipesInClearAreReportedAsNotEncrypted() throws {
        let body: [UInt8] = [0x00, 0x3F, 3, 0, 0] + Array("%B?".utf8)
        let frame = try IDTechSwipeFormat.frame(body)
        #expect(code { _ = try decrypt("idtech", frame).tracks } == .notEncrypted)
    }

    @Test func aWrongFrameIsReportedWithItsFault() throws {
        var damaged = PublishedSwipes.magTek
        damaged[2] ^= 1
        let error = #expect(throws: CryptographyError.self) { _ = try decrypt("magtek", damaged).tracks }
        #expect(error?.code == .frame)
        #expect(error?.fault?.code == .check)
    }

    @Test(arguments: 0...40)
    func keysOfOtherLengthsAreRefused(_ count: Int) {
        for scheme in [nil] + KeyScheme.allCases {
            let allowed =
                switch scheme {
                case nil, .fixed: [16, 24]
                case .aesDataEncryption: [16, 24, 32]
                default: [16]
                }
            let key = String(repeating: "5A", count: count)
            let found = code { _ = try makeDecryptor(key, .live, scheme).isPublishedTestKey }
            #expect(found == (allowed.contains(count) ? nil : .length))
        }
    }

    /// Serial numbers of any length, ciphertexts of any, under every scheme.
    @Test(arguments: KeyScheme.allCases, 0...24)
    func hostileSerialNumbersAreRefused(_ scheme: KeyScheme, count: Int) throws {
        let base = try CipherKey(PublishedSwipes.key, scheme == .aesDataEncryption ? .aes128 : .tripleDES2)
        for byte: UInt8 in [0x00, 0x01, 0xFF] {
            let serialNumber = [UInt8](repeating: byte, count: count)
            let found = code {
                _ = try scheme.workingKey(from: base, serialNumber: serialNumber.span).algorithm
            }
            switch (scheme, count) {
            case (.fixed, _): #expect(found == nil)
            case (.aesDataEncryption, 12), (.pin, 8), (.pin, 10), (.dataRequest, 8), (.dataRequest, 10),
                (.dataResponse, 8), (.dataResponse, 10), (.plainDataRequest, 8), (.plainDataRequest, 10):
                #expect(found == (byte == 0 ? .counter : byte == 1 ? nil : .exhausted))
            default: #expect(found == .length)
            }
        }
    }

    /// Whatever is done to a swipe, an error says so or the tracks are those of before.
    @Test(arguments: ["idtech", "ips", "magtek"])
    func damageNeverGivesAnotherTrack(_ name: String) throws {
        let named = try #require(FrameProtocol.all.first { $0.name == name })
        let whole = ["idtech": PublishedSwipes.enhanced, "ips": PublishedSwipes.ips, "magtek": PublishedSwipes.magTek]
        let frame = try #require(whole[name])
        let decryptor = try makeDecryptor()
        let expected = try decryptor.decrypt(frame.span, of: named).tracks.map { $0.text.revealedText() }
        let number = try decryptor.decrypt(frame.span, of: named).card.pan?.masked
        var random = SeededRandom(seed: 7)
        var successes = 0
        for _ in 0..<300 {
            var damaged = frame
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            damaged = withRightChecks(damaged, name)
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
            do {
                let found = try decryptor.decrypt(damaged.span, of: named)
                if !found.tracks.isEmpty { successes += 1 }
                for track in found.tracks {
                    switch name {
                    // What the frame says in clear; nothing speaks for names and discretionary data.
                    case "ips": #expect(damaged[4] == 0 || track.content?.pan?.masked == number)
                    // ID TECH's hash shows it; with MagTek a block in the track that is not text does.
                    default: #expect(expected.contains(track.text.revealedText()))
                    }
                }
            } catch {
                #expect(error.description.firstMatch(of: /[0-9]{8}/) == nil)
            }
        }
        #expect(successes > 0)
    }

    /// An IPS frame with another byte and a right CRC.
    private static func ips(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var frame = PublishedSwipes.ips
        change(&frame)
        return withRightChecks(frame, "ips")
    }

    /// An IPS frame with other packed tracks, encrypted again.
    private static func repackedIPS(_ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
        let key = try CipherKey(PublishedSwipes.key, .tripleDES2)
        var packed = hex(try key.decryptBlocks(PublishedSwipes.ips[48..<128].span).revealed)
        change(&packed)
        let ciphertext = hex(try key.encryptBlocks(packed.span).revealed)
        return ips { $0.replaceSubrange(48..<128, with: ciphertext) }
    }
}
