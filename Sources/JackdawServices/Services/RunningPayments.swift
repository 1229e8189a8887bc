#if Payments
public import JackdawPayments
public import Logging
public import ServiceLifecycle

/// A payment service as a service of swift-service-lifecycle: it is started, its changes are logged, and it is shut down
/// with its group.
///
/// The log has identifiers and states, no amounts, texts or card data.
public struct RunningPayments: Service {
    private let payments: PaymentService
    private let logger: Logger

    /// A payment service in a group.
    /// - Parameters:
    ///   - payments: the payment service, which may be started already.
    ///   - logger: receives each durable change of an attempt with the level `info`, and attempts that a person must look
    ///     at with `warning`.
    public init(_ payments: PaymentService, logger: Logger) {
        self.payments = payments
        self.logger = logger
    }

    /// Runs until the group is shut down, or its task is cancelled. The queue of the journal is sent in that time.
    /// - Throws: `JournalError` if the journal cannot be read.
    public func run() async throws {
        let reports = payments.reports
        try await payments.start()
        logger.info("the payments run")
        let unreadable = await payments.unreadableRecords.count
        if unreadable > 0 {
            logger.warning("records of the journal cannot be read", metadata: ["records": .open(unreadable)])
        }
        for report in await payments.unfinished { log("an attempt goes on", report) }
        for await report in reports.cancelOnGracefulShutdown() { log("an attempt has changed", report) }
        await payments.shutDown()
        logger.info("the payments are shut down")
    }

    private func log(_ message: Logger.Message, _ report: AttemptReport) {
        let metadata: Logger.Metadata = [
            "attempt": .open(report.attempt), "state": .open(report.state.rawValue),
            "queued": .open(report.isDeliveryQueued),
        ]
        logger.log(level: report.state == .needsAttention ? .warning : .info, message, metadata: metadata)
    }
}
#endif
