package import JackdawEMV

/// An attempt in the memory of a desk: its record, its flow, and the outputs that wait for a write.
///
/// Each change of the record has a number. An output waits until the changes before it are durable.
package struct Course: Sendable {
    /// An output that waits for a write.
    package enum Output: Sendable, Hashable {
        /// Begin the flow, or ask the host about a capture or a refund.
        case begin
        /// Ask the host for the flow, or (nil) for a capture or a refund.
        case ask(flowEffect: Int?)
        /// The record for settlement is stored.
        case stored(flowEffect: Int)
        case reader(PaymentEffect, HTTPBody)
        case accepted(call: Int, AttemptReport)
        case report(AttemptReport)
    }

    /// An output with the number of the change that it waits for.
    package struct Waiting: Sendable, Hashable {
        package let change: Int
        package let output: Output

        package init(change: Int, output: Output) {
            self.change = change
            self.output = output
        }

        var isReport: Bool {
            if case .report = output { true } else { false }
        }
    }

    /// A write that is under way.
    package struct Writing: Sendable, Hashable {
        package let effect: Int
        package let change: Int
        package let record: AttemptRecord
    }

    /// A request that can book, whose answer is awaited or may come late.
    package struct Asking: Sendable, Hashable {
        package let effect: Int
        package let flowEffect: Int?
        /// The end of the time limit; nil if the flow has it, and after it.
        package var limit: Duration?
        /// Whether the time limit has passed.
        package var isLate = false
    }

    /// The record as it shall be.
    package private(set) var record: AttemptRecord
    /// The record as it is in the journal; nil before the first write.
    package private(set) var written: AttemptRecord?
    /// The number of the last change of the record, and of the last one that is durable.
    package private(set) var change: Int
    package private(set) var durable: Int
    package private(set) var outputs: [Waiting] = []
    package var writing: Writing?
    /// The writes that failed since the last one that did not.
    package var writeFailures = 0
    /// The time of the next write after one that failed.
    package var writeAgain: Duration?

    /// The flow; nil for an attempt without a card, and after its end.
    package var flow: PaymentFlow?
    /// The sealed octets of the card's last cryptogram or swipe.
    package var toHost = HTTPBody()
    /// The issuer's data for the card.
    package var toCard = HTTPBody()
    package var asking: Asking?
    /// The reason why the host did not decide, for reports.
    package var trouble: HostTrouble?
    /// The time at which the last request that can book was sent; after a restart the time of the restart.
    package var lastBookable: Duration?

    /// The time before which the delivery is not sent.
    package var notBefore: Duration?
    /// Whether an enquiry goes before the reversal: the host did not find the attempt, or its identifier is in use and may be
    /// that of another payment.
    package var mustEnquire = false
    /// Whether an enquiry before the reversal found the attempt approved.
    package var isFoundApproved = false
    /// How often the host reported the attempt approved and then did not find it.
    package var contradictions = 0
    /// How often an enquiry found another payment with the identifier.
    package var otherPayments = 0
    /// The answers to the delivery, one after another, that it cannot end with.
    package var unusableAnswers = 0

    /// An attempt that begins: its record is not in the journal yet.
    init(beginning record: AttemptRecord) {
        self.record = record
        change = 1
        durable = 0
    }

    /// An attempt that the journal has.
    init(restoring record: AttemptRecord, at now: Duration) {
        self.record = record
        written = record
        change = 0
        durable = 0
        lastBookable = now
    }

    /// Whether the journal has the record as it is.
    package var isSettled: Bool { change == durable && writing == nil }

    /// Whether the desk needs the attempt no more.
    package var isOver: Bool { isSettled && outputs.isEmpty && !record.isNeeded }

    /// The report of the record as it shall be; only an output after its write may have it.
    var report: AttemptReport { AttemptReport(record, trouble: trouble) }

    /// Changes the record, and numbers the change.
    mutating func modify(on date: RecordedTime, _ body: (inout AttemptRecord) -> Void) {
        var changed = record
        body(&changed)
        guard changed != record else { return }
        changed.changed = date
        if changed.state == .approved, record.state != .approved, changed.approved == nil { changed.approved = date }
        record = changed
        change += 1
    }

    /// Lets the delivery be sent at once, as if nothing had been tried. If the identifier may be that of another payment, it
    /// still begins with an enquiry.
    mutating func resumeDelivery() {
        notBefore = nil
        isFoundApproved = false
        contradictions = 0
        otherPayments = 0
        unusableAnswers = 0
    }

    /// Appends an output, which waits until the record is durable as it is now.
    mutating func append(_ output: Output) { outputs.append(Waiting(change: change, output: output)) }

    /// Removes the first output if it waits for no write. A report that a later one makes out of date is left out.
    mutating func takeOutput() -> Output? {
        while let first = outputs.first, first.change <= durable {
            outputs.removeFirst()
            if first.isReport, outputs.contains(where: { $0.isReport && $0.change <= durable }) { continue }
            return first.output
        }
        return nil
    }

    /// Removes a request that waits for a write.
    mutating func takeRequest() -> Output? {
        let place = outputs.firstIndex {
            if case .ask = $0.output { true } else { false }
        }
        return place.map { outputs.remove(at: $0).output }
    }

    /// Ends the write that is under way, with success.
    mutating func finishWriting() {
        guard let writing else { return }
        durable = writing.change
        written = writing.record
        writeFailures = 0
        self.writing = nil
    }
}
