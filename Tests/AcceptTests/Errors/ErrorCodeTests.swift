import Foundation
import Testing

@testable import Accept

extension ErrorSituation: CustomTestStringConvertible {
    var testDescription: String { "\(code.name): \(text)" }
}

/// Each code of an error is reached by a situation, or has a reason why none reaches it; docs/accept-errors.md shows both.
@Suite struct ErrorCodeTests {
    /// The names of this project's own codes, in the order of the source.
    private static func ownNames() throws -> [String] {
        let source = try ProjectFiles.text(of: "Sources/Accept/Vocabulary/AcceptError.swift")
        return source.split(separator: "\n").compactMap { line in
            let parts = line.components(separatedBy: "= own(\"")
            return parts.count == 2 ? parts[1].replacingOccurrences(of: "\")", with: "") : nil
        }
    }

    /// All codes, in the order of their enumerations and of the source.
    private static func codes() throws -> [AcceptError.Code] {
        var codes: [AcceptError.Code] = AcceptPayErrorCode.allCases.map { .pay($0) }
        codes += AcceptCommonErrorCode.allCases.map { .common($0) }
        codes += AcceptConfigFilesInfoErrorCode.allCases.map { .config($0) }
        let known = ErrorSituation.all.map { $0.code } + ErrorSituation.unreached.map { $0.code }
        for name in try ownNames() {
            if let code = known.first(where: { $0.domain == "Jackdaw" && $0.name == name }) { codes.append(code) }
        }
        return codes
    }

    @Test(arguments: ErrorSituation.all) func aSituationEndsWithItsCode(situation: ErrorSituation) async throws {
        let error = try await situation.provoke()
        #expect(error?.code == situation.code, "\(String(describing: error))")
    }

    @Test func eachCodeHasASituationOrAReason() throws {
        let own = try Self.ownNames()
        let codes = try Self.codes()
        #expect(own.count > 20)
        #expect(codes.filter { $0.domain == "Jackdaw" }.map { $0.name } == own)
        for code in codes {
            let situations = ErrorSituation.all.count { $0.code == code }
            let reasons = ErrorSituation.unreached.count { $0.code == code }
            #expect(situations + reasons == 1, "\(code.domain) \(code.name)")
        }
    }

    @Test func thePageHasTheTablesOfTheSituations() throws {
        try ProjectFiles.expect(Self.tables(), in: "docs/accept-errors.md", printedBy: "ErrorCodeTests")
    }

    private static func tables() throws -> String {
        var lines: [String] = []
        let codes = try codes()
        for domain in ["AcceptPayErrorCode", "AcceptCommonErrorCode", "AcceptConfigFilesInfoErrorCode", "Jackdaw"] {
            lines += ["", "## \(domain)", "", "| code | number | made by | situation |", "|---|---|---|---|"]
            for code in codes where code.domain == domain {
                let number = code.number.map { "\($0)" } ?? ""
                if let situation = ErrorSituation.all.first(where: { $0.code == code }) {
                    lines.append("| `\(code.name)` | \(number) | \(situation.side.rawValue) | \(situation.text) |")
                } else if let unreached = ErrorSituation.unreached.first(where: { $0.code == code }) {
                    lines.append("| `\(code.name)` | \(number) | not reached | \(unreached.reason) |")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n\n"
    }
}
