import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport

@testable import Accept

/// A situation in which a call ends with an error: the text of docs/accept-errors.md, and the calls that provoke it.
struct ErrorSituation: Sendable {
    /// The side that makes the situation.
    enum Side: String, Sendable {
        /// A fault or a rule of the sandbox.
        case sandbox
        /// An event of a terminal or its link, which simulated readers have, too.
        case reader
        /// A terminal of the program that reports it as the reason: no simulated reader does.
        case terminal = "terminal of the program"
        /// The calls of the program.
        case program
    }

    let code: AcceptError.Code
    let side: Side
    /// The situation, for people.
    let text: String
    /// Provokes the error.
    let provoke: @Sendable () async throws(Failed) -> AcceptError?

    /// A call that is no part of the situation has failed.
    struct Failed: Error { let error: any Error }

    init(
        _ code: AcceptError.Code, _ side: Side, _ text: String,
        _ provoke: @escaping @Sendable () async throws -> Void
    ) {
        self.code = code
        self.side = side
        self.text = text
        self.provoke = { () async throws(Failed) in
            do {
                try await provoke()
                return nil
            } catch let error as AcceptError { return error } catch { throw Failed(error: error) }
        }
    }

    static let all: [ErrorSituation] =
        accounts + configurations + payments + choices + links + programsTerminals + operations + baskets
}

extension ErrorSituation {
    private static let backend = ConfigurationTests.backend

    /// A call with the token of a till whose next request for a path meets a fault.
    private static func call(
        _ fault: String, _ path: String,
        _ body: @escaping @Sendable (PayTill) async throws -> Void
    ) -> @Sendable () async throws -> Void {
        {
            let till = try await PayTill(chip())
            till.link.plan(fault, path)
            guard fault.hasPrefix("silent") else { return try await body(till) }
            async let result: Void = body(till)
            // The lifetime of the token, and the silence.
            await till.wait(Accept.requestLimit)
            try await result
        }
    }

    // MARK: logins and users

