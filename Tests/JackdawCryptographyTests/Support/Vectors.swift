import Foundation
import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Whether the vectors are the copies in these tests, whose rows are known; false if JACKDAW_VECTORS names others.
let hasOwnVectors = ProcessInfo.processInfo.environment["JACKDAW_VECTORS"] == nil

/// The rows of a topic.
func ownRows<Input, Output>(
    _ topic: String, as type: VectorRow<Input, Output>.Type
) throws -> [VectorRow<Input, Output>] {
    var rows: [VectorRow<Input, Output>] = []
    try Vectors.run(topic, in: .module, as: type) { rows.append($0) }
    return rows
}

/// Two digits a byte.
func digits(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(Int($0) + 256, radix: 16, uppercase: true).suffix(2) }.joined()
}

extension CipherKey {
    /// A key of hexadecimal digits.
    init(_ text: String, _ algorithm: KeyAlgorithm, mode: CardMode = .test) throws {
        let bytes = hex(text)
        try self.init(copying: bytes.span, for: algorithm, mode: mode)
    }

    var revealed: String { withRevealedBytes { bytes in digits(bytes.indices.map { bytes[$0] }) } }
}

extension SecretBytes {
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
