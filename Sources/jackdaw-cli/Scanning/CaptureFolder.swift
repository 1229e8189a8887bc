import Glibc
import JackdawDSP
import JackdawTransport

/// Recordings in a folder.
enum CaptureFolder {
    /// The sound files in a folder, in the order of their names; empty if there is no such folder.
    static func soundFiles(in folder: String) -> [String] {
        guard let directory = unsafe opendir(FileName.characters(of: folder)) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // `d_name` is a tuple of 256 characters, closed by a zero.
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            names.append(FileName.text(of: name))
        }
        return names.filter { $0.hasSuffix(".wav") || $0.hasSuffix(".flac") }.sorted().map { "\(folder)/\($0)" }
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
