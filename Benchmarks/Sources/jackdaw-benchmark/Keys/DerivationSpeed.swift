import CDerivation
import JackdawCryptography

/// The derivation of a DUKPT data key from its base derivation key: by JackdawCryptography, and by the bare calls of
/// libcrypto with a context that exists before.
struct DerivationSpeed {
    let name: String
    private let algorithm: KeyAlgorithm
    private let serialNumber: [UInt8]

    /// Each with a counter of one bit, and with one of as many bits as a counter may have.
    static let all = [
        DerivationSpeed("TDES, 1 bit", .tripleDES2, [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x01]),
        DerivationSpeed("TDES, 10 bits", .tripleDES2, [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xFF, 0xF8, 0x00]),
        DerivationSpeed("AES-128, 1 bit", .aes128, [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0, 0, 0, 1]),
        DerivationSpeed("AES-128, 16 bits", .aes128, [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 255, 255, 0, 0]),
    ]

    /// Not a published key, so that the comparison with those is in the time.
    private static let base: [UInt8] = [
        0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6, 0x07, 0x18, 0x29, 0x3A, 0x4B, 0x5C, 0x6D, 0x7E, 0x8F, 0x90,
    ]

    private init(_ name: String, _ algorithm: KeyAlgorithm, _ serialNumber: [UInt8]) {
        self.name = name
        self.algorithm = algorithm
        self.serialNumber = serialNumber
    }

    /// Derives the key a number of times, by JackdawCryptography.
    func derive(_ count: Int) throws(CryptographyError) -> [UInt8] {
        let base = try CipherKey(copying: Self.base.span, for: algorithm, mode: .live)
        var last: [UInt8] = []
        if algorithm == .tripleDES2 {
            let number = try KeySerialNumber(serialNumber.span)
            for round in 1...count {
                let key = try TripleDESDerivation.workingKey(for: .dataRequest, from: base, serialNumber: number)
                if round == count { last = key.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } } }
            }
        } else {
            let number = try AESKeySerialNumber(serialNumber.span)
            for round in 1...count {
                let key = try AESDerivation.workingKey(
                    for: .dataEncryption, algorithm, fromBase: base, serialNumber: number)
                if round == count { last = key.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } } }
            }
        }
        return last
    }

    /// Derives the key a number of times, by the bare calls; nil if one fails.
    func deriveBare(_ count: Int) -> [UInt8]? {
        let isTripleDES = algorithm == .tripleDES2
        guard let context = unsafe derivation_context(isTripleDES ? "DES-EDE-ECB" : "AES-128-ECB") else { return nil }
        defer { unsafe derivation_context_free(context) }
        var key = [UInt8](repeating: 0, count: 16)
        for _ in 0..<count {
            let isDone =
                isTripleDES
                ? unsafe derive_tdes_data_key(context, Self.base, serialNumber, &key)
                : unsafe derive_aes_data_key(context, Self.base, serialNumber, &key)
            guard isDone == 1 else { return nil }
        }
        return key
    }
}
