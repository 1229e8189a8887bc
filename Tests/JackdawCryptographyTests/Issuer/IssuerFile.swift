import Foundation

/// The file of the folder `issuers`.
enum IssuerFile {
    /// The text of the file.
    static var text: String {
        get throws { try String(contentsOfFile: "\(root)/issuers/test.json", encoding: .utf8) }
    }

    /// The text of a file of the folder `payers`.
    static func payer(_ name: String) throws -> String {
        try String(contentsOfFile: "\(root)/payers/\(name).json", encoding: .utf8)
    }

    private static var root: String {
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    }
}
