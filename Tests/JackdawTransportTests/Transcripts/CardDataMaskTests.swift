import JackdawTestSupport
import JackdawTransport
import Testing

@Suite("What may be card data in a transcript")
struct CardDataMaskTests {
    private static let track = Array(
        "%B4111111111111111^DOE/JANE^29121010000000000?;4111111111111111=29121010000?".utf8)
    /// The same number in halves of bytes, as a chip has it.
    private static let coded: [UInt8] = [
        0x57, 0x11, 0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0xd2, 0x91, 0x21, 0x01, 0xff,
    ]

    @Test("no digit of a number is kept, whatever the pieces", arguments: 1...40)
    func pieces(size: Int) {
        for bytes in [Self.track, Self.coded, [0xe0, 0xff] + Self.track + [0xe1]] {
            var mask = CardDataMask()
            var kept: [UInt8?] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                kept += mask.mask(Array(bytes[start..<min(start + size, bytes.count)]), isSent: false)
            }
            #expect(kept.count == bytes.count)
            for (byte, other) in zip(kept, bytes) {
                if let byte { #expect(byte == other) }
            }
            let shown = kept.compactMap { $0 }
            #expect(!shown.contains { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) })
            #expect(shown.allSatisfy { $0 >> 4 > 9 || $0 & 15 > 9 })
        }
    }

    @Test("characters with a parity bit, and EBCDIC's digits, are characters")
    func otherCharacters() {
        let number = Array("4111111111111111".utf8)
        let even = number.map { UInt8($0.nonzeroBitCount & 1) << 7 | $0 }
        for bytes in [even, number.map { $0 | 0x80 }, number.map { $0 & 15 | 0xF0 }] {
            var mask = CardDataMask()
            #expect(mask.mask([0xFE, 0x01] + bytes + [0x02], isSent: false).compactMap(\.self).count <= 3)
        }
    }

    @Test("short framed bytes are kept")
    func commands() {
        var mask = CardDataMask()
        #expect(mask.mask([0xaa, 0x56, 0x69, 0xfa, 0xbb], isSent: true) == [0xaa, 0x56, 0x69, 0xfa, 0xbb])
        let seven: [UInt8] = [0xfe] + Array("1234567".utf8) + [0xfe]
        // Seven digits and their halves are a run of fourteen.
        #expect(mask.mask(seven, isSent: false) == [0xfe] + [UInt8?](repeating: nil, count: 7) + [0xfe])
    }

    @Test("a name that a chip has is not kept, however short it is", arguments: ["DOE/JAN", "LEE", "Li/X", "O'D"])
    func names(name: String) {
        var mask = CardDataMask()
        let letters = Array(name.utf8)
        let bytes = [0xfe, 0x5f, 0x1f, UInt8(letters.count)] + letters + [0x9f, 0xfe]
        let kept: [UInt8?] = [0xfe, 0x5f, 0x1f, UInt8(letters.count)] + letters.map { _ in nil } + [0x9f, 0xfe]
        #expect(mask.mask(bytes, isSent: false) == kept)
    }

    // Its first and last bytes are not what frames a message: the system cuts the blocks as it likes.
    @Test("a long block is masked, and so are the bytes that follow it in its direction")
    func longBlock() {
        var mask = CardDataMask()
        let bytes = [UInt8](repeating: 0xee, count: 33)
        #expect(mask.mask(bytes, isSent: false) == [UInt8?](repeating: nil, count: 33))
        for _ in 0..<3 { #expect(mask.mask([0xee], isSent: false) == [nil]) }
        // It begins again after the other direction.
        #expect(mask.mask([0xee, 0xee, 0xee], isSent: true) == [0xee, 0xee, 0xee])
        #expect(mask.mask([0xee, 0xee, 0xee], isSent: false) == [0xee, 0xee, 0xee])
    }

    @Test("single bytes are kept up to the size of a block")
    func byteByByte() {
        var mask = CardDataMask()
        let kept = (0..<100).flatMap { _ in mask.mask([0xee], isSent: false) }
        #expect(kept.prefix(32).allSatisfy { $0 == 0xee })
        #expect(kept.dropFirst(32).allSatisfy { $0 == nil })
    }
}
