import Foundation
import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// A file of vectors that other implementations made (see the file for which).
struct Vectors<Input: Decodable & Sendable, Output: Decodable & Sendable>: Decodable, Sendable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let `in`: Input
        let out: Output
        var testDescription: String { id }
    }
    let count: Int
    let rows: [Row]

    init(_ name: String) throws {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }
}

/// Two digits a byte.
func digits(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(Int($0) + 256, radix: 16, uppercase: true).suffix(2) }.joined()
}

extension CipherKey {
    /// A key of hexadecimal digits.
    init(_ text: String, _ algorithm: KeyAlgorithm) throws {
        let bytes = hex(text)
        try self.init(copying: bytes.span, for: algorithm)
    }

    /// All of it.
    var revealed: String { withRevealedBytes { bytes in digits(bytes.indices.map { bytes[$0] }) } }
}

extension SecretBytes {
    /// All of it.
    var revealed: String { withBytes { bytes in digits(bytes.indices.map { bytes[$0] }) } }
}

/// The code of the error that a body throws; nil where it throws none.
func code(_ body: () throws -> Void) -> CryptographyError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CryptographyError)?.code
    }
}
