import Foundation
import JackdawAudioFile
import Testing

@testable import JackdawALSA

/// Recordings through libasound are the very sound, and the very swipes, that their files give.
@Suite struct CaptureFileTests {
    @Test(arguments: Recordings.files(below: Recordings.own)) func recordingsOfOurs(file: String) throws {
        let events = try Self.expectSame("\(Recordings.own)/\(file)")
        // The page beside them says that each can be read.
        #expect(events.joined().count { $0.text != nil } == 1)
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: Recordings.shared),
            "the recordings of others are not on this machine"),
        arguments: Recordings.files(below: Recordings.shared))
    func recordingsOfOthers(file: String) throws {
        try Self.expectSame("\(Recordings.shared)/\(file)")
    }

    @discardableResult
    private static func expectSame(_ path: String) throws -> [[SwipeAccount]] {
        let sound = try FileSound(path: path)
        let encoding = try #require(Recordings.encoding(of: sound), "no sound card has \(sound.format.encoding)")
        let files = try RecordingFiles()
        let played = try files.write(Recordings.data(ofWAV: path), to: "played.raw")
        return try sound.expectSame(capturedFrom: played, encoding)
    }
}
