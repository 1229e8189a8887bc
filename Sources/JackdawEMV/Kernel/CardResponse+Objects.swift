// The data objects in a card's answers.

extension CardResponse {
    /// The value of the object that GET DATA asked for; nil if the card refused, or returned another object.
    package func requested(_ tag: Tag) -> [UInt8]? {
        guard status == .success else { return nil }
        return data.withOctets { octets in
            guard let first = (try? TagLengthValue.list(octets))?.first, first.tag == tag else { return nil }
            return Array(copying: octets.extracting(first.value))
        }
    }

    /// A counter of two octets that GET DATA asked for; nil if the card does not return it.
    package func counter(_ tag: Tag) -> UInt16? {
        guard let value = requested(tag), value.count == 2 else { return nil }
        return UInt16(value[0]) << 8 | UInt16(value[1])
    }
}
