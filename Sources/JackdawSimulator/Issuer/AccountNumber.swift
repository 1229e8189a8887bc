import JackdawBytes
import JackdawCards
import JackdawEMV

/// The account of a message, in wiped memory.
struct AccountNumber: Sendable {
    /// The number as digits in ASCII.
    let digits: SecretOctets
    /// The sequence number of the card (5F34), 0 to 99; 0 without one.
    let sequenceNumber: UInt8

    init(digits: SecretOctets, sequenceNumber: UInt8) {
        self.digits = digits
        self.sequenceNumber = sequenceNumber
    }

    /// The account of a message's objects: 5A, or the beginning of 57; nil if they have none of 8 to 19 digits.
    init?(_ objects: DataObjectStore) {
        guard let packed = objects.secret(0x5A) ?? objects.secret(0x57) else { return nil }
        var digits: [UInt8] = packed.withOctets { octets in
            octets.indices.flatMap { [octets[$0] >> 4, octets[$0] & 0x0F] }
        }
        defer { digits.wipe() }
        // D separates the number from the rest of track 2, F fills the last octet.
        let count = digits.firstIndex { $0 > 9 } ?? digits.count
        let sequence = objects[0x5F34] ?? [0]
        guard (8...19).contains(count), sequence.count == 1, sequence[0] >> 4 < 10, sequence[0] & 0x0F < 10 else {
            return nil
        }
        for index in 0..<count { digits[index] |= 0x30 }
        self.digits = SecretOctets(copying: digits.span.extracting(0..<count))
        sequenceNumber = sequence[0] >> 4 * 10 + sequence[0] & 0x0F
    }

    /// Whether the number begins with digits.
    func hasPrefix(_ prefix: SecretOctets) -> Bool {
        digits.withOctets { digits in
            prefix.withOctets { prefix in
                prefix.count <= digits.count && prefix.indices.allSatisfy { prefix[$0] == digits[$0] }
            }
        }
    }

    /// The number for output: at most the first six and the last four digits.
    var masked: String? { digits.withOctets { try? PrimaryAccountNumber($0).masked } }
}
