/// What says where each swipe is in a recording: an object a line, in a file for this user alone that is there once it is
/// complete.
final class SwipeManifest {
    private let path: String
    private var text: [UInt8] = []

    init(path: String) { self.path = path }

    // Where it is asked for, card data in clear.
    deinit { text.removeWiping() }

    func add(_ object: JSONObject) {
        let line = object.text.utf8
        text.growWiping(by: line.count + 1)
        text.append(contentsOf: line)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes the file.
    /// - Throws: ``CommandError``; an old file is as it was then.
    func finish() throws(CommandError) {
        try NewFile.make(at: path) { descriptor throws(CommandError) in
            try NewFile.write(text, to: descriptor, at: path)
        }
    }
}
