import JackdawDSP

/// The picture of swipes as a script for gnuplot: of each an overview with the card's speed, then the sound in rows of
/// about twelve characters, with its flux transitions, bit cells and characters.
struct SwipePicture {
    /// Bit cells a row, about; characters are not divided.
    static let cellsPerRow = 72
    private static let width = 1_800
    private static let titleHeight = 64
    private static let overviewHeight = 190
    private static let rowHeight = 190
    /// Room beside the panels, in pixels.
    private static let margin = 64
    /// More would make a picture that no viewer opens.
    private static let mostSwipes = 12

    private enum Colour {
        static let wave = "#1d3f66"
        static let transition = "#d9480f"
        static let speed = "#2b8a3e"
        static let cell = "#c3ccd6"
        static let character = "#7d8b9b"
        static let shade = "#eef3f8"
        static let note = "#5c6773"
        static let text = "#1b2733"
        static let doubt = "#c92a2a"
    }

    private var script = ""
    /// What makes a font bold; SVG takes no such thing.
    private let bold: String
    private let height: Int
    /// Pixels from the top that are taken.
    private var cursor = 0

    /// The script that draws swipes to standard output.
    /// - Parameters:
    ///   - swipes: each with the heading of its part of the picture.
    ///   - isVector: SVG if true, PNG if not.
    /// - Returns: commands for gnuplot.
    static func script(_ swipes: [(heading: String, swipe: SwipeInspection)], isVector: Bool) -> String {
        SwipePicture(Array(swipes.prefix(mostSwipes)), isVector: isVector).script
    }

    private init(_ swipes: [(heading: String, swipe: SwipeInspection)], isVector: Bool) {
        let rows = swipes.map { Self.rows(of: $0.swipe) }
        height = rows.reduce(16) { $0 + Self.titleHeight + Self.overviewHeight + Self.rowHeight * $1.count }
        bold = isVector ? "" : ":Bold"
        let size = "size \(Self.width),\(height)"
        add(
            isVector
                ? "set terminal svg \(size) font 'DejaVu Sans,12' background '#ffffff' noenhanced"
                : "set terminal pngcairo \(size) font 'DejaVu Sans,11' background '#ffffff' noenhanced")
        add("set multiplot")
        add("set lmargin at screen \(ratio(Self.margin, Self.width))")
        add("set rmargin at screen \(ratio(Self.width - Self.margin, Self.width))")
        add("set border lc rgb '\(Colour.cell)'")
        add("set tics out scale 0.5 textcolor rgb '\(Colour.note)' font ',10' nomirror")
        add("unset key")
        for (index, (heading, swipe)) in swipes.enumerated() {
            addTitle(heading, swipe)
            addOverview(swipe, name: "s\(index)")
            for (number, cells) in rows[index].enumerated() {
                addRow(swipe, cells: cells, name: "s\(index)r\(number)")
            }
        }
        add("unset multiplot")
    }

    // MARK: Parts

    private mutating func addTitle(_ heading: String, _ swipe: SwipeInspection) {
        let top = ratio(height - cursor - 26, height)
        let below = ratio(height - cursor - 50, height)
        let left = ratio(Self.margin, Self.width)
        let colour = "tc rgb '\(Colour.text)'"
        add("set label 1 \(quoted(heading)) at screen \(left),\(top) font 'DejaVu Sans\(bold),14' \(colour)")
        add("set label 2 \(quoted(swipe.text)) at screen \(left),\(below) font 'DejaVu Sans Mono,12' \(colour)")
        cursor += Self.titleHeight
    }

    private mutating func addOverview(_ swipe: SwipeInspection, name: String) {
        let rate = swipe.span.sampleRate
        addData("\(name)w", Self.envelope(swipe, points: 2 * Self.width).map { ($0.0 / rate, $0.1) })
        let speeds = Self.speeds(swipe)
        addData("\(name)v", speeds.map { ($0.0 / rate, $0.1) })

        beginPanel(Self.overviewHeight, bottom: 40)
        let count = swipe.samples.count
        add("set xrange [\(Double(swipe.firstSample) / rate):\(Double(swipe.firstSample + max(1, count)) / rate)]")
        add("set autoscale y; set xtics auto; set format x '%.3f'; set ytics auto")
        add("set xlabel 'seconds' offset 0,0.7 tc rgb '\(Colour.note)'")
        add("set ylabel 'level' offset 1,0 tc rgb '\(Colour.wave)'")
        var plots = ["$\(name)w using 1:2 with lines lw 1 lc rgb '\(Colour.wave)'"]
        if let fastest = speeds.map(\.1).max() {
            add("set y2label 'inches per second' offset -1,0 tc rgb '\(Colour.speed)'")
            add("set y2tics auto; set y2range [0:\(fastest * 1.15)]")
            plots.append("$\(name)v using 1:2 axes x1y2 with lines lw 2 lc rgb '\(Colour.speed)'")
        }
        add("plot " + plots.joined(separator: ", "))
        add("unset label 1; unset label 2; unset xlabel; unset ylabel; unset y2label; unset y2tics")
    }

