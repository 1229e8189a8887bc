import ArgumentParser
import Foundation

/// How fast streams of readers' frames are cut.
struct Frames: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times how streams of readers' frames are cut, on one core.",
        discussion: """
            With --once each stream is cut once between two polls: Tests/Lab/audio_path.c, preloaded, counts what is \
            allocated there, by the name that the thread is given.
            """)

    @Option(help: "Runs of each measurement, of which the median counts.") var runs = 5
    @Option(help: "Write the table into this file.") var markdown: String?
    @Flag(help: "Cut each stream once, for its allocations to be counted.") var once = false

    private static let pieces = [("64 B", 64), ("4 KiB", 4_096), ("whole", Int.max / 2)]

    func run() throws {
        let streams = try FrameStream.all()
        for stream in streams {
            guard stream.cut(piece: 4_096) == stream.frames else {
                throw CorpusError(description: "\(stream.name): not every frame was found")
            }
        }
        guard !once else { return cutOnce(streams) }
        var rows = [["MB/s"] + Self.pieces.map(\.0)]
        for stream in streams {
            rows.append([stream.name] + Self.pieces.map { rate(stream, piece: $0.1).formatted(decimals: 0) })
        }
        let table = ModemTables.markdown(rows)
        print(table)
        if let markdown { try table.write(toFile: markdown, atomically: true, encoding: .utf8) }
    }

    private func rate(_ stream: FrameStream, piece: Int) -> Double {
        let rates = (0..<runs).map { _ in
            var found = 0
            let seconds = processorSeconds { found = stream.cut(piece: piece) }
            precondition(found == stream.frames, "the same frames each time")
            return Double(stream.bytes.count) / 1e6 / seconds
        }
        return rates.sorted()[runs / 2]
    }

    private func cutOnce(_ streams: [FrameStream]) {
        Thread.current.name = "jackdaw-frames"
        _ = poll(nil, 0, 0)
        for stream in streams {
            for (_, piece) in Self.pieces { _ = stream.cut(piece: piece) }
        }
        _ = poll(nil, 0, 0)
    }
}
