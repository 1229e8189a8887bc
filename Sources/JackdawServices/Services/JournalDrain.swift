#if Payments
public import JackdawPayments
import JackdawTransport
public import ServiceLifecycle

/// Waits until the host has the messages of a journal: a service that ends by itself.
///
/// The payment service sends the messages; a drain only shows when they are delivered. With
/// `successTerminationBehavior: .gracefullyShutdownGroup` the group ends after it.
public struct JournalDrain: Service {
    private let payments: PaymentService
    private let attempt: AttemptIdentifier?
    private let limit: Duration?
    private let clock: ElapsedClock

    /// A drain of a payment service.
    /// - Parameters:
    ///   - payments: the payment service. The drain starts it, if it is not started.
    ///   - attempt: the attempt whose messages are awaited. Default: nil, all.
    ///   - limit: the longest wait. Default: nil, until all messages are delivered.
    ///   - clock: the clock of the limit. Default: `SuspendingClock`.
    public init(
        _ payments: PaymentService, of attempt: AttemptIdentifier? = nil, limit: Duration? = nil,
        clock: some Clock<Duration> = SuspendingClock()
    ) {
        self.payments = payments
        self.attempt = attempt
        self.limit = limit
        self.clock = ElapsedClock(clock)
    }

    /// Waits, as ``drain()``, or until the group is shut down.
    /// - Throws: `JournalError` if the journal cannot be read.
    public func run() async throws {
        _ = try await cancelWhenGracefulShutdown { try await drain() }
    }

    /// Waits until the messages are delivered, the time has passed, or the task is cancelled. An attempt that a person must
    /// look at is not waited for: its message is not sent.
    /// - Returns: the attempts that are not over, or have a message that is not delivered.
    /// - Throws: `JournalError` if the journal cannot be read.
    public func drain() async throws(JournalError) -> [AttemptReport] {
        try await payments.start()
        let end = limit.map { clock.now() + $0 }
        while true {
            let seen = payments.changes.count
            let open = await payments.unfinished.filter { attempt == nil || $0.attempt == attempt }
            let isLate = end.map { $0 <= clock.now() } ?? false
            guard open.contains(where: { $0.state != .needsAttention }), !isLate, !Task.isCancelled else { return open }
            await payments.changes.wait(after: seen, until: end, on: clock)
        }
    }
}
#endif
