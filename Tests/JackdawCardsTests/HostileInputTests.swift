import Testing

@testable import JackdawCards

/// A hundred thousand hostile texts through every parser: each ends in a value that holds the text unchanged or in an
/// error that points into it.
@Suite struct HostileInputTests {
    @Test(arguments: 0..<10)
    func everyParserIsTotal(_ seed: Int) {
        var generator = CardGenerator(seed: UInt64(seed))
        var read = 0
        for round in 0..<10_000 {
            let bytes = hostileText(round, &generator)
            read += check(bytes, as: Track.self)
            read += check(bytes, as: Track1.self)
            read += check(bytes, as: Track2.self)
            read += check(bytes, as: Track3.self)
            read += check(bytes, as: AAMVATrack1.self)
            read += check(bytes, as: AAMVATrack2.self)
            read += check(bytes, as: AAMVATrack3.self)
            read += check(bytes, as: UnknownTrack.self)
            let shown = Masking.mask(bytes.span)
            #expect(shown.utf8.count == bytes.count)
            checkNumber(bytes)
        }
        // Not all is refused: some of the texts are damaged so little that they still are tracks.
        #expect(read > 1_000)
    }

    /// Random bytes; random characters between sentinels; tracks with some bytes changed, taken out or doubled.
    private func hostileText(_ round: Int, _ generator: inout CardGenerator) -> [UInt8] {
        switch round % 5 {
        case 0: return generator.bytes(0...200, in: 0...255)
        case 1: return [0x25] + generator.bytes(0...90, in: 0x20...0x5F) + [0x3F]
        case 2: return [0x3B] + generator.bytes(0...110, in: 0x30...0x3E) + [0x3F]
        default: return damagedTrack(&generator)
        }
    }

    private func damagedTrack(_ generator: inout CardGenerator) -> [UInt8] {
        let card = RandomCard(from: &generator)
        var bytes = ascii(
            generator.pick([
                card.track1, card.track2, ";01\(card.pan)==00000000000000000300000000000000=0===1=123?",
                "%TXAUSTIN^DOE$JOHN^1 A ST^?", ";63601538774194=150819810101?",
                "%\" 78729      C               1505130BLKBLK?",
            ]))
        for _ in 0..<generator.int(0...3) where !bytes.isEmpty {
            let place = generator.int(0...(bytes.count - 1))
            switch generator.int(0...3) {
            case 0: bytes[place] = UInt8(generator.int(0x20...0x5F))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[place], at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }

    private func check<Content: TrackContent>(_ bytes: [UInt8], as format: Content.Type) -> Int {
        do throws(CardDataError) {
            let track = try Content(parsing: bytes.span)
            #expect(ascii(track.revealed) == bytes)
            #expect(track.maskedText.utf8.count == bytes.count)
            #expect(bytes.count <= 106)
            return 1
        } catch {
            #expect((0...bytes.count).contains(error.offset))
            return 0
        }
    }

    private func checkNumber(_ bytes: [UInt8]) {
        let isNumber = (8...19).contains(bytes.count) && bytes.allSatisfy { (0x30...0x39).contains($0) }
        let number = try? PrimaryAccountNumber(bytes.span)
        #expect((number != nil) == isNumber)
    }
}
