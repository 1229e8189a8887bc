import JackdawCards

/// Session keys: keys for one transaction, derived from a master key of a card.
extension CipherKey {
    /// Derives a session key by EMV's common method (EMV Book 2, A1.3.1).
    /// - Parameter diversifier: 8 bytes; its third byte has no effect. For cryptograms the counter (tag 9F36) and
    ///   zeros, for secure messaging the cryptogram (tag 9F26).
    /// - Returns: a key for triple DES with 16 bytes, with odd parity.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    public borrowing func commonSessionKey(for diversifier: [UInt8]) throws(CryptographyError) -> CipherKey {
        try Self.check(diversifier, 8, "a diversifier")
        let blocks = SecretBytes(count: 16) { blocks in
            for index in 0..<16 { blocks[index] = diversifier[index % 8] }
            blocks[2] = 0xF0
            blocks[10] = 0x0F
        }
        return try derivedKey(encrypting: blocks)
    }

    /// Derives a session key for secure messaging as Visa's cards with cryptogram versions 10 and 18 do: the counter is
    /// XORed with the end of the left half, its complement with the end of the right half.
    /// - Parameter counter: the application transaction counter (tag 9F36).
    /// - Returns: a key for triple DES with 16 bytes, with odd parity.
    /// - Throws: ``CryptographyError`` with code `algorithm`.
    public borrowing func visaSessionKey(counter: UInt16) throws(CryptographyError) -> CipherKey {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let bytes = withRevealedBytes { key in
            SecretBytes(count: 16) { bytes in
                for index in 0..<16 { bytes[index] = key[index] }
                for (end, value) in [(7, counter), (15, ~counter)] {
                    bytes[end - 1] ^= UInt8(value >> 8)
                    bytes[end] ^= UInt8(value & 255)
                }
            }
        }
        return derivedKey(bytes)
    }

    /// Derives a session key by the tree of EMV2000 (EMV 4.0, Book 2, A1.3), which later editions of EMV lack.
    /// - Parameters:
    ///   - counter: the application transaction counter (tag 9F36).
    ///   - tree: the size of the tree.
    /// - Returns: a key for triple DES with 16 bytes, with odd parity.
    /// - Throws: ``CryptographyError`` with code `algorithm` or `library`.
    public borrowing func treeSessionKey(
        counter: UInt16, tree: SessionKeyTree = .standard
    ) throws(CryptographyError) -> CipherKey {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let path = tree.path(to: Int(counter))
        var grandparent = SecretBytes(copying: tree.vector.span)
        var parent = withRevealedBytes { SecretBytes(copying: $0) }
        for branch in path.dropLast() {
            let child = try node(branch, of: tree, parent, grandparent)
            grandparent = parent
            parent = child
        }
        let leaf = try node(path.last ?? 0, of: tree, parent, grandparent)
        return derivedKey(grandparent.withBytes { leaf.xor($0) })
    }

    /// A key of the tree: the grandparent's halves XOR the number of the branch, encrypted with the parent.
    private borrowing func node(
        _ branch: Int, of tree: SessionKeyTree, _ parent: borrowing SecretBytes, _ grandparent: borrowing SecretBytes
    ) throws(CryptographyError) -> SecretBytes {
        let blocks = grandparent.withBytes { bytes in
            SecretBytes(count: 16) { blocks in
                for index in 0..<16 { blocks[index] = bytes[index] }
                for end in [7, 15] {
                    blocks[end - 1] ^= UInt8(branch >> 8 & 255)
                    blocks[end] ^= UInt8(branch & 255)
                }
                blocks[15] ^= 0xF0
            }
        }
        let key = CipherKey(derived: parent.clone(), for: .tripleDES2, isPublished: isPublishedTestKey)
        return try blocks.withBytes { (blocks) throws(CryptographyError) in try key.encryptBlocks(blocks) }
    }
}

/// The tree of session keys of EMV2000: its leaves are the keys of the counters.
public struct SessionKeyTree: Sendable, Hashable {
    let height: Int
    let branchFactor: Int
    let vector: [UInt8]

    /// Eight levels of four branches, and a vector of zeros.
    public static let standard = SessionKeyTree(
        unchecked: 8, branchFactor: 4, vector: [UInt8](repeating: 0, count: 16))

    /// Creates a tree.
    /// - Parameters:
    ///   - height: the number of levels, 1 to 16.
    ///   - branchFactor: the number of branches of a key, 2 to 65,536.
    ///   - vector: the initialisation vector, 16 bytes; it is the grandparent of the first keys.
    /// - Throws: ``CryptographyError`` with code `value` if the tree has fewer leaves than
    ///   there are counters, `length`.
    public init(height: Int, branchFactor: Int, vector: [UInt8]) throws(CryptographyError) {
        try CipherKey.check(vector, 16, "the vector of a tree of keys")
        guard (1...16).contains(height), (2...65_536).contains(branchFactor),
            (0..<height).reduce(1, { leaves, _ in min(leaves * branchFactor, 65_536) }) == 65_536
        else {
            throw CryptographyError(
                .value, "a tree of \(height) levels with \(branchFactor) branches does not have 65,536 keys")
        }
        self.init(unchecked: height, branchFactor: branchFactor, vector: vector)
    }

    private init(unchecked height: Int, branchFactor: Int, vector: [UInt8]) {
        self.height = height
        self.branchFactor = branchFactor
        self.vector = vector
    }

    /// The branches from the root to a leaf.
    func path(to leaf: Int) -> [Int] {
        var rest = leaf
        let branches = (0..<height).map { _ in
            defer { rest /= branchFactor }
            return rest % branchFactor
        }
        return branches.reversed()
    }
}
