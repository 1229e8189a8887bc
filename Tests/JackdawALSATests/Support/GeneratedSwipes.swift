import Foundation
import JackdawAudioFile
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import JackdawALSA

/// Swipes of all kinds, one after the other.
struct GeneratedSwipes {
    /// What is on the cards.
    private(set) var texts: Set<String> = []
    /// Channels interleaved.
    private(set) var sound: [Float] = []
    private let rate: Double
    private let channels: Int

    /// - Parameters:
    ///   - count: swipes of each channel.
    ///   - rate: frames per second (Hz).
    ///   - channels: samples of a frame.
    ///   - seed: what makes them differ.
    /// - Throws: what cannot be on a card.
    init(_ count: Int, rate: Double, channels: Int, seed: UInt64) throws {
        self.rate = rate
        self.channels = channels
        var random = SeededRandom(seed: seed)
        for _ in 0..<count {
            let swipes = try (0..<channels).map { _ in try Self.swipe(rate: rate, &random) }
            texts.formUnion(swipes.map(\.text))
            Self.append(swipes.map(\.samples), to: &sound)
        }
    }

    /// Writes them as a sound card has them.
    /// - Returns: the path, and the same sound as a file has it.
    func write(to files: RecordingFiles, _ encoding: PCMEncoding) throws -> (played: String, file: FileSound) {
        let played = try files.write(Self.bytes(sound, encoding), to: "played.raw")
        // Files pack 24 bits.
        let raw = [PCMEncoding.s16: "s16", .s24: "s24", .s24Packed: "s24", .s32: "s32", .float: "f32"][encoding] ?? ""
        let read = encoding == .s24 ? try files.write(Self.bytes(sound, .s24Packed), to: "read.raw") : played
        let file = try FileSound(path: read, raw: RawAudioFormat(parsing: "\(Int(rate)),\(raw),\(channels)"))
        try #require(file.samples.count == sound.count)
        return (played, file)
    }

    /// A swipe of a test card, as hands, heads and sound cards make them; no faster than four samples a bit cell.
    private static func swipe(
        rate: Double, _ random: inout SeededRandom
    ) throws -> (text: String, samples: [Float]) {
        let track = try #require(TrackNumber.allCases.randomElement(using: &random))
        let fastest = min(40, rate / 4 / track.bitsPerInch)
        let octaves = Double.random(in: 0...1, using: &random)
        var configuration = SwipeSynthesizer.Configuration(sampleRate: rate)
        configuration.speed = 5 * pow(fastest / 5, octaves)
        configuration.direction = Bool.random(using: &random) ? .forward : .reverse
        configuration.isInverted = Bool.random(using: &random)
        configuration.peakLevel = .random(in: -30 ... -3, using: &random)
        // What takes the decoder long is rarer: what is overdriven, and what is noisy.
        func isRare() -> Bool { Int.random(in: 0..<6, using: &random) == 0 }
        configuration.clipping = isRare() ? .random(in: 1.2...4, using: &random) : nil
        configuration.signalToNoise = .random(in: isRare() ? 8...20 : 20...40, using: &random)
        configuration.silence = 0.05
        configuration.seed = random.next()
        let text = text(track, &random)
        let message = try TrackMessage(text, code: track.characterCode)
        return (text, try SwipeSynthesizer(configuration: configuration).render(FluxStripe(message, track: track)))
    }

    private static func text(_ track: TrackNumber, _ random: inout SeededRandom) -> String {
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
        }
        return switch track {
        case .one: "%B999999\(digits(10))^CARD/TEST^2912101\(digits(12))?"
        case .two: ";999999\(digits(10))=2912101\(digits(8))?"
        case .three: ";01999999\(digits(10))==\(digits(60))?"
        }
    }

    /// Puts sounds side by side, as long as the longest.
    private static func append(_ channels: [[Float]], to sound: inout [Float]) {
        let frames = channels.map(\.count).max() ?? 0
        guard channels.count > 1 else { return sound += channels[0] }
        for frame in 0..<frames { for channel in channels { sound.append(frame < channel.count ? channel[frame] : 0) } }
    }

    /// Samples as a sound card has them, by other means than the library's own.
    private static func bytes(_ samples: [Float], _ encoding: PCMEncoding) -> [UInt8] {
        let width = encoding.bytesPerSample
        var bytes = [UInt8](repeating: 0, count: samples.count * width)
        let scale: Double = [.s16: 0x1p15, .s32: 0x1p31][encoding] ?? 0x1p23
        for (index, sample) in samples.enumerated() {
            var value =
                encoding == .float
                ? Int64(sample.bitPattern) : Int64(max(-scale, min(scale - 1, (Double(sample) * scale).rounded())))
            for place in 0..<width {
                bytes[index * width + place] = UInt8(truncatingIfNeeded: value)
                value >>= 8
            }
        }
        return bytes
    }
}
