import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// Further items of the Accept SDK integration guide 1.6.182: its revision history, and chapters 1 and 3.
@Suite struct PayItemTests {
    // MARK: set-up and selection

    @Test func S1_11_theUserSelectsTheTerminal() async throws {
        let till = try await PayTill(chip())
        var config = till.config()
        config.terminalUUID = ""
        let error = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(error?.code == .pay(.terminalNotReady))
        #expect(till.terminals.amounts.isEmpty)
    }

    @Test(arguments: [AcceptPayErrorCode.lowPowerInAudioJack, .plugInTimeout, .terminalDamaged])
    func S1_12_aProblemOfTheAudioJackHasItsError(code: AcceptPayErrorCode) async throws {
        let till = try await PayTill(chip(1000, ["prepare": [.reason(code), .payment(.preparationFailed)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(code))
    }

    @Test func S1_35_theConfigurationOfATerminalIsCompared() async throws {
        let till = try await PayTill(chip())
        let files = try await till.accept.queryConfigFile(till.token, config: ConfigurationTests.backend)
        var terminal = try #require(await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).first)
        #expect(!terminal.needs(files))
        terminal.dependsOnConfiguration = true
        #expect(terminal.needs(files))
        terminal.configurationVersion = "01"
        #expect(terminal.needs(files))
        terminal.configurationVersion = "1"
        #expect(!terminal.needs(files))
    }

    @Test func S1_127_aBatteryIsAskedEachTime() async throws {
        let till = try await PayTill(chip())
        _ = await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID)
        till.terminals.setLevel(.percent(3))
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == 3)
        #expect(till.terminals.batteryQuestions == 2)
    }

    @Test func aTerminalThatReportsADeviceWithoutProtectionIsRefused() async throws {
        let till = try await PayTill(chip())
        till.terminals.fail(.pay(.deviceRooted))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code.number == 35)
    }

    // MARK: the callback of the host

    /// The guide's list, chapter 3.2.1, in its order.
    @Test(arguments: [(1000, "approved"), (5105, "rejected")] as [(UInt64, String)])
    func S1_68_S1_69_theCallbackHasTheFieldsOfTheGuide(hundredths: UInt64, state: String) async throws {
        let till = try await PayTill(chip(hundredths))
        var config = till.config(AcceptHundredths(rawValue: Int64(hundredths)))
        config.backendConfig.callbackURL = "https://shop.example.com/paid"
        _ = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        let callback = try #require(till.link.callbacks.first)
        #expect(callback.url == "https://shop.example.com/paid")
        #expect(
            callback.fields.map(\.name) == [
                "unique_id", "guwid", "merchant_id", "user_id", "terminal_id", "terminal_sn", "amount", "currency",
                "created_at", "merchant_name", "card_brand", "card_number", "state", "error_code", "error_message",
                "aid_label", "aid", "card_holder",
            ])
        #expect(callback.fields.first { $0.name == "state" }?.value == state)
        #expect(callback.fields.first { $0.name == "unique_id" }?.value == "A1")
        #expect(till.link.callbacks.count == 1)
    }

    @Test func S1_68_withoutAnAddressThereIsNoCallback() async throws {
        let till = try await PayTill(chip())
        #expect(till.config().backendConfig.callbackURL.isEmpty)
        _ = try await till.pay()
        #expect(till.link.paymentCount == 1)
        #expect(till.link.callbacks.isEmpty)
    }

    // MARK: secrets of a user

    /// The password of a login, a new one, and a forgotten one, in all that a program may print.
    @Test func S1_142_passwordsAreHidden() async throws {
        let printed = Lock("")
        let note: @Sendable (Any) -> Void = { value in
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            printed.withLock { [text] in $0 += text }
        }
        let mode = AcceptDeveloperMode(show: { note($0) }, keep: { note($0) })
        let till = try await PayTill(developerMode: mode, chip())
        let config = ConfigurationTests.backend
        let new = secret("N3w-Passw0rd!")
        let wrong = secret("Wr0ng-Passw0rd!")
        note(new)
        let token = try await till.logIn()
        note(token)
        for password in [wrong, secret("")] {
            let error = await #expect(throws: AcceptError.self) {
                try await till.accept.requestAccessToken("till-1", password: password, config: config)
            }
            note(error as Any)
        }
        let weak = await #expect(throws: AcceptError.self) {
            try await till.accept.changePasswordForToken(
                token, newPassword: secret("sh0rt!"), reNewPassword: secret("sh0rt!"), config: config)
        }
        note(weak as Any)
        try await till.accept.changePasswordForToken(token, newPassword: new, reNewPassword: new, config: config)
        note(try await till.accept.requestAccessToken("till-1", password: new, config: config))
        try await till.accept.resetPassword("till-1", config: config)
        note(till.accept)
        let mailed = try #require(till.link.messages.last?.text).revealedText()
        let text = printed.withLock { $0 }
        #expect(text.contains("password=***"))
        for hidden in ["till-1-password", "N3w-Passw0rd!", "Wr0ng-Passw0rd!", "sh0rt!", mailed] {
            #expect(!text.contains(hidden))
        }
    }

    // MARK: secrets of a payment

    @Test func S1_113_noValueOfAPaymentPrintsCardData() async throws {
        let till = try await PayTill(chip(1000, ["approved": [.payment(.secondTCWithSignature)]]))
        let texts = Lock<[String]>([])
        let note: @Sendable (Any) -> Void = { value in
            var dumped = ""
            dump(value, to: &dumped)
            let all = ["\(value)", String(reflecting: value), dumped]
            texts.withLock { $0 += all }
        }
        let config = till.config()
        note(config)
        let run = till.accept.startPay(
            config,
            handlers: AcceptPaymentHandlers(
                signature: { request in
                    note(request)
                    request.signatureCallback([1, 2, 3], nil)
                },
                signatureVerification: { payment, callback in
                    if let payment { note(payment) }
                    callback(.approved)
                }))
        note(try await run.result())
        note(run)
        note(till.accept)
        note(try await till.accept.status(of: "A1"))
        let all = texts.withLock { $0 }.joined(separator: "\n")
        for hidden in ["9999990000000014", "A. N. OTHER", "till-1-password", "jackdaw-secret"] {
            #expect(!all.contains(hidden), "\(hidden)")
        }
        #expect(!all.contains(till.token.revealedText()))
    }
}
