import Testing

@testable import JackdawCards

/// A fault expected of a text.
struct Fault: Sendable {
    let text: String
    let code: CardDataError.Code
    let offset: Int

    init(_ text: String, _ code: CardDataError.Code, _ offset: Int) {
        self.text = text
        self.code = code
        self.offset = offset
    }

    func check<Content: TrackContent>(as format: Content.Type, _ location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: CardDataError.self, sourceLocation: location) { try parse(text, as: format) }
        #expect(error?.code == code, "\(text)", sourceLocation: location)
        #expect(error?.offset == offset, "\(text)", sourceLocation: location)
    }
}

@Suite struct Track1Tests {
    @Test func readsAllFields() throws {
        let track = try parse("%B4111111111111111^DOE/JOHN.MR^25122011143804400000?", as: Track1.self)
        #expect(track.format.rawValue == "iso7813-track1")
        #expect(track.pan?.revealed == "4111111111111111")
        #expect(track.name?.text.revealedText() == "DOE/JOHN.MR")
        #expect(track.name?.title.revealedText() == "MR")
        #expect(track.expiry?.text == "2512")
        #expect(track.serviceCode?.text == "201")
        #expect(track.discretionaryData.revealedText() == "1143804400000")
        #expect(track.maskedText == "%B411111******1111^***/*******^2512201*************?")
    }

    @Test(arguments: [
        ("%B4111111111111111^DOE/J^^201X?", "-", "201", "X"), ("%B4111111111111111^DOE/J^2512^X?", "2512", "-", "X"),
        ("%B4111111111111111^DOE/J^^^X?", "-", "-", "X"), ("%B4111111111111111^DOE/J^2512201?", "2512", "201", ""),
        ("%B4111111111111111^DOE/J^^^?", "-", "-", ""), ("%B4111111111111111^DOE/J^0000201?", "-", "201", ""),
        ("%B4111111111111111^DOE/J^2512201 A^B/C?", "2512", "201", " A^B/C"),
    ])
    func fieldsMayBeMissing(_ text: String, _ expiry: String, _ serviceCode: String, _ data: String) throws {
        let track = try parse(text, as: Track1.self)
        #expect(track.expiry?.text ?? "-" == expiry)
        #expect(track.serviceCode?.text ?? "-" == serviceCode)
        #expect(track.discretionaryData.revealedText() == data)
        #expect(track.revealed == text)
    }

    @Test(arguments: [
        Fault("", .length, 0), Fault("%", .endSentinel, 1), Fault("%?", .field, 1), Fault("%B", .endSentinel, 2),
        Fault("%B?", .field, 2), Fault("B4111111111111111^DOE/J^2512201?", .startSentinel, 0),
        Fault(";4111111111111111=2512201?", .startSentinel, 0), Fault("%A4111111111111111^DOE/J^2512201?", .field, 1),
        Fault("%B411111111111111A^DOE/J^2512201?", .field, 17), Fault("%B1234567^DOE/J^2512201?", .field, 9),
        Fault("%B12345678901234567890^DOE/J^2512201?", .field, 21), Fault("%B4111111111111111?", .field, 18),
        Fault("%B4111111111111111DOE/J^2512201?", .field, 18), Fault("%B4111111111111111^D^2512201?", .field, 20),
        Fault("%B4111111111111111^ABCDEFGHIJKLMNOPQRSTUVWXYZA^2512201?", .field, 45),
        Fault("%B4111111111111111^DOE/J?", .field, 24), Fault("%B4111111111111111^DOE/J^?", .field, 25),
        Fault("%B4111111111111111^DOE/J^251?", .field, 28), Fault("%B4111111111111111^DOE/J^25A2201?", .field, 27),
        Fault("%B4111111111111111^DOE/J^2513201?", .field, 27), Fault("%B4111111111111111^DOE/J^2500201?", .field, 27),
        Fault("%B4111111111111111^DOE/J^2512?", .field, 29), Fault("%B4111111111111111^DOE/J^251220?", .field, 31),
        Fault("%B4111111111111111^DOE/J^25122X1?", .field, 30),
        Fault("%B4111111111111111^DOE/j^2512201?", .character, 23),
        Fault("%B4111111111111111^DOE/J^2512201", .endSentinel, 32),
        Fault("%B4111111111111111^DOE/J^2512201?7", .endSentinel, 33),
        Fault("%B4111111111111111^DO?/J^2512201?", .endSentinel, 22),
    ])
    func invalidTracksAreRefusedWithTheirPlace(_ fault: Fault) { fault.check(as: Track1.self) }

