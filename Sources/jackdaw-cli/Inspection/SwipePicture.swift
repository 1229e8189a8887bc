import JackdawDSP

/// The picture of swipes as a script for gnuplot. For each it has an overview with the card's speed, then the sound in
/// rows of about twelve characters, with flux transitions, bit cells and characters.
struct SwipePicture {
    /// The approximate number of bit cells in a row: a row ends between two characters.
    static let cellsPerRow = 72
    private static let titleHeight = 64
    private static let overviewHeight = 190
    private static let rowHeight = 190
    /// Limit of a picture that viewers still open.
    static let maxSwipes = 12

    private var page: PictureScript
    private var colours: PictureColours { page.colours }
    /// Seconds of the recording that are drawn.
    private let seconds: ClosedRange<Double>

    /// The script that draws swipes to standard output.
    /// - Parameters:
    ///   - swipes: each with the heading of its part of the picture; only the first ``maxSwipes`` are drawn.
    ///   - part: the part of them that is drawn.
    ///   - style: the appearance of the picture.
    /// - Returns: commands for gnuplot, and the number of swipes that they draw.
    static func script(
        _ swipes: [(heading: String, swipe: SwipeInspection)], part: PicturePart = .init(), _ style: PictureStyle
    ) -> (commands: String, count: Int) {
        let drawn = Array(swipes.prefix(maxSwipes))
        return (SwipePicture(drawn, part, style).page.finish(), drawn.count)
    }

    private init(
        _ swipes: [(heading: String, swipe: SwipeInspection)], _ part: PicturePart, _ style: PictureStyle
    ) {
        seconds = part.seconds
        let rows = swipes.map { swipe in Self.rows(of: swipe.swipe).filter { part.holds($0, of: swipe.swipe) } }
        let height = rows.reduce(16) { $0 + Self.titleHeight + Self.overviewHeight + Self.rowHeight * $1.count }
        page = PictureScript(height: height, style)
        for (index, (heading, swipe)) in swipes.enumerated() {
            page.addTitle(heading, swipe.text, height: Self.titleHeight)
            addOverview(swipe, name: "s\(index)")
            for (number, cells) in rows[index].enumerated() {
                addRow(swipe, cells: cells, name: "s\(index)r\(number)")
            }
        }
    }

    // MARK: Parts

    private mutating func addOverview(_ swipe: SwipeInspection, name: String) {
        let rate = swipe.span.sampleRate
        let points = Self.envelope(swipe, points: 2 * page.width).map { ($0.0 / rate, $0.1) }
        page.addData("\(name)w", points)
        let speeds = Self.speeds(swipe)
        page.addData("\(name)v", speeds.map { ($0.0 / rate, $0.1) })

        page.beginPanel(Self.overviewHeight, bottom: 40)
        let count = swipe.samples.count
        let first = max(seconds.lowerBound, Double(swipe.firstSample) / rate)
        let last = min(seconds.upperBound, Double(swipe.firstSample + max(1, count)) / rate)
        page.add("set xrange [\(first):\(max(last, first + 1 / rate))]")
        page.addLevelRange(points)
        page.add("set xtics auto; set format x '%.3f'; set ytics auto")
        page.add("set xlabel 'seconds' offset 0,0.7 tc rgb '\(colours.note)'")
        page.add("set ylabel 'level' offset 1,0 tc rgb '\(colours.wave)'")
        var plots = ["$\(name)w using 1:2 with lines lw 1 lc rgb '\(colours.wave)'"]
        if let fastest = speeds.map(\.1).max() {
            page.add("set y2label 'inches per second' offset -1,0 tc rgb '\(colours.speed)'")
            page.add("set y2tics auto; set y2range [0:\(fastest * 1.15)]")
            plots.append("$\(name)v using 1:2 axes x1y2 with lines lw 2 lc rgb '\(colours.speed)'")
        }
        page.add("plot " + plots.joined(separator: ", "))
        page.add("unset label 1; unset label 2; unset xlabel; unset ylabel; unset y2label; unset y2tics")
    }

