#if Payments
import Accept
import Glibc
import JackdawConsole
import JackdawHTTP
import JackdawPayments
import JackdawServices
import JackdawStore
import Logging
import ServiceLifecycle

/// A till with its journal open: the calls of the SDK, and the payment service over the journal and the host.
struct OpenTill: Sendable {
    let accept: Accept
    let service: PaymentService
    let journal: DatabaseJournal
    /// The terminal that asks a host of its own.
    let ownHost: AcceptSPm20Terminals
    let login: TillFolder.Login
    let logger: Logger

    /// Opens the journal, and goes on with the last login. The queue of the journal begins.
    /// - Parameters:
    ///   - folder: the folder of the till.
    ///   - profile: the habits of the host. Default: those of Accept.
    ///   - logger: receives the changes of attempts. Default: one that writes nothing.
    /// - Returns: the till, which ``use(_:)`` closes.
    /// - Throws: `CommandError`: `unavailable` without a login, or if another program uses the journal.
    static func open(
        _ folder: TillFolder, profile: HostProfile = AcceptWire.profile, logger: Logger = .silent
    ) async throws(CommandError) -> OpenTill {
        let login = try folder.login()
        let accept = accept(of: login.host)
        do throws(AcceptError) { try accept.resume(login.token, config: login.config) } catch {
            throw CommandError(error)
        }
        let journal = try await openJournal(folder)
        let ownHost = AcceptSPm20Terminals.simulated(journal, .builtIn())
        let service = PaymentService(
            host: profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
            policy: ownHost.policy(Accept.paymentPolicy), otherHost: ownHost, date: { .now }, reader: accept.reader)
        accept.use(service)
        do throws(JournalError) { try await service.start() } catch {
            await journal.close()
            throw CommandError(error)
        }
        return OpenTill(
            accept: accept, service: service, journal: journal, ownHost: ownHost, login: login, logger: logger)
    }

    /// The calls of the SDK over the connection to a host.
    static func accept(of host: TillHost) -> Accept {
        Accept(date: { .now }) { config throws(AcceptError) in
            do throws(HTTPFailure) {
                var connection = try HTTPHost(config.url)
                if let file = host.authority { connection.authorities = .file(file) }
                return CurlClient(connection)
            } catch { throw AcceptError(.common(.applicationConfigurationInvalid), error.message) }
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

    /// Runs a body while the payment service runs in a group of services, and closes the till after it. The next program on
    /// the journal goes on with its attempts.
    func use<Value>(
        _ body: () async throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        let group = ServiceGroup(services: [RunningPayments(service, logger: logger)], logger: logger)
        let running = Task { try await group.run() }
        do throws(CommandError) {
            let value = try await body()
            await close(group, running)
            return value
        } catch {
            await close(group, running)
            throw error
        }
    }

    private func close(_ group: ServiceGroup, _ running: Task<Void, any Error>) async {
        await group.triggerGracefulShutdown()
        _ = await running.result
        // A group that is shut down before it has begun runs no service.
        await service.shutDown()
        await ownHost.close()
        await journal.close()
    }

    /// The attempt as the journal has it; nil if the journal has none.
    /// - Throws: `CommandError` of the journal.
    func record(of attempt: AttemptIdentifier) async throws(CommandError) -> AttemptRecord? {
        do throws(JournalError) { return try await journal.record(of: attempt) } catch { throw CommandError(error) }
    }

    /// Waits until the host has all messages about an attempt, or the time has passed.
    /// - Returns: the attempt as the journal has it; nil if the journal has none.
    func settledRecord(
        of attempt: AttemptIdentifier, within limit: Duration
    ) async throws(CommandError) -> AttemptRecord? {
        do throws(JournalError) {
            _ = try await JournalDrain(service, of: attempt, limit: limit).drain()
        } catch { throw CommandError(error) }
        return try await record(of: attempt)
    }
}

extension Logger {
    /// A logger that writes nothing.
    static let silent = Logger(label: "jackdaw-pay") { _ in SwiftLogNoOpLogHandler() }
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
