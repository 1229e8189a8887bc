import JackdawCards
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Swipes that manuals print, and synthetic ones in the same layouts.
@Suite struct SwipeDecryptorTests {
    private static let track1 =
        "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?!"
    private static let track2 = ";4266841088889999=080910110000046?0"

    private static let track3 =
        ";33333333337676760707077676763333333333767676070707767676333333333376767607070776767633333333337676760707?2"

    /// Its track 3 is in clear.
    @Test func idTechsOriginalLayout() throws {
        let swipe = try decrypt("idtech", PublishedSwipes.original)
        #expect((1...3).map { swipe.revealed($0) } == [Self.track1, Self.track2, Self.track3])
        #expect(swipe.tracks.map(\.wasEncrypted) == [true, true, false])
        #expect(swipe.tracks.map(\.isHashChecked) == [true, true, false])
        #expect(swipe.keySerialNumber.map(digits) == "62994901190000000001")
        #expect(swipe.card.pan?.masked == "426684******9999")
        #expect(swipe.card.conflicts.isEmpty)
    }

    @Test func idTechsEnhancedLayout() throws {
        let swipe = try decrypt("idtech", PublishedSwipes.enhanced)
        #expect((1...3).map { swipe.revealed($0) } == [Self.track1, Self.track2, Self.track3])
        #expect(swipe.tracks.map(\.wasEncrypted) == [true, true, true])
        #expect(swipe.tracks.map(\.isHashChecked) == [true, true, true])
    }