    @Test func isBounded() throws {
        let head = "%B4111111111111111^DOE/J^2512201"
        let longest = head + String(repeating: "7", count: 81 - head.count - 1) + "?"
        #expect(try parse(longest, as: Track1.self).discretionaryData.count == 48)
        Fault(String(longest.dropLast()) + "7?", .length, 81).check(as: Track1.self)
    }
}

@Suite struct Track2Tests {
    @Test func readsAllFields() throws {
        let track = try parse(";5555555555554444=30126010123456?", as: Track2.self)
        #expect(track.format.rawValue == "iso7813-track2")
        #expect(track.pan?.revealed == "5555555555554444")
        #expect(track.name == nil)
        #expect(track.expiry == Expiry(year: 30, month: 12))
        #expect(track.serviceCode?.hasChip == true)
        #expect(track.discretionaryData.revealedText() == "0123456")
        #expect(track.maskedText == ";555555******4444=3012601*******?")
    }

    @Test(arguments: [
        (";12345678==201?", "-", "201", ""), (";12345678=2512=9?", "2512", "-", "9"), (";12345678===?", "-", "-", ""),
        (";12345678=25122011=2?", "2512", "201", "1=2"), (";12345678=0000101?", "-", "101", ""),
        (";12345678=25122011:;<2?", "2512", "201", "1:;<2"),
    ])
    func fieldsMayBeMissing(_ text: String, _ expiry: String, _ serviceCode: String, _ data: String) throws {
        let track = try parse(text, as: Track2.self)
        #expect(track.expiry?.text ?? "-" == expiry)
        #expect(track.serviceCode?.text ?? "-" == serviceCode)
        #expect(track.discretionaryData.revealedText() == data)
        #expect(track.revealed == text)
    }

    @Test(arguments: [
        Fault("", .length, 0), Fault(";", .endSentinel, 1), Fault(";?", .field, 1), Fault("?", .startSentinel, 0),
        Fault("%B4111111111111111^DOE/J^2512201?", .startSentinel, 0), Fault(";=2512201?", .field, 1),
        Fault(";1234567=2512201?", .field, 8), Fault(";12345678901234567890=2512201?", .field, 20),
        Fault(";411111111111111:=2512201?", .field, 16), Fault(";411111111111111A=2512201?", .character, 16),
        Fault(";4111111111111111?", .field, 17), Fault(";4111111111111111=?", .field, 18),
        Fault(";4111111111111111=25?", .field, 20), Fault(";4111111111111111=2513201?", .field, 20),
        Fault(";4111111111111111=2500201?", .field, 20), Fault(";4111111111111111=25?2201?", .endSentinel, 21),
        Fault(";4111111111111111=2512?", .field, 22), Fault(";4111111111111111=251220?", .field, 24),
        Fault(";4111111111111111=2512201", .endSentinel, 25), Fault(";4111111111111111=2512201?0", .endSentinel, 26),
        Fault(";4111111111111111=251220112345678901234?", .length, 39),
    ])
    func invalidTracksAreRefusedWithTheirPlace(_ fault: Fault) { fault.check(as: Track2.self) }

    @Test func takesTheLongestTrack() throws {
        let text = ";4111111111111111=25122011234567890123?"
        #expect(text.count == 39)
        #expect(try parse(text, as: Track2.self).discretionaryData.revealedText() == "1234567890123")
    }
}

