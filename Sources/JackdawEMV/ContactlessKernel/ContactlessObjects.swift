// The data objects of a contactless transaction.

/// The objects of terminal and card. Those of the terminal come first: the card cannot replace them.
struct ContactlessObjects: Sendable {
    var terminal: DataObjectStore
    var card = DataObjectStore()

    /// The values that a list of the card asks for.
    func values(of list: DataObjectList) -> SecretOctets { list.build { self[$0] } }

    /// An object of the terminal, or else of the card.
    subscript(tag: Tag) -> SecretOctets? { terminal.secret(tag) ?? card.secret(tag) }

    /// The objects with these tags.
    func subset(_ tags: [Tag]) -> DataObjectStore {
        var store = DataObjectStore()
        for tag in tags { store.set(tag, self[tag]) }
        return store
    }

    /// Adds objects of an answer of the card, none of which it may have sent before (Book C-3, 5.4.2.2; other kernels
    /// have the same rule for C-2).
    mutating func add(_ answer: DataObjectStore) throws(KernelTermination) {
        for tag in answer.tags {
            guard !card.contains(tag) else { throw KernelTermination(.repeated, tag) }
            card.set(tag, answer.secret(tag))
        }
    }

    /// A list of the card; nil if it has none, or an empty one.
    func list(_ tag: Tag) throws(KernelTermination) -> DataObjectList? {
        guard !isEmpty(tag) else { return nil }
        return try form(tag) { try? DataObjectList($0) }
    }

    /// A value of the card in a form; nil if the card does not have it.
    func form<Value>(_ tag: Tag, _ parse: (Span<UInt8>) -> Value?) throws(KernelTermination) -> Value? {
        guard let secret = card.secret(tag) else { return nil }
        guard let value = secret.withOctets({ parse($0) }) else { throw KernelTermination(.malformed, tag) }
        return value
    }

    /// Whether the card does not have an object, or has it without octets.
    func isEmpty(_ tag: Tag) -> Bool { card.secret(tag)?.isEmpty ?? true }

    /// Terminates if the card does not have one of these objects.
    func require(_ tags: [Tag]) throws(KernelTermination) {
        for tag in tags where isEmpty(tag) { throw KernelTermination(.missing, tag) }
    }

    /// Terminates if the account numbers of 5A and 57 differ (Books C-2 and C-3, annex A).
    func requireOneAccount() throws(KernelTermination) {
        guard let number = card.secret(.accountNumber), let track = card.secret(.trackTwo) else { return }
        let isSame = number.withOctets { number in
            track.withOctets { track in Self.digitCount(number) == Self.digitCount(track) && Self.agree(number, track) }
        }
        guard isSame else { throw KernelTermination(.malformed, .trackTwo) }
    }

    /// The account number as in tag 5A; nil if the card has neither 5A nor 57.
    var account: SecretOctets? {
        if let number = card.secret(.accountNumber) { return number }
        return card.secret(.trackTwo).map { track in
            track.withOctets { track in
                let digits = Self.digitCount(track)
                return SecretOctets(count: (digits + 1) / 2) { octets in
                    for index in 0..<digits {
                        octets[index / 2] |= index % 2 == 0 ? track.digit(index) << 4 : track.digit(index)
                    }
                    if digits % 2 == 1 { octets[digits / 2] |= 0x0F }
                }
            }
        }
    }

    /// Number of digits before the first that is none: the separator D of a track, or the padding F of a number.
    private static func digitCount(_ octets: Span<UInt8>) -> Int {
        var count = 0
        while count < 2 * octets.count, octets.digit(count) <= 9 { count += 1 }
        return count
    }

    private static func agree(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in 0..<digitCount(left) where left.digit(index) != right.digit(index) { return false }
        return true
    }
}

extension Span where Element == UInt8 {
    /// The digit at a place, from 0; the first is in bits 8 to 5 of the first octet.
    fileprivate func digit(_ index: Int) -> UInt8 { index % 2 == 0 ? self[index / 2] >> 4 : self[index / 2] & 0x0F }
}
