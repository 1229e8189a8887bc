import Foundation
import JackdawAudioFile
import JackdawTestSupport
import Testing

/// Seeded damage to headers of every container: the reader must come back with samples or a typed error, in bounded
/// memory.
@Suite("Header fuzz")
struct HeaderFuzzTests {
    @Test func mutatedHeaders() async {
        await #expect(processExitsWith: .success) {
            let directory = try TestDirectory()
            let samples = randomInt16(count: 300, seed: 41)
            try write(samples.map { Float($0) / 32_768 }, to: directory.path("a.flac"), encoding: .int16)
            var extensible = WAVBytes(samples)
            extensible.formatTag = 0xFFFE
            extensible.formatExtension = [22, 0, 16, 0, 4, 0, 0, 0, 1] + .init(repeating: 0, count: 15)
            extensible.chunksBefore = riffChunk("LIST", Array("INFOISFT\u{4}\0\0\0abcd".utf8))
            let originals = [
                WAVBytes(samples).bytes, extensible.bytes, auBytes(samples), aiffBytes(samples), cafBytes(samples),
                rifxBytes(samples), try directory.bytes("a.flac"),
            ]
            var random = SeededRandom(seed: 42)
            var outcomes: [Bool: Int] = [:]
            for round in 0..<4_000 {
                let bytes = mutated(originals[round % originals.count], using: &random)
                let path = try directory.file("mutant", bytes)
                do {
                    var reader = try AudioFileReader(path: path)
                    var block = AudioBlock<Float>(channels: reader.format.channels, capacity: 512)
                    // A FLAC frame of a dozen bytes can stand for 65,535 samples of silence; nothing can for more.
                    while try reader.read(into: &block) > 0 {
                        try #require(reader.framesRead <= bytes.count * 65_535)
                        for channel in 0..<block.channels {
                            let isFinite = block.withChannel(channel) { span in
                                span.indices.allSatisfy { span[$0].isFinite }
                            }
                            try #require(isFinite)
                        }
                    }
                    outcomes[true, default: 0] += 1
                } catch let error as AudioFileError {
                    try #require(error.code.exitStatus == 65, "\(error)")
                    outcomes[false, default: 0] += 1
                }
            }
            // Neither all nor none of them may have been broken, or the test tests nothing.
            try #require(outcomes[true, default: 0] > 500)
            try #require(outcomes[false, default: 0] > 500)
            // The address sanitizer keeps freed memory.
            guard unsafe dlsym(nil, "__asan_init") == nil else { return }
            let kibibytes = try peakMemory()
            try #require(kibibytes < 200_000, "kibibytes: \(kibibytes)")
        }
    }
}

/// A copy with a few bytes changed, mostly in its first 100, or cut, or lengthened.
private func mutated(_ original: [UInt8], using random: inout SeededRandom) -> [UInt8] {
    let interesting: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, 0xFE]
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) {
        let reach = Bool.random(using: &random) ? min(100, bytes.count) : bytes.count
        let place = Int.random(in: 0..<reach, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: bytes[place] = .random(in: 0...255, using: &random)
        case 3..<5: bytes[place] = interesting.randomElement(using: &random) ?? 0
        case 5: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 6: bytes.insert(contentsOf: bytes.prefix(place), at: place)
        default: bytes.removeSubrange(place..<min(place + 4, bytes.count - 1))
        }
    }
    return bytes
}
