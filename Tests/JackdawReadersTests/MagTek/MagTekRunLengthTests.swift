import JackdawReaders
import JackdawTestSupport
import Testing

/// Messages of eDynamo that are shortened, with the examples of MagTek's manuals.
@Suite struct MagTekRunLengthTests {
    private static let examples = [
        (hex("44 55 55 55 55 55 55 55 55 55 66 00 00"), hex("44 55 55 09 66 00 00 02")),
        ([UInt8](repeating: 0, count: 260), hex("00 00 FF 00 00 05")),
    ]

    @Test(arguments: 0..<2) func publishedExamples(index: Int) throws {
        let (message, encoded) = Self.examples[index]
        #expect(MagTekRunLength.encode(message.span) == encoded)
        #expect(try MagTekRunLength.decode(encoded.span) == message)
    }

    @Test func shortenedRowsAreReadAgain() throws {
        var random = SeededRandom(seed: 5)
        for length in [0, 1, 2, 254, 255, 256, 257, 511, 1_000] {
            let row = [UInt8](repeating: 7, count: length)
            #expect(try MagTekRunLength.decode(MagTekRunLength.encode(row.span).span) == row)
            let message = (0..<length).map { _ in UInt8.random(in: 0...2, using: &random) }
            #expect(try MagTekRunLength.decode(MagTekRunLength.encode(message.span).span) == message)
        }
    }

    @Test func invalidRunLengthsAreRefused() {
        #expect(throws: FrameFault(.truncated, at: 3, "a row without its count")) {
            try MagTekRunLength.decode([1, 5, 5].span)
        }
        for count: UInt8 in [0, 1] {
            let fault = #expect(throws: FrameFault.self) { try MagTekRunLength.decode([5, 5, count].span) }
            #expect(fault?.code == .field && fault?.offset == 2)
        }
        expectFault(.length, at: 0, "510", "300") {
            try MagTekRunLength.decode([5, 5, 255, 5, 5, 255].span, most: 300)
        }
    }
}
