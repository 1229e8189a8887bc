import JackdawCards
import JackdawEMV

/// The account number of a card with its sequence number. Printed forms are masked.
struct AccountNumber: RedactedDescription, Equatable {
    let number: PrimaryAccountNumber
    /// The sequence number of the card (5F34), 0 to 99; 0 without one.
    let sequenceNumber: UInt8

    /// The account of the values of two tags; nil if they are not 8 to 19 digits, and two.
    /// - Parameters:
    ///   - packed: the account number as in tag 5A: packed digits with padding F.
    ///   - sequence: the value of tag 5F34; nil without one.
    init?(packed: SecretOctets, sequence: [UInt8]?) {
        let number: PrimaryAccountNumber? = packed.withOctets { octets in
            guard octets.count <= 10 else { return nil }
            let places = 0..<2 * octets.count
            let count = places.first { octets.digit($0) > 9 } ?? places.count
            guard places[count...].allSatisfy({ octets.digit($0) == 0x0F }) else { return nil }
            let digits = SecretOctets(count: count) { digits in
                for index in digits.indices { digits[index] = 0x30 | octets.digit(index) }
            }
            return digits.withOctets { try? PrimaryAccountNumber($0) }
        }
        self.init(number, sequence)
    }

    /// The account of a message's objects: that of 5A, or else of the track in 57; nil if they name none.
    init?(_ objects: DataObjectStore) {
        let sequence = objects[0x5F34]
        if let packed = objects.secret(0x5A) {
            self.init(packed: packed, sequence: sequence)
        } else {
            let track = objects.withValue(0x57) { try? Track2(equivalentData: $0) } ?? nil
            self.init(track?.pan, sequence)
        }
    }

    private init?(_ number: PrimaryAccountNumber?, _ sequence: [UInt8]?) {
        let sequence = sequence ?? [0]
        guard let number, sequence.count == 1, sequence.span.digit(0) < 10, sequence.span.digit(1) < 10 else {
            return nil
        }
        self.number = number
        sequenceNumber = sequence.span.digit(0) * 10 + sequence.span.digit(1)
    }

    /// The digits of the number in ASCII.
    var digits: SecretOctets { number.withRevealedDigits { SecretOctets(copying: $0) } }

    /// Whether the number begins with digits in ASCII.
    func hasPrefix(_ prefix: SecretOctets) -> Bool {
        number.withRevealedDigits { digits in
            prefix.withOctets { prefix in
                prefix.count <= digits.count && prefix.indices.allSatisfy { prefix[$0] == digits[$0] }
            }
        }
    }

    /// The number with at most its first six and last four digits.
    var description: String { number.masked }
}

extension Span<UInt8> {
    /// The packed digit at a place, 0 to 15: each octet has two.
    func digit(_ index: Int) -> UInt8 { index.isMultiple(of: 2) ? self[index / 2] >> 4 : self[index / 2] & 0x0F }
}
