import Foundation
import JackdawAudioFile

@testable import JackdawALSA

/// Recordings of swipes and modems, as files and as the memory of a sound card.
enum Recordings {
    private static let checkout =
        "/" + URL(filePath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
    /// Ours.
    static let own = checkout + "/captures"
    /// Those of others, which the project may not hand on: they lie beside it, in `../shared`.
    static let shared = URL(filePath: checkout).deletingLastPathComponent().path + "/shared/captures"

    /// The WAV files below a folder, by their paths in it.
    static func files(below folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".wav") }.sorted()
    }

    /// How a sound card writes what a file has; nil for what no card has.
    static func encoding(of sound: FileSound) -> PCMEncoding? {
        [AudioEncoding.int16: .s16, .int24: .s24Packed, .int32: .s32, .float32: .float][sound.format.encoding]
    }

    /// The samples of a WAV file as they are: RIFF, size, WAVE, then pieces with a name of four bytes, a size,
    /// and content of even length.
    static func data(ofWAV path: String) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var place = 12
        while place + 8 <= bytes.count {
            let size = bytes[place + 4..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let content = place + 8
            if bytes[place..<place + 4].elementsEqual("data".utf8) {
                return Array(bytes[content..<min(bytes.count, content + size)])
            }
            place = content + size + size % 2
        }
        throw CocoaError(.fileReadCorruptFile)
    }
}
