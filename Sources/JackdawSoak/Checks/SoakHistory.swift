/// The history of a run: a hash of all its entries, and if wanted their text.
package struct SoakHistory: Sendable {
    /// An event with its time.
    package struct Entry: Sendable, Hashable {
        /// The time since the start.
        package let time: Duration
        /// The event, without card data.
        package let text: String

        package init(time: Duration, text: String) {
            self.time = time
            self.text = text
        }
    }

    /// The hash (FNV-1a, 64 bits) of the entries.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The number of entries.
    package private(set) var count = 0
    /// The entries, if they are kept.
    package private(set) var entries: [Entry] = []
    private let keepsEntries: Bool

    init(keepsEntries: Bool) { self.keepsEntries = keepsEntries }

    mutating func note(_ text: String, at time: Duration) {
        count += 1
        let (seconds, attoseconds) = time.components
        add(UInt64(bitPattern: seconds))
        add(UInt64(bitPattern: attoseconds))
        for octet in text.utf8 { add(octet) }
        add(0 as UInt8)
        if keepsEntries { entries.append(Entry(time: time, text: text)) }
    }

    private mutating func add(_ octet: UInt8) { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }

    private mutating func add(_ number: UInt64) {
        var rest = number
        for _ in 0..<8 {
            add(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

extension SoakHistory.Entry: CustomStringConvertible {
    /// The time in seconds, to milliseconds, and the event.
    package var description: String {
        let (seconds, attoseconds) = time.components
        let rest = String(1000 + attoseconds / 1_000_000_000_000_000).dropFirst()
        let number = "\(seconds).\(rest)"
        return String(repeating: " ", count: max(0, 12 - number.utf8.count)) + number + "  " + text
    }
}
