import Foundation
import Testing

@testable import jackdaw_cli

/// The recordings in the repository, decoded by the command.
@Suite struct CaptureTests {
    private struct Capture: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        let text: String
        var testDescription: String { file }
    }

    private static let folder =
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/") + "/captures"

    private static func manifest() throws -> [Capture] {
        try JSONDecoder().decode(
            [Capture].self, from: Data(contentsOf: URL(fileURLWithPath: "\(folder)/manifest.json")))
    }

    @Test(arguments: try manifest())
    private func captureHasTheTextOfItsManifest(capture: Capture) throws {
        let run = CommandRun("decode", "--json", "--reveal", "\(Self.folder)/\(capture.file)")
        #expect(run.status == 0)
        #expect(try run.lines.map { try jsonObject($0)["text"] as? String } == [capture.text])
    }

    @Test func everyRecordingIsInTheManifest() throws {
        let listed = try Self.manifest().map { "\(Self.folder)/\($0.file)" }
        #expect(listed.sorted() == SoundFolder.files(in: Self.folder))
    }
}
