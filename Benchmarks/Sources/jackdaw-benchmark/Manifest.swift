import Foundation

/// One recording and what it holds.
struct Recording: Sendable, Decodable {
    /// Where the sound is; relative to the manifest unless it is absolute.
    var path: String
    /// The condition that it was made under.
    let cell: String
    /// The stripe's number, 1 to 3; nil where there is no swipe.
    let track: Int?
    /// The message from start to end sentinel; nil where there is no swipe.
    let text: String?

    init(path: String, cell: String, track: Int?, text: String?) {
        self.path = path
        self.cell = cell
        self.track = track
        self.text = text
    }

    private enum CodingKeys: CodingKey { case path, file, cell, track, text }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // The recordings in `captures` are listed by the names of their files.
        path =
            try container.decodeIfPresent(String.self, forKey: .path)
            ?? container.decode(String.self, forKey: .file)
        cell = try container.decode(String.self, forKey: .cell)
        // Some generators list the message that they then drowned altogether.
        let isNoise = cell == "noiseonly"
        track = isNoise ? nil : try container.decodeIfPresent(Int.self, forKey: .track)
        text = isNoise ? nil : try container.decodeIfPresent(String.self, forKey: .text)
    }
}

/// The recordings of several manifests, one after the other.
func recordings(ofManifests paths: [String]) throws -> [Recording] {
    try paths.flatMap { path in
        var recordings = try decoded([Recording].self, from: path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        for index in recordings.indices {
            recordings[index].path = URL(fileURLWithPath: recordings[index].path, relativeTo: folder).path
        }
        return recordings
    }
}