    /// The line of appendix B of 99875483, and the record of the same swipe in appendix D of 99875475-10.
    @Test(arguments: [("magtek", PublishedSwipes.magTek), ("edynamo", PublishedSwipes.magTekRecord)])
    func magTek(name: String, frame: [UInt8]) throws {
        let swipe = try decrypt(name, frame)
        #expect(
            (1...3).map { swipe.revealed($0) } == [
                "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
                ";5452300551227189=080432100000007250?", "+5163499080020445=000000000000?",
            ])
        #expect(swipe.session == [UInt8](repeating: 0, count: 8))
        #expect(swipe.keySerialNumber.map(digits) == "FFFF9876543210E00008")
        let magnePrint = """
            010002D4B69CD2C0C7617D0463316E853F9CB00FE2C5A3556E9CE5A9B2E6DB8914A6372CA77367036EFAADC02F02C4FB76C6CFD8A59C
            """
        #expect(swipe.magnePrint.withBytes { bytes in digits(bytes.indices.map { bytes[$0] }) } == magnePrint)
    }

    @Test func ipsWithAFixedKey() throws {
        let swipe = try decrypt("ips", PublishedSwipes.ips)
        #expect(
            (1...3).map { swipe.revealed($0) } == [
                "%B4111111111111111^TEST/CARD^2512101000000000012345678?",
                ";4111111111111111=25121010000012345678?", nil,
            ])
        #expect(swipe.keySerialNumber == nil)
    }

    @Test func aProtocolIsFoundByItsName() throws {
        let frames = [
            "btmag": PublishedSwipes.original, "idtech": PublishedSwipes.original, "ips": PublishedSwipes.ips,
            "magtek": PublishedSwipes.magTek, "edynamo": PublishedSwipes.magTekRecord,
            // Attributes, then the swipe as one object.
            "neo": try NEOFormat.answer(
                0x02, .done, [0x01, 0xDF, 0xEE, 0x23, 0x82, 0x01, 0x83] + PublishedSwipes.original),
        ]
        for named in FrameProtocol.all {
            let decryptor = try makeDecryptor()
            guard let frame = frames[named.name] else {
                // Simulated swipes of all families that encrypt are decrypted elsewhere.
                guard ReaderFamily.named(named.name)?.encryption == nil else { continue }
                #expect(code { _ = try decryptor.decrypt([0].span, of: named).tracks } == .unknownScheme)
                continue
            }
            let count = try decryptor.decrypt(frame.span, of: named).tracks.count
            #expect(count == (named.name == "ips" ? 2 : 3))
        }
    }

    /// A track that an enhanced swipe does not encrypt: in clear it is returned, masked it is not,
    /// and without sentinels whole.
    @Test(arguments: [
        (";5163499080020445=000?", ";5163499080020445=000?", 0x80), (";5163********0445=***?", nil, 0x80),
        ("5163499080", "5163499080", 0x83),
    ])
    func aTrackInClearIsReturned(sent: String, expected: String?, cardType: Int) throws {
        let characters = Array(Self.track2.utf8)
        // Of the published frame.
        let hash = hex("113B6226C4898A9D355057ECAF11A5598F02CA31")
        let frame = try Self.enhanced(2, characters, hash: hash, cardType: UInt8(cardType), track3: Array(sent.utf8))
        let swipe = try decrypt("idtech", frame)
        #expect(swipe.revealed(2) != nil)
        #expect(swipe.revealed(3) == expected)
        #expect(swipe.tracks.map(\.wasEncrypted) == (expected == nil ? [true] : [true, false]))
    }

    /// The layout that is enhanced, with AES: the frame is made here, of a key by the same derivation.
    @Test(arguments: [false, true])
    func idTechWithAES(isEnhanced: Bool) throws {
        let base = try CipherKey(PublishedSwipes.key, .tripleDES2)
        let serialNumber = hex("62994901190000000001")
        let derived = try KeyScheme.idTech.workingKey(from: base, serialNumber: serialNumber.span)
        let key = try CipherKey(derived.revealed, .aes128)
        let track = Array(Self.track2.utf8)
        let ciphertext = try key.encrypt((track + [UInt8](repeating: 0, count: 48 - track.count)).span)
        let start: [UInt8] = [isEnhanced ? 0x80 : 0, 0x12, 0, UInt8(track.count), 0]
        let flags: [UInt8] = isEnhanced ? [0x12, 0x82] : []
        let masked = [UInt8](repeating: UInt8(ascii: "*"), count: track.count)
        // The published frame has it of the same track.
        let hash = isEnhanced ? [] : hex("113B6226C4898A9D355057ECAF11A5598F02CA31")
        let body = start + flags + masked + hex(ciphertext.revealed) + hash + serialNumber
        let swipe = try decrypt("idtech", IDTechSwipeFormat.frame(body))
        #expect(swipe.revealed(2) == Self.track2)
        #expect(swipe.tracks.map(\.isHashChecked) == [!isEnhanced])
    }

    /// Tracks without a hash, as readers may send them: only what they look like speaks for them.
    @Test(arguments: [
        (2, ";4266841088889999=080910110000046?0", nil), (2, ";4266841088889999=080910110000046?", nil),
        (2, ";4266841088889999=080910110000046?1", CryptographyError.Code.text),
        (2, ";4266841088889999=080910110000046?00", .text), (2, ";4266841088889999=080910110000046", .text),
        (2, "4266841088889999=080910110000046?", .text), (2, ";42668410888899a9=080910110000046?", .text),
        (2, "?", .text), (1, ";4266841088889999=080910110000046?", .text), (1, "%B42?", nil), (3, "+42?", nil),
    ])
    func theCharactersOfATrackAreChecked(_ number: Int, characters: String, expected: CryptographyError.Code?) throws {
        let frame = try Self.enhanced(number, Array(characters.utf8), hash: [])
        var found: String?
        #expect(code { found = try decrypt("idtech", frame).revealed(number) } == expected)
        #expect(found == (expected == nil ? characters : nil))
    }

    @Test func behindATrackAreZeros() throws {
        let track = Array(Self.track2.utf8)
        let frame = try Self.enhanced(2, track, hash: [], padding: 1)
        #expect(code { _ = try decrypt("idtech", frame).tracks } == .padding)
    }

    /// Of a card that is no bank's a hash speaks for the track, whatever it looks like; without one there is nothing.
    @Test func otherCardsNeedNoSentinels() throws {
        // Of "abc", as FIPS 180 prints it.
        let hash = hex("A9993E364706816ABA3E25717850C26C9CD0D89D")
        let frame = try Self.enhanced(1, Array("abc".utf8), hash: hash, cardType: 0x83)
        let swipe = try decrypt("idtech", frame)
        #expect(swipe.revealed(1) == "abc")
        let bank = try Self.enhanced(1, Array("abc".utf8), hash: hash)
        #expect(code { _ = try decrypt("idtech", bank).tracks } == .text)
        let unproven = try Self.enhanced(1, Array("abc".utf8), hash: [], cardType: 0x83)
        #expect(code { _ = try decrypt("idtech", unproven).tracks } == .text)
    }

    /// A frame of one track in ID TECH's enhanced layout, with triple DES.
    private static func enhanced(
        _ number: Int, _ characters: [UInt8], hash: [UInt8], cardType: UInt8 = 0x80, padding: UInt8 = 0,
        track3: [UInt8] = []
    ) throws -> [UInt8] {
        let base = try CipherKey(PublishedSwipes.key, .tripleDES2)
        let serialNumber = hex("62994901190000000001")
        let key = try KeyScheme.idTech.workingKey(from: base, serialNumber: serialNumber.span)
        let padded = characters + [UInt8](repeating: padding, count: (8 - characters.count % 8) % 8)
        let ciphertext = try key.encrypt(padded.span)
        let lengths = (1...3).map { UInt8($0 == number ? characters.count : $0 == 3 ? track3.count : 0) }
        let bit = UInt8(1 << (number - 1))
        let sent: UInt8 = track3.isEmpty ? 0 : 0x04
        let flags = [sent, 0x80 | bit | (hash.isEmpty ? 0 : bit << 3)]
        let body =
            [cardType, bit | bit << 3] + lengths + flags + track3 + hex(ciphertext.revealed) + hash
            + serialNumber
        return try IDTechSwipeFormat.frame(body)
    }

    @Test func idTechsFixedKeyNeedsNoSerialNumber() throws {
        let key = try CipherKey(PublishedSwipes.key, .tripleDES2)
        let track = Array(Self.track2.utf8)
        let ciphertext = try key.encrypt((track + [UInt8](repeating: 0, count: 40 - track.count)).span)
        let body = [0x80, 0x12, 0, UInt8(track.count), 0, 0, 0x02] + hex(ciphertext.revealed)
        let frame = try IDTechSwipeFormat.frame(body)
        let swipe = try decrypt("idtech", frame, PublishedSwipes.key, .fixed)
        #expect(swipe.revealed(2) == Self.track2)
        #expect(swipe.keySerialNumber == nil)
        #expect(code { _ = try decrypt("idtech", frame).tracks } == .length)
    }

    /// A MagnePrint by another key than the status says: as the status is changed, so is what it is decrypted by.
    @Test(arguments: [(nil, "0620"), (.pin, "0620"), (nil, "0610")] as [(KeyScheme?, String)])
    func aMagnePrintCostsNoTracks(_ scheme: KeyScheme?, status: String) throws {
        let swipe = try decrypt("magtek", Self.magTek(status: status), PublishedSwipes.key, scheme)
        #expect(swipe.tracks.map(\.number) == [1, 2, 3])
        #expect(swipe.magnePrint.revealed.isEmpty)
        #expect(swipe.magnePrintFailure?.code == (status == "0610" ? .unknownScheme : .padding))
    }

    @Test func tracksByMagTeksSecondaryKeyAreOfNoKnownScheme() {
        #expect(code { _ = try decrypt("magtek", Self.magTek(status: "0604")).tracks } == .unknownScheme)
    }

    /// What MagTek's readers send of a track that they could not read.
    @Test(arguments: ["%E?", ";E?", "+E?"])
    func anUnreadTrackIsNoTrack(_ text: String) throws {
        let base = try CipherKey(PublishedSwipes.key, .tripleDES2)
        let key = try KeyScheme.pin.workingKey(from: base, serialNumber: hex("FFFF9876543210E00008").span)
        let ciphertext = try key.encrypt((Array(text.utf8) + [UInt8](repeating: 0, count: 5)).span).revealed
        let number = try #require(["%E?", ";E?", "+E?"].firstIndex(of: text)) + 1
        let swipe = try decrypt("magtek", Self.magTek { $0[1 + number] = ciphertext })
        #expect(swipe.tracks.map(\.number) == [1, 2, 3].filter { $0 != number })
    }

    /// What readers at security level 2 send, as MagTek prints it.
    /// 99875483, section 2: E comes in place of the data of a track that could not be read.
    @Test(arguments: ["E", ";E?", "3B453F"]) func aTrackOfMagTekThatWasNotReadIsNotDecrypted(unread: String) throws {
        let swipe = try decrypt("magtek", Self.magTek { $0[3] = unread })
        #expect(swipe.tracks.map(\.number) == [1, 3])
        #expect(swipe.magnePrintFailure == nil)
    }

    @Test func magTeksReadersWithoutKeysEncryptNothing() {
        #expect(code { _ = try decrypt("magtek", PublishedSwipes.magTekClear).tracks } == .notEncrypted)
        #expect(code { _ = try decrypt("edynamo", PublishedSwipes.eDynamoClear).tracks } == .notEncrypted)
    }

    @Test func printedFormsHaveNoAccountNumber() throws {
        let swipe = try decrypt("idtech", PublishedSwipes.original)
        for track in swipe.tracks {
            var dumped = ""
            dump(track, to: &dumped)
            for text in ["\(track)", String(reflecting: track), track.maskedText, dumped] {
                #expect(!text.isEmpty)
                #expect(!text.contains("66841088889"))
            }
        }
        #expect(
            swipe.tracks.map { "\($0)" } == [
                "track 1, 71 characters", "track 2, 34 characters", "track 3, 106 characters",
            ])
    }

    /// MagTek's line with another encryption status or other fields, and a right CRC.
    private static func magTek(status: String = "0600", _ change: (inout [String]) -> Void = { _ in }) -> [UInt8] {
        var fields = String(decoding: PublishedSwipes.magTek, as: UTF8.self).split(
            separator: "|", omittingEmptySubsequences: false
        ).map(String.init)
        fields[1] = status
        change(&fields)
        return withRightChecks(Array(fields.joined(separator: "|").utf8), "magtek")
    }
}
