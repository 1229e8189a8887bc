import JackdawBytes

/// The bytes of a partial frame, which may be card data. Has a single owner, and overwrites its memory.
struct FrameBuffer: ~Copyable {
    private var storage = SecretBuffer<UInt8>(zeroed: 0)
    /// The index in `storage` of the first byte in the buffer.
    private var first = 0
    private(set) var count = 0

    /// Runs `body` on the bytes in the buffer.
    borrowing func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeBufferPointer(rebasing: storage.elements[first..<first + count])
        return body(unsafe Span(_unsafeElements: bytes))
    }

    mutating func append(_ bytes: Span<UInt8>) {
        if first + count + bytes.count > storage.count { makeRoom(for: count + bytes.count) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            _ = unsafe storage.elements[(first + count)...].update(fromContentsOf: bytes)
        }
        count += bytes.count
    }

    mutating func removeFirst(_ gone: Int) {
        storage.wipe(first..<first + gone)
        count -= gone
        first = count > 0 ? first + gone : 0
    }

    mutating func removeAll() { removeFirst(count) }

    /// Moves the bytes to the front, and to larger memory if they would fill more than half of it, so that each byte
    /// moves rarely.
    private mutating func makeRoom(for least: Int) {
        if 2 * least > storage.count {
            let larger = SecretBuffer<UInt8>(zeroed: max(2 * least, 64))
            _ = unsafe larger.elements.update(fromContentsOf: storage.elements[first..<first + count])
            storage = larger
        } else {
            _ = unsafe storage.elements.update(fromContentsOf: storage.elements[first..<first + count])
            storage.wipe(count..<first + count)
        }
        first = 0
    }
}

/// Searches of eight bytes a step.
extension Span<UInt8> {
    /// Returns the index of the first byte with this value; nil if there is none.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let wanted = UInt64(byte) &* 0x0101_0101_0101_0101
        // Sets the highest bit of a byte that is 0. Only the first such mark is certain.
        return first(from: start, where: { $0 == byte }) { eight in
            let others = eight ^ wanted
            return (others &- 0x0101_0101_0101_0101) & ~others
        }
    }

    /// The index of the first byte that is not a printable ASCII character; nil if all are.
    var firstUnprinted: Int? {
        // Sets the highest bit of a byte that is 7F or above, or below 20.
        first(from: 0, where: { !$0.isPrinted }) { eight in
            eight | (eight &+ 0x0101_0101_0101_0101) | (eight &- 0x2020_2020_2020_2020)
        }
    }

    /// The index of the first byte that is not a hexadecimal digit; nil if all are.
    var firstNoDigit: Int? {
        first(from: 0, where: { $0.hexadecimalValue == nil }) { eight in
            // Bytes below 80 do not carry into the next byte. The first byte of 80 or above is found on its own.
            let letters = eight | 0x2020_2020_2020_2020
            let isNumeral = (eight &+ 0x5050_5050_5050_5050) & ~(eight &+ 0x4646_4646_4646_4646)
            let isLetter = (letters &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(letters &+ 0x1919_1919_1919_1919)
            return eight | ~(isNumeral | isLetter)
        }
    }

    /// - Parameters:
    ///   - start: the index at which the search begins.
    ///   - isWanted: whether a byte matches.
    ///   - marks: sets the highest bit of each of eight bytes that may match.
    /// - Returns: the index of the first byte that matches; nil if there is none.
    @inline(__always)
    private func first(from start: Int, where isWanted: (UInt8) -> Bool, marks: (UInt64) -> UInt64) -> Int? {
        var index = start
        while index + 8 <= count {
            let eight = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard marks(eight) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < count, !isWanted(self[index]) { index += 1 }
        return index < count ? index : nil
    }
}

extension UInt8 {
    /// Whether the byte is a printable ASCII character or a space.
    var isPrinted: Bool { (0x20..<0x7F).contains(self) }
}
