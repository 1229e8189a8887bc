import JackdawCards

/// A key and what it is for: one holder, no silent copy, overwritten when it goes, and without any printed form.
///
/// ```swift
/// let base = try CipherKey(copying: bytes.span, for: .tripleDES2)
/// let initial = try TripleDESDerivation.initialKey(from: base, for: serialNumber)
/// ```
public struct CipherKey: ~Copyable, Sendable {
    /// What it is for.
    public let algorithm: KeyAlgorithm
    /// Whether everybody knows it, or the key that it was derived from: no key for live cards.
    public let isPublishedTestKey: Bool
    private let bytes: SecretBytes

    /// A key. The original is the caller's to wipe.
    /// - Parameters:
    ///   - bytes: as many as the algorithm wants.
    ///   - algorithm: what it is for.
    /// - Throws: ``DecryptionError`` with code `length`.
    public init(copying bytes: Span<UInt8>, for algorithm: KeyAlgorithm) throws(DecryptionError) {
        try self.init(SecretBytes(copying: bytes), for: algorithm, isPublished: false)
    }

    init(_ bytes: consuming SecretBytes, for algorithm: KeyAlgorithm, isPublished: Bool) throws(DecryptionError) {
        guard bytes.count == algorithm.size else {
            throw DecryptionError(
                .length, "a key of \(bytes.count) bytes, where one for \(algorithm) has \(algorithm.size)")
        }
        self.algorithm = algorithm
        isPublishedTestKey =
            bytes.withBytes { PublishedTestKey.contains($0, ignoringParity: algorithm.isTripleDES) } || isPublished
        self.bytes = bytes
    }

    /// Runs a body over the bytes of the key; what it copies out is the caller's to wipe.
    public borrowing func withRevealedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }

    /// The same bytes as a key for another algorithm.
    /// - Throws: ``DecryptionError`` with code `length` where its keys have another size.
    borrowing func repurposed(for other: KeyAlgorithm) throws(DecryptionError) -> CipherKey {
        try CipherKey(bytes.clone(), for: other, isPublished: isPublishedTestKey)
    }

    /// Checks that a key is for what it is used for.
    borrowing func expect(_ isRight: (KeyAlgorithm) -> Bool, _ wanted: String) throws(DecryptionError) {
        guard isRight(algorithm) else {
            throw DecryptionError(.algorithm, "a key for \(algorithm), where one for \(wanted) is needed")
        }
    }
}
