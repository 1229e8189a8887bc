import Glibc
import JackdawDSP
import JackdawSystem
import JackdawTransport

/// Finds the sound files in a folder.
struct SoundFolder {
    /// The endings of sound files with a header, in small letters.
    private static let endings = [".wav", ".flac", ".aiff", ".aif", ".au", ".w64", ".caf", ".ogg"]
    /// Folders in folders that are read.
    private static let mostDepth = 64

    /// The sound files at a path.
    /// - Parameters:
    ///   - path: a file, a folder, or `-`.
    ///   - isRecursive: whether to take the files of folders in a folder, too; links to folders are not followed.
    ///   - isRaw: whether to take files without a header, with the ending `.raw`, in place of the others.
    /// - Returns: the path if it is no folder; otherwise its files, in the order of their names, and an error for each
    ///   folder that cannot be read, or for a folder without any sound file.
    static func files(at path: String, isRecursive: Bool, isRaw: Bool) -> (files: [String], errors: [CommandError]) {
        guard path != "-", kind(of: path, followsLinks: true) == S_IFDIR else { return ([path], []) }
        var folder = SoundFolder(isRecursive: isRecursive, endings: isRaw ? [".raw"] : endings)
        folder.read(path.hasSuffix("/") ? String(path.dropLast()) : path, depth: 0)
        if folder.files.isEmpty && folder.errors.isEmpty {
            folder.errors = [CommandError(.noInput, "\(path): no sound file in this folder")]
        }
        return (folder.files, folder.errors)
    }

    /// The sound files in a folder, in the order of their names; empty if it cannot be read.
    static func files(in folder: String) -> [String] {
        var reader = SoundFolder(isRecursive: false, endings: endings)
        reader.read(folder, depth: 0)
        return reader.files
    }

    private let isRecursive: Bool
    private let endings: [String]
    private var files: [String] = []
    private var errors: [CommandError] = []

    private init(isRecursive: Bool, endings: [String]) {
        self.isRecursive = isRecursive
        self.endings = endings
    }

    private mutating func read(_ folder: String, depth: Int) {
        guard let names = Self.names(in: folder) else {
            errors.append(CommandError(.noInput, "\(folder): cannot be read (\(SystemFailure.last.message))"))
            return
        }
        for name in names.sorted() where name != "." && name != ".." {
            let path = "\(folder)/\(name)"
            if Self.kind(of: path, followsLinks: false) == S_IFDIR {
                guard isRecursive else { continue }
                if depth < Self.mostDepth {
                    read(path, depth: depth + 1)
                } else {
                    errors.append(CommandError(.badData, "\(path): too many folders in each other"))
                }
            } else if endings.contains(where: name.lowercased().hasSuffix) {
                files.append(path)
            }
        }
    }

    /// The names of all entries; nil if the folder cannot be read.
    private static func names(in folder: String) -> [String]? {
        guard let directory = unsafe opendir(FileName.characters(of: folder)) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // `d_name` is a tuple of 256 characters, closed by a zero.
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            names.append(FileName.text(of: name))
        }
        return names
    }

    /// The kind of a file (`S_IFMT`); nil if there is none.
    private static func kind(of path: String, followsLinks: Bool) -> mode_t? {
        var status = stat()
        let name = FileName.characters(of: path)
        let result = unsafe followsLinks ? stat(name, &status) : lstat(name, &status)
        return result == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// Synthetic swipes of the test card in a temporary folder, which is deleted with this value.
struct MadeSwipes: ~Copyable {
    private let folder: String
    private(set) var files: [String] = []

    private init(folder: String) { self.folder = folder }

    /// Makes one swipe of each track for each of four conditions, easy and hard.
    /// - Returns: the owner of the files.
    /// - Throws: `CommandError` if the files cannot be written.
    static func make() throws(CommandError) -> MadeSwipes {
        var template = Array("/tmp/jackdaw-XXXXXX".utf8CString)
        guard let folder = unsafe mkdtemp(&template) else {
            throw CommandError(.inputOutput, "/tmp: cannot create a folder")
        }
        var swipes = MadeSwipes(folder: unsafe String(cString: folder))
        let conditions: [(String, SwipeSynthesizer.Configuration)] = [
            ("clean", .init(sampleRate: 44_100)),
            ("accelerated", .init(sampleRate: 48_000, speed: 10, motion: .exponential(ratio: 5), signalToNoise: 30)),
            ("noisy", .init(sampleRate: 44_100, direction: .reverse, signalToNoise: 9)),
            ("clipped", .init(sampleRate: 96_000, clipping: 8, signalToNoise: 25)),
        ]
        for (condition, configuration) in conditions {
            for track in TrackNumber.allCases {
                let path = "\(swipes.folder)/\(condition)-track\(track.rawValue).wav"
                swipes.files.append(path)
                let samples = try SwipeSound.render(TestCard.text(track), track, configuration)
                try SwipeSound.write([samples], to: path, sampleRate: configuration.sampleRate)
            }
        }
        return swipes
    }

    deinit {
        for file in files { unsafe unlink(file) }
        unsafe rmdir(folder)
    }
}
