import JackdawDSP
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// A simulated reader whose messages another object plays, as a sound card does.
@Suite struct SimulatedAudioHostTests {
    /// What the reader says while a line plays for some seconds.
    private static func said(
        by reader: inout SimulatedAudioReader, _ line: inout PoweredLine, seconds: Double, channels: Int
    ) -> [[Float]] {
        var messages: [[Float]] = []
        for _ in 0..<Int(seconds * 100) {
            var played: [Float] = []
            line.append(frames: 480, to: &played)
            if channels == 1 { played = stride(from: 0, to: played.count, by: 2).map { played[$0] } }
            reader.hear(played.span, of: channels) { messages.append($0) }
        }
        return messages
    }

    private static func bytes(of message: [Float], _ sound: ReaderSound) throws -> [UInt8] {
        var demodulator = try ReaderDemodulator(sound, sampleRate: 48_000)
        var bytes: [UInt8] = []
        let samples = [Float](repeating: 0, count: 4_800) + message + [Float](repeating: 0, count: 9_600)
        demodulator.receive(samples.span) { burst in bytes += burst.indices.map { burst[$0] } }
        return bytes
    }

    @Test(arguments: [1, 2], [false, true]) func aReaderIsReceivedThroughACard(channels: Int, isInverted: Bool) throws {
        let sound = try #require(try ReaderFamily.named("unimag")?.makeSound())
        var path = AudioPath()
        path.isInverted = isInverted
        var reader = try SimulatedAudioReader(sound, sampleRate: 48_000, path: path) { SimulatedReader(UniMagModel()) }
        var modulator = try ReaderModulator(sound, sampleRate: 48_000)
        var line = try modulator.makeLine()
        #expect(Self.said(by: &reader, &line, seconds: 1, channels: channels).isEmpty)
        modulator.change(to: .connecting).apply(to: &line)
        let greeting = Self.said(by: &reader, &line, seconds: 2, channels: channels)
        #expect(greeting.count == 1)
        #expect(
            try greeting.contains { String(decoding: try Self.bytes(of: $0, sound), as: UTF8.self).contains("SPPMSR") })
        modulator.change(to: .connected).apply(to: &line)
        let question: [UInt8] = [0x02, 0x52, 0x22, 0x03, 0x71]
        modulator.change(sending: question.span).apply(to: &line)
        let answers = Self.said(by: &reader, &line, seconds: 2, channels: channels)
        #expect(answers.count == 1)
        #expect(try answers.first.map { try Self.bytes(of: $0, sound).prefix(2) } == [0x06, 0x02])
    }

    /// A card that captures what was played, and keeps what will be played.
    private final class RecordedCard: AudioPort, PlaybackPort {
        let sampleRate = 48_000.0
        let channelCount = 2
        private let played: Shared<[[Float]]>
        let line: Shared<PoweredLine>

        init(_ blocks: [[Float]]) throws {
            played = Shared(blocks)
            line = Shared(try SimulatedAudioHost.makeLine(sampleRate: 48_000))
        }

        func change(_ change: @escaping @Sendable (inout PoweredLine) -> Void) { line.with { change(&$0) } }

        func receive(within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void) -> Bool {
            guard let block = played.with({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                take(.ended, Span())
                return true
            }
            take(.sound(CapturedBlock(frames: block.count / 2, position: 0, time: 0)), block.span)
            return true
        }
    }

    @Test func framesOfTheReaderArePlayed() throws {
        let sound = try #require(try ReaderFamily.named("unimag")?.makeSound())
        let modulator = try ReaderModulator(sound, sampleRate: 48_000)
        var power = try modulator.makeLine()
        modulator.change(to: .connecting).apply(to: &power)
        let blocks = (0..<300).map { _ in
            var block: [Float] = []
            power.append(frames: 480, to: &block)
            return block
        }
        let card = try RecordedCard(blocks)
        var host = SimulatedAudioHost(
            try SimulatedAudioReader(sound, sampleRate: 48_000) { SimulatedReader(UniMagModel()) })
        var reported: [Bool] = []
        try host.run(hearing: card, saying: card, while: { true }, { reported.append($0) })
        #expect(reported == [true])
        #expect(card.line.with { $0.commandCount } == 1)
        var heard: [Float] = []
        card.line.with { $0.append(frames: 48_000, to: &heard) }
        #expect(try String(decoding: Self.bytes(of: heard, sound), as: UTF8.self).contains("SPPMSR"))
        try host.run(hearing: card, saying: card, while: { false })
    }
}
