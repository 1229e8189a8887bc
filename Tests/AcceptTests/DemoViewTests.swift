import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// The payment view of the guide's demo (chapter 3.1), ported: amount, terminal, currency, pay, revert, the label of the
/// token and that of the progress. Printer and print are not ported, because the module has no printers yet.
private actor PaymentView {
    private let accept: Accept
    private let backend: AcceptDataServiceConfig
    private var token: SecretText?
    private var terminals: [AcceptTerminal] = []
    private var payment: AcceptTransaction?
    /// The amount as the user enters it, such as `20.00`.
    var amount = ""
    private(set) var currency = "EUR"
    private(set) var tokenLabel = "No Token"
    private(set) var infoLabel = ""

    init(_ accept: Accept, _ backend: AcceptDataServiceConfig) {
        self.accept = accept
        self.backend = backend
    }

    var isRevertEnabled: Bool { payment?.status == .approved }

    func enter(_ text: String) { amount = text }

    func login(_ name: String, _ password: SecretText) async throws(AcceptError) {
        let token = try await accept.requestAccessToken(name, password: password, config: backend)
        self.token = token.accessToken
        tokenLabel = "Valid token"
        currency = try await accept.requestMerchantInfo(token.accessToken, config: backend).merchant.currency
        terminals = try await accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
    }

    func pay() async {
        guard let token, accept.isValid(token) else {
            infoLabel = "The token expired, please login again"
            return
        }
        guard let price = AcceptHundredths(decimal: amount), let terminal = terminals.first else {
            infoLabel = "Please write some amount"
            return
        }
        let basket = AcceptBasket(currencyAsISO4217Code: currency, items: [AcceptBasketItem(grossPrice: price)])
        let config = AcceptPaymentConfig(
            vendorUUID: AcceptSpireVendorUUID, terminalUUID: terminal.uuid, backendConfig: backend, basket: basket,
            accessToken: token)
        do throws(AcceptError) {
            let payment = try await accept.startPay(config).result()
            self.payment = payment
            infoLabel = "\(payment.status.rawValue) \(payment.amount) \(payment.currency)"
        } catch { infoLabel = error.message }
    }

    func revert() async {
        guard let token, let name = payment?.uniqueId else { return }
        do throws(AcceptError) {
            payment = try await accept.requestOperationOnPaymentWithID(
                name, andAccessToken: token, config: backend, operation: .reverse)
            infoLabel = payment?.status.rawValue ?? ""
        } catch { infoLabel = error.message }
    }
}

@Suite struct DemoViewTests {
    @Test func S1_30_thePaymentViewOfTheDemoIsPorted() async throws {
        let till = try await PayTill(chip(2000))
        let view = PaymentView(till.accept, ConfigurationTests.backend)
        #expect(await view.tokenLabel == "No Token")
        await view.pay()
        #expect(await view.infoLabel == "The token expired, please login again")
        try await view.login("till-1", secret("till-1-password"))
        #expect(await view.tokenLabel == "Valid token")
        await view.pay()
        #expect(await view.infoLabel == "Please write some amount")
        await view.enter("20.00")
        await view.pay()
        #expect(await view.infoLabel == "approved 20.00 EUR")
        #expect(await view.isRevertEnabled)
        await view.revert()
        #expect(await view.infoLabel == "reversed")
        #expect(await !view.isRevertEnabled)
    }
}
