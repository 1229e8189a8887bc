import JackdawDSP
import JackdawReaders
import JackdawSimulator

/// A search and what it hears.
struct SearchRehearsal: ~Copyable {
    private var search: ReaderSearch
    private var reader: SimulatedAudioReader?
    private var line: PoweredLine
    var mayPlayTones = true
    private(set) var loudestPlayed: Float = 0
    private(set) var askedCount = 0
    private let block = 480

    init(
        _ families: [String], reader: String?, path: AudioPath = AudioPath(), sampleRate: Double = 48_000
    ) throws {
        let candidates = families.compactMap { ReaderFamily.named($0) }.map {
            ReaderSearchCandidate($0, profile: $0.simulatedProfile)
        }
        try self.init(candidates, reader: reader, path: path, sampleRate: sampleRate)
    }

    init(_ candidates: [ReaderSearchCandidate], reader: String?, path: AudioPath, sampleRate: Double) throws {
        let line = try ReaderSearch.makeLine(sampleRate: sampleRate)
        self.reader = try Self.reader(reader, path, sampleRate)
        search = ReaderSearch(candidates, playbackRate: sampleRate, captureRate: sampleRate)
        self.line = line
    }

    private static func reader(
        _ name: String?, _ path: AudioPath, _ sampleRate: Double
    ) throws -> SimulatedAudioReader? {
        guard let name, let family = ReaderFamily.named(name), let simulated = SimulatedFamily.named(name),
            let sound = try family.makeSound(family.simulatedProfile)
        else { return nil }
        let model = try simulated.makeModel(family.simulatedProfile)
        return try SimulatedAudioReader(sound, sampleRate: sampleRate, path: path) { SimulatedReader(model) }
    }

    /// Runs it to its end.
    mutating func run() -> ReaderSearchReport {
        while true {
            var played: [Float] = []
            line.append(frames: block, to: &played)
            while line.takeFinished() != nil {}
            loudestPlayed = max(loudestPlayed, played.map(abs).max() ?? 0)
            var captured: [Float] = []
            if reader != nil {
                reader?.exchange(played.span, into: &captured)
            } else {
                captured = [Float](repeating: 0, count: block)
            }
            var outputs = search.hear(captured.span)
            while let output = outputs.first {
                outputs.removeFirst()
                switch output {
                case .play(let change): change.apply(to: &line)
                case .needsTones:
                    askedCount += 1
                    outputs += search.allowTones(mayPlayTones)
                case .finished(let report): return report
                }
            }
        }
    }
}
