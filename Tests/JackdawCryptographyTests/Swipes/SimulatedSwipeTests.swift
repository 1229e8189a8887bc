import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Swipes that simulated readers encrypt: as those that manuals print, byte for byte, and decrypted again.
@Suite struct SimulatedSwipeTests {
    private static let key = PublishedSwipes.key

    private func encryptor(
        _ scheme: KeyScheme, _ serialNumber: String = "FFFF9876543210E00001"
    ) throws -> SwipeEncryptor {
        try SwipeEncryptor(testKey: secret(Self.key), scheme: scheme, serialNumber: hex(serialNumber))
    }

    /// Swipes a card at a reader, and gives what the reader's driver makes of it.
    private func swipe(
        _ card: SimulatedCard, at model: any ReaderModel, settings: [Int: [UInt8]] = [:], count: Int = 1
    ) throws -> [ReaderSwipe] {
        var device = SimulatedDevice()
        device.settings = settings
        var reader = SimulatedReader(model, device: device)
        reader.setPower(true, at: .zero)
        let family = try #require(ReaderFamily.named(model.family))
        var dialect = try family.makeDialect(family.simulatedProfile)
        var swipes: [ReaderSwipe] = []
        for _ in 0..<count {
            if !reader.device.isArmed {
                let arming = try #require(dialect.arming(for: .seconds(20)).first)
                reader.receive(arming.bytes.span, at: .zero)
            }
            reader.present(Presentation(card), at: .zero)
            for case .send(let bytes) in reader.advance(to: .seconds(1)) {
                for case .swipe(let swipe) in dialect.understand(bytes.span, answering: nil) { swipes.append(swipe) }
            }
        }
        return swipes
    }

    private func frame(_ swipe: ReaderSwipe) throws -> [UInt8] {
        try #require(swipe.withPart(.frame) { frame in frame.indices.map { frame[$0] } })
    }

    /// Decrypts what the driver has of a swipe.
    private func decrypt(_ swipe: ReaderSwipe, _ scheme: KeyScheme?) throws -> DecryptedSwipe {
        try SwipeDecryptor(key: secret(Self.key), mode: .test, scheme: scheme).decrypt(swipe)
    }

    /// The card of ID TECH's manuals.
    private static let idTechCard = SimulatedCard(
        "manual", track1: "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?",
        track2: ";4266841088889999=080910110000046?",
        track3:
            ";33333333337676760707077676763333333333767676070707767676333333333376767607070776767633333333337676760707?"
    )

