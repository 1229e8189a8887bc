import JackdawBytes
import JackdawCards
import JackdawEMV

/// The encoding of `payment[raw_data]`. No published source describes it: each encoding is a profile with a name.
public struct CardDataProfile: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The objects of the authorisation (EMV Book 3, annex B) one after the other in BER-TLV, as hexadecimal digits;
    /// the PIN block in 99. It is this project's choice: the guide's receipts show the certificate of a card so.
    public static let tagLengthValue = CardDataProfile(rawValue: "tag-length-value")
}

/// The objects of a card in a request, and their facts that may be stored.
struct CardData: Sendable {
    let objects: DataObjectStore
    let pinBlock: [UInt8]?

    /// The most octets of all objects.
    static let maxOctets = 4096

    /// The PIN block (EMV Book 3, annex A: Transaction PIN Data).
    private static let pin: Tag = 0x99

    /// Reads card data; nil if the text is not in this encoding.
    /// - Parameters:
    ///   - text: the value of `raw_data`.
    ///   - profile: its encoding.
    init?(_ text: SecretOctets, _ profile: CardDataProfile) {
        guard profile == .tagLengthValue, !text.isEmpty, text.count <= 2 * Self.maxOctets,
            let octets = SecretOctets(hexadecimal: text)
        else { return nil }
        var objects = DataObjectStore()
        do throws(DataObjectError) {
            let repeated = try octets.withOctets { (octets) throws(DataObjectError) in try objects.add(octets) }
            guard repeated.isEmpty else { return nil }
        } catch { return nil }
        pinBlock = objects[Self.pin]
        objects[Self.pin] = nil
        guard objects.count > 0, pinBlock == nil || pinBlock?.count == 8 else { return nil }
        self.objects = objects
    }

    /// The amount that the card's objects have (9F02); nil without one.
    var amount: UInt64? {
        objects.withValue(0x9F02) { Amount($0, currencyCode: nil)?.minorUnits } ?? nil
    }

    /// Whether the card approved the payment itself: its cryptogram is a TC.
    var isApprovedOffline: Bool {
        objects[0x9F27]?.first.flatMap { CryptogramType(octet: $0) } == .tc && objects.contains(0x9F26)
    }

    /// Whether the card declined the payment: its cryptogram is an AAC.
    var isDeclined: Bool {
        objects[0x9F27]?.first.flatMap { CryptogramType(octet: $0) } == .aac && objects.contains(0x9F26)
    }

    /// The objects with amount and currency, which a swipe does not have.
    func completed(_ amount: Amount, _ currency: Currency) -> DataObjectStore {
        var all = objects
        if !all.contains(0x9F02) { all[0x9F02] = amount.octets }
        if !all.contains(0x5F2A) { all[0x5F2A] = currency.octets }
        return all
    }

    /// The objects as text that identifies them without card data: the values that may be shown, and the lengths of the
    /// others. Of a swipe it has hardly more than the lengths.
    var fingerprint: String {
        objects.tags.map { tag in
            guard DataElement.sensitivity(of: tag) == .open, let value = objects[tag] else {
                return "\(tag)(\(objects.secret(tag)?.count ?? 0))"
            }
            return "\(tag)=\(value.hexadecimal)"
        }.joined(separator: ",") + (pinBlock == nil ? "" : ",PIN")
    }

    /// The label of the application (50) as ASCII.
    var label: String { text(0x50) }

    /// The identifier of the application (84, or else 9F06) in hexadecimal digits.
    var application: String { (objects[0x84] ?? objects[0x9F06] ?? []).hexadecimal }

    /// The name on the card (5F20), hidden.
    var holder: String { objects.withValue(0x5F20) { CardholderName.mask($0) } ?? "" }

    private func text(_ tag: Tag) -> String {
        let octets = (objects[tag] ?? []).prefix(16).filter { (0x20...0x7E).contains($0) }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The scheme of a masked number, by its first digits.
    static func brand(ofMasked number: String) -> String {
        let digits = Array(number.utf8.prefix { (0x30...0x39).contains($0) })
        guard digits.count >= 6 else { return "" }
        let brand = CardBrand(of: digits.span)
        return brand == .unknown ? "" : brand.rawValue
    }
}

extension SecretOctets {
    /// Decodes hexadecimal digits into wiped memory; nil if there is another character, or half an octet.
    init?(hexadecimal text: SecretOctets) {
        var isValid = text.count.isMultiple(of: 2)
        let octets = text.withOctets { digits in
            SecretOctets(count: digits.count / 2) { target in
                for index in target.indices {
                    guard let octet = digits.byte(at: 2 * index) else {
                        isValid = false
                        return
                    }
                    target[index] = octet
                }
            }
        }
        guard isValid else { return nil }
        self = octets
    }
}