    private static let accounts: [ErrorSituation] = [
        ErrorSituation(.common(.wrongUserNameOrPassword), .program, "a wrong password") {
            let till = try await PayTill(chip())
            _ = try await till.accept.requestAccessToken("till-1", password: secret("wrong"), config: backend)
        },
        ErrorSituation(
            .common(.requestTokenConnection), .sandbox, "`cut=1` at `POST oauth2/token`",
            call("cut=1", "token") { till in
                _ = try await till.accept.requestAccessToken(
                    "till-1", password: secret("till-1-password"), config: backend)
            }),
        ErrorSituation(.programRefused, .program, "a wrong secret of the program") {
            let till = try await PayTill(chip())
            var other = backend
            other.clientSecret = secret("other-secret")
            _ = try await till.accept.requestAccessToken("till-1", password: secret("till-1-password"), config: other)
        },
        ErrorSituation(.tooManyRequests, .program, "a login after five with a wrong password") {
            let till = try await PayTill(chip())
            for _ in 0..<5 {
                _ = try? await till.accept.requestAccessToken("till-1", password: secret("wrong"), config: backend)
            }
            _ = try await till.accept.requestAccessToken("till-1", password: secret("till-1-password"), config: backend)
        },
        ErrorSituation(
            .common(.requestMerchantInfoTokenExpired), .sandbox, "`token-expired` at `GET user.json`",
            call("token-expired", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: backend)
            }),
        ErrorSituation(
            .common(.requestMerchantInfoNoConnection), .sandbox, "`cut=1` at `GET user.json`",
            call("cut=1", "user.json") { _ = try await $0.accept.requestMerchantInfo($0.token, config: backend) }),
        ErrorSituation(
            .common(.genericRequestTimeout), .sandbox, "`silent-before` at `GET user.json`",
            call("silent-before", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: backend)
            }),
        ErrorSituation(
            .hostError, .sandbox, "`status=503` at `GET user.json`",
            call("status=503", "user.json") { _ = try await $0.accept.requestMerchantInfo($0.token, config: backend) }),
        ErrorSituation(
            .answerUnreadable, .sandbox, "`garbled` at `GET user.json`",
            call("garbled", "user.json") { _ = try await $0.accept.requestMerchantInfo($0.token, config: backend) }),
        ErrorSituation(.hostNotTrusted, .sandbox, "a sandbox whose certificate the client does not know") {
            let clock = ManualClock()
            let accept = Accept(clock: clock) { _ throws(AcceptError) in Untrusted() }
            _ = try await accept.requestAccessToken("till-1", password: secret("till-1-password"), config: backend)
        },
        ErrorSituation(.cancelled, .program, "the task of a call is cancelled while the host is silent") {
            let till = try await PayTill(chip())
            till.link.plan("silent-before", "user.json")
            let task = Task { _ = try await till.accept.requestMerchantInfo(till.token, config: backend) }
            await till.clock.sleepers(2)
            task.cancel()
            try await task.value
        },
        ErrorSituation(
            .common(.forgotExternalIdConnection), .sandbox,
            "`cut=1` at `POST user/reset_password.json`, with an address",
            call("cut=1", "reset_password.json") {
                try await $0.accept.forgotUserId("till-1@example.com", config: backend)
            }),
        ErrorSituation(.common(.forgotExternalIdNotFound), .program, "an address that no user has") {
            try await PayTill(chip()).accept.forgotUserId("no-user@example.com", config: backend)
        },
        ErrorSituation(.contactInvalid, .program, "a malformed address") {
            try await PayTill(chip()).accept.forgotUserId("other", config: backend)
        },
        ErrorSituation(
            .common(.resetPasswordConnection), .sandbox, "`cut=1` at `POST user/reset_password.json`, with a name",
            call("cut=1", "reset_password.json") { try await $0.accept.resetPassword("till-1", config: backend) }),
        ErrorSituation(.common(.externalIdNotFound), .program, "a name that no user has") {
            try await PayTill(chip()).accept.resetPassword("till-9", config: backend)
        },
        ErrorSituation(.common(.changePasswordCriteriaNotMet), .program, "a new password of fewer than 8 bytes") {
            let till = try await PayTill(chip())
            try await till.accept.changePasswordForToken(
                till.token, newPassword: secret("short"), reNewPassword: secret("short"), config: backend)
        },
        ErrorSituation(.configurationInvalid, .program, "a configuration without the program's secret") {
            var incomplete = backend
            incomplete.clientSecret = nil
            _ = try await PayTill(chip()).accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: incomplete)
        },
    ]

    /// A connection to a host whose certificate is of no trusted authority.
    private struct Untrusted: HTTPClient {
        func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
            throw HTTPFailure(.notTrusted, isCertainlyNotSent: true, message: "self-signed certificate")
        }
    }

    // MARK: configurations of terminals

    private static let configurations: [ErrorSituation] = [
        configuration(.tokenExpired, "token-expired"), configuration(.infoTimeout, "silent-before"),
        configuration(.infoNoConnection, "cut=1"), configuration(.infoNoProperResponse, "garbled"),
        configuration(.infoNoData, "status=404"),
        ErrorSituation(
            .config(.zipDownload), .sandbox, "`status=404` at `GET configuration/file.json`",
            call("status=404", "configuration/file.json") { _ = try await $0.configureTerminal() }),
        ErrorSituation(.config(.terminalUnsupported), .program, "the configuration of a terminal of another kind") {
            _ = try await PayTill(chip()).configureTerminal { $0.model = "iWL250" }
        },
        ErrorSituation(.config(.unsupportedFeature), .program, "the configuration of a terminal that needs none") {
            _ = try await PayTill(chip()).configureTerminal { $0.dependsOnConfiguration = false }
        },
    ]

    private static func configuration(_ code: AcceptConfigFilesInfoErrorCode, _ fault: String) -> ErrorSituation {
        ErrorSituation(
            .config(code), .sandbox, "`\(fault)` at `GET configuration.json`",
            call(fault, "configuration.json") { _ = try await $0.accept.queryConfigFile($0.token, config: backend) })
    }

    // MARK: payments with a card

    private static func payment(
        _ code: AcceptPayErrorCode, _ side: Side, _ text: String, _ changes: [String: [AcceptTerminalEvent]],
        hundredths: UInt64 = 1000
    ) -> ErrorSituation {
        ErrorSituation(.pay(code), side, text) {
            let till = try await PayTill(chip(hundredths, changes))
            _ = try await till.pay(till.config(AcceptHundredths(rawValue: Int64(hundredths))))
        }
    }

    private static let signed: [String: [AcceptTerminalEvent]] = ["approved": [.payment(.secondTCWithSignature)]]

    private static let payments: [ErrorSituation] = [
        payment(.initialization, .reader, "the reader fails to prepare", ["prepare": [.payment(.preparationFailed)]]),
        late(.terminalCommandTimeOut, "the reader does not answer `prepare` for 20 s", 20, "prepare"),
        late(.swipeTimeout, "no card for 20 s", 20, "accept"),
        ErrorSituation(.pay(.badSwipe), .reader, "a swipe that cannot be read, and no other card for 20 s") {
            let isSwiped = Lock(false)
            let next = chip()
            let till = try await PayTill { effect in
                guard effect.action == .acceptCard else { return next(effect) }
                let isFirst = isSwiped.withLock { isSwiped in
                    defer { isSwiped = true }
                    return !isSwiped
                }
                return isFirst ? [.payment(.swipeUnreadable, answering: effect.identifier)] : []
            }
            let run = till.accept.startPay(till.config())
            await till.terminals.received { _ in till.terminals.actions.count { $0 == .acceptCard } == 2 }
            await till.wait(AcceptDefaults.paymentTimeout)
            _ = try await run.result()
        },
        late(.terminalTimeOut, "the reader does not end the card's transaction for 60 s", 60, "process"),
        payment(
            .failedToStartEMV, .reader, "the kernel fails before the host is asked",
            ["process": [.payment(.kernelFailed)]]),
        payment(
            .failedToSendOnlineEMV, .reader, "the kernel fails with the host's approval",
            ["approved": [.payment(.kernelFailed)]]),
        payment(
            .terminalNotReady, .reader, "the link is lost before the host is asked", ["process": [.payment(.linkLost)]]),
        payment(.blockedCardType, .reader, "the card is blocked", ["process": [.payment(.cardBlocked)]]),
        ErrorSituation(
            .pay(.notSupportedCardType), .reader,
            "the chip has no application of the terminal, and the policy allows no swipe instead of it"
        ) {
            var policy = Accept.paymentPolicy
            policy.fallsBackWithoutCommonApplication = false
            _ = try await PayTill(policy: policy, chip(1000, ["process": [.payment(.noCommonApplication)]])).pay()
        },
        payment(
            .transactionDeclined, .reader, "the card declines after the host's approval",
            ["approved": [.payment(.secondAAC)]]),
        payment(
            .transactionNotApproved, .sandbox, "an amount of 51.05, which the simulated issuer declines", [:],
            hundredths: 5105),
        ErrorSituation(.pay(.responseLost), .sandbox, "`status-after=500` at `POST payments.json`") {
            let till = try await PayTill(chip())
            till.link.plan("status-after=500", "payments.json")
            _ = try await till.pay()
        },
        ErrorSituation(
            .pay(.payConnection), .sandbox,
            "a swipe, `token-expired` at `POST payments.json`, and `status=503` at the login that follows"
        ) {
            let next = chip()
            let till = try await PayTill { effect in
                guard effect.action == .acceptCard else { return next(effect) }
                return [
                    .payment(.cardSwiped, answering: effect.identifier, sealed: card(1000, changes: [0x9F39: "90"]))
                ]
            }
            till.link.plan("token-expired", "payments.json")
            till.link.plan("status=503", "oauth2/token")
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.tokenExpired), .program, "a payment 900 s after the last request of the token") {
            let till = try await PayTill(chip())
            till.clock.advance(by: .seconds(900))
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.cantLoadTerminalConfiguration), .program, "a terminal that was never configured") {
            let till = try await PayTill(chip())
            till.terminals.change { $0.dependsOnConfiguration = true }
            _ = try await till.pay()
        },
        ErrorSituation(.common(.vendorNotFound), .program, "a vendor that the program does not have") {
            var config = try await PayTill(chip()).config()
            config.vendorUUID = "other"
            _ = try await PayTill(chip()).pay(config)
        },
        ErrorSituation(.common(.unsupportedFeature), .program, "a direct debit (SEPA)") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.transactionType = .sepa
            _ = try await till.pay(config)
        },
        ErrorSituation(.notRunning, .program, "a payment without a payment service") {
            let till = try await PayTill(chip())
            await till.service.shutDown()
            _ = try await till.pay()
        },
        ErrorSituation(.journalFailed, .program, "a journal that cannot be written") {
            _ = try await PayTill(journal: MemoryJournal { _ in .notWritten }, chip()).pay()
        },
        ErrorSituation(.identifierUsed, .program, "the identifier of another payment") {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            _ = try await till.pay(till.config(2000))
        },
    ]

    /// A terminal that does not answer a task.
    private static func late(
        _ code: AcceptPayErrorCode, _ text: String, _ seconds: Int, _ step: String
    ) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip(1000, [step: []]))
            let run = till.accept.startPay(till.config())
            await till.terminals.received { action in
                switch step {
                case "prepare": action == .prepare
                case "accept": action == .acceptCard
                default: action == .processCard
                }
            }
            await till.wait(.seconds(seconds))
            _ = try await run.result()
        }
    }

    // MARK: choices of people

    private static let choices: [ErrorSituation] = [
        ErrorSituation(.pay(.transactionTerminated), .program, "`cancelPay` while a card is awaited") {
            let till = try await PayTill(chip(1000, ["accept": []]))
            let run = till.accept.startPay(till.config())
            await till.terminals.received { $0 == .acceptCard }
            till.accept.cancelPay()
            _ = try await run.result()
        },
        ErrorSituation(.pay(.signatureRequest), .program, "the program has no signature") {
            let till = try await PayTill(chip(1000, signed))
            _ = try await till.pay(nil, AcceptPaymentHandlers(signature: { $0.signatureCallback(nil, nil) }))
        },
        ErrorSituation(.pay(.signatureTimeout), .program, "the signature is not compared within 30 s") {
            let till = try await PayTill(chip(1000, signed))
            let asked = AsyncSignal()
            let handlers = AcceptPaymentHandlers(
                signature: { $0.signatureCallback([1], nil) }, signatureVerification: { _, _ in asked.send() })
            let run = till.accept.startPay(till.config(), handlers: handlers)
            await asked.wait(after: 0)
            await till.wait(AcceptDefaults.signatureWait)
            _ = try await run.result()
        },
        ErrorSituation(
            .pay(.terminalTimeoutApplicationSelection), .program,
            "the program does not choose an application within 30 s"
        ) {
            let till = try await PayTill(chip(1000, ["process": twoApplications]))
            let asked = AsyncSignal()
            let run = till.accept.startPay(
                till.config(), handlers: AcceptPaymentHandlers(appSelection: { _ in asked.send() }))
            await asked.wait(after: 0)
            await till.wait(.seconds(30))
            _ = try await run.result()
        },
        ErrorSituation(
            .pay(.terminalFailedToGetICCApplicationsList), .program,
            "three choices of an application that is not in the list"
        ) {
            let till = try await PayTill(chip(1000, ["process": twoApplications]))
            _ = try await till.pay(nil, AcceptPaymentHandlers(appSelection: { $0.appSelectionCallback(7, nil) }))
        },
    ]

    private static let twoApplications: [AcceptTerminalEvent] = [
        .applications(["Mastercard", "Maestro"]), .payment(.applicationsFound),
    ]

    // MARK: links and the terminals of programs

    private static let links: [ErrorSituation] = [
        link(.hardwareAccessPermission, .notPermitted, "the user may not open the reader's device"),
        link(.failedBluetoothConnection, .outOfRange, "the reader is out of range, or paired with another computer"),
    ]

    private static func link(_ code: AcceptPayErrorCode, _ link: LinkError.Code, _ text: String) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip())
            till.accept.use(
                AcceptReaderTerminals(
                    [
                        AcceptReaderTerminals.Reader(
                            vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
                            terminal: AcceptTerminal(
                                uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate",
                                configurationVersion: "1"),
                            model: .posMate,
                            open: { () async throws(LinkError) in throw LinkError(link, link: "test", "failed") })
                    ], clock: till.clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
                    seal: { .tagLengthValue($0) }))
            _ = try await till.pay()
        }
    }

    private static let programsTerminals: [ErrorSituation] = [
        preparation(.plugInTimeout, "no reader was plugged in"),
        preparation(.lowBatteryLevel, "the battery is nearly empty"),
        preparation(.cantLoadSwiperTerminalConfiguration, "the swiper has no configuration"),
        preparation(.terminalDamaged, "the terminal was opened, or is broken"),
        preparation(.noDUKPT, "the terminal has no keys"),
        preparation(.lowPowerInAudioJack, "the volume of the audio jack is too low"),
        preparation(.monoAudioEnabled, "the sound card is set to mono"),
        preparation(
            .terminalFailedToTerminateCurrentTerminalPaymentFlow, "the terminal has not ended its last transaction"),
        payment(
            .failedToSendOfflineEMV, .terminal, "the terminal refuses data before the host is asked",
            ["process": [.reason(.failedToSendOfflineEMV), .payment(.kernelFailed)]]),
        ErrorSituation(.pay(.deviceRooted), .terminal, "the device's protection was removed") {
            let till = try await PayTill(chip())
            till.terminals.fail(.pay(.deviceRooted))
            _ = try await till.pay()
        },
    ]

    /// A terminal that cannot be prepared, and reports the reason.
    private static func preparation(_ code: AcceptPayErrorCode, _ text: String) -> ErrorSituation {
        payment(code, .terminal, text, ["prepare": [.reason(code), .payment(.preparationFailed)]])
    }

    // MARK: operations on payments

    private static func operation(
        _ code: AcceptError.Code, _ side: Side, _ text: String,
        _ body:
            @escaping @Sendable (PayTill, (AcceptOperationOnPayment, String, Int64?, String?) async throws -> Void)
            async throws -> Void
    ) -> ErrorSituation {
        ErrorSituation(code, side, text) {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            try await body(till) { operation, name, amount, operationId in
                var parameters = AcceptPaymentParameters()
                parameters.amount = amount.map { AcceptHundredths(rawValue: $0) }
                parameters.operationId = operationId
                _ = try await till.accept.requestOperationOnPaymentWithID(
                    name, andAccessToken: till.token, config: backend, operation: operation,
                    paymentUpdateParameters: parameters)
            }
        }
    }

    private static let operations: [ErrorSituation] = [
        operation(.paymentNotFound, .program, "an identifier that no payment has") { _, operate in
            try await operate(.reverse, "A2", nil, nil)
        },
        operation(.operationNotAllowed, .program, "a capture of a purchase") { _, operate in
            try await operate(.capture, "A1", nil, nil)
        },
        operation(.amountExceeded, .program, "a refund of more than the payment") { _, operate in
            try await operate(.refund, "A1", 1001, nil)
        },
        operation(
            .saleInProgress, .sandbox,
            "a refund while another one is unknown: `status-after=500` at it, and `silent-before` at the enquiry"
        ) {
            till, operate in
            till.link.plan("status-after=500", "A1/refund.json")
            till.link.plan("silent-before", "unique_ids/R1.json")
            try? await operate(.refund, "A1", 300, "R1")
            try await operate(.refund, "A1", 100, "R2")
        },
        operation(.needsAttention, .sandbox, "a reversal of a payment of which another till has refunded a part") {
            till, operate in
            till.link.refund("A1", 300)
            try await operate(.reverse, "A1", nil, nil)
        },
        ErrorSituation(.reversalTooLate, .program, "a reversal 24 hours after the payment") {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            till.clock.advance(by: .seconds(86_399))
            let token = try await till.accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: backend
            ).accessToken
            till.clock.advance(by: .seconds(1))
            _ = try await till.accept.requestOperationOnPaymentWithID(
                "A1", andAccessToken: token, config: backend, operation: .reverse)
        },
    ]

    // MARK: baskets and merchants

    private static let baskets: [ErrorSituation] = [
        ErrorSituation(.amountOverflow, .program, "a sum beyond 64 bits") {
            let item = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max / 2 + 1))
            _ = try AcceptBasket(currencyAsISO4217Code: "EUR", items: [item, item]).total()
        },
        ErrorSituation(.amountInvalid, .program, "0.50 in a currency without decimals") {
            let till = try await PayTill(chip())
            var config = till.config(50)
            config.basket.currencyAsISO4217Code = "JPY"
            _ = try await till.pay(config)
        },
        ErrorSituation(.basketInvalid, .program, "a basket without items") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.basket.items = []
            _ = try await till.pay(config)
        },
        ErrorSituation(.gratuityNotAllowed, .program, "a tip, and `allowGratuity` is false") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.basket.addTip(100)
            _ = try await till.pay(config)
        },
        ErrorSituation(.currencyNotAccepted, .program, "`check(_:)` of a basket in CHF") {
            try await merchant().check(basket(1000, "CHF"))
        },
        ErrorSituation(.amountLimit, .program, "`check(_:)` of a basket of 5,000.01 EUR") {
            try await merchant().check(basket(500_001, "EUR"))
        },
    ]

    private static func merchant() async throws -> AcceptUserResponseMerchant {
        let till = try await PayTill(chip())
        return try await till.accept.requestMerchantInfo(till.token, config: backend).merchant
    }

    private static func basket(_ hundredths: Int64, _ currency: String) -> AcceptBasket {
        AcceptBasket(
            currencyAsISO4217Code: currency,
            items: [AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: hundredths))])
    }
}

