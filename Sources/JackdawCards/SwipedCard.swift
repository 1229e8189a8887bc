/// The combined tracks of one swipe.
public struct SwipedCard: RedactedDescription {
    /// A field that differs between the tracks of one card.
    public struct Conflict: Sendable, Hashable, CustomStringConvertible {
        /// A field that several tracks hold.
        public enum Field: String, Sendable, Hashable {
            /// The primary account number (PAN).
            case accountNumber = "account number"
            /// The month of expiry.
            case expiry
            /// The three-digit service code.
            case serviceCode = "service code"
        }

        /// The field that differs.
        public let field: Field
        /// The formats of the tracks that hold the field, in the order given.
        public let formats: [TrackFormat]

        /// One line for a person, without card data.
        public var description: String {
            let names = formats.map { $0.rawValue }.joined(separator: ", ")
            return "different \(field.rawValue) on \(names)"
        }
    }

    /// The tracks, in the order given.
    public let tracks: [Track]
    /// The fields that differ between tracks; empty if all tracks agree.
    public let conflicts: [Conflict]

    /// Combines the tracks of one swipe.
    /// - Parameter tracks: the tracks that were read, in any order.
    public init(_ tracks: [Track]) {
        self.tracks = tracks
        conflicts = [
            Self.conflict(.accountNumber, tracks) { $0.pan },
            Self.conflict(.expiry, tracks) { $0.expiry },
            Self.conflict(.serviceCode, tracks) { $0.serviceCode },
        ].compactMap { $0 }
    }

    private static func conflict<Value: Equatable>(
        _ field: Conflict.Field, _ tracks: [Track], _ value: (Track) -> Value?
    ) -> Conflict? {
        guard tracks.count > 1 else { return nil }
        let holders = tracks.compactMap { track in value(track).map { (format: track.format, value: $0) } }
        guard let first = holders.first, holders.contains(where: { $0.value != first.value }) else { return nil }
        return Conflict(field: field, formats: holders.map { $0.format })
    }

    /// The account number: track 2's if it has one (terminals send that one), else that of another track.
    public var pan: PrimaryAccountNumber? { preferred { $0.pan } }
    /// The cardholder's name, from track 1 if possible.
    public var name: CardholderName? { preferred { $0.name } }
    /// The month of expiry; from the same track as ``pan`` if that track has it.
    public var expiry: Expiry? { preferred { $0.expiry } }
    /// The rules for the use of the card; from the same track as ``pan`` if that track has them.
    public var serviceCode: ServiceCode? { preferred { $0.serviceCode } }
    /// The card's scheme; ``CardBrand/unknown`` also without an account number.
    public var brand: CardBrand { pan?.brand ?? .unknown }

    /// The value of the first track that has it, in the order of payment tracks 2, 1 and 3, then all others.
    private func preferred<Value>(_ value: (Track) -> Value?) -> Value? {
        guard tracks.count > 1 else { return tracks.first.flatMap(value) }
        let order: [TrackFormat] = [.iso7813Track2, .iso7813Track1, .iso4909Track3]
        let first = order.flatMap { format in tracks.filter { $0.format == format } }
        return (first + tracks).lazy.compactMap(value).first
    }

    /// Masked account number, brand and formats.
    public var description: String {
        let number = pan.map { "\($0.masked) \(brand.rawValue), " } ?? ""
        let formats = tracks.map { $0.format.rawValue }.joined(separator: " + ")
        let faults = conflicts.map { ", \($0)" }.joined()
        return "\(number)\(formats)\(faults)"
    }
}
