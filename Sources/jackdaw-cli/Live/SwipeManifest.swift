import JackdawAudioFile

/// What says where each swipe is in a recording: an object a line, in a file for this user alone that is there once the first
/// line is.
final class SwipeManifest {
    private var output: OutputFile
    private var text: [UInt8] = []

    /// A manifest without a line; nothing is at its path yet.
    /// - Throws: ``CommandError``.
    init(path: String) throws(CommandError) {
        output = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try OutputFile(path: path, predecessor: .isReplaced)
        }
    }

    // Where it is asked for, card data in clear.
    deinit { text.removeWiping() }

    func add(_ object: JSONObject) {
        let line = object.text.utf8
        text.growWiping(by: line.count + 1)
        text.append(contentsOf: line)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes what was added.
    /// - Throws: ``CommandError``.
    func save() throws(CommandError) {
        guard !text.isEmpty else { return }
        defer { text.removeWiping() }
        do throws(AudioFileError) {
            try output.write(text)
            try output.place()
        } catch {
            throw CommandError(error, isOutput: true)
        }
    }

    /// Makes sure that what was written outlasts a loss of power.
    /// - Throws: ``CommandError``.
    func finish() throws(CommandError) {
        try save()
        try asCommand(isOutput: true) { () throws(AudioFileError) in try output.sync() }
    }
}
