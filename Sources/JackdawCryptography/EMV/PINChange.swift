import JackdawCards

/// PIN blocks of the PIN CHANGE/UNBLOCK command, in clear.
extension PIN {
    /// Visa's block: the PIN with its length and padding F, XOR bytes 5 to 8 of the card's key for cryptograms, XOR the
    /// current PIN if the card must verify it.
    /// - Parameters:
    ///   - key: the master key of the card for cryptograms.
    ///   - current: the current PIN; nil if the card does not verify it.
    /// - Returns: 8 bytes.
    func visaBlock(_ key: borrowing CipherKey, current: PIN?) -> SecretBytes {
        let block = SecretBytes(packing: 16) { index in
            var digit: UInt8 =
                switch index {
                case 0: 0
                case 1: UInt8(count)
                case ..<(2 + count): self.digit(index - 2)
                default: 15
                }
            if let current, index < current.count { digit ^= current.digit(index) }
            return digit
        }
        let mask = key.withRevealedBytes { key in
            SecretBytes(count: 8) { mask in
                for index in 4..<8 { mask[index] = key[index] }
            }
        }
        return mask.withBytes { block.xor($0) }
    }
}
