import Testing

@testable import JackdawCards

/// What no output may hold of a card number.
struct Leak {
    /// Whether a text holds seven digits of the number in a row.
    static func isPartOfNumber(_ pan: String, in text: String) -> Bool {
        let digits = Array(pan)
        return (0...max(0, digits.count - 7)).contains { text.contains(String(digits[$0..<min($0 + 7, digits.count)])) }
    }

    /// Whether a text holds 13 to 19 digits in a row that end in their check digit, from any digit on.
    static func isNumber(in text: String) -> Bool {
        text.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).contains { run in
            (13...19).contains { length in
                guard run.count >= length else { return false }
                return (0...(run.count - length)).contains { isLuhnValid(String(run.dropFirst($0).prefix(length))) }
            }
        }
    }
}

@Suite struct MaskingTests {
    @Test(arguments: [
        ("%B4111111111111111^DOE/JOHN^25122011143804400000?", "%B411111******1111^***/****^2512201*************?"),
        ("%B378282246310005^DOE/JOHN^^^AB?", "%B378282*****0005^***/****^^^**?"),
        ("%B4111111111111111^41111111 11111111^2512201?", "%B411111******1111^*****************^2512201?"),
        (";378282246310005=25122011143804400000?", ";378282*****0005=2512201*************?"),
        (";500000000009=2512201000?", ";********0009=2512201***?"), (";12345678===?", ";****5678===?"),
        // Without a service code this is no track 2.
        (";12345678==?", ";********==?"), (";4111111111111111?", ";****************?"),
        ("%4111 1111 1111 1111?", "%*******************?"), (";1234=5678?", ";****=****?"),
        ("%A4111111111111111^X?", "%*****************^*?"), ("", ""), ("?", "?"),
        ("4111111111111111", "****************"),
        (";4111111111111111=25", ";****************=**"), ("B411;%1?", "*******?"), ("%;1?", "%**?"),
        ("4;4?;%", "***?**"),
    ])
    func masksWholeTexts(_ text: String, _ expected: String) {
        #expect(masked(text) == expected)
    }

    /// All that shows of a name is the `/` of ISO/IEC 7813; a name has the same form wherever it is shown.
    @Test(arguments: [
        ("DOE/JANE", "***/****"), ("O'NEIL-DOE/MARY ANN.MRS", "**********/************"),
        ("DOE/JANE      ", "***/**********"),
        ("DOE", "***"), ("/", "/"), ("", ""), ("4111111111111111/X", "****************/*"),
        ("DOE/JANE/MRS", "***/********"), ("//", "/*"),
    ])
    func namesShowTheSlashAlone(_ name: String, _ expected: String) {
        #expect(CardholderName.mask(ascii(name).span) == expected)
        guard (2...26).contains(name.count) else { return }
        #expect(masked("%B4111111111111111^\(name)^2512201?") == "%B411111******1111^\(expected)^2512201?")
    }

    /// The surname on a licence ends with `$`.
    @Test func namesOnLicencesShowNothing() throws {
        let track = try Track(parsing: ascii("%TXAUSTIN^DOE/ROE$JOHN^12345 SHERBOURNE ST^?").span)
        #expect(track.name?.masked == "************")
    }

    @Test func bytesOfNamesThatAreNoTextAreMasked() {
        let bytes: [UInt8] = [0xC3, 0x9C, 0x2F, 0x00, 0xFF]
        #expect(CardholderName.mask(bytes.span) == "**/**")
    }

    @Test func masksBytesThatAreNoText() {
        let bytes: [UInt8] = [0x3B, 0x00, 0xFF, 0x31, 0x0A, 0x3D, 0x80]
        #expect(Masking.mask(bytes.span) == ";****=*")
    }

    @Test func randomPaymentTracksLeakNothing() throws {
        var generator = CardGenerator(seed: 34)
        for _ in 0..<5_000 {
            let card = RandomCard(from: &generator)
            let tracks = [(card.track1, card.discretionary1), (card.track2, card.discretionary2)]
            for (text, data) in tracks {
                let shown = masked(text)
                #expect(shown.count == text.count)
                #expect(!Leak.isPartOfNumber(card.pan, in: shown))
                #expect(!Leak.isNumber(in: shown))
                #expect(shown.hasSuffix(String(repeating: "*", count: data.count) + "?"))
                #expect(shown.contains(card.expiry))
                #expect(shown.contains(card.pan.suffix(4)))
                #expect(!shown.dropFirst(2).contains { $0.isLetter })
            }
        }
    }

    /// Whatever stands around a number, unknown layouts show none of it.
    @Test func randomUnknownTracksShowSeparatorsOnly() throws {
        var generator = CardGenerator(seed: 35)
        for _ in 0..<5_000 {
            let parts = (0..<generator.int(1...4)).map { _ in
                generator.bool() ? generator.pan() : generator.text(of: "0123456789ABC =^/", 0...9)
            }
            let text = "%" + parts.joined(separator: generator.pick(["", " ", "^", "="])) + "?"
            guard text.count <= 81, try recognise(text).format == .unknown else { continue }
            #expect(masked(text).allSatisfy { "%*^=?".contains($0) })
            #expect(masked(text).count == text.count)
        }
    }

    @Test func damagedTracksLeakNothing() {
        var generator = CardGenerator(seed: 36)
        for _ in 0..<5_000 {
            let card = RandomCard(from: &generator)
            var bytes = ascii(generator.bool() ? card.track1 : card.track2)
            for _ in 0..<generator.int(1...3) {
                bytes[generator.int(0...(bytes.count - 1))] = UInt8(generator.int(0...255))
            }
            bytes.removeLast(generator.int(0...min(bytes.count, 10)))
            let shown = Masking.mask(bytes.span)
            #expect(shown.utf8.count == bytes.count)
            #expect(!Leak.isPartOfNumber(card.pan, in: shown))
            #expect(!Leak.isNumber(in: shown))
        }
    }

    @Test func theLeakDetectorsDetect() {
        #expect(Leak.isPartOfNumber("4111111111111111", in: "x4111111x"))
        #expect(!Leak.isPartOfNumber("4111111111111111", in: "411111******1111"))
        #expect(Leak.isNumber(in: "ref 04111111111111111"))
        #expect(!Leak.isNumber(in: "4222222222223"))
    }
}
