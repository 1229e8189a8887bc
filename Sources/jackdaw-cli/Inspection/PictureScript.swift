/// A script for gnuplot that draws panels below each other on one page.
struct PictureScript {
    /// Width of the page in pixels.
    static let width = 1_800
    /// Room beside the panels, in pixels.
    static let margin = 64

    /// The colours of all pictures.
    enum Colour {
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

    /// What makes a font bold; SVG takes no such thing.
    let bold: String
    /// The commands so far.
    private(set) var text = ""
    private let height: Int
    /// Pixels from the top that are taken.
    private var cursor = 0

    /// An empty page.
    /// - Parameters:
    ///   - height: in pixels.
    ///   - isVector: SVG if true, PNG if not.
    init(height: Int, isVector: Bool) {
        self.height = height
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
    }

    /// The commands of the whole page.
    consuming func finish() -> String { text + "unset multiplot\n" }

    /// Adds a heading and a line under it to the next panel.
    mutating func addTitle(_ heading: String, _ line: String, height titleHeight: Int) {
        let top = ratio(height - cursor - 26, height)
        let below = ratio(height - cursor - 50, height)
        let left = ratio(Self.margin, Self.width)
        let colour = "tc rgb '\(Colour.text)'"
        add("set label 1 \(quoted(heading)) at screen \(left),\(top) font 'DejaVu Sans\(bold),14' \(colour)")
        add("set label 2 \(quoted(line)) at screen \(left),\(below) font 'DejaVu Sans Mono,12' \(colour)")
        cursor += titleHeight
    }

    /// Begins a panel under the last one.
    mutating func beginPanel(_ panelHeight: Int, bottom: Int) {
        add("set tmargin at screen \(ratio(height - cursor - 4, height))")
        cursor += panelHeight
        add("set bmargin at screen \(ratio(height - cursor + bottom, height))")
    }

    /// Adds a named block of points.
    mutating func addData(_ name: String, _ points: [(Double, Double)]) {
        add("$\(name) << EOD")
        for (x, y) in points { add("\(x) \(y)") }
        // gnuplot takes no block without a point.
        if points.isEmpty { add("0 NaN") }
        add("EOD")
    }

    /// Adds a line.
    mutating func add(_ line: String) { text += line + "\n" }

    /// A string in which gnuplot expands nothing.
    func quoted(_ text: String) -> String {
        let doubled = text.printable.flatMap { $0 == "'" ? ["'", "'"] : [$0] }
        return "'\(String(doubled))'"
    }

    private func ratio(_ part: Int, _ whole: Int) -> String { fixed(Double(part) / Double(whole), 5) }
}
