import Foundation
import JackdawDSP
import JackdawReaders
import JackdawSimulator

/// A jack on which a reader is looked for, at 48 kHz, in the time of its frames.
struct SearchedJack: ~Copyable {
    private static let rate = 48_000.0
    /// Frames that are played and heard at once.
    private static let block = 480

    private var reader: SimulatedAudioReader?
    private var noise: GaussianNoise
    private var floor: Float = 0
    /// What is heard of what is played.
    private var crosstalk: Float = 0
    private var sound: [Float] = []

    /// A jack with a simulated reader.
    init(reader name: String, _ path: AudioPath) throws {
        self.init(try Self.reader(name, path), GaussianNoise(seed: path.seed))
    }

    private init(_ reader: consuming SimulatedAudioReader?, _ noise: GaussianNoise) {
        self.reader = reader
        self.noise = noise
    }

    private static func reader(_ name: String, _ path: AudioPath) throws -> SimulatedAudioReader {
        guard let family = ReaderFamily.named(name), let simulated = SimulatedFamily.named(name),
            let sound = try family.makeSound(family.simulatedProfile)
        else { throw CorpusError(description: "\(name) is not heard") }
        let model = try simulated.makeModel(family.simulatedProfile)
        return try SimulatedAudioReader(sound, sampleRate: rate, path: path) { SimulatedReader(model) }
    }

    /// A jack with noise from -90 to -40 dBFS, and headphones where something is heard of what is played.
    /// - Parameters:
    ///   - number: where the noise comes from.
    ///   - crosstalk: level of what is heard of what is played, in dB; nil for nothing.
    init(nobodyAt number: Int, crosstalk: Double?) {
        reader = nil
        noise = GaussianNoise(seed: UInt64(number) + 1)
        floor = Self.amplitude(-90 + Double(number % 51))
        self.crosstalk = crosstalk.map(Self.amplitude) ?? 0
    }

    /// A jack whose microphone hears a recording, again and again.
    init(hearing path: String) throws {
        let sound = try Sound(contentsOf: path)
        guard sound.rate == Self.rate else { throw CorpusError(description: "\(path): not at \(Int(Self.rate)) Hz") }
        reader = nil
        noise = GaussianNoise(seed: 1)
        switch sound.samples {
        case .integers(let samples): self.sound = samples.map { Float($0) / 32_768 }
        case .floats(let samples): self.sound = samples
        }
    }

    /// Looks for a reader until it is found or not.
    consuming func search(_ families: [String]) throws -> ReaderSearchReport {
        let candidates = families.compactMap { ReaderFamily.named($0) }.map {
            ReaderSearchCandidate($0, profile: $0.simulatedProfile)
        }
        var search = ReaderSearch(candidates, playbackRate: Self.rate, captureRate: Self.rate)
        var line = try ReaderSearch.makeLine(sampleRate: Self.rate)
        var position = 0
        while true {
            var played: [Float] = []
            line.append(frames: Self.block, to: &played)
            while line.takeFinished() != nil {}
            let heard = hear(played, at: position)
            position += Self.block
            var outputs = search.hear(heard.span)
            while !outputs.isEmpty {
                switch outputs.removeFirst() {
                case .play(let change): change.apply(to: &line)
                case .needsTones: outputs += search.allowTones(true)
                case .finished(let report): return report
                }
            }
        }
    }

    private mutating func hear(_ played: [Float], at position: Int) -> [Float] {
        var heard: [Float] = []
        if reader != nil {
            reader?.exchange(played.span, into: &heard)
            return heard
        }
        return (0..<Self.block).map { frame in
            let floor = self.floor > 0 ? self.floor * Float(noise.next()) : 0
            let around = sound.isEmpty ? 0 : sound[(position + frame) % sound.count]
            return floor + around + crosstalk * played[ReaderSearch.channelCount * frame]
        }
    }

    private static func amplitude(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}