@Suite struct EquivalentDataTests {
    @Test func readsAnOddAndAnEvenCount() throws {
        let odd: [UInt8] = [0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0xD2, 0x51, 0x22, 0x01, 0x9F]
        #expect(try Track2(equivalentData: odd.span).revealed == ";4111111111111111=25122019?")
        let even: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9D, 0x25, 0x12, 0x20, 0x10, 0x07]
        #expect(try Track2(equivalentData: even.span).revealed == ";123456789=2512201007?")
    }

    private static let malformed: [[UInt8]] = [
        [], [0x41], [0xFF], [0x0F], [0xDD], [UInt8](repeating: 0x12, count: 20),
        // Expiry or service code left out, which only a stripe may do.
        [0x12, 0x34, 0x56, 0x78, 0xDD, 0x20, 0x1F], [0x12, 0x34, 0x56, 0x78, 0xD2, 0x51, 0x2D],
        // `F` inside, hexadecimal digits other than `D`.
        [0x12, 0x34, 0x56, 0x78, 0xF2, 0x51, 0x22, 0x01], [0x12, 0x34, 0x5A, 0x78, 0xD2, 0x51, 0x22, 0x01],
    ]

    @Test(arguments: malformed)
    func refuses(_ data: [UInt8]) {
        #expect(throws: CardDataError.self) { try Track2(equivalentData: data.span) }
    }

    /// Packs a track's characters two to a byte, as a chip does.
    private func packed(_ track: String) -> [UInt8] {
        var nibbles = track.dropFirst().dropLast().utf8.map { $0 - 0x30 }
        if !nibbles.count.isMultiple(of: 2) { nibbles.append(0x0F) }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    @Test func trackEquivalentDataOfChipsAreRead() throws {
        var generator = CardGenerator(seed: 57)
        for _ in 0..<2_000 {
            let track = ";\(generator.pan())=\(generator.expiry())\(generator.digits(3...3))\(generator.digits(0...8))?"
            #expect(try Track2(equivalentData: packed(track).span).revealed == track)
        }
    }

    @Test func damagedDataIsReadAsItIsOrRefused() {
        var generator = CardGenerator(seed: 58)
        var refused = 0
        for _ in 0..<20_000 {
            var data = packed(";\(generator.pan())=2512201\(generator.digits(0...8))?")
            data[generator.int(0...(data.count - 1))] = UInt8(generator.int(0...255))
            do {
                let track = try Track2(equivalentData: data.span)
                #expect(packed(track.revealed) == data)
            } catch {
                refused += 1
            }
        }
        #expect((2_000...18_000).contains(refused))
    }
}

@Suite struct Track3Tests {
    /// The fields of a track 3 in their order, one by one.
    private struct Fields {
        var formatCode = "99"
        var pan = "9999990000000015"
        var country = "156"
        var currency = "156"
        var exponent = "0"
        var authorized = "0000"
        var remaining = "0000"
        var cycleBegin = "0000"
        var cycleLength = "00"
        var retryCount = "3"
        var pinControl = "000000"
        var interchange = "0"
        var types = ["00", "00", "00"]
        var expiry = "3012"
        var sequence = "0"
        var securityNumber = "="
        var accounts = ["000000000001", "000000000002"]
        var relayMarker = "1"
        var checkDigits = "123456"
        var additional = "00000000"

        var parts: [String] {
            [";", formatCode, pan, "=", country, currency, exponent, authorized, remaining, cycleBegin, cycleLength]
                + [retryCount, pinControl, interchange] + types + [expiry, sequence, securityNumber]
                + accounts.flatMap { [$0, "="] } + [relayMarker, checkDigits, additional, "?"]
        }

        var text: String { parts.joined() }
    }

    @Test func readsThePublishedLayout() throws {
        let track = try parse(Fields().text, as: Track3.self)
        #expect(track.format.rawValue == "iso4909-track3")
        #expect(track.retryCount.revealedText() == "3")
        #expect(track.expiry?.text == "3012")
        #expect(track.cryptoCheckDigits?.revealedText() == "123456")
        #expect(track.additionalData.revealedText() == "00000000")
    }

