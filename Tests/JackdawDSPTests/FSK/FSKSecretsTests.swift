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
        let places = HeldArray.all(in: receiver)
        #expect(places.count >= 18)
        for place in places { #expect(try place.nonZeroBytes > 0, "\(place.name) holds nothing") }
        receiver.reset()
        for place in places { #expect(try place.nonZeroBytes == 0, "\(place.name)") }
    }

    @Test func finishOverwritesAll() throws {
        var receiver = Self.receiver(try Self.sound())
        let places = HeldArray.all(in: receiver)
        var events: [LineEvent] = []
        receiver.finish(into: &events)
        // What has grown is in another place, and what was given back is no longer the receiver's.
        let held = HeldArray.all(in: receiver)
        #expect(held.count == places.count)
        for place in held { #expect(try place.nonZeroBytes == 0, "\(place.name)") }
    }

    /// What is held is neither copied nor moved when the same comes again: nothing more is allocated for it.
    @Test func theSecondRecordingKeepsItsPlaces() throws {
        let sound = try Self.sound()
        var receiver = Self.receiver(sound)
        receiver.reset()
        let before = HeldArray.all(in: receiver)
        var events: [LineEvent] = []
        receiver.receive(sound.span, into: &events)
        let after = HeldArray.all(in: receiver)
        #expect(before.map(\.name) == after.map(\.name))
        for (first, second) in zip(before, after) { #expect(first.address == second.address, "\(first.name)") }
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
