import Foundation
import Glibc
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Files of transcripts, when others have them and when they cannot be written.
@Suite struct TranscriptFileTests {
    private let path = NSTemporaryDirectory() + "transcript-\(UUID().uuidString)"

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func noLineFollowsATornLine() throws {
        defer { unsafe unlink(path) }
        let file = try TranscriptFile(path, link: "a:b")
        try file.write("one\n")
        let kept = dup(file.descriptor)
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        dup2(full, file.descriptor)
        close(full)
        #expect(throws: LinkError.self) { try file.write("two\n") }
        // There is room again.
        dup2(kept, file.descriptor)
        close(kept)
        let error = #expect(throws: LinkError.self) { try file.write("three\n") }
        #expect(error?.code == .full)
        #expect(error?.remedy != nil)
        #expect(try text() == "one\n")
    }

    @Test func aFileThatAnotherLinkWritesIsLeftAlone() async throws {
        defer { unsafe unlink(path) }
        var file: TranscriptFile? = try TranscriptFile(path, link: "a:b")
        try file?.write("one\n")
        let error = #expect(throws: LinkError.self) { try TranscriptFile(path, link: "a:b") }
        #expect(error?.code == .busy)
        #expect(error?.remedy != nil)
        #expect(try text() == "one\n")
        let header = TranscriptHeader(link: "a:b", isMasked: true).line + "\n"
        try file?.write(header)
        file = nil
        let other = #expect(throws: LinkError.self) { try TranscriptFile(path, link: "a:b") }
        // A file that begins otherwise belongs to the user, with any permissions.
        #expect(other?.code == .notPermitted)
        #expect(try text() == "one\n\(header)")
        try header.write(toFile: path, atomically: false, encoding: .utf8)
        try TranscriptFile(path, link: "a:b").write("two\n")
        #expect(try text() == "two\n")
    }

    @Test(.timeLimit(.minutes(30))) func aPipeIsNoTranscript() {
        defer { unsafe unlink(path) }
        unsafe #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: LinkError.self) { try Transcript(contentsOf: path, link: "a:b") }
        #expect(error?.code == .unsupported)
    }
}
