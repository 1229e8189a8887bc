import Testing

@testable import JackdawCards

/// Layouts as issuers of several states write them, with invented holders.
@Suite struct LicenceTrackTests {
    /// A track 1 and what it says.
    struct Licence: Sendable {
        let text: String
        let city: String
        let names: [String]
        let address: [String]
    }

    private static let licences = [
        Licence(
            text: "%TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^?", city: "AUSTIN", names: ["DOE", "JOHN", ""],
            address: ["12345 SHERBOURNE ST"]),
        Licence(
            text: "%FLDELRAY BEACH^DOE$JOHN$^4818 S FEDERAL BLVD^           ?", city: "DELRAY BEACH",
            names: ["DOE", "JOHN", ""], address: ["4818 S FEDERAL BLVD"]),
        Licence(
            text: "%ORSPRINGFIELD ^ SIMPSON $HOMER$J ^ 742 EVERGREEN TERR ^?", city: "SPRINGFIELD",
            names: ["SIMPSON", "HOMER", "J"], address: ["742 EVERGREEN TERR"]),
        // A city of 13 characters needs no separator, a name of 35 neither; an address may have lines.
        Licence(
            text: "%CASAN BERNARDINDOE$JANE$Q^1 A ST$APT 2?", city: "SAN BERNARDIN", names: ["DOE", "JANE", "Q"],
            address: ["1 A ST", "APT 2"]),
        Licence(
            text: "%CASAN BERNARDIN^DOE$JANE^?", city: "SAN BERNARDIN", names: ["DOE", "JANE", ""], address: [""]),
        Licence(
            text: "%QCX^ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG$Y1 A ST?", city: "X",
            names: ["ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG", "Y", ""], address: ["1 A ST"]),
    ]

    @Test(arguments: licences)
    func readsTrack1(_ licence: Licence) throws {
        let track = try parse(licence.text, as: AAMVATrack1.self)
        #expect(track.format.rawValue == "aamva-track1")
        #expect(track.jurisdiction == licence.text.dropFirst().prefix(2))
        #expect(track.city.revealedText() == licence.city)
        let name = try #require(track.name)
        #expect([name.surname, name.givenName, name.middleName].map { $0.revealedText() } == licence.names)
        #expect(track.address.map { $0.revealedText() } == licence.address)
        #expect(track.pan == nil)
        #expect(track.maskedText.count == licence.text.count)
        #expect(track.maskedText.dropFirst(3).dropLast().allSatisfy { "*^$".contains($0) })
        #expect(try recognise(licence.text).format == .aamvaTrack1)
    }

    @Test(arguments: [
        Fault("%?", .field, 1), Fault("%T?", .field, 1), Fault("%XXAUSTIN^DOE$JOHN^1 A ST?", .field, 1),
        Fault("%TX?", .field, 3), Fault("%TXAUSTIN?", .field, 9), Fault("%TX^DOE^1 A ST?", .field, 3),
        Fault("%TXAUSTIN^^1 A ST?", .field, 10), Fault("%TXAUSTIN^DOE$JOHN?", .field, 18),
        Fault(";636015=?", .startSentinel, 0),
    ])
    func invalidTrack1IsRefusedWithItsPlace(_ fault: Fault) { fault.check(as: AAMVATrack1.self) }

