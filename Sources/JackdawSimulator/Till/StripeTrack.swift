import JackdawBytes
import JackdawEMV

/// Track 2 of a stripe, as in tag 57: the account number, D, and from there expiry (`YYMM`) and service code.
struct StripeTrack {
    /// Whether the service code says that the card has a chip: it begins with 2 or 6 (ISO/IEC 7813).
    let hasChip: Bool

    /// Reads the track, two digits an octet; nil if it has no service code.
    init?(_ octets: SecretOctets) {
        let first: UInt8? = octets.withOctets { octets in
            let count = 2 * octets.count
            guard let separator = (0..<count).first(where: { octets.digit($0) == 0x0D }), separator + 7 < count else {
                return nil
            }
            let code = (separator + 5...separator + 7).map { octets.digit($0) }
            return code.allSatisfy { $0 < 10 } ? code[0] : nil
        }
        guard let first else { return nil }
        hasChip = first == 2 || first == 6
    }
}
