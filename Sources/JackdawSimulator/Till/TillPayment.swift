import JackdawEMV
import JackdawTransport

/// The payment of a till: the flow, and what the till keeps of it: the journal on disk, the record, the reasons for its
/// course, and the recording.
struct TillPayment: Sendable {
    /// The payment as a machine.
    private(set) var flow: PaymentFlow
    /// The journal on disk.
    private(set) var journal = PaymentJournal()
    /// The number of records for settlement.
    private(set) var records = 0
    /// The reasons for its course so far.
    var course = PaymentReasons()
    /// Keeps the steps and the messages; nil if the payment is not recorded.
    var recorder: PaymentRecorder?
    /// Events that wait until the effects of the one before are carried out.
    private var inbox: [(event: PaymentEvent, effect: Int?)] = []
    private var isDelivering = false

    /// A payment that has not started.
    /// - Parameters:
    ///   - policy: the rules.
    ///   - mask: masks the messages of card or reader; nil if the payment is not recorded.
    init(_ policy: PaymentPolicy, _ mask: (any TranscriptMask)?) {
        flow = PaymentFlow(policy: policy)
        recorder = mask.map { PaymentRecorder($0) }
    }

    /// The reasons so far, in their order and each once.
    var reasons: [PaymentReason] { course.all }
    /// The steps and messages so far.
    var entries: [PaymentEntry] { recorder?.entries ?? [] }

    /// Adds a reason, unless it is there.
    mutating func add(_ reason: PaymentReason?) { course.add(reason) }

    /// Records a message of the card or the reader, or to it.
    mutating func add(_ message: [UInt8], isSent: Bool, at now: Duration) {
        recorder?.add(message, isSent: isSent, at: now)
    }

    /// Appends an event to those that wait.
    /// - Returns: whether the caller must carry out the effects (``nextEffects(at:)``); false if it is doing so.
    mutating func append(_ event: PaymentEvent, answering identifier: Int?) -> Bool {
        inbox.append((event, identifier))
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Processes the next event.
    /// - Returns: its effects, which the caller carries out in their order; nil if no event waits.
    mutating func nextEffects(at now: Duration) -> [PaymentEffect]? {
        guard !inbox.isEmpty else {
            isDelivering = false
            return nil
        }
        let (event, identifier) = inbox.removeFirst()
        return receive(event, answering: identifier, at: now)
    }

    /// Processes an event.
    /// - Returns: its effects, which the caller carries out in their order.
    mutating func receive(_ event: PaymentEvent, answering identifier: Int?, at now: Duration) -> [PaymentEffect] {
        course.add(event: event)
        let effects = flow.receive(event, answering: identifier, at: now)
        recorder?.add(.event(event, answering: identifier), flow, effects, at: now)
        return effects
    }

    /// Writes the journal. The mark of a record that is stored stays.
    mutating func write(_ journal: PaymentJournal) {
        self.journal = journal
        if records > 0 { self.journal.isRecordStored = true }
    }

    /// Stores the record and its mark in the journal in one write.
    /// - Returns: false if it is stored.
    mutating func storeRecord() -> Bool {
        guard !journal.isRecordStored else { return false }
        journal.isRecordStored = true
        records += 1
        return true
    }

    /// The program was killed, and runs again: only the journal stays of the flow.
    mutating func restart(at now: Duration) {
        course.add(event: .crash)
        flow = PaymentFlow(restoring: journal, policy: flow.policy)
        recorder?.add(.restart(journal), flow, [], at: now)
    }
}
