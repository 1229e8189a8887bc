#if Payments
import Accept
import JackdawConsole
import JackdawPayments
import JackdawServices
import JackdawStore

/// Reads the journal of a till without its service: nothing is sent, and no login is needed.
struct JournalReading: Sendable {
    let folder: TillFolder
    let printer: TillPrinter

    /// Prints an attempt, as the journal has it.
    /// - Returns: the status of its state; `nothingFound` if the journal does not have it.
    func status(of attempt: AttemptIdentifier) async throws(CommandError) -> ExitStatus {
        let record = try await OpenTill.read(folder) { journal throws(JournalError) in
            try await journal.record(of: attempt)
        }
        guard let record else { throw CommandError(.nothingFound, "the journal has no payment with this identifier") }
        printer.print(record)
        return record.state.exitStatus
    }

    /// Prints the attempts that are not over, and the records that cannot be read.
    /// - Returns: `done`.
    func list() async throws(CommandError) -> ExitStatus {
        let needed = try await OpenTill.read(folder) { journal throws(JournalError) in
            try await journal.neededRecords()
        }
        for record in needed.records { printer.print(record) }
        for record in needed.unreadable { printer.print(record) }
        if needed.records.isEmpty, needed.unreadable.isEmpty { printer.message("all payments are over") }
        return .done
    }
}

/// Delivers the messages of a journal.
struct JournalFlush: Sendable {
    let till: OpenTill
    let wait: Duration
    let printer: TillPrinter

    /// Waits until the host has all messages, and prints what is left.
    /// - Returns: `done` if nothing is, `unsettled` otherwise, or `interrupted` if the task was cancelled.
    func run() async throws(CommandError) -> ExitStatus {
        let open = await till.service.unfinished
        if open.contains(where: { $0.state != .needsAttention }) {
            // The service would try for ever with a login that has expired.
            do throws(AcceptError) {
                _ = try await till.accept.requestMerchantInfo(till.login.token, config: till.login.config)
            } catch { throw CommandError(error) }
        }
        let left: [AttemptReport]
        do throws(JournalError) { left = try await JournalDrain(till.service, limit: wait).drain() } catch {
            throw CommandError(error)
        }
        try await print(open)
        let unreadable = await till.service.unreadableRecords
        for record in unreadable { printer.print(record) }
        if open.isEmpty, unreadable.isEmpty { printer.message("all payments are over") }
        guard !left.isEmpty || !unreadable.isEmpty else { return .done }
        return Task.isCancelled ? .interrupted : .unsettled
    }

    /// Notes that a person has dealt with an attempt that needed attention, and prints it.
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - result: the result of the person's work.
    ///   - note: a text for the journal.
    /// - Returns: the status of the attempt's state.
    /// - Throws: `CommandError` with status `nothingFound` if the attempt needs no attention.
    func settle(
        _ attempt: AttemptIdentifier, _ result: AttentionResult, note: String
    ) async throws(CommandError) -> ExitStatus {
        do throws(DeskRefusal) {
            _ = try await till.service.attend(attempt, result, note: ReasonText(note))
        } catch { throw CommandError(error) }
        guard let record = try await till.settledRecord(of: attempt, within: wait) else {
            throw CommandError(.inputOutput, "the journal has no record of the payment")
        }
        printer.print(record)
        return record.state.exitStatus
    }

    /// Prints the attempts as they are now.
    private func print(_ attempts: [AttemptReport]) async throws(CommandError) {
        for attempt in attempts {
            if let record = try await till.record(of: attempt.attempt) { printer.print(record) }
        }
    }
}
#endif
