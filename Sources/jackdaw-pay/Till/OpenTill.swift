#if Payments
import Accept
import Glibc
import JackdawConsole
import JackdawHTTP
import JackdawPayments
import JackdawStore
import JackdawTransport

/// A till with its journal open: the calls of the SDK, and the payment service over the journal and the host.
struct OpenTill: Sendable {
    let accept: Accept
    let service: PaymentService
    let journal: DatabaseJournal
    let login: TillFolder.Login

    private static let clock = ElapsedClock(SuspendingClock())

    /// Opens the journal, and goes on with the last login. The queue of the journal begins.
    /// - Throws: `CommandError`: `unavailable` without a login, or if another program uses the journal.
    static func open(_ folder: TillFolder) async throws(CommandError) -> OpenTill {
        let login = try folder.login()
        let accept = accept(of: login.host)
        do throws(AcceptError) { try accept.resume(login.token, config: login.config) } catch {
            throw CommandError(error)
        }
        let journal = try await openJournal(folder)
        let service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
            policy: Accept.paymentPolicy, date: { .now }, reader: accept.reader)
        accept.use(service)
        do throws(JournalError) { try await service.start() } catch {
            await journal.close()
            throw CommandError(error)
        }
        return OpenTill(accept: accept, service: service, journal: journal, login: login)
    }

    /// The calls of the SDK over the connection to a host.
    static func accept(of host: TillHost) -> Accept {
        Accept(date: { .now }) { config throws(AcceptError) in
            do throws(HTTPFailure) {
                var connection = try HTTPHost(config.url)
                if let file = host.authority { connection.authorities = .file(file) }
                return CurlClient(connection)
            } catch { throw AcceptError(.configurationInvalid, error.message) }
        }
    }

    static func openJournal(_ folder: TillFolder) async throws(CommandError) -> DatabaseJournal {
        try folder.make()
        do throws(JournalError) { return try await DatabaseJournal.open(folder.journal) } catch {
            throw CommandError(error)
        }
    }

    /// Reads the journal without a service: nothing is sent, and no login is needed.
    static func read<Value>(
        _ folder: TillFolder, _ body: (DatabaseJournal) async throws(JournalError) -> Value
    ) async throws(CommandError) -> Value {
        let journal = try await openJournal(folder)
        do throws(JournalError) {
            let value = try await body(journal)
            await journal.close()
            return value
        } catch {
            await journal.close()
            throw CommandError(error)
        }
    }

    /// Ends the service, and closes the journal. The next program on the journal goes on with its attempts.
    func close() async {
        await service.shutDown()
        await journal.close()
    }

    /// Runs a body, and closes the till after it.
    func use<Value>(
        _ body: () async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(CommandError) {
            let value = try await body()
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }

    /// Waits until the host has all messages about an attempt, or the time has passed.
    /// - Returns: the attempt as the journal has it; nil if the journal has none.
    func settledRecord(
        of attempt: AttemptIdentifier, within limit: Duration
    ) async throws(CommandError) -> AttemptRecord? {
        _ = await wait(limit) { open in !open.contains { $0.attempt == attempt && $0.state != .needsAttention } }
        do throws(JournalError) { return try await journal.record(of: attempt) } catch { throw CommandError(error) }
    }

    /// Waits until a condition holds about the attempts that are not over, the time has passed, or the task is cancelled.
    /// - Returns: these attempts.
    func wait(
        _ limit: Duration, until isDone: ([AttemptReport]) -> Bool
    ) async -> [AttemptReport] {
        let end = Self.clock.now() + limit
        while true {
            let seen = service.changes.count
            let open = await service.unfinished
            guard !isDone(open), Self.clock.now() < end, !Task.isCancelled else { return open }
            await service.changes.wait(after: seen, until: end, on: Self.clock)
        }
    }
}

extension RecordedTime {
    /// The time of the system, with the zone of this user.
    static var now: RecordedTime {
        var seconds = time(nil)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return RecordedTime(seconds: Int64(seconds), offset: unsafe parts.tm_gmtoff / 60)
    }
}
#endif
