public import JackdawPayments

extension AcceptSPm20Terminals {
    /// The payments whose money a terminal has, against the journal, which has them declined or reversed: those that the closure
    /// `attention` received in this program and in earlier ones on the journal, in the order of their identifiers, until
    /// ``attentionEnded(for:)``.
    /// - Returns: the payments with the reasons, at most 60; ``reasonForAttention(to:)`` also has further ones.
    /// - Throws: `JournalError`.
    public func paymentsNeedingAttention()
        async throws(JournalError) -> [(attempt: AttemptIdentifier, reason: ReasonText)]
    {
        var payments: [(attempt: AttemptIdentifier, reason: ReasonText)] = []
        for attempt in try await attentionNotes.attempts() {
            guard let reason = try await attentionNotes.reason(for: attempt) else { continue }
            payments.append((attempt, reason))
        }
        return payments
    }

    /// The reason for which a payment needs a person, as in ``paymentsNeedingAttention()``; nil if it does not.
    /// - Throws: `JournalError`.
    public func reasonForAttention(to attempt: AttemptIdentifier) async throws(JournalError) -> ReasonText? {
        try await attentionNotes.reason(for: attempt)
    }

    /// Notes that a person has dealt with a payment. The journal forgets that it needed one.
    /// - Throws: `JournalError`; the payment may still be listed then.
    public func attentionEnded(for attempt: AttemptIdentifier) async throws(JournalError) {
        try await attentionNotes.remove(attempt)
    }
}

/// The journal's notes of payments whose money a terminal has, against the journal: one with the reason of each, and a list of
/// them.
actor SPm20AttentionNotes {
    private let journal: any JournalStore
    /// The last change of the list: changes follow each other.
    private var last: Task<Void, Never>?

    /// The payments of the list, so that it fits a note.
    static let maxCount = 60
    static let list = "accept/spm20-attention"

    init(_ journal: any JournalStore) { self.journal = journal }

    static func name(of attempt: AttemptIdentifier) -> String { "\(list)/\(attempt.rawValue)" }

    /// Adds a payment. Its reason is in the journal before the list names it.
    func add(_ attempt: AttemptIdentifier, _ reason: ReasonText) async throws(JournalError) {
        try await change { [journal] () async throws(JournalError) in
            try await journal.writeNote(reason.text, named: Self.name(of: attempt))
            let attempts = try await Self.attempts(in: journal)
            guard !attempts.contains(attempt), attempts.count < Self.maxCount else { return }
            try await Self.write(attempts + [attempt], to: journal)
        }
    }

    func remove(_ attempt: AttemptIdentifier) async throws(JournalError) {
        try await change { [journal] () async throws(JournalError) in
            let attempts = try await Self.attempts(in: journal)
            if attempts.contains(attempt) { try await Self.write(attempts.filter { $0 != attempt }, to: journal) }
            try await journal.removeNote(named: Self.name(of: attempt))
        }
    }

    /// The payments of the list, in ascending order.
    func attempts() async throws(JournalError) -> [AttemptIdentifier] { try await Self.attempts(in: journal).sorted() }

    func reason(for attempt: AttemptIdentifier) async throws(JournalError) -> ReasonText? {
        try await journal.note(named: Self.name(of: attempt)).map { ReasonText($0) }
    }

    private func change(
        _ body: @escaping @Sendable () async throws(JournalError) -> Void
    ) async throws(JournalError) {
        let before = last
        let task = Task { () -> Result<Void, JournalError> in
            await before?.value
            do throws(JournalError) { return .success(try await body()) } catch { return .failure(error) }
        }
        last = Task { _ = await task.value }
        try await task.value.get()
    }

    private static func attempts(in journal: any JournalStore) async throws(JournalError) -> [AttemptIdentifier] {
        (try await journal.note(named: list) ?? "").split(separator: " ")
            .compactMap { AttemptIdentifier(rawValue: String($0)) }
    }

    private static func write(
        _ attempts: [AttemptIdentifier], to journal: any JournalStore
    ) async throws(JournalError) {
        guard !attempts.isEmpty else { return try await journal.removeNote(named: list) }
        try await journal.writeNote(attempts.map(\.rawValue).joined(separator: " "), named: list)
    }
}
