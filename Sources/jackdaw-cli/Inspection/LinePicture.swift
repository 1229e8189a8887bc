import JackdawDSP
import JackdawSpectrum

/// The picture of line codes as a script for gnuplot. For each it has the waveform and the spectrogram of the
/// beginning, then the sound in rows of some characters, with bit cells and the decoded bytes under them.
struct LinePicture {
    /// The approximate number of bit cells in a row: a row ends between two characters.
    static let cellsPerRow = 60
    private static let titleHeight = 64
    private static let overviewHeight = 150
    private static let spectrogramHeight = 260
    private static let rowHeight = 170
    /// Limits of a picture that viewers still open.
    private static let maxLines = 6
    private static let maxRows = 20

    private var page: PictureScript
    private var colours: PictureColours { page.colours }
    /// Seconds of the recording that are drawn.
    private let seconds: ClosedRange<Double>

    /// The script that draws line codes to standard output.
    /// - Parameters:
    ///   - lines: each with the headings of its part of the picture; only the first six with sound are drawn.
    ///   - part: the part of them that is drawn.
    ///   - style: the appearance of the picture.
    /// - Returns: commands for gnuplot, and the number of lines that they draw.
    /// - Throws: `SpectrumError` with code `outOfMemory`.
    static func script(
        _ lines: [(heading: String, summary: String, line: LineInspection)], part: PicturePart = .init(),
        _ style: PictureStyle
    ) throws(SpectrumError) -> (commands: String, count: Int) {
        let drawn = Array(lines.filter { $0.line.samples.count > 0 }.prefix(maxLines))
        return (try LinePicture(drawn, part, style).page.finish(), drawn.count)
    }

    private init(
        _ lines: [(heading: String, summary: String, line: LineInspection)], _ part: PicturePart, _ style: PictureStyle
    ) throws(SpectrumError) {
        seconds = part.seconds
        let rows = lines.map { line in
            Self.rows(of: line.line).filter { part.holds($0, of: line.line) }.prefix(Self.maxRows)
        }
        let overview = Self.titleHeight + Self.overviewHeight + Self.spectrogramHeight
        page = PictureScript(height: rows.reduce(16) { $0 + overview + Self.rowHeight * $1.count }, style)
        for (index, (heading, summary, line)) in lines.enumerated() {
            page.addTitle(heading, summary, height: Self.titleHeight)
            addOverview(line, name: "l\(index)")
            try addSpectrogram(line, name: "l\(index)s")
            for (number, characters) in rows[index].enumerated() {
                addRow(line, characters: characters, name: "l\(index)r\(number)")
            }
        }
    }

    /// Characters of each row: as many as fit, without a pause between them.
    static func rows(of line: LineInspection) -> [Range<Int>] {
        var (rows, start) = ([Range<Int>](), 0)
        for index in line.characters.indices {
            let next = index + 1
            let isLast = next == line.characters.count
            let length = (line.characters[index].edges.last ?? 0) - (line.characters[start].edges.first ?? 0)
            let cell = line.sampleRate / line.guess.baud
            let follows =
                !isLast
                && (line.characters[next].edges.last ?? 0) - (line.characters[start].edges.first ?? 0)
                    <= Double(cellsPerRow) * cell
                && length >= 0
            if !follows {
                rows.append(start..<next)
                start = next
            }
        }
        return rows
    }

    private mutating func addOverview(_ line: LineInspection, name: String) {
        let rate = line.sampleRate
        let points = Self.envelope(line, points: 2 * page.width).map { ($0.0 / rate, $0.1) }
        page.addData("\(name)w", points)
        page.beginPanel(Self.overviewHeight, bottom: 8)
        addTimeRange(line)
        page.addLevelRange(points)
        page.add("set xtics auto; set format x ''; set ytics auto")
        page.add("set ylabel 'level' offset 1,0 tc rgb '\(colours.wave)'")
        page.add("plot $\(name)w using 1:2 with lines lw 1 lc rgb '\(colours.wave)'")
        page.add("unset label 1; unset label 2; unset ylabel")
    }

    private mutating func addSpectrogram(_ line: LineInspection, name: String) throws(SpectrumError) {
        let picture = try Spectrogram(line)
        page.add("$\(name) << EOD")
        for row in picture.levels { page.add(row.map { fixed($0, 1) }.joined(separator: " ")) }
        page.add("EOD")
        page.beginPanel(Self.spectrogramHeight, bottom: 40)
        addTimeRange(line)
        page.add("set yrange [0:\(picture.topFrequency)]; set format x '%.3f'; set ytics auto")
        page.add("set cbrange [\(picture.loudest - 60):\(picture.loudest)]; unset colorbox")
        page.add("set palette defined (\(colours.spectrum))")
        page.add("set xlabel 'seconds' offset 0,0.7 tc rgb '\(colours.note)'")
        page.add("set ylabel 'Hz' offset 1.7,0 tc rgb '\(colours.wave)'")
        page.add(
            "plot $\(name) matrix using (\(picture.firstTime)+$1*\(picture.timeStep)):($2*\(picture.frequencyStep)):3 "
                + "with image pixels")
        page.add("unset xlabel; unset ylabel")
    }

    private mutating func addTimeRange(_ line: LineInspection) {
        let start = Double(line.firstSample) / line.sampleRate
        let end = start + Double(max(1, line.samples.count)) / line.sampleRate
        let first = max(start, seconds.lowerBound)
        page.add("set xrange [\(first):\(max(min(end, seconds.upperBound), first + 1 / line.sampleRate))]")
    }

