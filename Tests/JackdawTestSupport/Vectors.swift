public import Foundation

/// A row of a vector file: an input and the output that is expected.
public struct VectorRow<Input: Decodable & Sendable, Output: Decodable & Sendable>: Decodable, Sendable {
    /// A command and the answer to it, in hexadecimal digits.
    public struct Exchange: Decodable, Sendable {
        public let c: String
        /// Nil if the card did not answer.
        public let r: String?
    }

    public let id: String
    public let input: Input
    public let output: Output
    /// The dialogue with a card; nil in topics without one.
    public let exchanges: [Exchange]?
    public let note: String?

    private enum CodingKeys: String, CodingKey {
        case id, exchanges, note
        case input = "in"
        case output = "out"
    }
}

/// Files of vectors in the schema `emv-vectors/1`: copies in the tests, or those in the
/// folder that JACKDAW_VECTORS names.
public enum Vectors {
    private struct File<Row: Decodable>: Decodable {
        let schema: String
        let topic: String
        let count: Int
        let rows: [Row]
    }

    public struct FileError: Error, CustomStringConvertible {
        public let description: String
    }

    private static let folder = ProcessInfo.processInfo.environment["JACKDAW_VECTORS"]

    /// Runs a check over every row of a topic.
    /// - Parameters:
    ///   - topic: the name of the file, without its ending.
    ///   - bundle: the bundle of the tests, which has the copies in the folder `Vectors`.
    ///   - type: the form of a row.
    ///   - check: the check of one row.
    /// - Returns: the number of rows that ran, which equals the number in the file's header.
    /// - Throws: the errors of reading and decoding, ``FileError`` if the header does not fit, and errors of `check`.
    @discardableResult
    public static func run<Input, Output>(
        _ topic: String, in bundle: Bundle, as type: VectorRow<Input, Output>.Type,
        _ check: (VectorRow<Input, Output>) throws -> Void
    ) throws -> Int {
        let copies = bundle.resourceURL?.appendingPathComponent("Vectors")
        guard let place = folder.map({ URL(fileURLWithPath: $0) }) ?? copies else {
            throw FileError(description: "the bundle has no vectors")
        }
        let data = try Data(contentsOf: place.appendingPathComponent("\(topic).json"))
        let file = try JSONDecoder().decode(File<VectorRow<Input, Output>>.self, from: data)
        guard file.schema == "emv-vectors/1", file.topic == topic, file.count > 0, file.rows.count == file.count else {
            throw FileError(description: "\(topic).json: the header does not fit the file")
        }
        var ran = 0
        for row in file.rows {
            try check(row)
            ran += 1
        }
        guard ran == file.count else { throw FileError(description: "\(topic).json: \(ran) of \(file.count) rows ran") }
        return ran
    }
}
