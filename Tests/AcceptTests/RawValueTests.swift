import Foundation
import Testing

@testable import Accept

/// The page docs/accept-values.md has a table of each enumeration: names and numbers of the headers, and the meanings in the
/// source. `VocabularyTests` compares the enumerations themselves with the headers.
@Suite struct RawValueTests {
    private struct Value: Hashable {
        let name: String
        let number: Int
        let meaning: String
    }

    /// The enumerations of the vocabulary with their cases and meanings, as the source has them.
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

    @Test func thePageHasEachRawValue() throws {
        let published = [
            "AcceptStateUpdate": PublishedNames.stateUpdate, "AcceptReversalReason": PublishedNames.reversalReason,
            "AcceptOperationOnPayment": PublishedNames.operationOnPayment,
            "AcceptTransactionType": PublishedNames.transactionType,
            "AcceptTransactionState": PublishedNames.transactionState,
            "AcceptTaxationType": PublishedNames.taxationType, "AcceptBasketItemType": PublishedNames.basketItemType,
            "AcceptSignatureVerificationResult": PublishedNames.signatureVerificationResult,
            "AcceptExtensionConnectionStatus": PublishedNames.extensionConnectionStatus,
        ]
        let found = try Self.enumerations()
        #expect(Set(found.map(\.name)) == Set(published.keys))
        var lines: [String] = []
        for (name, values) in found {
            let list = try PublishedNames.values(try #require(published[name]))
            #expect(values.map { "\($0.name.lowercased()) \($0.number)" } == list, "\(name)")
            #expect(values.allSatisfy { !$0.meaning.isEmpty })
            lines += ["", "## \(name)", "", "| value | raw | meaning |", "|---|---|---|"]
            lines += values.map { "| `\($0.name)` | \($0.number) | \($0.meaning) |" }
        }
        let tables = lines.joined(separator: "\n") + "\n\n"
        try ProjectFiles.expect(tables, in: "docs/accept-values.md", printedBy: "RawValueTests")
    }
}
