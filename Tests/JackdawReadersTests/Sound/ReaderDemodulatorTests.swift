import JackdawDSP
import JackdawReaders
import Testing

@Suite struct ReaderDemodulatorTests {
    /// Bytes that are messages by themselves are handed over whatever the block: none is lost
    /// where there are more than fit.
    @Test(arguments: [240, .max]) func manyBytesOfABlockAreAllReceived(block: Int) throws {
        let sound = try #require(try ReaderFamily.named("hijack")?.makeSound())
        let bytes = (0..<ReaderDemodulator.greatestBurst + 900).map { UInt8(truncatingIfNeeded: 7 * $0) }
        var encoder = try sound.answers.encoder(sampleRate: 48_000, level: -6)
        var samples: [Float] = []
        encoder.encode(bytes.span, into: &samples)
        encoder.finish(into: &samples)
        samples += [Float](repeating: 0, count: 4_800)
        var demodulator = try ReaderDemodulator(sound, sampleRate: 48_000)
        var heard: [UInt8] = []
        for start in stride(from: 0, to: samples.count, by: min(block, samples.count)) {
            let part = samples.span.extracting(start..<min(start + min(block, samples.count), samples.count))
            demodulator.receive(part) { some in
                #expect(some.count <= ReaderDemodulator.greatestBurst)
                heard += some.indices.map { some[$0] }
            }
        }
        #expect(heard == bytes)
    }
}
