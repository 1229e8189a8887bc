import Foundation
import Testing

/// The pages and sources of the project that tests compare.
enum ProjectFiles {
    /// The folder of the manifest.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Compares the tables of a page, between two comments. `JACKDAW_WRITE_PAGES=1` writes them into the page instead.
    static func expect(_ tables: String, in path: String, printedBy suite: String) throws {
        let page = try text(of: path)
        let start = try #require(page.range(of: "<!-- printed by \(suite) -->\n"))
        let end = try #require(page.range(of: "<!-- end of the tables -->"))
        if ProcessInfo.processInfo.environment["JACKDAW_WRITE_PAGES"] == "1" {
            let changed = page[..<start.upperBound] + tables + page[end.lowerBound...]
            try Data(changed.utf8).write(to: root.appendingPathComponent(path))
            return
        }
        #expect(page[start.upperBound..<end.lowerBound] == tables)
    }
}
