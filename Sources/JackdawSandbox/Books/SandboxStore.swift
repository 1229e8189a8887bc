public import JackdawCards

/// The books of a sandbox. A change is written before the answer that follows from it is returned, so that a store
/// which writes durably never loses what a client has an answer about.
///
/// A program's store keeps ``SandboxChange/encoded`` durably, and answers questions from a ``MemorySandboxStore`` in it.
public protocol SandboxStore: Sendable {
    /// The number of payments. They have the numbers from 1 to this.
    var paymentCount: Int { get }

    /// The payment of a number; nil if there is none.
    func payment(_ number: Int) -> SandboxPayment?

    /// The entry of an identifier; nil if nothing was ever booked or closed under it.
    func entry(_ key: SandboxKey) -> SandboxEntry?

    /// The hash of a password that was changed; nil if the user still has that of the directory.
    func passwordHash(ofUser user: String) -> String?

    /// Writes a change, all of it or nothing.
    /// - Throws: ``SandboxStoreError``; then the books are as before.
    mutating func write(_ change: SandboxChange) throws(SandboxStoreError)
}

/// The meaning of an identifier in the books.
public struct SandboxEntry: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// The number of a payment.
        case payment(Int)
        /// The number of a payment, and the place of its capture or refund.
        case operation(Int, place: Int)
        /// Nothing is booked, and nothing will be.
        case closed
    }

    package let content: Content

    package init(_ content: Content) { self.content = content }
}

/// Books in memory, for tests and for the stores of programs, which write them.
public struct MemorySandboxStore: SandboxStore {
    private var payments: [SandboxPayment] = []
    private var entries: [SandboxKey: SandboxEntry.Content] = [:]
    private var closed: [(key: SandboxKey, time: Int64)] = []
    private var passwords: [String: String] = [:]

    /// The most identifiers that are closed, and the most passwords.
    public static let maxClosed = 100_000

    /// Books without any entry.
    public init() {}

    public var paymentCount: Int { payments.count }

    public func payment(_ number: Int) -> SandboxPayment? {
        payments.indices.contains(number - 1) ? payments[number - 1] : nil
    }

    public func entry(_ key: SandboxKey) -> SandboxEntry? { entries[key].map { SandboxEntry($0) } }

    public func passwordHash(ofUser user: String) -> String? { passwords[user] }

    public mutating func write(_ change: SandboxChange) throws(SandboxStoreError) {
        try check(change)
        switch change.content {
        case .payment(let payment):
            entries.merge(try Self.entries(of: payment)) { $1 }
            if payment.number > payments.count {
                payments.append(payment)
            } else {
                payments[payment.number - 1] = payment
            }
        case .closed(let key, let time):
            closed.append((key, time))
            entries[key] = .closed
        case .password(let user, let hash): passwords[user] = hash
        }
    }

    /// Checks a change without writing it, so that a store can make it durable first.
    /// - Throws: the error that ``write(_:)`` would throw.
    package func check(_ change: SandboxChange) throws(SandboxStoreError) {
        switch change.content {
        case .payment(let payment): try check(payment)
        case .closed(let key, _):
            guard entries[key] == nil else { throw SandboxStoreError(.contradiction, "the identifier is used") }
            guard closed.count < Self.maxClosed else { throw SandboxStoreError(.full, "too many identifiers") }
        case .password(let user, _):
            guard passwords[user] != nil || passwords.count < Self.maxClosed else {
                throw SandboxStoreError(.full, "too many passwords")
            }
        }
    }

    private func check(_ payment: SandboxPayment) throws(SandboxStoreError) {
        guard (1...(payments.count + 1)).contains(payment.number) else {
            throw SandboxStoreError(.contradiction, "the numbers of payments have a gap")
        }
        let isNew = payment.number == payments.count + 1
        let earlier = isNew ? nil : payments[payment.number - 1]
        guard earlier == nil || earlier?.key == payment.key && earlier?.facts == payment.facts else {
            throw SandboxStoreError(.contradiction, "a payment became another one")
        }
        // A payment may take an identifier that is closed: it is rejected then.
        if isNew, let entry = entries[payment.key], entry != .closed || payment.facts.isApproved {
            throw SandboxStoreError(.contradiction, "the identifier is used")
        }
        for (key, content) in try Self.entries(of: payment) where key != payment.key {
            guard entries[key] == nil || entries[key] == content else {
                throw SandboxStoreError(.contradiction, "the identifier is used")
            }
        }
    }

    /// The identifiers of a payment, its captures and its refunds.
    /// - Throws: ``SandboxStoreError`` if one comes twice.
    private static func entries(
        of payment: SandboxPayment
    ) throws(SandboxStoreError) -> [SandboxKey: SandboxEntry.Content] {
        var entries: [SandboxKey: SandboxEntry.Content] = [payment.key: .payment(payment.number)]
        for (place, operation) in payment.operations.enumerated() where operation.kind != .reversal {
            guard let uniqueID = operation.uniqueID else { continue }
            let key = SandboxKey(merchant: payment.key.merchant, uniqueID: uniqueID)
            guard entries.updateValue(.operation(payment.number, place: place), forKey: key) == nil else {
                throw SandboxStoreError(.contradiction, "the identifier is used")
            }
        }
        return entries
    }

    /// The books as changes, in an order in which empty books take them.
    package var changes: [SandboxChange] {
        closed.map { SandboxChange(.closed($0.key, time: $0.time)) } + payments.map { SandboxChange(.payment($0)) }
            + passwords.sorted { $0.key < $1.key }.map { SandboxChange(.password(user: $0.key, hash: $0.value)) }
    }
}

extension MemorySandboxStore: RedactedDescription {
    /// The number of payments: hashes of passwords are not shown.
    public var description: String { "books with \(payments.count) payments" }
}
