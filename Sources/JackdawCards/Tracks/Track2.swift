/// Track 2 of a payment card (ISO/IEC 7813): `;` number `=` expiry, service code, the issuer's own data `?`. A `=`
/// stands where there is no expiry or no service code.
public struct Track2: TrackContent, FramedFormat {
    /// Longest text without LRC (40 with it, ISO/IEC 7811-2).
    static let longest = 39

    /// ``TrackFormat/iso7813Track2``.
    public var format: TrackFormat { .iso7813Track2 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// The account number.
    public let pan: PrimaryAccountNumber?
    /// When the card expires; nil where the track does not say or the card does not expire.
    public let expiry: Expiry?
    /// Where and how the card may be used; nil where the track does not say.
    public let serviceCode: ServiceCode?
    /// The issuer's own data, which may hold verification values: never to be shown, logged or kept.
    public let discretionaryData: SecretText

    private let shown: [Range<Int>]

    /// Reads a track 2.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .numeric)
        guard frame.text.count <= Self.longest else {
            throw CardDataError(.length, at: Self.longest, expected: "no more than \(Self.longest) characters")
        }
        let pan = try reader.accountNumber()
        expiry = try reader.expiry()
        serviceCode = try reader.serviceCode()
        discretionaryData = reader.rest()
        text = frame.text
        self.pan = pan
        shown =
            pan.shownParts + [
                0..<pan.digits.range.lowerBound,
                pan.digits.range.upperBound..<discretionaryData.range.lowerBound,
                frame.content.upperBound..<text.range.upperBound,
            ]
    }

    /// The number masked, expiry and service code in clear, the issuer's data hidden.
    public var maskedText: String { text.masked { place, _ in shown.contains { $0.contains(place) } } }
}

extension Track2 {
    /// Reads the track 2 equivalent data of a chip (EMV tag 57): two digits a byte, `D` for the separator, `F` behind
    /// an odd count. Expiry and service code must be there.
    /// - Parameter data: 1 to 19 bytes.
    /// - Throws: ``CardDataError``; its offset counts characters of the same data written as a track, `;` included.
    public init(equivalentData data: Span<UInt8>) throws(CardDataError) {
        guard (1...19).contains(data.count) else {
            throw CardDataError(.length, at: data.count, expected: "1 to 19 bytes")
        }
        let nibbles = data.count * 2
        let isPadded = data[data.count - 1] & 0x0F == 0x0F
        let digits = isPadded ? nibbles - 1 : nibbles
        let track = SecretBytes(count: digits + 2) { characters in
            characters[0] = ASCII.semicolon
            for index in 0..<digits {
                let nibble = index.isMultiple(of: 2) ? data[index / 2] >> 4 : data[index / 2] & 0x0F
                characters[index + 1] = ASCII.zero + nibble
            }
            characters[digits + 1] = ASCII.question
        }
        self = try track.withBytes { (characters) throws(CardDataError) in try Track2(parsing: characters) }
        guard expiry != nil, serviceCode != nil else {
            let separator = (pan?.digits.range.upperBound ?? 0) + 1
            throw CardDataError(.field, at: separator, expected: "an expiry and a service code")
        }
    }
}
