import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Sound and characters of cards are overwritten when they have been read.
struct FSKSecretsTests {
    /// Sound that both tiers have a part of.
    private static func sound() throws -> [Float] {
        let bytes = [UInt8](repeating: 0x5A, count: 60)
        let clear = try FSKBench.samples(bytes, .bell202, sampleRate: 8_000)
        var noisy = clear
        FSKBench.addNoise(&noisy, bitEnergyToNoise: 10, .bell202, sampleRate: 8_000, seed: 1)
        return clear + noisy
    }

    private static func receiver(_ sound: [Float]) -> FSKReceiver {
        var receiver = FSKReceiver(.bell202, framing: .eightNoneOne, sampleRate: 8_000)
        var events: [LineEvent] = []
        receiver.receive(sound.span, into: &events)
        return receiver
    }

    @Test func resetOverwritesAll() throws {
        var receiver = Self.receiver(try Self.sound())
        try HeldArray.expectOverwritten(in: &receiver, least: 18) { $0.reset() }
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
        var decoder: FSKDecoder? = try FSKDecoder(.bell202, sampleRate: 8_000)
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
        var first = try FSKDecoder(.bell202, sampleRate: 8_000)
        var events: [LineEvent] = []
        let half = sound.count / 2 + 1_000
        let (head, tail) = (Array(sound[..<half]), Array(sound[half...]))
        first.receive(head.span, into: &events)
        var second = first
        first.reset()
        second.receive(tail.span, into: &events)
        second.finish(into: &events)
        let whole = try FSKBench.events(sound, .bell202, sampleRate: 8_000)
        #expect(FSKBench.bytes(events) == FSKBench.bytes(whole))
        #expect(FSKBench.bytes(events).count >= 119)
    }

    @Test func reflectionShowsNothing() throws {
        let fresh = try FSKDecoder(.bell202, sampleRate: 8_000)
        var used = fresh
        var events: [LineEvent] = []
        let sound = try Self.sound()
        used.receive(sound.span, into: &events)
        var before = ""
        var after = ""
        dump(fresh, to: &before)
        dump(used, to: &after)
        #expect(before == after)
        #expect(before.contains("1200"))
    }
}
