/// How a picture is to look.
struct PictureStyle: Sendable {
    /// SVG if true, PNG if not.
    var isVector: Bool
    /// Width of the page in pixels.
    var width = 1_800
    /// Whether it is drawn on black.
    var isDark = false

    /// Narrower pages have no room for the characters, wider ones are opened by no viewer.
    static let widths = 600...10_000
}

/// The colours of all pictures.
struct PictureColours: Sendable {
    let background: String
    let wave: String
    let transition: String
    let speed: String
    let cell: String
    let character: String
    let shade: String
    let note: String
    let text: String
    let doubt: String
    /// From no power to the most.
    let spectrum: String

    static let light = PictureColours(
        background: "#ffffff", wave: "#1d3f66", transition: "#d9480f", speed: "#2b8a3e", cell: "#c3ccd6",
        character: "#7d8b9b", shade: "#eef3f8", note: "#5c6773", text: "#1b2733", doubt: "#c92a2a",
        spectrum: "0 '#ffffff', 0.4 '#a5c8e8', 0.75 '#2b6cb0', 1 '#10233b'")
    static let dark = PictureColours(
        background: "#11161c", wave: "#8ec1f5", transition: "#ff922b", speed: "#69db7c", cell: "#38424d",
        character: "#72808e", shade: "#1b232c", note: "#9aa7b4", text: "#e6edf3", doubt: "#ff8787",
        spectrum: "0 '#11161c', 0.4 '#1c4a78', 0.75 '#5aa2e6', 1 '#eaf4ff'")
}

/// A script for gnuplot that draws panels below each other on one page.
struct PictureScript {
    /// Room beside the panels, in pixels.
    static let margin = 64

    let colours: PictureColours
    /// Width of the page in pixels.
    let width: Int
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
    ///   - style: how it is to look.
    init(height: Int, _ style: PictureStyle) {
        self.height = height
        width = style.width
        colours = style.isDark ? .dark : .light
        bold = style.isVector ? "" : ":Bold"
        let page = "size \(width),\(height) background '\(colours.background)' noenhanced"
        add("set terminal \(style.isVector ? "svg font 'DejaVu Sans,12'" : "pngcairo font 'DejaVu Sans,11'") \(page)")
        add("set multiplot")
        add("set lmargin at screen \(ratio(Self.margin, width))")
        add("set rmargin at screen \(ratio(width - Self.margin, width))")
        add("set border lc rgb '\(colours.cell)'")
        add("set tics out scale 0.5 textcolor rgb '\(colours.note)' font ',10' nomirror")
        add("unset key")
    }

    /// The commands of the whole page.
    consuming func finish() -> String { text + "unset multiplot\n" }

    /// Adds a heading and a line under it to the next panel.
    mutating func addTitle(_ heading: String, _ line: String, height titleHeight: Int) {
        let top = ratio(height - cursor - 26, height)
        let below = ratio(height - cursor - 50, height)
        let left = ratio(Self.margin, width)
        let colour = "tc rgb '\(colours.text)'"
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
    /// Fits the axis of levels to all points, so that a part of the time without a single point has one, too.
    mutating func addLevelRange(_ points: [(Double, Double)]) {
        let levels = points.map(\.1)
        let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
        let margin = max((high - low) / 20, 1e-6)
        add("set yrange [\(low - margin):\(high + margin)]")
    }

    mutating func add(_ line: String) { text += line + "\n" }

    /// A string in which gnuplot expands nothing. Quotes at its beginning are a string of their own: gnuplot takes two quotes
    /// there for an empty string.
    func quoted(_ text: String) -> String {
        let text = text.printable.unicodeScalars
        let rest = text.drop { $0 == "'" }
        let quotes = String(repeating: "'", count: text.count - rest.count)
        let doubled = rest.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) }
        return (quotes.isEmpty ? "" : "\"\(quotes)\".") + "'\(doubled)'"
    }

    private func ratio(_ part: Int, _ whole: Int) -> String { fixed(Double(part) / Double(whole), 5) }
}
