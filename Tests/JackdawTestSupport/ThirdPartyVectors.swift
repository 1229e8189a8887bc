import Foundation

/// Vectors that are not part of the project and are read where they are: in the folder that JACKDAW_THIRD_PARTY names.
public enum ThirdPartyVectors {
    private struct File<Row: Decodable>: Decodable {
        let rows: [Row]
    }

    private static let folder = ProcessInfo.processInfo.environment["JACKDAW_THIRD_PARTY"]

    /// Why tests of them are skipped when they are.
    public static let comment = "JACKDAW_THIRD_PARTY names no folder with this file"

    /// Whether a file of them is there.
    public static func has(_ name: String) -> Bool {
        folder.map { FileManager.default.fileExists(atPath: "\($0)/\(name).json") } ?? false
    }

    /// The rows of a file.
    /// - Parameters:
    ///   - name: of the file, without its ending.
    ///   - type: of a row.
    /// - Returns: the rows, in their order.
    /// - Throws: what reading and decoding throw.
    public static func rows<Row: Decodable>(_ name: String, as type: Row.Type) throws -> [Row] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder ?? "")/\(name).json"))
        return try JSONDecoder().decode(File<Row>.self, from: data).rows
    }
}
