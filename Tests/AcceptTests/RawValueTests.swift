import Foundation
import Testing

@testable import Accept

/// The raw values of the SDK's enumerations; docs/accept-values.md has a table of each.
@Suite struct RawValueTests {
    private struct Value: Hashable {
        let name: String
        let number: Int
        let meaning: String
    }

    /// The enumerations of the vocabulary with their cases, as the source has them.
    private static func enumerations() throws -> [(name: String, values: [Value])] {
        let source = try ProjectFiles.text(of: "Sources/Accept/Vocabulary/AcceptVocabulary.swift")
        var found: [(name: String, values: [Value])] = []
        var comment: [String] = []
        for line in source.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            let words = text.split(separator: " ").map(String.init)
            if text.hasPrefix("/// ") {
                comment.append(String(text.dropFirst(4)))
                continue
            }
            defer { comment = [] }
            if text.hasPrefix("public enum "), words.count > 3, words[3] == "Int," {
                found.append((String(words[2].dropLast()), []))
            } else if words.count == 4, words[0] == "case", words[2] == "=", let number = Int(words[3]) {
                let meaning = comment.joined(separator: " ").replacingOccurrences(of: "``", with: "`")
                found[found.count - 1].values.append(Value(name: words[1], number: number, meaning: meaning))
            }
        }
        return found
    }

    private static func names<Enumeration: CaseIterable & RawRepresentable<Int>>(_: Enumeration.Type) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: Enumeration.allCases.map { ("\($0)", $0.rawValue) })
    }

    @Test func thePageHasEachRawValue() throws {
        let compiled = [
            "AcceptStateUpdate": Self.names(AcceptStateUpdate.self),
            "AcceptReversalReason": Self.names(AcceptReversalReason.self),
            "AcceptOperationOnPayment": Self.names(AcceptOperationOnPayment.self),
            "AcceptTransactionType": Self.names(AcceptTransactionType.self),
            "AcceptTransactionState": Self.names(AcceptTransactionState.self),
            "AcceptTaxationType": Self.names(AcceptTaxationType.self),
            "AcceptBasketItemType": Self.names(AcceptBasketItemType.self),
            "AcceptSignatureVerificationResult": Self.names(AcceptSignatureVerificationResult.self),
            "AcceptExtensionConnectionStatus": Self.names(AcceptExtensionConnectionStatus.self),
        ]
        let found = try Self.enumerations()
        #expect(Set(found.map(\.name)) == Set(compiled.keys))
        var lines: [String] = []
        for (name, values) in found {
            #expect(Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.number) }) == compiled[name], "\(name)")
            #expect(values.allSatisfy { !$0.meaning.isEmpty })
            lines += ["", "## \(name)", "", "| value | raw | meaning |", "|---|---|---|"]
            lines += values.map { "| `\($0.name)` | \($0.number) | \($0.meaning) |" }
        }
        let tables = lines.joined(separator: "\n") + "\n\n"
        try ProjectFiles.expect(tables, in: "docs/accept-values.md", printedBy: "RawValueTests")
    }
}
