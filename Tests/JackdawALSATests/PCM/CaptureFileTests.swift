import Foundation
import JackdawAudioFile
import Testing

@testable import JackdawALSA

private let checkout = "/" + URL(filePath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
private let ownRecordings = checkout + "/captures"
/// Recordings of others, which the project may not hand on: they lie beside it, in `../shared`.
private let sharedRecordings = URL(filePath: checkout).deletingLastPathComponent().path + "/shared/captures"

/// Recordings through libasound are the very sound, and the very swipes, that their files give.
@Suite struct CaptureFileTests {
    private static func recordings(below folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".wav") }.sorted()
    }

    @Test(arguments: recordings(below: ownRecordings)) func recordingsOfOurs(file: String) throws {
        let events = try Self.expectSame("\(ownRecordings)/\(file)")
        // The page beside them says that each can be read.
        #expect(events.joined().count { $0.text != nil } == 1)
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: sharedRecordings),
            "the recordings of others are not on this machine"),
        arguments: recordings(below: sharedRecordings))
    func recordingsOfOthers(file: String) throws {
        try Self.expectSame("\(sharedRecordings)/\(file)")
    }

    @discardableResult
    private static func expectSame(_ path: String) throws -> [[SwipeAccount]] {
        let sound = try FileSound(path: path)
        let encoding = try #require(encodings[sound.format.encoding], "no sound card has \(sound.format.encoding)")
        let files = try RecordingFiles()
        let played = try files.write(data(ofWAV: path), to: "played.raw")
        return try sound.expectSame(capturedFrom: played, encoding)
    }

    private static let encodings: [AudioEncoding: PCMEncoding] = [
        .int16: .s16, .int24: .s24Packed, .int32: .s32, .float32: .float,
    ]

    /// The samples of a WAV file as they are: RIFF, size, WAVE, then pieces with a name of four bytes, a size, and content of
    /// even length.
    private static func data(ofWAV path: String) throws -> [UInt8] {
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