    @Test(arguments: [false, true]) func idTechsPublishedSwipesAreMadeByteForByte(isEnhanced: Bool) throws {
        let number = isEnhanced ? "62994901190000000002" : "62994901190000000001"
        let model = IDTechModel(cipher: try encryptor(.idTech, number))
        let settings = isEnhanced ? [:] : [0x85: [UInt8(ascii: "0")]]
        let made = try frame(#require(swipe(Self.idTechCard, at: model, settings: settings).first))
        #expect(made == (isEnhanced ? PublishedSwipes.enhanced : PublishedSwipes.original))
    }

    /// The card of MagTek's manuals, and its fingerprint.
    private static let magTekCard = SimulatedCard(
        "manual", track1: "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
        track2: ";5452300551227189=080432100000007250?", track3: "+5163499080020445=000000000000?")
    private static let magTekPrint = hex(
        "010002D4B69CD2C0C7617D0463316E853F9CB00FE2C5A3556E9CE5A9B2E6DB8914A6372CA77367036EFAADC02F02C4FB76C6CFD8A59C")

    /// All but how the manual's track 3 is masked, which keeps no check digit.
    @Test func magTeksPublishedSwipeIsMadeFieldByField() throws {
        let model = MagTekModel(cipher: try encryptor(.pin, "FFFF9876543210E00008"), magnePrint: Self.magTekPrint)
        let fields = { (line: [UInt8]) in
            line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        let made = try fields(frame(#require(swipe(Self.magTekCard, at: model).first)))
        let published = fields(PublishedSwipes.magTek)
        try #require(made.count == published.count)
        #expect(made[0].prefix { $0 != "+" } == published[0].prefix { $0 != "+" })
        #expect(made[0].count == published[0].count)
        #expect(made[7] == "SIM0000001")
        for index in [1, 2, 3, 4, 5, 6, 8, 9, 11, 12] { #expect(made[index] == published[index], "field \(index)") }
    }

    /// All but how the manual's track 3 is masked, the reader's own number, and what the manual does not print.
    @Test func magTeksPublishedRecordIsMadeFieldByField() throws {
        let model = EDynamoModel(cipher: try encryptor(.pin, "FFFF9876543210E00008"), magnePrint: Self.magTekPrint)
        let made = try frame(#require(swipe(Self.magTekCard, at: model).first))
        let published = Array(PublishedSwipes.magTekRecord.dropFirst())
        for range in [0..<477, 493..<732, 844..<856] { #expect(made[range] == published[range], "\(range)") }
    }

    /// Without a key as MagTek prints it; but for how track 3 is masked, which keeps no check digit there, and the CRC.
    @Test func magTeksPublishedLineOfAReaderWithoutKeysIsMadeFieldByField() throws {
        let model = MagTekModel()
        var device = SimulatedDevice()
        device.serialNumber = ""
        let messages = model.tell(Presentation(Self.magTekCard), &device)
        let fields = { (line: [UInt8]) in line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false) }
        let (made, published) = (try fields(#require(messages.first)), fields(PublishedSwipes.magTekClear))
        try #require(made.count == published.count)
        #expect(made[0].prefix { $0 != UInt8(ascii: "+") } == published[0].prefix { $0 != UInt8(ascii: "+") })
        for index in 1..<made.count where index != 10 { #expect(made[index] == published[index], "field \(index)") }
        // Blocks of 500 bytes.
        #expect(messages.joined().count == 500)
        #expect(messages.last.map { Set($0) } == [UInt8(ascii: "x")])
    }

    /// 99875483, section 2: a message comes of each swipe, with E in place of each track.
    @Test(arguments: [false, true]) func aBadSwipeOfAnIDynamoIsSentWithEInPlaceOfEachTrack(isEncrypted: Bool) throws {
        let model = isEncrypted ? MagTekModel(cipher: try encryptor(.pin)) : MagTekModel()
        var device = SimulatedDevice()
        let messages = model.tell(Presentation(SimulatedCard.deck[0], .swipedInVain), &device)
        let line = try #require(messages.first)
        #expect(line.starts(with: "%E?;E?|\(isEncrypted ? "0600" : "0200")|".utf8))
        #expect(messages.joined().count.isMultiple(of: 500))
        var dialect = MagTekDialect()
        guard case .badSwipe? = dialect.understand(line.span, answering: nil).first else {
            return #expect(Bool(false), "no bad swipe")
        }
        guard isEncrypted else { return }
        let decryptor = try SwipeDecryptor(key: secret(Self.key), mode: .test)
        #expect(try decryptor.decryptMagTek(line.span).tracks.isEmpty)
    }

    /// A reader with a key reports in each record that it has one (D998200115-17, 6.6).
    @Test func aBadSwipeOfAnEDynamoHasItsStatus() throws {
        let model = EDynamoModel(cipher: try encryptor(.pin))
        var device = SimulatedDevice()
        var joiner = MagTekBlockJoiner()
        var message: [UInt8] = []
        for block in model.tell(Presentation(SimulatedCard.deck[0], .swipedInVain), &device) {
            try joiner.receive(block.span) { joined in message = joined.indices.map { joined[$0] } }
        }
        let record = try MagTekRunLength.decode(message.span.extracting(1...))
        #expect(Array(record[493..<495]) == [0x00, 0x06])
    }

    /// The one that other code has made of IPS's layout.
    @Test func ipssSwipeIsMadeByteForByte() throws {
        let card = SimulatedCard(
            "manual", track1: "%B4111111111111111^TEST/CARD^2512101000000000012345678?",
            track2: ";4111111111111111=25121010000012345678?")
        let made = try frame(#require(swipe(card, at: IPSModel(cipher: try encryptor(.fixed))).first))
        #expect(made == PublishedSwipes.ips)
    }

    /// A family's line says how its readers encrypt; nothing else names it.
    @Test(arguments: ReaderFamily.all.map(\.name)) func familiesThatEncryptAreSimulatedWithAKey(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        let scheme = KeyScheme.published(for: name)
        #expect((family.encryption != nil) == (scheme != nil))
        let model = try SimulatedFamily.named(name)?.makeModel(cipher: encryptor(scheme ?? .idTech))
        #expect(model?.family == (scheme == nil ? nil : name))
    }

    /// Families, schemes, and how ID TECH's readers are set.
    private static let ways: [(String, KeyScheme, [Int: [UInt8]])] = {
        let (original, aes) = ([0x85: Array("0".utf8)], [0x4C: Array("2".utf8)])
        let both = original.merging(aes) { $1 }
        var ways: [(String, KeyScheme, [Int: [UInt8]])] = []
        for scheme in KeyScheme.allCases where scheme != .aesDataEncryption {
            for settings in [[:], original, aes, both] { ways.append(("idtech", scheme, settings)) }
            ways += [("btmag", scheme, [:]), ("neo", scheme, [:]), ("ips", scheme, [:])]
        }
        // These say which of two keys it is.
        for family in ["magtek", "edynamo"] { ways += [(family, .pin, [:]), (family, .dataRequest, [:])] }
        // All families in the way that they declare.
        for family in ReaderFamily.all where !ways.contains(where: { $0.0 == family.name }) {
            if let scheme = KeyScheme.published(for: family.name) { ways.append((family.name, scheme, [:])) }
        }
        return ways
    }()

    @Test(arguments: ways) func encryptedSwipesAreDecryptedAgain(
        family: String, scheme: KeyScheme, settings: [Int: [UInt8]]
    ) throws {
        for card in SimulatedCard.deck where card.kind == .payment {
            let cipher = try encryptor(scheme)
            let model = try #require(SimulatedFamily.named(family)?.makeModel(cipher: cipher))
            let swipes = try swipe(card, at: model, settings: settings, count: 3)
            try #require(swipes.count == 3)
            for (index, swipe) in swipes.enumerated() {
                // Neither a maker's own scheme nor the scheme in the swipe must be named.
                let isKnown = scheme == KeyScheme.published(for: family) || ["magtek", "edynamo"].contains(family)
                let decrypted = try decrypt(swipe, isKnown ? nil : scheme)
                #expect((1...3).map { decrypted.text($0) ?? "" } == card.tracks, "\(card)")
                let number = scheme == .fixed ? nil : "FFFF9876543210E0000\(index + 1)"
                #expect(decrypted.keySerialNumber.map(digits) == number)
                #expect(decrypted.magnePrintFailure == nil)
                let whole = String(decoding: try frame(swipe), as: UTF8.self)
                // A number of zeros looks the same when zeros hide it.
                for track in card.tracks where !track.isEmpty && !track.contains("00000000") {
                    #expect(!whole.contains(track.prefix(17)))
                }
                let masked = swipe.maskedNumber.map { $0.filter { $0 != "*" && $0 != "0" } } ?? ""
                let account = card.tracks[1].dropFirst().prefix { $0 != "=" }
                #expect(masked.hasSuffix(account.suffix(4).filter { $0 != "0" }))
            }
        }
    }

    @Test func aMagnePrintIsDecryptedAgain() throws {
        let print = (0..<54).map { UInt8($0) }
        for scheme in [KeyScheme.pin, .dataRequest] {
            for model in try [
                MagTekModel(cipher: encryptor(scheme), magnePrint: print) as any ReaderModel,
                EDynamoModel(cipher: encryptor(scheme), magnePrint: print),
            ] {
                let decrypted = try decrypt(#require(swipe(SimulatedCard.deck[0], at: model).first), nil)
                #expect(decrypted.magnePrint.withBytes { bytes in bytes.indices.map { bytes[$0] } } == print)
                #expect(decrypted.session == [UInt8](repeating: 0, count: 8))
            }
        }
    }

    /// Counters with more than ten ones are left out (X9.24-1).
    @Test func countersThatNoTransactionHasAreLeftOut() throws {
        let encryptor = try encryptor(.pin, "FFFF9876543210E007FE")
        let numbers = (0..<3).map { _ in encryptor.encrypt([[1]], by: .tripleDES).map { digits($0.keySerialNumber) } }
        #expect(numbers == ["FFFF9876543210E007FE", "FFFF9876543210E00800", "FFFF9876543210E00801"])
        #expect(digits(encryptor.keySerialNumber) == "FFFF9876543210E00802")
    }

    /// The reader reports that it has none left, and its driver passes that on.
    @Test func aReaderWithoutAKeyLeftEncryptsNothing() throws {
        let last = "FFFF9876543210FFF800"
        for family in ReaderFamily.all.filter({ $0.encryption != nil }).map(\.name) {
            let cipher = try encryptor(.dataRequest, last)
            let model = try #require(SimulatedFamily.named(family)?.makeModel(cipher: cipher))
            let swipes = try swipe(SimulatedCard.deck[0], at: model, count: 2)
            #expect(swipes.count == 1, "\(family)")
            #expect(cipher.keySerialNumber.isEmpty)
        }
    }

    /// By default such readers encrypt no licences.
    @Test func aLicenceIsSentInClear() throws {
        let licence = try #require(SimulatedCard.named("licence"))
        let swipe = try #require(try swipe(licence, at: IDTechModel(cipher: encryptor(.idTech))).first)
        #expect(swipe.parts == [.track(1), .track(2), .frame])
        #expect(swipe.cipher == nil)
    }

    /// Those that report swipes, and whose wire is known without a profile.
    private static let known = SimulatedFamily.all.filter(\.reportsSwipes).map(\.name).filter { name in
        ReaderFamily.named(name).map { (try? $0.makeDialect()) != nil } ?? false
    }

    @Test(arguments: known) func swipesInClearAreNotDecrypted(family: String) throws {
        let model = try #require(SimulatedFamily.named(family)).makeModel()
        let swipe = try #require(try swipe(SimulatedCard.deck[0], at: model).first)
        #expect(!swipe.isEncrypted)
        let encryption = ReaderFamily.named(family)?.encryption
        let expected: CryptographyError.Code = encryption == nil ? .unknownScheme : .notEncrypted
        #expect(code { _ = try decrypt(swipe, nil).tracks } == expected)
    }

    @Test func oneKeyMakesAnEncryptorForEachFamily() throws {
        let encryptors = try SwipeEncryptor.byFamily(testKey: secret(Self.key))
        #expect(encryptors.keys.sorted() == ReaderFamily.all.filter { $0.encryption != nil }.map(\.name))
        #expect(encryptors.count >= 7)
        #expect(encryptors["ips"]?.scheme == .fixed)
        #expect(encryptors["magtek"]?.scheme == .pin)
        #expect(encryptors["unimag"]?.scheme == .dataRequest)
        let live = "A1B2C3D4E5F60718293A4B5C6D7E8F90"
        #expect(code { _ = try SwipeEncryptor.byFamily(testKey: secret(live)) } == .notPublished)
    }

    @Test func aReaderThatIsSetToEncryptNothingDoesNot() throws {
        let model = IDTechModel(cipher: try encryptor(.idTech))
        let swipe = try #require(
            try swipe(SimulatedCard.deck[0], at: model, settings: [0x4C: Array("0".utf8)]).first)
        #expect(swipe.parts == [.track(1), .track(2), .frame])
    }

    /// Families whose ciphers are not published, and readers that take no fixed keys.
    @Test func unpublishedEncryptionIsNotSimulated() throws {
        let derived = try encryptor(.pin)
        let known = SimulatedFamily.all.filter { $0.makeModel(cipher: derived) != nil }.map(\.name)
        #expect(known == ReaderFamily.all.filter { $0.encryption != nil }.map(\.name))
        #expect(Set(known).isSuperset(of: ["btmag", "edynamo", "idtech", "ips", "magtek", "neo", "unimag"]))
        let fixed = try encryptor(.fixed)
        #expect(SimulatedFamily.named("magtek")?.makeModel(cipher: fixed) == nil)
        #expect(SimulatedFamily.named("edynamo")?.makeModel(cipher: fixed) == nil)
    }

    @Test func onlyPublishedKeysAreTaken() throws {
        let keys: [(String, KeyScheme, CryptographyError.Code)] = [
            ("A1B2C3D4E5F60718293A4B5C6D7E8F90", .pin, .notPublished), ("0123", .pin, .length),
            (Self.key, .aesDataEncryption, .unknownScheme),
        ]
        for (key, scheme, expected) in keys {
            #expect(code { _ = try SwipeEncryptor(testKey: secret(key), scheme: scheme) } == expected)
        }
        let numbers: [(String, CryptographyError.Code)] = [
            ("FFFF9876543210E00000", .counter), ("FFFF9876543210FFFFFF", .exhausted), ("00", .length),
        ]
        for (number, expected) in numbers {
            #expect(code { _ = try self.encryptor(.pin, number) } == expected)
        }
    }

    @Test func printedFormsHaveNoKey() throws {
        let encryptor = try encryptor(.pin)
        var dumped = ""
        dump(encryptor, to: &dumped)
        for text in [dumped, "\(encryptor)", String(reflecting: encryptor)] {
            #expect(!text.uppercased().contains("0123456789ABCDEF"))
            #expect(!text.contains("0x23") && !text.contains("35"))
        }
    }
}

extension DecryptedSwipe {
    /// A track from sentinel to sentinel.
    fileprivate func text(_ number: Int) -> String? {
        tracks.first { $0.number == number }.map { $0.text.revealedText() }
    }
}
