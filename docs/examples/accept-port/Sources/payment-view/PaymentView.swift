import Accept
import JackdawCards

/// The payment view of the SDK's demo (guide 1.6.182, chapter 3.1), ported: amount, terminal, currency, pay, revert, the label
/// of the token, and that of the progress. Printer and print are not ported: the module has no printers yet.
actor PaymentView {
    private let accept: Accept
    private let backendConfig: AcceptDataServiceConfig
    private var accessToken: SecretText?
    private var payment: AcceptTransaction?

    /// The amount that the user enters, such as `20.00`. The demo has it times 100.
    private var amount = ""
    /// The vendor and the terminal that the user selects.
    private(set) var vendor: AcceptTerminalVendor?
    private(set) var terminal: AcceptTerminal?
    private(set) var currency = "EUR"
    private(set) var tokenLabel = "No Token"
    private(set) var infoLabel = "Progress will be shown here"

    init(_ accept: Accept, _ backendConfig: AcceptDataServiceConfig) {
        self.accept = accept
        self.backendConfig = backendConfig
    }

    var isRevertEnabled: Bool { payment?.status == .approved }

    func enter(_ text: String) { amount = text }

    /// `requestAccessToken:password:config:completion:`, and then the selectors, which the demo fills in `viewDidLoad`.
    func login(_ userName: String, _ password: SecretText) async {
        do throws(AcceptError) {
            let token = try await accept.requestAccessToken(userName, password: password, config: backendConfig)
            accessToken = token.accessToken
            tokenLabel = "Valid token"
            currency = try await accept.requestMerchantInfo(token.accessToken, config: backendConfig).merchant.currency
            vendor = await accept.discoverSupportedVendors().first
            guard let vendor else { return }
            guard let found = try await accept.discoverTerminalsForVendor(vendor.uuid).first else { return }
            // The demo updates the terminal when it is selected.
            terminal =
                found.isUnconfigured
                ? try await accept.configure(
                    found, of: vendor.uuid, andToken: token.accessToken, config: backendConfig) : found
        } catch { infoLabel = error.message }
    }

    /// The button Pay: the demo's `startPayment`.
    func pay() async {
        guard let accessToken, accept.isValid(accessToken) else {
            infoLabel = "The token expired, please login again"
            return
        }
        guard let price = AcceptHundredths(decimal: amount) else {
            infoLabel = "Please write some amount"
            return
        }
        guard let vendor, let terminal else {
            infoLabel = "Please select a terminal"
            return
        }
        let run = accept.startPay(
            doPaymentThroughVendor(vendor, terminal, price, accessToken),
            handlers: AcceptPaymentHandlers(
                // The demo's image of a signature.
                signature: { request in request.signatureCallback(Array("signature_sample.png".utf8), nil) },
                signatureVerification: { _, callback in callback(.approved) },
                appSelection: { request in request.appSelectionCallback(0, nil) }))
        for await step in run.updates { infoLabel = "\(step)" }
        do throws(AcceptError) {
            let payment = try await run.result()
            self.payment = payment
            infoLabel = "\(payment.status.rawValue) \(payment.amount) \(payment.currency)"
        } catch { infoLabel = error.message }
    }

    /// The configuration of the payment with its basket: a single item without tax, as in the demo.
    private func doPaymentThroughVendor(
        _ vendor: AcceptTerminalVendor, _ terminal: AcceptTerminal, _ price: AcceptHundredths, _ accessToken: SecretText
    ) -> AcceptPaymentConfig {
        let item = AcceptBasketItem(grossPrice: price, note: "Item", quantity: 1, taxRate: 0)
        return AcceptPaymentConfig(
            vendorUUID: vendor.uuid, terminalUUID: terminal.uuid, backendConfig: backendConfig,
            basket: AcceptBasket(currencyAsISO4217Code: currency, items: [item]), accessToken: accessToken)
    }

    /// The button Revert.
    func revert() async {
        guard let accessToken, let payment else { return }
        do throws(AcceptError) {
            let reversed = try await accept.requestOperationOnPaymentWithID(
                payment.uniqueId, andAccessToken: accessToken, config: backendConfig, operation: .reverse)
            self.payment = reversed
            infoLabel = reversed.status.rawValue
        } catch { infoLabel = error.message }
    }
}
