package import JackdawCards
package import JackdawEMV

extension CardEvent {
    /// The event of a payment with the swiped card: whether it has a chip, by the service code of track 2. Unreadable is
    /// also a track that the reader masked or encrypted, and one that is none of a payment card.
    package var paymentEvent: PaymentEvent {
        guard let stripe, let code = stripe.withOctets({ try? Track2(equivalentData: $0) })?.serviceCode else {
            return .swipeUnreadable
        }
        return code.hasChip ? .chipCardSwiped : .cardSwiped
    }

    /// Returns the objects of an authorisation with the swiped card, as a till has them that asks the issuer without a
    /// cryptogram.
    /// - Parameter transaction: amount, currency, kind and date.
    /// - Returns: the objects; nil if track 2 is not in clear, or is none of a payment card.
    package func authorisation(_ transaction: KernelTransaction) -> DataObjectStore? {
        stripe.map { transaction.objects(ofStripe: $0) }
    }

    /// Track 2 as in tag 57: without sentinels, D for the separator, and F to fill the last octet.
    private var stripe: SecretOctets? {
        guard let track = tracks.first(where: { $0.number == 2 }), track.content?.format == .iso7813Track2 else {
            return nil
        }
        return track.text?.withRevealedText { (text: Span<UInt8>) -> SecretOctets? in
            guard text.count > 2, text[0] == UInt8(ascii: ";"),
                let end = text.indices.first(where: { text[$0] == UInt8(ascii: "?") }), end > 1
            else { return nil }
            let separator = UInt8(ascii: "=")
            let isValid = (1..<end).allSatisfy { (0x30...0x39).contains(text[$0]) || text[$0] == separator }
            guard isValid else { return nil }
            return SecretOctets(count: end / 2) { target in
                for index in target.indices {
                    let (first, second) = (1 + 2 * index, 2 + 2 * index)
                    let high = text[first] == separator ? 0x0D : text[first] & 0x0F
                    let low = second >= end ? 0x0F : text[second] == separator ? 0x0D : text[second] & 0x0F
                    target[index] = high << 4 | low
                }
            }
        }
    }
}

extension KernelTransaction {
    /// The objects of an authorisation without a cryptogram.
    /// - Parameter stripe: track 2, as in tag 57.
    /// - Returns: track, amount, currency, date and kind.
    package func objects(ofStripe stripe: SecretOctets) -> DataObjectStore {
        var objects = DataObjectStore()
        objects.set(0x57, stripe)
        objects[0x9F02] = Amount(minorUnits: amount, currencyCode: nil).octets
        objects[0x5F2A] = currency
        objects[0x9A] = date.octets
        objects[0x9C] = [type.rawValue]
        return objects
    }
}
