import Foundation

/// A long recording with swipes in it, and where they are.
struct LiveRecording: Decodable {
    /// A card's passing.
    struct Swipe: Decodable {
        /// From start to end sentinel.
        let text: String
        /// The first and the last flux transition, in samples.
        let first: Int
        let last: Int
    }

    let path: String
    /// Samples per second (Hz).
    let rate: Double
    let seconds: Double
    let swipes: [Swipe]

    /// The only recording of a manifest, and where it is.
    static func first(ofManifest manifest: String) throws -> (recording: LiveRecording, path: String) {
        guard let recording = try decoded([LiveRecording].self, from: manifest).first else {
            throw CorpusError(description: "\(manifest): no recording")
        }
        let folder = URL(fileURLWithPath: manifest).deletingLastPathComponent()
        return (recording, URL(fileURLWithPath: recording.path, relativeTo: folder).path)
    }
}
