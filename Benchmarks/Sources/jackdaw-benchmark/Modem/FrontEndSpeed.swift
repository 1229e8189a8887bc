import JackdawDSP

/// How fast the library hears that a line rests: what all sound has to go through, whatever it holds.
enum FrontEndSpeed {
    private static let rate = 48_000.0
    private static let seconds = 60.0
    private static let rounds = 20
    private static let block = 32_768
    private static let lines: [(name: String, shift: FrequencyShift)] = [
        ("300 baud", .bell103), ("1200 baud", .bell202),
        ("9600 baud", FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)),
    ]

    /// M samples a second of processor time, on one core.
    /// - Parameter runs: runs of each line, of which the median counts.
    /// - Returns: a table.
    /// - Throws: ``CorpusError`` if something is read that is not there.
    static func table(runs: Int) throws -> String {
        var rows = [["line at rest", "M samples/s"]]
        for line in lines {
            var encoder = try FSKEncoder(line.shift, sampleRate: rate)
            var sound: [Float] = []
            encoder.idle(seconds: seconds, into: &sound)
            let samples = sound.map { Int16($0 * 32_767) }
            let rates = try (0..<runs).map { _ in try rate(samples, line.shift) }.sorted()
            rows.append([line.name, rates[runs / 2].formatted(decimals: 0)])
        }
        return "16-bit samples at 48 kHz, median of \(runs) runs:\n\n" + ModemTables.markdown(rows)
    }

    private static func rate(_ samples: [Int16], _ shift: FrequencyShift) throws -> Double {
        var decoder = try FSKDecoder(shift, sampleRate: rate)
        var events: [LineEvent] = []
        let seconds = processorSeconds {
            for _ in 0..<rounds {
                for start in stride(from: 0, to: samples.count, by: block) {
                    let end = min(start + block, samples.count)
                    decoder.receive(samples.span.extracting(start..<end), into: &events)
                }
            }
        }
        guard events.isEmpty else { throw CorpusError(description: "characters were read on a line at rest") }
        return Double(rounds * samples.count) / 1e6 / seconds
    }
}
