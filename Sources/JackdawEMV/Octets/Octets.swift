/// Octets as numbers, digits and text.

extension Array where Element == UInt8 {
    /// Copies octets out of a view.
    init(copying octets: Span<UInt8>) {
        self.init()
        reserveCapacity(octets.count)
        append(copying: octets)
    }

    /// Appends the octets of a view. Octets that must be wiped need the capacity before.
    mutating func append(copying octets: Span<UInt8>) {
        for index in octets.indices { append(octets[index]) }
    }
}

extension Array {
    /// Returns the index of the first element that is not before a place in a sorted array, by binary search.
    /// - Parameter isBefore: true for the first elements, false for the others.
    /// - Returns: the index; the number of elements if all are before the place.
    func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Span where Element == UInt8 {
    /// The octets as one number, the most significant first; the last eight of a longer view.
    var bigEndian: UInt64 {
        var number: UInt64 = 0
        for index in indices { number = number << 8 | UInt64(self[index]) }
        return number
    }

    /// The octets as packed decimal digits (format n), the most significant first.
    /// - Returns: nil if a digit is above 9, or the number has more than 18 digits after leading zeros.
    var packedDecimal: UInt64? {
        var number: UInt64 = 0
        for index in indices {
            let high = self[index] >> 4
            let low = self[index] & 0x0F
            guard high <= 9, low <= 9, number < 10_000_000_000_000_000 else { return nil }
            number = number * 100 + UInt64(high) * 10 + UInt64(low)
        }
        return number
    }

    /// Whether both views hold the same octets.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether both views hold the same digits in format cn, whatever the number of octets FF at their ends. The time
    /// depends only on the lengths.
    func isSameNumber(as other: Span<UInt8>) -> Bool {
        var difference: UInt8 = 0
        for index in 0..<Swift.max(count, other.count) {
            difference |= (index < count ? self[index] : 0xFF) ^ (index < other.count ? other[index] : 0xFF)
        }
        return difference == 0
    }

    /// Whether this view begins with the octets of another.
    func starts(with prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(first: prefix.count).isEqual(to: prefix)
    }
}

extension UInt64 {
    /// The number as octets, the most significant first.
    /// - Parameter count: number of octets, 0 to 8; higher ones are dropped.
    /// - Returns: as many octets.
    func bigEndianOctets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for index in 0..<count { octets.append(UInt8(truncatingIfNeeded: self >> UInt64(8 * (count - 1 - index)))) }
        return octets
    }

    /// The number as packed decimal digits (format n), the most significant first.
    /// - Parameter count: number of octets; higher digits are dropped.
    /// - Returns: as many octets.
    func packedDecimalOctets(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        var rest = self
        for index in octets.indices.reversed() {
            octets[index] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
            rest /= 100
        }
        return octets
    }
}
