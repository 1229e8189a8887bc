import Glibc
import JackdawAudioFile
import JackdawBytes

/// Runs gnuplot on a script.
enum Gnuplot {
    /// Draws a picture.
    /// - Parameters:
    ///   - script: commands that write the picture to standard output.
    ///   - path: the picture's file, readable by this user alone, because it shows the sound of a card. An existing
    ///     file is replaced once the new one is complete.
    /// - Throws: `CommandError` with status `unavailable` if gnuplot is missing or fails, or `inputOutput`.
    static func draw(_ script: String, to path: String) throws(CommandError) {
        let input = try file(containing: script)
        defer { close(input) }
        let complaints = try file(containing: "")
        defer { close(complaints) }
        try NewFile.make(at: path) { file throws(CommandError) in
            var picture = PictureFile(isVector: path.hasSuffix(".svg"))
            try run(input: input, errors: complaints) { bytes throws(CommandError) in
                picture.add(bytes)
                do throws(AudioFileError) {
                    try file.write(bytes)
                } catch {
                    throw CommandError(error, isOutput: true)
                }
            }
            guard picture.isComplete else {
                throw CommandError(.inputOutput, "\(path): gnuplot did not complete the picture")
            }
        }
    }

    /// Runs gnuplot and passes its output on. The output comes through a pipe, because gnuplot does not notice a full
    /// disk.
    private static func run(
        input: CInt, errors: CInt, _ take: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw NewFile.failure("a pipe") }
        let (picture, output) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process: pid_t
        do throws(CommandError) {
            defer { close(output) }
            process = try start(input: input, output: output, errors: errors)
        } catch {
            close(picture)
            throw error
        }
        var failure: CommandError?
        do throws(CommandError) {
            try receive(from: picture, take)
        } catch {
            failure = error
            kill(process, SIGTERM)
        }
        close(picture)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {
            if Interruption.isRequested { kill(process, SIGTERM) }
        }
        try Interruption.check()
        if let failure { throw failure }
        guard status == 0 else {
            throw CommandError(.unavailable, "gnuplot failed: \(firstLine(of: errors))")
        }
    }

    /// Passes on the bytes of a pipe, to its end.
    private static func receive(
        from pipe: CInt, _ take: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { bytes.wipe() }
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(pipe, $0.baseAddress, $0.count) }
            try Interruption.check()
            guard count != 0 else { return }
            if count > 0 {
                try take(Array(bytes[..<count]))
            } else if errno != EINTR {
                throw CommandError(.inputOutput, "gnuplot: \(unsafe String(cString: strerror(errno)))")
            }
        }
    }

    private static func start(input: CInt, output: CInt, errors: CInt) throws(CommandError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var process = pid_t()
        let name = unsafe strdup("gnuplot")
        defer { unsafe free(name) }
        let failure = unsafe posix_spawnp(&process, "gnuplot", &actions, nil, [name, nil], environ)
        guard failure == 0 else {
            throw CommandError(
                .unavailable,
                failure == ENOENT
                    ? "install gnuplot with apt install gnuplot-nox: --plot needs it"
                    : "cannot start gnuplot: \(unsafe String(cString: strerror(failure)))")
        }
        return process
    }

    /// An unnamed file, readable by this user alone, positioned at its start.
    private static func file(containing text: String) throws(CommandError) -> CInt {
        var name = Array("/tmp/jackdaw-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw NewFile.failure("/tmp") }
        unsafe unlink(name)
        do throws(CommandError) {
            try NewFile.write(Array(text.utf8), to: descriptor, at: "/tmp")
        } catch {
            close(descriptor)
            throw error
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func firstLine(of descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let lines = bytes[..<max(0, count)].split(separator: UInt8(ascii: "\n"))
        return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? "no reason given"
    }
}

/// Distinguishes a complete picture from a truncated one.
struct PictureFile {
    private static let signature: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)
    /// The last chunk, which has no data (PNG, 3rd edition, 11.2.5), and its CRC.
    private static let ending: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    private static let longestTail = 64

    private let isVector: Bool
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    /// - Parameter isVector: SVG if true, PNG if not.
    init(isVector: Bool) { self.isVector = isVector }

    /// Adds the next bytes of the file.
    mutating func add(_ bytes: [UInt8]) {
        head += bytes.prefix(Self.signature.count - head.count)
        tail = (tail + bytes.suffix(Self.longestTail)).suffix(Self.longestTail)
    }

    /// Whether the file has the start and the end of such a picture.
    var isComplete: Bool {
        guard isVector else { return head == Self.signature && tail.suffix(Self.ending.count) == Self.ending[...] }
        let text = String(decoding: tail, as: UTF8.self)
        return head.first == UInt8(ascii: "<") && text.trimmingBlanksAtEnd.replacing("\n", with: "").hasSuffix("</svg>")
    }
}

/// The appearance of a picture.
struct PictureStyle: Sendable {
    /// SVG if true, PNG if not.
    var isVector: Bool
    /// Width of the page in pixels.
    var width = 1_800
    /// Whether the background is black.
    var isDark = false

    /// Pixels. The characters do not fit on narrower pages, and viewers do not open wider ones.
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
    /// Palette from the lowest to the highest power.
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
    /// Space beside the panels, in pixels.
    static let margin = 64

    let colours: PictureColours
    /// Width of the page in pixels.
    let width: Int
    /// The suffix that makes a font bold; empty for SVG, which does not support it.
    let bold: String
    private(set) var text = ""
    private let height: Int
    /// Height of the panels so far, in pixels from the top.
    private var cursor = 0

    /// An empty page.
    /// - Parameters:
    ///   - height: in pixels.
    ///   - style: the appearance of the picture.
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
        // gnuplot refuses a block without a point.
        if points.isEmpty { add("0 NaN") }
        add("EOD")
    }

    /// Fits the axis of levels to all points, so that a part of the time without any point also has an axis.
    mutating func addLevelRange(_ points: [(Double, Double)]) {
        let levels = points.map(\.1)
        let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
        let margin = max((high - low) / 20, 1e-6)
        add("set yrange [\(low - margin):\(high + margin)]")
    }

    mutating func add(_ line: String) { text += line + "\n" }

    /// Quotes a string so that gnuplot expands nothing in it. Quotes at its beginning become a string of their own,
    /// because gnuplot reads two quotes there as an empty string.
    func quoted(_ text: String) -> String {
        let text = text.printable.unicodeScalars
        let rest = text.drop { $0 == "'" }
        let quotes = String(repeating: "'", count: text.count - rest.count)
        let doubled = rest.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) }
        return (quotes.isEmpty ? "" : "\"\(quotes)\".") + "'\(doubled)'"
    }

    private func ratio(_ part: Int, _ whole: Int) -> String { fixed(Double(part) / Double(whole), 5) }
}
