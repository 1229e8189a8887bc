import Testing

@testable import JackdawDSP

@Suite struct MessageParserTests {
    /// `;1?` and its LRC by hand: ; = 11010, 1 = 10000, ? = 11111, and B xor 1 xor F = 5 = 10101.
    private static let shortest: [UInt8] = Array("11010100001111110101".utf8).map { $0 - 48 }
    private static let zeros = [UInt8](repeating: 0, count: 12)

    @Test func readsAMessageByHand() throws {
        let found = MessageParser.messages(in: Self.zeros + Self.shortest + Self.zeros)
        #expect(found.count == 1)
        let message = try #require(found.first)
        #expect(message.values == [0xB, 1, 0xF, 5])
        #expect(message.range == 12..<32)
        #expect(message.code == .numeric)
    }

    @Test func everyFlippedBitIsCaught() {
        for bit in Self.shortest.indices {
            var damaged = Self.shortest
            damaged[bit] ^= 1
            #expect(MessageParser.messages(in: Self.zeros + damaged + Self.zeros).isEmpty, "bit \(bit)")
        }
    }

    @Test func wantsZerosOnBothSides() {
        #expect(MessageParser.messages(in: Self.shortest + Self.zeros).isEmpty)
        #expect(MessageParser.messages(in: Self.zeros + Self.shortest + [1] + Self.zeros).isEmpty)
        #expect(MessageParser.messages(in: Self.zeros + Self.shortest).count == 1)
    }

    @Test func findsEveryMessage() {
        let twice = Self.zeros + Self.shortest + Self.zeros + Self.shortest + Self.zeros
        #expect(MessageParser.messages(in: twice).map(\.range.lowerBound) == [12, 44])
    }

    @Test func isTotal() {
        #expect(MessageParser.messages(in: []).isEmpty)
        #expect(MessageParser.messages(in: [UInt8](repeating: 1, count: 500)).isEmpty)
        for count in 0..<20 {
            #expect(MessageParser.messages(in: Self.zeros + Self.shortest.prefix(count)).isEmpty)
        }
    }
}