    private mutating func addRow(_ line: LineInspection, characters: Range<Int>, name: String) {
        let rate = line.sampleRate
        let shown = line.characters[characters]
        guard let start = shown.first?.edges.first, let last = shown.last?.edges.last else { return }
        let cell = rate / line.guess.baud
        // All rows have the same time scale.
        let end = max(last, start + Double(Self.cellsPerRow) * cell)
        let wave = Self.wave(line, from: start - cell, to: end + cell)
        let peak = max(wave.map { abs($0.1) }.max() ?? 0, 1e-9)
        page.addData("\(name)w", wave.map { ($0.0 / rate, $0.1 / peak) })
        page.beginPanel(Self.rowHeight, bottom: 27)
        page.add("set xrange [\((start - cell) / rate):\((end + cell) / rate)]; set yrange [-2.3:1.15]")
        page.add("unset ytics; set xtics auto; set format x '%.4f'")
        for (index, character) in shown.enumerated() { addCharacter(character, isEven: index.isMultiple(of: 2), rate) }
        page.add("plot $\(name)w using 1:2 with lines lw 1.4 lc rgb '\(colours.wave)'")
        page.add("unset label; unset arrow; unset object; set ytics")
    }

    private mutating func addCharacter(_ character: LineInspection.Character, isEven: Bool, _ rate: Double) {
        let edges = character.edges.map { $0 / rate }
        guard let left = edges.first, let right = edges.last else { return }
        if isEven {
            page.add(
                "set object rect from \(left),-2.3 to \(right),1.15 fs solid noborder fc rgb '\(colours.shade)' behind")
        }
        for edge in edges {
            page.add("set arrow from \(edge),-1.15 to \(edge),1.15 nohead lw 0.8 lc rgb '\(colours.cell)' back")
        }
        for edge in [left, right] {
            page.add("set arrow from \(edge),-2.3 to \(edge),1.15 nohead lw 1.2 lc rgb '\(colours.character)' back")
        }
        for (index, bit) in character.bits.enumerated() {
            let x = (edges[index] + edges[index + 1]) / 2
            page.add("set label '\(bit)' at \(x),-1.35 center font 'DejaVu Sans Mono,9' tc rgb '\(colours.note)'")
        }
        let text = character.text == " " ? "\u{2423}" : character.text
        let label = page.quoted(text.isEmpty ? character.label : "\(character.label)  \(text)")
        let colour = character.isDoubtful ? colours.doubt : colours.text
        page.add(
            "set label \(label) at \((left + right) / 2),-1.9 center font 'DejaVu Sans Mono\(page.bold),12' "
                + "tc rgb '\(colour)'")
    }

    // MARK: Data

    private static func wave(_ line: LineInspection, from start: Double, to end: Double) -> [(Double, Double)] {
        line.samples.withElements { samples in
            let first = min(max(0, Int(start) - line.firstSample), samples.count)
            let last = min(max(first, Int(end) + 1 - line.firstSample), samples.count)
            return (first..<last).map { (Double($0 + line.firstSample), Double(samples[$0])) }
        }
    }

    private static func envelope(_ line: LineInspection, points: Int) -> [(Double, Double)] {
        let first = Double(line.firstSample)
        let all = wave(line, from: first, to: first + Double(line.samples.count))
        let step = max(1, 2 * all.count / points)
        guard step > 1 else { return all }
        return stride(from: 0, to: all.count, by: step).flatMap { start in
            let levels = all[start..<min(start + step, all.count)].map(\.1)
            return [(all[start].0, levels.min() ?? 0), (all[start].0, levels.max() ?? 0)]
        }
    }
}

/// Levels over time and frequency, at the resolution of the picture.
struct Spectrogram {
    private static let columns = 600

    /// In dBFS, a row for each frequency from 0 Hz, with a level for each time.
    private(set) var levels: [[Double]] = []
    /// Time of the first column in seconds from the start of the recording, and the distance between two columns.
    let firstTime: Double
    let timeStep: Double
    /// Distance between two rows in Hz, and the highest frequency.
    let frequencyStep: Double
    let topFrequency: Double
    /// The highest level.
    private(set) var loudest = Decibels.silence

    init(_ line: LineInspection) throws(SpectrumError) {
        let rate = line.sampleRate
        var top = 3 * line.guess.baud
        if case .tones(let tones) = line.guess.carrier { top = max(top, 1.8 * max(tones.mark, tones.space)) }
        topFrequency = min(top, rate / 2)
        // A window of two bits separates tones that one of a single bit would blur, and still shows their changes.
        var count = 64
        while Double(count) < 2 * rate / line.guess.baud { count *= 2 }
        frequencyStep = rate / Double(count)
        let rows = min(count / 2, Int(topFrequency / frequencyStep)) + 1
        let hop = max(1, (line.samples.count - count) / Self.columns)
        timeStep = Double(hop) / rate
        firstTime = (Double(line.firstSample) + Double(count) / 2) / rate
        let weights = WindowFunction.hann.weights(count: count)
        let scale = 8 / (Double(count) * Double(count))
        var transform = try RealTransform(count: count)
        var power = [Float](repeating: 0, count: transform.binCount)
        var columns: [[Double]] = []
        line.samples.withElements { samples in
            for start in stride(from: 0, through: samples.count - count, by: hop) {
                var target = power.mutableSpan
                transform.power(
                    of: samples.extracting(start..<start + count), weightedBy: weights.span, into: &target)
                columns.append(power.prefix(rows).map { Decibels.level(ofPower: Double($0) * scale) })
            }
        }
        if columns.isEmpty { columns = [[Double](repeating: Decibels.silence, count: rows)] }
        levels = (0..<rows).map { row in columns.map { $0[row] } }
        loudest = columns.joined().max() ?? Decibels.silence
    }
}
