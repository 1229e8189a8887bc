#if Command
import JackdawReaders

/// The output of an earlier `bench --json`, to compare with.
struct BenchBaseline {
    private struct Row {
        let tracks: Int
        let samples: Int
        /// Million samples a second of processor time.
        let rate: Double
    }

    private static let mostBytes = 64 << 20
    private static let mostLineBytes = 64 << 10

    private let path: String
    private let rows: [String: Row]

    /// Reads a file of objects, one a line.
    /// - Throws: `CommandError` if it cannot be read or has other content.
    init(_ path: String) throws(CommandError) {
        self.path = path
        var bytes: [UInt8] = []
        try SmallFile.read(path, most: Self.mostBytes, tooMany: "too long for the output of bench", into: &bytes)
        var rows: [String: Row] = [:]
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard case .object(let object)? = try? JSONValue(Array(line), most: Self.mostLineBytes),
                case .text(let file)? = object["file"], case .number(let tracks)? = object["tracks"],
                case .number(let samples)? = object["samples"],
                case .number(let rate)? = object["million_samples_per_cpu_second"],
                let tracks = Int(exactly: tracks), let samples = Int(exactly: samples), rate > 0
            else {
                throw CommandError(
                    .badData, "\(SmallFile.name(of: path)): line \(index + 1) is no object of bench --json")
            }
            rows[file] = Row(tracks: tracks, samples: samples, rate: rate)
        }
        self.rows = rows
    }

    /// Compares files with their earlier rows.
    /// - Parameters:
    ///   - new: the rows of now.
    ///   - tolerance: the share by which the speed of all files together may be lower.
    /// - Returns: a line for each file with another number of tracks, one for the speed of all, and whether tracks were
    ///   lost or the speed is lower. Files that only one side has are not compared, and counted.
    func compare(_ new: [BenchRow], tolerance: Double) -> (lines: [String], isWorse: Bool) {
        var lines: [String] = []
        var isWorse = false
        var (before, now) = (0.0, 0.0)
        var count = 0
        for row in new {
            guard let old = rows[row.file] else { continue }
            count += 1
            before += Double(old.samples) / (old.rate * 1e6)
            now += row.effort * Double(old.samples) / Double(max(1, row.samples))
            guard row.tracks != old.tracks else { continue }
            lines.append("\(row.file): \(counted(row.tracks, "track")), \(old.tracks) before")
            if row.tracks < old.tracks { isWorse = true }
        }
        guard count > 0 else { return (["\(path): none of the files is in it"], true) }
        let ratio = before / now
        lines.append("speed: \(fixed(ratio, 2)) times that of \(path), over \(counted(count, "file"))")
        if count < new.count || count < rows.count {
            lines.append("not compared: \(new.count - count) of the files, \(rows.count - count) of \(path)")
        }
        return (lines, isWorse || ratio < 1 - tolerance)
    }
}
#endif
