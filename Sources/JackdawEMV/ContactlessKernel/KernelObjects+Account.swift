// The account number of a contactless card.

extension KernelObjects {
    /// Terminates if the account numbers of 5A and 57 differ (Books C-2 and C-3, annex A).
    func requireOneAccount() throws(KernelTermination) {
        guard let number = card.secret(.accountNumber), let track = card.secret(.trackTwo) else { return }
        let isSame = number.withOctets { number in
            track.withOctets { track in Self.digitCount(number) == Self.digitCount(track) && Self.agree(number, track) }
        }
        guard isSame else { throw KernelTermination(.malformed, .trackTwo) }
    }

    /// The account number as in tag 5A; nil if the card has neither 5A nor 57.
    var account: SecretOctets? {
        if let number = card.secret(.accountNumber) { return number }
        return card.secret(.trackTwo).map { track in
            track.withOctets { track in
                let digits = Self.digitCount(track)
                return SecretOctets(count: (digits + 1) / 2) { octets in
                    for index in 0..<digits {
                        octets[index / 2] |= index % 2 == 0 ? track.digit(index) << 4 : track.digit(index)
                    }
                    if digits % 2 == 1 { octets[digits / 2] |= 0x0F }
                }
            }
        }
    }

    /// Number of digits before the first that is none: the separator D of a track, or the padding F of a number.
    private static func digitCount(_ octets: Span<UInt8>) -> Int {
        var count = 0
        while count < 2 * octets.count, octets.digit(count) <= 9 { count += 1 }
        return count
    }

    private static func agree(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in 0..<digitCount(left) where left.digit(index) != right.digit(index) { return false }
        return true
    }
}

extension Span where Element == UInt8 {
    /// The digit at a place, from 0; the first is in bits 8 to 5 of the first octet.
    fileprivate func digit(_ index: Int) -> UInt8 { index % 2 == 0 ? self[index / 2] >> 4 : self[index / 2] & 0x0F }
}