    private mutating func addRow(_ swipe: SwipeInspection, cells: Range<Int>, name: String) {
        let boundaries = swipe.boundaries
        let rate = swipe.span.sampleRate
        let start = boundaries[cells.lowerBound]
        let end = boundaries[cells.upperBound]
        let slack = (end - start) / Double(cells.count)
        let wave = Self.wave(swipe, from: start - slack, to: end + slack)
        let peak = max(wave.map { abs($0.1) }.max() ?? 0, 1e-9)
        page.addData("\(name)w", wave.map { ($0.0 / rate, $0.1 / peak) })
        let transitions = swipe.flux.peaks.filter { (start - slack / 2...end + slack / 2).contains($0.time) }
        page.addData("\(name)t", transitions.map { ($0.time / rate, $0.level / peak) })

        page.beginPanel(Self.rowHeight, bottom: 27)
        page.add("set xrange [\((start - slack) / rate):\((end + slack) / rate)]; set yrange [-1.6:1.75]")
        page.add("unset ytics; set xtics auto; set format x '%.4f'")
        for cell in cells.lowerBound...cells.upperBound {
            let x = boundaries[cell] / rate
            page.add("set arrow from \(x),-1.2 to \(x),1.2 nohead lw 0.8 lc rgb '\(colours.cell)' back")
        }
        for cell in cells where Self.showsBit(swipe, cell) {
            let x = (boundaries[cell] + boundaries[cell + 1]) / 2 / rate
            let bit = swipe.bits.withElements { $0[cell] }
            page.add("set label '\(bit)' at \(x),-1.4 center font 'DejaVu Sans Mono,9' tc rgb '\(colours.note)'")
        }
        for (index, character) in swipe.characters.enumerated() where cells.contains(character.cells.lowerBound) {
            let left = boundaries[character.cells.lowerBound] / rate
            let right = boundaries[character.cells.upperBound] / rate
            if index.isMultiple(of: 2) {
                page.add(
                    "set object rect from \(left),-1.6 to \(right),1.75 fs solid noborder "
                        + "fc rgb '\(colours.shade)' behind")
            }
            page.add("set arrow from \(left),-1.6 to \(left),1.75 nohead lw 1.2 lc rgb '\(colours.character)' back")
            page.add("set arrow from \(right),-1.6 to \(right),1.75 nohead lw 1.2 lc rgb '\(colours.character)' back")
            let label = page.quoted(character.label == " " ? "\u{2423}" : character.label)
            let colour = character.isDoubtful ? colours.doubt : colours.text
            page.add(
                "set label \(label) at \((left + right) / 2),1.47 center font 'DejaVu Sans Mono\(page.bold),13' "
                    + "tc rgb '\(colour)'")
        }
        var plots = ["$\(name)w using 1:2 with lines lw 1.6 lc rgb '\(colours.wave)'"]
        if !transitions.isEmpty {
            plots.append("$\(name)t using 1:2 with points pt 7 ps 0.55 lc rgb '\(colours.transition)'")
        }
        page.add("plot " + plots.joined(separator: ", "))
        page.add("unset label; unset arrow; unset object; set ytics")
    }
}

/// The data of the picture. Times are in samples from the start of the recording.
extension SwipePicture {
    /// Cells of each row: whole characters if they are known.
    static func rows(of swipe: SwipeInspection) -> [Range<Int>] {
        guard swipe.cellCount > 0 else { return [] }
        let unit = swipe.characters.first?.cells.count ?? 1
        // In a swipe that could not be read, some cells precede the message.
        let lead = (swipe.characters.first?.cells.lowerBound ?? 0) % unit
        let units = (swipe.cellCount - lead + unit - 1) / unit
        let count = max(1, (swipe.cellCount + cellsPerRow / 2) / cellsPerRow)
        func edge(_ row: Int) -> Int {
            row == 0 ? 0 : min(swipe.cellCount, lead + row * units / count * unit)
        }
        return (0..<count).map { edge($0)..<edge($0 + 1) }
    }

    /// Whether a cell's bit may be shown: never within a masked character.
    static func showsBit(_ swipe: SwipeInspection, _ cell: Int) -> Bool {
        swipe.characters.contains { $0.cells.contains(cell) && $0.isShown }
    }

    /// The sound between two times.
    static func wave(_ swipe: SwipeInspection, from start: Double, to end: Double) -> [(Double, Double)] {
        swipe.samples.withElements { samples in
            let first = min(max(0, Int(start) - swipe.firstSample), samples.count)
            let last = min(max(first, Int(end) + 1 - swipe.firstSample), samples.count)
            return (first..<last).map { (Double($0 + swipe.firstSample), Double(samples[$0])) }
        }
    }

    /// The sound as lowest and highest values, thinned to about that many points.
    static func envelope(_ swipe: SwipeInspection, points: Int) -> [(Double, Double)] {
        let all = wave(swipe, from: Double(swipe.firstSample), to: Double(swipe.firstSample + swipe.samples.count))
        let step = max(1, 2 * all.count / points)
        guard step > 1 else { return all }
        return stride(from: 0, to: all.count, by: step).flatMap { start in
            let piece = all[start..<min(start + step, all.count)]
            let levels = piece.map(\.1)
            return [(all[start].0, levels.min() ?? 0), (all[start].0, levels.max() ?? 0)]
        }
    }

    /// Time and speed of the card in inches per second, over eight cells each; empty if the track's density is not
    /// known.
    static func speeds(_ swipe: SwipeInspection) -> [(Double, Double)] {
        guard let density = swipe.track?.track.bitsPerInch, swipe.cellCount >= 8 else { return [] }
        let times = swipe.boundaries
        return (8..<times.count).map { index in
            let seconds = (times[index] - times[index - 8]) / swipe.span.sampleRate
            return ((times[index] + times[index - 8]) / 2, 8 / density / seconds)
        }
    }
}
