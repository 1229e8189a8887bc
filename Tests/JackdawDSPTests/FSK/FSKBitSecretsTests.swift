import Testing

@testable import JackdawDSP

/// Sound and bits of cards are overwritten when they have been read.
struct FSKBitSecretsTests {
    /// A burst in noise and a whistle whose clock and tones are off, so that all that is tried is tried,
    /// and what goes on after it.
    private static func sound() throws -> [Float] {
        let sent = FrequencyShift(baud: 1_224, mark: 1_224, space: 2_244)
        var samples = try FSKBitBench.samples(FSKBitBench.bits(1_000, seed: 4), sent, sampleRate: 8_000)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 14, sent, sampleRate: 8_000, seed: 1)
        for index in samples.indices {
            samples[index] += Float(0.3 * Numerics.sineAndCosine(turns: 0.05 * Double(index)).sine)
        }
        // It ends within a burst: all is held that is known of one.
        return samples + samples[..<(samples.count / 2)]
    }

    private static func receiver(_ sound: [Float]) -> FSKBitReceiver {
        var receiver = FSKBitReceiver(.bell202, sampleRate: 8_000)
        var events: [LineEvent] = []
        receiver.receive(sound.span, into: &events)
        return receiver
    }

    @Test func resetOverwritesAll() throws {
        var receiver = Self.receiver(try Self.sound())
        try HeldArray.expectOverwritten(in: &receiver, least: 20) { $0.reset() }
    }

    @Test func finishOverwritesAll() throws {
        var receiver = Self.receiver(try Self.sound())
        var events: [LineEvent] = []
        try HeldArray.expectNothing(in: &receiver) { $0.finish(into: &events) }
    }

    @Test func theSecondRecordingKeepsItsPlaces() throws {
        let sound = try Self.sound()
        var receiver = Self.receiver(sound)
        receiver.reset()
        var events: [LineEvent] = []
        HeldArray.expectSamePlaces(in: &receiver) { $0.receive(sound.span, into: &events) }
    }

    @Test func theLastHolderOverwritesAll() throws {
        let sound = try Self.sound()
        var decoder: FSKBitDecoder? = try FSKBitDecoder(.bell202, sampleRate: 8_000)
        var events: [LineEvent] = []
        decoder!.receive(sound.span, into: &events)
        let places = HeldArray.all(in: decoder!.box.content)
        let before = try places.map { try $0.content }
        decoder = nil
        // The memory may be another test's by now, which may hold much the same.
        #expect(try HeldArray.shareLeft(of: before, at: places) < 0.25)
    }

    @Test func aCopyKeepsItsOwn() throws {
        let sound = try Self.sound()
        var first = try FSKBitDecoder(.bell202, sampleRate: 8_000)
        var events: [LineEvent] = []
        first.receive(sound.span.extracting(..<5_000), into: &events)
        var second = first
        first.reset()
        second.receive(sound.span.extracting(5_000...), into: &events)
        second.finish(into: &events)
        let whole = try FSKBitBench.events(sound, .bell202, sampleRate: 8_000)
        #expect(FSKBench.bytes(events) == FSKBench.bytes(whole))
        #expect(FSKBench.bytes(events).count > 1_400)
    }
}
