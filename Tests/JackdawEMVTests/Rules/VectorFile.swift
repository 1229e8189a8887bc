import Foundation
import JackdawTestSupport
import Testing

/// A file of rows for one topic: the vectors of another program or a rule model, or rows that were worked out by hand
/// from the books, which are in the folder `Cases`.
struct VectorFile: Sendable, CustomTestStringConvertible {
    let topic: String
    let isHandWorked: Bool

    static func copied(_ topic: String) -> Self { Self(topic: topic, isHandWorked: false) }
    static func handWorked(_ topic: String) -> Self { Self(topic: topic, isHandWorked: true) }

    var testDescription: String { isHandWorked ? "\(topic), by hand" : topic }

    private struct HandWorked<Row: Decodable>: Decodable { let rows: [Row] }

    /// Runs a check over every row. A file worked by hand has at least ten.
    func run<Input, Output>(
        as type: VectorRow<Input, Output>.Type, _ check: (VectorRow<Input, Output>) throws -> Void
    ) throws {
        guard isHandWorked else {
            try Vectors.run(topic, in: .module, as: type, check)
            return
        }
        let file = try #require(
            Bundle.module.url(forResource: "\(topic)_by_hand", withExtension: "json", subdirectory: "Cases"))
        let rows = try JSONDecoder().decode(HandWorked<VectorRow<Input, Output>>.self, from: Data(contentsOf: file))
            .rows
        #expect(rows.count >= 10)
        for row in rows { try check(row) }
    }
}
