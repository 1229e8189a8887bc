import Testing

@testable import jackdaw_benchmark

/// A WAV file of the given format and sample bytes, with a comment before the sound.
private func wave(kind: UInt8 = 1, channels: UInt8 = 1, bits: UInt8, _ sound: [UInt8]) -> [UInt8] {
    let rate: [UInt8] = [0x44, 0xAC, 0, 0]
    let format: [UInt8] = [16, 0, 0, 0, kind, 0, channels, 0] + rate + [0, 0, 0, 0, bits / 8 * channels, 0, bits, 0]
    let comment: [UInt8] = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    return Array("RIFF\0\0\0\0WAVEfmt ".utf8) + format + comment
        + Array("data".utf8) + [UInt8(sound.count), 0, 0, 0] + sound
}

@Suite struct SoundTests {
    @Test func reads16Bits() throws {
        let sound = try Sound(wave: wave(bits: 16, [0x34, 0x12, 0x00, 0x80, 0xFF, 0xFF]))
        guard case .integers(let samples) = sound.samples else {
            Issue.record("16 bits stay integers")
            return
        }
        #expect(samples == [0x1234, -32_768, -1])
        #expect(sound.rate == 44_100)
        #expect(sound.count == 3)
    }

    @Test(arguments: [
        wave(bits: 24, [0, 0, 0x40, 0, 0, 0x80, 0, 0, 0xE0]),
        wave(kind: 3, bits: 32, [0, 0, 0, 0x3F, 0, 0, 0x80, 0xBF, 0, 0, 0x80, 0xBE]),
    ])
    func reads24BitsAndFloats(bytes: [UInt8]) throws {
        guard case .floats(let samples) = try Sound(wave: bytes).samples else {
            Issue.record("24 bits and floats become floats")
            return
        }
        #expect(samples == [0.5, -1, -0.25])
    }

    @Test func readsWhatIsThereOfATruncatedFile() throws {
        let whole = wave(bits: 16, [1, 0, 2, 0, 3, 0])
        #expect(try Sound(wave: Array(whole.dropLast(3))).count == 1)
    }

    @Test(arguments: [
        [], Array("RIFF".utf8), Array("RIFF\0\0\0\0WAVE".utf8), wave(bits: 0, [1]), wave(bits: 8, [1]),
        wave(channels: 2, bits: 16, [1, 0]),
    ])
    func refusesOtherFiles(bytes: [UInt8]) {
        #expect(throws: CorpusError.self) { try Sound(wave: bytes) }
    }

    @Test func survivesEveryTruncation() {
        let whole = wave(bits: 24, [1, 2, 3, 4, 5, 6])
        for length in whole.indices {
            let sound = try? Sound(wave: Array(whole.prefix(length)))
            #expect((sound?.count ?? 0) <= 2)
        }
    }
}
