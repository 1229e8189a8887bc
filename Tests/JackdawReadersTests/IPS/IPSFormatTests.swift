import JackdawReaders
import Testing

/// Swipes in the layout that IPS's readers are thought to have. The frame is synthetic: made from the layout, with a published
/// test key, by other code than this.
@Suite struct IPSFormatTests {
    private static let swipe = hex(
        """
        600102001041111111112512544553542F43415244202020202020202020202020202020202000000000000000000001DEB0203C8AEAA1AB1E
        4BE20CF67C526B2006E9623DF8A96895AB42361EE4EC7CEB8B0A52B1F0B977F7381CA6451C0535DE6A6B31FFF0B9CD2F40B8FD3C1C016208D7
        B4FB629D088508D7B4FB629D0885030159
        """)

    @Test func framesAreCutHoweverTheyCome() {
        verify(IPSFormat(), frames: [Self.swipe, [0x66, 0x10, 0x01, 20, 30]], garbage: [0, 0x48, 0x07, 0xFF])
    }

    @Test func fieldsAreNamedAndMasked() {
        let fields = IPSFormat().fields(of: Self.swipe, isRevealing: false)
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        #expect(values["firmware"] == "01.02")
        #expect(values["PAN, masked"] == "411111...1111")
        #expect(values["name"] == "26 characters")
        #expect(values["tracks"] == "1, 2")
        #expect(fields.count == 12)
    }

    @Test func aWrongCRCIsToldWithItsPlace() {
        var damaged = Self.swipe
        damaged[130] ^= 1
        #expect(throws: FrameFault(.check, at: 130, "the CRC is 58, of the bytes 59")) {
            try IPSFormat().check(damaged)
        }
    }
}
