import JackdawTestSupport
import JackdawTransport
import Testing

@Suite struct FileNameTests {
    private func bytes(_ text: String) -> [UInt8] {
        FileName.characters(of: text).dropLast().map { UInt8(bitPattern: $0) }
    }

    @Test(arguments: ["", "a.wav", "Zoë 東京 🐦.wav", "e\u{301}", "\u{301}a", "\u{FFFD}", "\u{10FEFF}", "a\r\nb"])
    func textStaysAsItIs(name: String) {
        #expect(FileName.text(of: Array(name.utf8)).unicodeScalars.elementsEqual(name.unicodeScalars))
        #expect(bytes(name) == Array(name.utf8))
        #expect(FileName.characters(of: name).last == 0)
    }

    /// A byte alone, sequences that end too soon or are too long, surrogates, what is beyond Unicode, and the
    /// scalars that stand for bytes.
    @Test(
        arguments: [
            [0xFF], [0x61, 0x80, 0x62], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x90, 0x2E], [0xC0, 0xAF],
            [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBE, 0x80], [0xF4, 0x8F, 0xBF, 0xBF, 0xC3, 0xA9],
        ] as [[UInt8]])
    func allBytesAreReadAgain(name: [UInt8]) { #expect(bytes(FileName.text(of: name)) == name) }

    @Test func randomBytesAreReadAgain() {
        var random = SeededRandom(seed: 26)
        for _ in 0..<5_000 {
            let name = (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random)
            }
            let text = FileName.text(of: name)
            #expect(bytes(text) == name)
            // What is no UTF-8 stands for itself and no other bytes.
            let strange = text.unicodeScalars.count { FileName.byte(of: $0) != nil }
            #expect((strange == 0) == (String(validating: name, as: UTF8.self) != nil) || name.contains(0xF4))
        }
    }
}