extension ErrorSituation {
    /// A code that no situation reaches, with the reason.
    struct Unreached: Sendable {
        let code: AcceptError.Code
        let reason: String
    }

    static let unreached: [Unreached] = [
        Unreached(
            code: .pay(.dataProcessing),
            reason: "the journal has a refused request as a decline: `transactionNotApproved`"),
        Unreached(code: .pay(.onlineProcessing), reason: "an answer of no use leaves the outcome open: `responseLost`"),
        Unreached(
            code: .pay(.terminalNotSetInMerchant), reason: "the host's answer for such a terminal is not published"),
        Unreached(code: .common(.transactionsQueryTokenExpired), reason: "later issue: search"),
        Unreached(code: .common(.transactionsQueryNoConnection), reason: "later issue: search"),
        Unreached(code: .common(.queryStatsTokenExpired), reason: "later issue: statistics"),
        Unreached(code: .common(.queryStatsConnection), reason: "later issue: statistics"),
        Unreached(
            code: .common(.applicationConfigurationInvalid),
            reason: "`configurationInvalid` of this project has the place"),
        Unreached(code: .config(.terminalDisconnected), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.terminalMayNotBeSet), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.terminalCancelledFileDownload), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.productionFirmwareOnDevelopmentTerminal), reason: "later issue: firmware"),
        Unreached(code: .config(.developmentFirmwareOnProductionTerminal), reason: "later issue: firmware"),
        Unreached(code: .config(.terminalFirmwareDoesNotExist), reason: "later issue: firmware"),
    ]
}
