import Foundation
import JackdawPayments
import JackdawSandbox
import Testing

/// The description of the routes, `docs/sandbox-openapi.yaml`, and the table of `docs/sandbox.md` have every route with
/// its mark.
@Suite struct SandboxPageTests {
    /// A page; nil if the tests run in a package without the documents.
    private func page(_ name: String) throws -> String? {
        var root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: root.appendingPathComponent("docs").path) {
            root = root.deletingLastPathComponent()
        }
        let url = root.appendingPathComponent("docs/\(name)")
        return try String(contentsOf: url, encoding: .utf8)
    }

    /// The keys of the description: method and path, and whether it is marked.
    private func described(_ text: String) -> [String: Bool] {
        var found: [String: Bool] = [:]
        var (path, key) = ("", "")
        for line in text.split(separator: "\n") {
            if line.hasPrefix("  /") {
                path = line.dropFirst(3).split(separator: ":").first.map { String($0) } ?? ""
            } else if line.hasPrefix("    "), !line.hasPrefix("     "), line.hasSuffix(":") {
                key = "\(line.dropFirst(4).dropLast().uppercased()) \(path)"
                if HTTPRequest.Method(rawValue: String(key.prefix { $0 != " " })) != nil { found[key] = false }
            } else if line == "      x-beyond-v3: true", found[key] != nil {
                found[key] = true
            }
        }
        return found
    }

    @Test func everyRouteIsDescribedWithItsMark() throws {
        let text = try #require(try page("sandbox-openapi.yaml"))
        let wanted = SandboxRoute.table.flatMap { row in
            row.methods.map { ("\($0.rawValue) \(row.path)", row.isBeyond) }
        }
        #expect(described(text) == Dictionary(uniqueKeysWithValues: wanted))
    }

    @Test func theTableOfThePageHasEveryRoute() throws {
        let text = try #require(try page("sandbox.md"))
        for row in SandboxRoute.table {
            let methods = row.methods.map(\.rawValue).joined(separator: ", ")
            let mark = row.isBeyond ? "beyond v3" : "v3"
            #expect(text.contains("| \(methods) | `\(row.path)` | \(mark) |"), "\(row.path)")
        }
    }
}
