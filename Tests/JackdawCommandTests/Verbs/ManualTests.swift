import Foundation
import JackdawTestSupport
import Testing

private let man = "/usr/bin/man"

/// The manual as `man` prints it.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: man), "man is not on this machine"))
struct ManualTests {
    /// The page on lines so long that no word is divided.
    private func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let environment = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "2000", "MANPAGER": "cat", "GROFF_NO_SGR": "1",
        ]
        let output = Pipe()
        let process = try SpawnedProcess(
            man, ["-l", "\(root)/docs/jackdaw.1"], environment: environment, output: .pipe(output))
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.end()
        // Bold and underlined characters are struck twice.
        return String(decoding: bytes, as: UTF8.self).replacing(/.\u{8}/, with: "")
    }

    @Test func quotesAreNeitherDoubledNorLeftOpen() throws {
        let page = try page()
        #expect(!page.contains("\"\""))
        let afterTitle = try #require(page.components(separatedBy: "\nJSON\n").dropFirst().first)
        let section = try #require(afterTitle.components(separatedBy: "\nEXIT STATUS\n").first)
        let paragraphs = section.components(separatedBy: "\n\n")
        #expect(paragraphs.count > 10)
        var quoted = 0
        for paragraph in paragraphs {
            #expect(paragraph.count { $0 == "“" } == paragraph.count { $0 == "”" }, "\(paragraph)")
            let parts = paragraph.components(separatedBy: "\"")
            #expect(parts.count % 2 == 1, "\(paragraph)")
            // A quoted value is one or two words; the text between two values has more.
            for part in stride(from: 1, to: parts.count, by: 2).map({ parts[$0] }) {
                #expect(part.wholeMatch(of: /[a-z_]+( [a-z]+)?/) != nil, "\(part)")
                quoted += 1
            }
        }
        #expect(quoted > 40)
    }
}
