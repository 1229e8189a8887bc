import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The decoder and the encoder of each mode, which have one type for all line codes.
struct LineModeTests {
    private static let names = ["bell202", "unimag", "udynamo", "hijack"]
    private static let bytes = Array(";4111111111111111=2912?".utf8)

    @Test(arguments: names) func copiesOfADecoderChangeOnTheirOwn(name: String) throws {
        let mode = try LineMode(named: name)
        let samples = BasebandBench.samples(Self.bytes, try mode.encoder(sampleRate: 48_000))
        let whole = BasebandBench.receive(samples, try mode.decoder(sampleRate: 48_000)).bytes
        var first = try mode.decoder(sampleRate: 48_000)
        let half = samples.count / 2
        var events = first.receive(samples.span.extracting(first: half))
        var second = first
        second.reset()
        events += first.receive(samples.span.extracting(half..<samples.count)) + first.finish()
        #expect(!whole.isEmpty)
        #expect(BasebandBench.reading(events).bytes == whole)
        #expect(BasebandBench.receive(samples, second).bytes == whole)
    }

    @Test(arguments: names) func copiesOfAnEncoderChangeOnTheirOwn(name: String) throws {
        let first = try LineMode(named: name).encoder(sampleRate: 48_000)
        var second = first
        var samples: [Float] = []
        second.encode(Self.bytes.span, into: &samples)
        #expect(BasebandBench.samples(Self.bytes, first) == BasebandBench.samples(Self.bytes, first))
        second.reset()
        #expect(BasebandBench.samples(Self.bytes, second) == BasebandBench.samples(Self.bytes, first))
    }

    @Test(arguments: names) func reflectionShowsNothingOfTheLine(name: String) throws {
        let mode = try LineMode(named: name)
        var encoder = try mode.encoder(sampleRate: 48_000)
        var decoder = try mode.decoder(sampleRate: 48_000)
        var before = ""
        dump(encoder, to: &before)
        dump(decoder, to: &before)
        var samples: [Float] = []
        encoder.encode(Self.bytes.span, into: &samples)
        _ = decoder.receive(samples.span)
        var after = ""
        dump(encoder, to: &after)
        dump(decoder, to: &after)
        #expect(before == after)
        #expect(before.contains(name) && before.contains("48000"))
    }
}
