import Accept
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// Each call with a completion. Source: the Accept SDK integration guide 1.6.182, revision history (067, 096, 199).
@Suite struct CompletionTests {
    /// The completions that were called.
    private final class Log: Sendable {
        private let lines = Lock<[String]>([])
        private let signal = AsyncSignal()

        var all: [String] { lines.withLock { $0 } }

        /// Notes a completion: its call, whether it has a value, and its error.
        func note(_ call: String, _ hasValue: Bool, _ error: AcceptError?) {
            lines.withLock { $0.append("\(call) \(hasValue) \(error?.code.name ?? "none")") }
            signal.send()
        }

        /// Waits until a number of completions was called.
        func wait(for count: Int) async {
            while true {
                let seen = signal.count
                if all.count >= count { return }
                await signal.wait(after: seen)
            }
        }
    }

    private static func start(_ config: AcceptPaymentConfig, _ till: PayTill, _ name: String, _ log: Log) {
        till.accept.startPay(
            config, completion: { log.note(name, $0 != nil, $1) }, progress: { _ in },
            signature: { $0.signatureCallback(nil, nil) },
            signatureVerification: { _, callback, _ in callback(.approved) },
            appSelection: { $0.appSelectionCallback(0, nil) })
    }

    @Test func S1_116_eachCompletionIsCalledOnce() async throws {
        let log = Log()
        // The terminal repeats its answer, and loses its link after it.
        let till = try await PayTill(
            chip(1000, ["approved": [.payment(.secondTC), .payment(.secondTC), .payment(.linkLost)]]))
        let (accept, config, token) = (till.accept, ConfigurationTests.backend, till.token)
        Self.start(till.config(), till, "pay", log)
        await log.wait(for: 1)
        // Nothing that comes later ends the payment again.
        for event in [PaymentEvent.secondAAC, .linkLost, .cardRemoved, .kernelFailed] {
            till.terminals.send(.payment(event))
        }
        accept.cancelPay()
        var away = till.config(1000, "A3")
        away.terminalUUID = "away"
        Self.start(away, till, "pay away", log)
        await log.wait(for: 2)

        accept.startCashPayment(
            till.config(1000, "A2"), completion: { log.note("cash", $0 != nil, $1) }, progress: { _ in })
        var authorised = till.config(1000, "A4")
        authorised.transactionType = .authorize
        accept.startCashPayment(
            authorised, completion: { log.note("cash authorised", $0 != nil, $1) }, progress: { _ in })
        await log.wait(for: 4)

        for (operation, name) in [(AcceptOperationOnPayment.refund, "A2"), (.capture, "A1")] {
            accept.requestOperationOnPaymentWithID(
                name, andAccessToken: token, config: config, operation: operation,
                paymentUpdateParameters: AcceptPaymentParameters()
            ) { log.note("\(operation)", $0 != nil, $1) }
        }
        accept.status(of: "A1") { log.note("status", $0?.state == .approved, $1) }
        accept.status(of: "A9") { log.note("status of none", $0 != nil, $1) }
        await log.wait(for: 8)

        till.terminals.change { $0.dependsOnConfiguration = true }
        let terminal = try #require(await accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).first)
        var other = terminal
        other.dependsOnConfiguration = false
        for (name, terminal) in [("configure", terminal), ("configure other", other)] {
            accept.configure(terminal, of: AcceptSpireVendorUUID, andToken: token, config: config) {
                log.note(name, $0 != nil, $1)
            }
        }
        await log.wait(for: 10)

        let (right, wrong) = (secret("till-1-password"), secret("wrong"))
        accept.requestAccessToken("till-1", password: right, config: config) { log.note("login", $0 != nil, $1) }
        accept.requestAccessToken("till-1", password: wrong, config: config) { log.note("login wrong", $0 != nil, $1) }
        accept.requestMerchantInfo(token, config: config) { log.note("user", $0 != nil, $1) }
        accept.requestMerchantInfo(secret("other"), config: config) { log.note("user of none", $0 != nil, $1) }
        accept.queryConfigFile(token, config: config, andCurrentVersion: "0") { log.note("file", $0 != nil, $1) }
        accept.queryConfigFile(secret("other"), config: config, andCurrentVersion: "0") {
            log.note("file of none", $0 != nil, $1)
        }
        accept.forgotUserId("till-2@example.com", config: config) { log.note("name", $0, $1) }
        accept.forgotUserId("till-2", config: config) { log.note("name malformed", $0, $1) }
        accept.resetPassword("till-2", config: config) { log.note("reset", $0, $1) }
        accept.resetPassword("till-9", config: config) { log.note("reset of none", $0, $1) }
        accept.changePasswordForToken(token, newPassword: right, reNewPassword: wrong, config: config) {
            log.note("change differing", $0, $1)
        }
        await log.wait(for: 21)
        accept.changePasswordForToken(
            token, newPassword: secret("new-password"), reNewPassword: secret("new-password"), config: config
        ) { log.note("change", $0, $1) }
        await log.wait(for: 22)
        accept.discoverSupportedVendors { log.note("vendors", !$0.isEmpty, nil) }
        accept.discoverTerminalsForVendor(AcceptSpireVendorUUID) { log.note("terminals", $0 != nil, $1) }
        accept.discoverTerminalsForVendor("other") { log.note("terminals of none", $0 != nil, $1) }
        accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) { log.note("battery", $0 == 80, nil) }
        accept.terminalConnectionStatus(AcceptSpireVendorUUID) { log.note("connection", $0 == .connected, nil) }
        await log.wait(for: 27)

        // A second call of any of them would be there before the end of these.
        await till.service.shutDown()
        accept.status(of: "A1") { log.note("status after all", $0 != nil, $1) }
        await log.wait(for: 28)
        #expect(
            log.all.sorted() == [
                "battery true none", "capture false operationNotAllowed", "cash authorised false unsupportedFeature",
                "cash true none",
                "change differing false changePasswordCriteriaNotMet", "change true none",
                "configure other false unsupportedFeature", "configure true none", "connection true none",
                "file of none false tokenExpired",
                "file true none", "login true none", "login wrong false wrongUserNameOrPassword",
                "name malformed false contactInvalid", "name true none", "pay away false terminalNotReady",
                "pay true none", "refund true none", "reset of none false externalIdNotFound", "reset true none",
                "status after all false notRunning", "status of none false paymentNotFound", "status true none",
                "terminals of none false vendorNotFound", "terminals true none",
                "user of none false requestMerchantInfoTokenExpired", "user true none", "vendors true none",
            ])
    }

    /// A payment that the user cancels at the same time as the card ends it.
    @Test func S1_116_aCancelledPaymentHasOneCompletion() async throws {
        let log = Log()
        let till = try await PayTill(chip(1000, ["accept": []]))
        Self.start(till.config(), till, "pay", log)
        await till.terminals.received { $0 == .acceptCard }
        till.accept.cancelPay()
        till.accept.cancelPay()
        till.terminals.send(.payment(.linkLost))
        await log.wait(for: 1)
        till.accept.cancelPay()
        Self.start(till.config(), till, "the same payment", log)
        await log.wait(for: 2)
        await till.service.shutDown()
        till.accept.status(of: "A1") { log.note("status", $0 != nil, $1) }
        await log.wait(for: 3)
        #expect(
            log.all == [
                "pay false transactionTerminated", "the same payment false transactionTerminated",
                "status false notRunning",
            ])
    }
}
