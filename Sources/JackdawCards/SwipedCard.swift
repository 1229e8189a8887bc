/// The tracks of one swipe, taken together.
public struct SwipedCard: RedactedDescription {
    /// Tracks of one card that do not say the same.
    public struct Conflict: Sendable, Hashable, CustomStringConvertible {
        /// A field that several tracks hold.
        public enum Field: String, Sendable, Hashable {
            /// The account number.
            case accountNumber = "account number"
            /// The expiry.
            case expiry
            /// The service code.
            case serviceCode = "service code"
        }

        /// What differs.
        public let field: Field
        /// The tracks that hold the field, in the order given.
        public let formats: [TrackFormat]

        /// One line for a person, without card data.
        public var description: String {
            let names = formats.map(\.rawValue).joined(separator: ", ")
            return "different \(field.rawValue) on \(names)"
        }
    }

    /// The tracks, in the order given.
    public let tracks: [Track]
    /// What the tracks do not agree on; empty for a sound card.
    public let conflicts: [Conflict]

    /// Takes the tracks of one swipe together.
    /// - Parameter tracks: those that were read, in any order.
    public init(_ tracks: [Track]) {
        self.tracks = tracks
        conflicts = [
            Self.conflict(.accountNumber, tracks, \.pan),
            Self.conflict(.expiry, tracks, \.expiry),
            Self.conflict(.serviceCode, tracks, \.serviceCode),
        ].compactMap(\.self)
    }

    private static func conflict<Value: Equatable>(
        _ field: Conflict.Field, _ tracks: [Track], _ value: (Track) -> Value?
    ) -> Conflict? {
        guard tracks.count > 1 else { return nil }
        let holders = tracks.compactMap { track in value(track).map { (format: track.format, value: $0) } }
        guard let first = holders.first, holders.contains(where: { $0.value != first.value }) else { return nil }
        return Conflict(field: field, formats: holders.map(\.format))
    }

    /// The account number: track 2's where it has one (it is what a terminal sends), else that of another track.
    public var pan: PrimaryAccountNumber? { preferred(\.pan) }
    /// The cardholder's name.
    public var name: CardholderName? { preferred(\.name) }
    /// When the card expires; of the same track as ``pan`` where that says.
    public var expiry: Expiry? { preferred(\.expiry) }
    /// Where and how the card may be used; of the same track as ``pan`` where that says.
    public var serviceCode: ServiceCode? { preferred(\.serviceCode) }
    /// The card's scheme; ``CardBrand/unknown`` also without an account number.
    public var brand: CardBrand { pan?.brand ?? .unknown }

    /// The value of the first track that has it, payment tracks 2, 1 and 3 before all others.
    private func preferred<Value>(_ value: (Track) -> Value?) -> Value? {
        guard tracks.count > 1 else { return tracks.first.flatMap(value) }
        let order: [TrackFormat] = [.iso7813Track2, .iso7813Track1, .iso4909Track3]
        let first = order.flatMap { format in tracks.filter { $0.format == format } }
        return (first + tracks).lazy.compactMap(value).first
    }

    /// Masked account number, brand and formats.
    public var description: String {
        let number = pan.map { "\($0.masked) \(brand.rawValue), " } ?? ""
        let formats = tracks.map(\.format.rawValue).joined(separator: " + ")
        let faults = conflicts.map { ", \($0)" }.joined()
        return "\(number)\(formats)\(faults)"
    }
}
