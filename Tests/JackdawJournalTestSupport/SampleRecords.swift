import JackdawEMV
package import JackdawPayments

/// Records of attempts, for tests of journals.
package enum SampleRecords {
    package static let date = RecordedTime(seconds: 1_700_000_000, offset: 60)

    /// An attempt to pay that has begun.
    package static func open(
        _ attempt: String, sale: String = "S1", on date: RecordedTime = date
    ) throws -> AttemptRecord {
        guard let identifier = AttemptIdentifier(rawValue: attempt), let sale = SaleIdentifier(rawValue: sale) else {
            throw SampleError()
        }
        let request = try AttemptRequest(
            sale: sale, kind: .purchase, amount: Amount(minorUnits: 1050, currencyCode: 978))
        return AttemptRecord(identifier, request, on: date)
    }

    /// An approved attempt whose result the host does not have yet.
    package static func approved(
        _ attempt: String, sale: String = "S1", sealed: [UInt8] = [], tries: Int = 0
    ) throws -> AttemptRecord {
        var record = try open(attempt, sale: sale)
        record.state = .approved
        record.flow?.outcome = .approvedOffline
        record.delivery = Delivery(.advice, octets: HTTPBody(copying: sealed.span), tries: tries)
        return record
    }

    /// An attempt in a state, with the parts that the state needs.
    package static func inState(_ state: AttemptState) throws -> AttemptRecord {
        var record = try open(state.rawValue, sale: state.rawValue)
        record.state = state
        if state.isFinal { record.flow?.outcome = .failedKernel }
        if state == .unknown || state == .reversing { record.delivery = Delivery(.reversal(.timeout)) }
        if state == .needsAttention { record.attention = Attention(ReasonText("no"), since: date) }
        return record
    }
}

/// The sample's text is no identifier.
private struct SampleError: Error {}
