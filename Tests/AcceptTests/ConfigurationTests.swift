import JackdawPayments
import Testing

@testable import Accept

/// The connection to the host, and the content of a payment.
@Suite struct ConfigurationTests {
    static let backend = AcceptDataServiceConfig(
        url: "https://accept.example.com", clientId: "jackdaw", clientSecret: secret("jackdaw-secret"))

    static func payment(_ basket: AcceptBasket) -> AcceptPaymentConfig {
        AcceptPaymentConfig(
            vendorUUID: AcceptSpireVendorUUID, terminalUUID: "PosMate", backendConfig: backend, basket: basket)
    }

    private func isValid(_ change: (inout AcceptDataServiceConfig) -> Void) -> Bool {
        var config = Self.backend
        change(&config)
        do {
            try config.validate()
            return true
        } catch {
            #expect(error.code == .common(.applicationConfigurationInvalid))
            return false
        }
    }

    @Test func S1_02_addressIdentifierAndSecretAreMandatory() {
        #expect(isValid { _ in })
        #expect(!isValid { $0.clientId = "" })
        #expect(!isValid { $0.clientId = "jack daw" })
        #expect(!isValid { $0.clientSecret = nil })
        #expect(!isValid { $0.clientSecret = secret(String(repeating: "s", count: 201)) })
        #expect(!isValid { $0 = AcceptDataServiceConfig(url: "", clientId: "a", clientSecret: secret("b")) })
    }

    @Test(arguments: [
        "https://accept.example.com", "HTTPS://accept.example.com:8443/base", "https://[2001:db8::1]:443/v3",
        "http://localhost:8080", "http://127.0.0.1", "http://[::1]:80/", "https://a",
    ])
    func S1_142_addressesOfHostsAreChecked(url: String) throws {
        try AcceptDataServiceConfig(url: url, clientId: "a", clientSecret: secret("b")).validate()
    }

    @Test(arguments: [
        "accept.example.com", "ftp://accept.example.com", "https://", "https:///path", "https://user@example.com",
        "https://user:password@example.com", "https://example.com:0", "https://example.com:65536",
        "https://example.com:", "https://exa mple.com", "https://example.com/#part", "https://example.com/?query",
        "https://exämple.com", "https://[::1", "https://[::1]x", "https://[]", "https://[zz]", "https://a:b:c",
        "https://example.com\r\nHost: other", "https://example.com\\@other", "http://accept.example.com",
        "http://localhost.example.com", "http://127.example.com", "http://127.0.0.1.example.com", "http://127.0.0",
        "http://127.a.b.c", "https://" + String(repeating: "a", count: 2048),
    ])
    func S1_142_otherAddressesAreRefused(url: String) {
        let config = AcceptDataServiceConfig(url: url, clientId: "a", clientSecret: secret("b"))
        #expect(throws: AcceptError.self) { try config.validate() }
    }

    @Test func S1_143_anotherAddressClearsTheSecret() {
        var config = Self.backend
        config.url = "https://accept.example.com"
        #expect(config.clientId == "jackdaw")
        #expect(config.clientSecret == secret("jackdaw-secret"))
        config.url = "https://other.example.com"
        #expect(config.clientId.isEmpty)
        #expect(config.clientSecret == nil)
    }

    @Test func noSecretIsPrinted() {
        var config = Self.payment(AcceptBasket(currencyAsISO4217Code: "EUR"))
        config.accessToken = secret("token-of-the-user")
        for text in ["\(Self.backend)", String(reflecting: Self.backend), "\(config)", String(reflecting: config)] {
            #expect(!text.contains("secret"))
            #expect(!text.contains("token"))
        }
        var dumped = ""
        dump(config, to: &dumped)
        #expect(!dumped.contains("secret") && !dumped.contains("token-of"))
    }

    @Test func S1_104_theCallbackIsAPartOfTheConfiguration() throws {
        #expect(isValid { $0.callbackURL = "https://shop.example.com/paid?order=1" })
        #expect(!isValid { $0.callbackURL = "shop.example.com" })
        #expect(!isValid { $0.callbackURL = "https://shop.example.com/ paid" })
    }

    @Test func theCallbackIsADetailOfThePayment() throws {
        var config = Self.payment(
            AcceptBasket(currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 1000)]))
        config.backendConfig.callbackURL = "https://shop.example.com/paid"
        let request = try config.attemptRequest(for: SaleIdentifier(rawValue: "sale")!)
        #expect(request.details.contains(AttemptDetail("callback_url", "https://shop.example.com/paid")))
    }
}