    private mutating func addRow(_ swipe: SwipeInspection, cells: Range<Int>, name: String) {
        let boundaries = swipe.boundaries
        let rate = swipe.span.sampleRate
        let start = boundaries[cells.lowerBound]
        let end = boundaries[cells.upperBound]
        let slack = (end - start) / Double(cells.count)
        let wave = Self.wave(swipe, from: start - slack, to: end + slack)
        let peak = max(wave.map { abs($0.1) }.max() ?? 0, 1e-9)
        addData("\(name)w", wave.map { ($0.0 / rate, $0.1 / peak) })
        let transitions = swipe.flux.peaks.filter { (start - slack / 2...end + slack / 2).contains($0.time) }
        addData("\(name)t", transitions.map { ($0.time / rate, $0.level / peak) })

        beginPanel(Self.rowHeight, bottom: 27)
        add("set xrange [\((start - slack) / rate):\((end + slack) / rate)]; set yrange [-1.6:1.75]")
        add("unset ytics; set xtics auto; set format x '%.4f'")
        for cell in cells.lowerBound...cells.upperBound {
            let x = boundaries[cell] / rate
            add("set arrow from \(x),-1.2 to \(x),1.2 nohead lw 0.8 lc rgb '\(Colour.cell)' back")
        }
        for cell in cells where Self.showsBit(swipe, cell) {
            let x = (boundaries[cell] + boundaries[cell + 1]) / 2 / rate
            let bit = swipe.bits.withElements { $0[cell] }
            add("set label '\(bit)' at \(x),-1.4 center font 'DejaVu Sans Mono,9' tc rgb '\(Colour.note)'")
        }
        for (index, character) in swipe.characters.enumerated() where cells.contains(character.cells.lowerBound) {
            let left = boundaries[character.cells.lowerBound] / rate
            let right = boundaries[character.cells.upperBound] / rate
            if index.isMultiple(of: 2) {
                add(
                    "set object rect from \(left),-1.6 to \(right),1.75 fs solid noborder "
                        + "fc rgb '\(Colour.shade)' behind")
            }
            add("set arrow from \(left),-1.6 to \(left),1.75 nohead lw 1.2 lc rgb '\(Colour.character)' back")
            add("set arrow from \(right),-1.6 to \(right),1.75 nohead lw 1.2 lc rgb '\(Colour.character)' back")
            let label = quoted(character.label == " " ? "\u{2423}" : character.label)
            let colour = character.isDoubtful ? Colour.doubt : Colour.text
            add(
                "set label \(label) at \((left + right) / 2),1.47 center font 'DejaVu Sans Mono\(bold),13' "
                    + "tc rgb '\(colour)'")
        }
        var plots = ["$\(name)w using 1:2 with lines lw 1.6 lc rgb '\(Colour.wave)'"]
        if !transitions.isEmpty {
            plots.append("$\(name)t using 1:2 with points pt 7 ps 0.55 lc rgb '\(Colour.transition)'")
        }
        add("plot " + plots.joined(separator: ", "))
        add("unset label; unset arrow; unset object; set ytics")
    }

    // MARK: Script

    private mutating func beginPanel(_ panelHeight: Int, bottom: Int) {
        add("set tmargin at screen \(ratio(height - cursor - 4, height))")
        cursor += panelHeight
        add("set bmargin at screen \(ratio(height - cursor + bottom, height))")
    }

    private mutating func addData(_ name: String, _ points: [(Double, Double)]) {
        add("$\(name) << EOD")
        for (x, y) in points { add("\(x) \(y)") }
        // gnuplot takes no block without a point.
        if points.isEmpty { add("0 NaN") }
        add("EOD")
    }

    private mutating func add(_ line: String) { script += line + "\n" }

    private func ratio(_ part: Int, _ whole: Int) -> String { fixed(Double(part) / Double(whole), 5) }

    /// A string in which gnuplot expands nothing.
    private func quoted(_ text: String) -> String {
        let doubled = text.printable.flatMap { $0 == "'" ? ["'", "'"] : [$0] }
        return "'\(String(doubled))'"
    }
}
