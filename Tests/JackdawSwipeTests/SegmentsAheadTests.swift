import JackdawTestSupport
import Synchronization
import Testing

@testable import JackdawDSP
@testable import JackdawSwipe

/// Segments that are found by a scout, decoded elsewhere, and taken by a reader.
@Suite struct SegmentsAheadTests {
    /// Swipes that are clean, noisy, reversed and cut, with pauses and without, and tones that look like swipes.
    private static func channel(_ seed: UInt64, tones: Int) throws -> [Float] {
        // The channels differ from their first sample on.
        var sound = [Float(seed) * 0.001]
        for (index, noise) in [30.0, 6, 30, 3, 12].enumerated() {
            sound += try Sound.swipe(
                index.isMultiple(of: 2) ? .two : .one, silence: [0.3, 0.02, 0.2][index % 3], noise: noise,
                direction: index == 2 ? .reverse : .forward)
            if index == 1 { sound += Self.tones(tones, seed: seed) }
        }
        return sound + (try Sound.swipe(.one, silence: 0.1)).prefix(9_000) + Sound.silence(0.3)
    }

    /// Bursts of an irregular square wave.
    private static func tones(_ count: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).flatMap { _ in
            var level: Float = 0.4
            let burst = (0..<70).flatMap { _ in
                level = -level
                return [Float](repeating: level, count: Int.random(in: 15...40, using: &random))
            }
            return burst + Sound.silence(0.2)
        }
    }

    /// What is compared of an event: everything but the names.
    private static func detail(_ event: HeadEvent) -> String {
        switch event {
        case .track(let track):
            let text = track.decoded.characters.withElements { characters in characters.indices.map { characters[$0] } }
            return "\(track.channel) \(text) \(track.decoded.cellBoundaries) \(track.decoded.confidence)"
        case .card(let card): return "\(card.card) \(card.span)"
        case .failure(let failure, let channel):
            let bits = failure.bits.withElements { bits in bits.indices.map { bits[$0] } }
            return "\(channel) \(failure.reason.name) \(failure.span) \(bits)"
        }
    }

    /// The findings of a worker for each channel.
    private final class Findings: Sendable {
        let looks = Mutex<[Int: [SegmentLook: DecodedLook]]>([:])
        let taken = Mutex(0)
        let asked = Mutex(0)

        func take(_ channel: Int, _ look: SegmentLook) -> DecodedLook? {
            asked.withLock { $0 += 1 }
            let found = looks.withLock { $0[channel]?.removeValue(forKey: look) }
            if found != nil { taken.withLock { $0 += 1 } }
            return found
        }
    }

    /// With the right outlook and with that of a new recording, which is wrong after many tones; and two channels.
    @Test(arguments: [(true, 1, 12), (false, 1, 12), (true, 2, 1)]) func findingsOfAWorkerGiveTheSameEvents(
        isInOrder: Bool, channels: Int, tones: Int
    ) throws {
        let sound = Sound.interleaved(try (1...channels).map { try Self.channel(UInt64($0), tones: tones) })
        let configuration = HeadReader.Configuration(sampleRate: Sound.rate, channelCount: channels)
        let plain = try Sound.events(sound, configuration)
        #expect(Sound.cards(plain).count >= 3)

        var scout = try HeadReader(configuration: configuration)
        scout.beginScouting()
        let findings = Findings()
        var outlooks = [SegmentWorker.Outlook](repeating: .init(), count: channels)
        var segments = 0
        var fruitless = 0
        var events = scout.receive(sound.span)
        events += scout.finish()
        #expect(events.isEmpty)
        for (channel, segment) in scout.takeSegments() {
            var worker = SegmentWorker(sampleRate: Sound.rate)
            var outlook = isInOrder ? outlooks[channel] : .init()
            let looks = worker.decode(segment, outlook: &outlook)
            outlooks[channel] = outlook
            fruitless = max(fruitless, outlook.patience.fruitlessSearches)
            findings.looks.withLock { $0[channel, default: [:]].merge(looks) { old, _ in old } }
            segments += 1
        }
        #expect(segments >= channels * tones)
        #expect(isInOrder && tones == 12 ? fruitless > 8 : fruitless < 8, "\(fruitless)")
        let found = findings.looks.withLock { $0.values.reduce(0) { $0 + $1.count } }
        #expect(found >= segments)

        var reader = try HeadReader(configuration: configuration)
        reader.takeFindings { findings.take($0, $1) }
        let ahead = reader.receive(sound.span) + reader.finish()
        #expect(ahead.map(Self.detail) == plain.map(Self.detail))
        // A look at the end of a segment is left if the one at its last pause has found a message.
        #expect(findings.taken.withLock { $0 } == found)
    }

    @Test func aLookAtAnotherPlaceHasNoFindings() throws {
        let sound = try Self.channel(1, tones: 1)
        let configuration = HeadReader.Configuration(sampleRate: Sound.rate)
        var reader = try HeadReader(configuration: configuration)
        let findings = Findings()
        reader.takeFindings { findings.take($0, $1) }
        let events = reader.receive(sound.span) + reader.finish()
        #expect(events.map(Self.detail) == (try Sound.events(sound, configuration)).map(Self.detail))
        #expect(findings.asked.withLock { $0 } >= 6)
    }
}