    @Test(arguments: [
        (";63601538774194=150819810101?", "38774194", "1508", "1508", "19810101", ""),
        (";6360338359411=131019930513=?", "8359411", "1310", "1310", "19930513", ""),
        (";6360100462172082009=2101198299090=?", "0462172082009", "2101", "2101", "19829909", "0"),
        (";6360001=207719000101?", "1", "2077", "-", "19000101", ""),
        (";6044251=20991900010112345=?", "1", "2099", "-", "19000101", "12345"),
        (";6360621=20011900010112345?", "1", "2001", "2001", "19000101", "12345"),
    ])
    func readsTrack2(
        _ text: String, _ number: String, _ digits: String, _ expiry: String, _ birth: String, _ overflow: String
    ) throws {
        let track = try parse(text, as: AAMVATrack2.self)
        #expect(track.format.rawValue == "aamva-track2")
        #expect(text.dropFirst().hasPrefix(track.issuer))
        #expect(track.documentNumber.revealedText() == number)
        #expect(track.expiryDigits == digits)
        #expect(track.expiry?.text ?? "-" == expiry)
        #expect(track.birthDate.revealedText() == birth)
        #expect(track.documentNumberOverflow.revealedText() == overflow)
        #expect(track.pan == nil)
        let hidden = text.count - 7 - number.count - 5 - 1
        #expect(
            track.maskedText
                == ";\(track.issuer)" + String(repeating: "*", count: number.count) + "=\(digits)"
                + String(repeating: "*", count: hidden) + "?")
        #expect(try recognise(text).format == .aamvaTrack2)
    }

    @Test(arguments: [
        Fault(";63601?", .field, 6), Fault(";6359991=150819810101?", .field, 1),
        Fault(";6360631=150819810101?", .field, 1),
        Fault(";6044241=150819810101?", .field, 1), Fault(";6044261=150819810101?", .field, 1),
        Fault(";636015=150819810101?", .field, 7), Fault(";63601512345678901234=150819810101?", .field, 20),
        Fault(";6360151=15:819810101?", .field, 11), Fault(";6360151=15081981010?", .field, 20),
        Fault(";6360151=150819810101123456?", .field, 21), Fault(";6360151=150819810101==?", .field, 21),
        Fault(";6360151=1508198101011:?", .field, 21), Fault("%TXAUSTIN^DOE$JOHN^?", .startSentinel, 0),
    ])
    func invalidTrack2IsRefusedWithItsPlace(_ fault: Fault) { fault.check(as: AAMVATrack2.self) }

    @Test func readsAFullTrack3() throws {
        let text =
            "%12" + "90210-1234 ".replacing("-", with: "0") + "C " + "B         " + "M   " + "1" + "600" + "180" + "BRO"
            + "BLU" + "0123456789" + "RRRRRRRRRRRRRRRR" + "EEEEEE" + "SSSSS" + "?"
        let track = try parse(text, as: AAMVATrack3.self)
        #expect(text.count == 81)
        #expect(track.format.rawValue == "aamva-track3")
        let fields = [
            track.templateVersion, track.securityVersion, track.postalCode, track.vehicleClass, track.restrictions,
            track.endorsements, track.sex, track.height, track.weight, track.hairColor, track.eyeColor,
            track.identifier, track.reserved, track.errorCorrection, track.security,
        ]
        #expect(
            fields.map { $0.revealedText() } == [
                "1", "2", "9021001234 ", "C ", "B         ", "M   ", "1", "600", "180", "BRO", "BLU", "0123456789",
                "RRRRRRRRRRRRRRRR", "EEEEEE", "SSSSS",
            ])
        #expect(track.maskedText == "%" + String(repeating: "*", count: 79) + "?")
        #expect(try recognise(text).format == .aamvaTrack3)
    }

    @Test func track3MayEndAfterTheEyeColor() throws {
        let text = "%\" 78729      C               1505130BLKBLK?"
        let track = try parse(text, as: AAMVATrack3.self)
        #expect(track.postalCode.revealedText() == "78729      ")
        #expect(track.sex.revealedText() == "1")
        #expect(track.height.revealedText() == "505")
        #expect(track.eyeColor.revealedText() == "BLK")
        #expect(track.identifier.isEmpty)
        #expect(track.security.isEmpty)
        #expect(try recognise(text).format == .aamvaTrack3)
    }

    @Test(arguments: [
        Fault("%\" 78729      C               1505130BLKBL?", .field, 42), Fault("%?", .field, 1),
        Fault("%\" 78729      C               3505130BLKBLK?", .field, 30),
        Fault("%\" 78729      C               150X130BLKBLK?", .field, 33),
        Fault("%\" 78729      C               150513-BLKBLK?", .field, 36),
        Fault("%\" 7872$      C               1505130BLKBLK?", .field, 7),
        Fault(";63601538774194=150819810101?", .startSentinel, 0),
    ])
    func invalidTrack3IsRefusedWithItsPlace(_ fault: Fault) { fault.check(as: AAMVATrack3.self) }
}