    @Test func readsAllFields() throws {
        let fields = Fields(
            formatCode: "01", country: "280", currency: "978", exponent: "2", authorized: "1234", remaining: "5678",
            cycleBegin: "9012", cycleLength: "34", retryCount: "5", pinControl: "678901", interchange: "2",
            types: ["34", "56", "78"], expiry: "2907", sequence: "9", accounts: ["1234567", "76543"], relayMarker: "6",
            checkDigits: "987654", additional: "55667788")
        let track = try parse(fields.text, as: Track3.self)
        #expect(track.pan?.revealed == fields.pan)
        #expect(track.expiry?.text == fields.expiry)
        let read: [SecretText?] = [
            track.formatCode, track.country, track.currency, track.currencyExponent, track.amountAuthorized,
            track.amountRemaining, track.cycleBegin, track.cycleLength, track.retryCount, track.pinControl,
            track.interchangeControl, track.cardSequence, track.relayMarker, track.cryptoCheckDigits,
            track.additionalData,
        ]
        #expect(
            read.map { $0?.revealedText() } == [
                fields.formatCode, fields.country, fields.currency, fields.exponent, fields.authorized,
                fields.remaining, fields.cycleBegin, fields.cycleLength, fields.retryCount, fields.pinControl,
                fields.interchange, fields.sequence, fields.relayMarker, fields.checkDigits, fields.additional,
            ])
        #expect(track.accountTypes.map { $0.revealedText() } == fields.types)
        #expect(track.subsidiaryAccounts.map { $0.revealedText() } == fields.accounts)
        #expect(track.revealed == fields.text)
    }

    @Test func showsNumberMaskedAndExpiry() throws {
        let fields = Fields()
        let start = [";", fields.formatCode, "999999******0015", "="].joined()
        let middle = fields.parts[4..<17].joined().count
        let end = fields.parts[18...].joined().count - 1
        let expected = start + String(repeating: "*", count: middle) + "3012" + String(repeating: "*", count: end) + "?"
        #expect(try parse(fields.text, as: Track3.self).maskedText == expected)
    }

    @Test func fieldsMayBeMissing() throws {
        let fields = Fields(pan: "", country: "=", expiry: "=", accounts: ["", ""], checkDigits: "=", additional: "")
        let track = try parse(fields.text, as: Track3.self)
        #expect(track.pan == nil)
        #expect(track.country == nil)
        #expect(track.expiry == nil)
        #expect(track.subsidiaryAccounts.map(\.count) == [0, 0])
        #expect(track.cryptoCheckDigits == nil)
        #expect(track.additionalData.isEmpty)
        #expect(track.revealed == fields.text)
        #expect(track.maskedText.filter { $0 != "*" } == ";99==?")
    }

    @Test func everyTruncationIsAFault() {
        let text = Fields(additional: "").text.dropLast()
        for count in 0..<text.count {
            #expect(throws: CardDataError.self) { try parse(text.prefix(count) + "?", as: Track3.self) }
        }
        #expect(throws: Never.self) { try parse(text + "?", as: Track3.self) }
    }

    /// A letter of the numeric code in any field but the last is a fault of that field.
    @Test func everyDamagedFieldIsFound() {
        let parts = Fields().parts
        for index in 1..<(parts.count - 2) {
            var damaged = parts
            damaged[index] = String(repeating: "<", count: parts[index].count)
            Fault(damaged.joined(), .field, parts[..<index].joined().count).check(as: Track3.self)
        }
    }

    @Test func needsAMonthAndAccountsOfTwelveDigits() {
        let fields = Fields()
        let expiry = fields.parts[..<17].joined().count
        Fault(Fields(expiry: "3013").text, .field, expiry + 2).check(as: Track3.self)
        let account = fields.parts[..<20].joined().count
        Fault(Fields(accounts: ["1234567890123", ""]).text, .field, account + 12).check(as: Track3.self)
        Fault("%B4111111111111111^DOE/J^2512201?", .startSentinel, 0).check(as: Track3.self)
    }

    @Test func isBounded() throws {
        let room = 106 - Fields(additional: "").text.count
        let longest = Fields(additional: String(repeating: "7", count: room))
        #expect(try parse(longest.text, as: Track3.self).additionalData.count == room)
        Fault(Fields(additional: String(repeating: "7", count: room + 1)).text, .length, 106).check(as: Track3.self)
    }
}
