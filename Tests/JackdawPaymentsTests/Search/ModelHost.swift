import JackdawPayments

/// A small host that keeps money: what it has booked, by identifier. It is idempotent, as the wire promises.
struct ModelHost: Hashable {
    enum Entry: Hashable {
        case booked, declined, reversed, closed
        /// The identifier is that of a payment of another till.
        case foreign
    }

    private(set) var entries: [AttemptIdentifier: Entry] = [:]
    /// Whether it keeps an unknown identifier that it is asked about.
    let closesUnknownIdentifiers: Bool

    /// Whether another till may have used an identifier before.
    let hasForeignPayments: Bool

    init(closesUnknownIdentifiers: Bool, hasForeignPayments: Bool = false) {
        self.closesUnknownIdentifiers = closesUnknownIdentifiers
        self.hasForeignPayments = hasForeignPayments
    }

    /// A decision that the host is free in.
    enum Mood {
        case willing, declining, refusing
        /// Answers with the state of the payment, and changes nothing.
        case stating
        /// Has another payment with the identifier.
        case foreign
    }

    /// Whether the host has a choice about a request.
    func moods(for request: HostRequest) -> [Mood] {
        let foreign: [Mood] = hasForeignPayments && request.operation.canBook ? [.foreign] : []
        return switch (request.operation, entries[request.attempt]) {
        case (.authorise, nil), (.refund, nil), (.capture, nil): [.willing, .declining] + foreign
        case (.reverse, .booked): [.willing, .refusing, .stating]
        case (.advise, nil): [.willing, .refusing] + foreign
        case (.complete, .booked), (.sign, .booked): [.willing, .refusing]
        case (.advise, .booked): [.willing, .stating]
        default: [.willing]
        }
    }

    /// - Returns: nil if the identifier is in use by another payment (`conflict`).
    mutating func receive(_ request: HostRequest, _ mood: Mood) -> HostReply? {
        if mood == .foreign { entries[request.attempt] = .foreign }
        let entry = entries[request.attempt]
        if entry == .foreign { return request.operation == .enquire ? .status(.otherPayment) : nil }
        guard mood != .refusing else { return .refused(ReasonText("refused")) }
        guard mood != .stating else { return .status(.approved(nil)) }
        switch request.operation {
        case .authorise, .capture, .refund:
            if entry == nil { entries[request.attempt] = mood == .willing ? .booked : .declined }
            return entries[request.attempt] == .booked
                ? .approved(HostApproval()) : .declined(HostDecline(reason: ReasonText("declined")))
        case .advise:
            if entry == nil { entries[request.attempt] = .booked }
            return entries[request.attempt] == .booked ? .acknowledged : .refused(ReasonText("closed"))
        case .complete, .sign: return entry == .booked ? .acknowledged : .notFound
        case .reverse:
            switch entry {
            case .booked, .reversed:
                entries[request.attempt] = .reversed
                return .acknowledged
            case .declined: return .status(.declined(ReasonText("declined")))
            case .closed: return .status(.nothingBooked)
            case .foreign: return nil
            case nil:
                guard closesUnknownIdentifiers else { return .notFound }
                entries[request.attempt] = .closed
                return .status(.nothingBooked)
            }
        case .enquire:
            switch entry {
            case .booked: return .status(.approved(nil))
            case .declined: return .status(.declined(ReasonText("declined")))
            case .reversed: return .status(.reversed)
            case .closed: return .status(.nothingBooked)
            case .foreign: return .status(.otherPayment)
            case nil:
                if closesUnknownIdentifiers { entries[request.attempt] = .closed }
                return .status(.nothingBooked)
            }
        }
    }
}
