import JackdawPayments

/// The journal of a simulated till on its disk. A write is done or not, never in part, as a store promises; what the till
/// reads after a restart comes from the bytes of the records.
struct SoakDisk {
    private var records: [AttemptIdentifier: AttemptRecord] = [:]
    /// The attempts of each sale, in the order in which they began.
    private var sales: [SaleIdentifier: [AttemptIdentifier]] = [:]
    /// The attempts in the order of their first writes.
    private(set) var attempts: [AttemptIdentifier] = []
    /// The attempts whose states have been durable, with these states.
    private(set) var states: [AttemptIdentifier: Set<AttemptState>] = [:]

    subscript(attempt: AttemptIdentifier) -> AttemptRecord? { records[attempt] }

    mutating func write(_ record: AttemptRecord) {
        if records.updateValue(record, forKey: record.identifier) == nil {
            attempts.append(record.identifier)
            sales[record.request.sale, default: []].append(record.identifier)
        }
        states[record.identifier, default: []].insert(record.state)
    }

    /// The attempts of a sale.
    func attempts(of sale: SaleIdentifier) -> [AttemptIdentifier] { sales[sale] ?? [] }

    /// The records of an attempt and a sale, in the order of journals.
    func records(of attempt: AttemptIdentifier, _ sale: SaleIdentifier?) -> [AttemptRecord] {
        var found = (sale.map { attempts(of: $0) } ?? []).compactMap { records[$0] }
        if !found.contains(where: { $0.identifier == attempt }), let own = records[attempt] { found.append(own) }
        return found.sorted(by: AttemptRecord.isInOrder)
    }

    /// The records that a desk needs after a restart, read from their bytes.
    func neededRecords() throws(JournalError) -> [AttemptRecord] {
        var needed: [AttemptRecord] = []
        for attempt in attempts {
            guard let record = records[attempt], record.isNeeded else { continue }
            needed.append(try AttemptRecord(decoding: record.encoded))
        }
        return needed.sorted(by: AttemptRecord.isInOrder)
    }
}
