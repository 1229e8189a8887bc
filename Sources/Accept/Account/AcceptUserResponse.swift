public import JackdawCards
import JackdawPayments
import JackdawReaders

/// The user of a token, with the merchant (`AcceptUserResponse`). Members that the host leaves out are empty.
public struct AcceptUserResponse: Sendable, Hashable {
    /// The host's identifier of the user.
    public let id: String
    /// The name for logging in.
    public let externalId: String
    /// The first name of the user.
    public let firstName: String
    /// The last name of the user.
    public let lastName: String
    /// The address for e-mail, to which a new password is sent.
    public let email: String
    /// The phone number of the user.
    public let phoneNumber: String
    /// The identifier of the terminal that the host has for the user; empty without one.
    public let terminalId: String
    /// The host's identifier of the merchant.
    public let merchantId: String
    /// The merchant that the user sells for.
    public let merchant: AcceptUserResponseMerchant
    /// The applications of chip cards that the merchant takes, as names and texts of the host.
    public let aidConfigurations: [[String: String]]
    /// The name of the host's application.
    public let whiteLabelAppName: String

    /// The most bytes of an answer, and the most elements of a list in it.
    static let maxBytes = 1 << 19
    static let maxElements = 1000

    /// Reads the answer to a request for the user.
    /// - Throws: `answerUnreadable`.
    init(_ body: HTTPBody) throws(AcceptError) {
        let json: JSONValue
        do throws(HostFailure) { json = try JSONValue(body, most: Self.maxBytes) } catch {
            throw AcceptError(.answerUnreadable, error.message)
        }
        guard let merchant = json["merchant"] else {
            throw AcceptError(.answerUnreadable, "The answer has no merchant.")
        }
        id = json.word("id")
        externalId = json.word("external_id")
        firstName = json.word("first_name")
        lastName = json.word("last_name")
        email = json.word("email")
        phoneNumber = json.word("phone_number")
        terminalId = json.word("terminal_id")
        merchantId = json.word("merchant_id")
        self.merchant = try AcceptUserResponseMerchant(merchant)
        aidConfigurations = try json.list("aid_configurations").map { entry in
            guard case .object(let members) = entry else { return [:] }
            return members.compactMapValues(\.text)
        }
        whiteLabelAppName = json["white_label_app"]?.word("name") ?? ""
    }
}

extension AcceptUserResponse: RedactedDescription {
    /// The merchant's identifier: names and addresses are personal.
    public var description: String { "user of merchant \(merchantId)" }
}

/// A merchant, with the values that a till keeps after the login (`AcceptUserResponseMerchant`).
public struct AcceptUserResponseMerchant: Sendable, Hashable {
    /// The host's identifier of the merchant.
    public let id: String
    /// The name on receipts.
    public let name: String
    /// The country by its two letters of ISO 3166.
    public let countryCode: String
    /// The default currency by its three letters of ISO 4217.
    public let currency: String
    /// All currencies that the merchant takes.
    public let currencies: [String]
    /// The tax rates in hundredths of a percent.
    public let taxRates: [AcceptHundredths]
    /// Whether prices have their tax in them.
    public let netTaxation: AcceptTaxationType
    /// The least amount in the default currency; nil without a limit.
    public let amountLowerLimit: AcceptHundredths?
    /// The greatest amount in the default currency; nil without a limit.
    public let amountUpperLimit: AcceptHundredths?
    /// The greatest sum of a day in the default currency; nil without a limit.
    public let amountDailyLimit: AcceptHundredths?
    /// The charge for service; 0 without one. That it is an amount, and no percentage, is our choice.
    public let serviceChargeAmount: AcceptHundredths
    /// The tax rate of the charge in hundredths of a percent.
    public let serviceChargeTax: AcceptHundredths

    init(_ json: JSONValue) throws(AcceptError) {
        id = json.word("id")
        name = json.word("name")
        countryCode = json.word("country_code")
        let currencies = try json.list("currencies").compactMap(\.text)
        currency = json["currency"]?.text ?? currencies.first ?? ""
        self.currencies = currencies.isEmpty && !currency.isEmpty ? [currency] : currencies
        taxRates = try json.list("tax_rates").compactMap(\.hundredths)
        netTaxation = json.netTaxation
        let limits = json["limits"] ?? .null
        amountLowerLimit = limits["amount_lower_limit"]?.hundredths
        amountUpperLimit = limits["amount_upper_limit"]?.hundredths
        amountDailyLimit = limits["amount_daily_limit"]?.hundredths
        serviceChargeAmount = json["service_charge"]?["amount"]?.hundredths ?? 0
        serviceChargeTax = json["service_charge"]?["tax_rate"]?.hundredths ?? 0
    }

    /// Checks that the merchant takes the currency of a basket and its total. The limits are those of the default
    /// currency, and the host alone knows the sum of the day.
    /// - Throws: `currencyNotAccepted`, `amountLimit`, and the errors of ``AcceptBasket/total()``.
    public func check(_ basket: AcceptBasket) throws(AcceptError) {
        guard currencies.contains(basket.currencyAsISO4217Code) else {
            throw AcceptError(
                .currencyNotAccepted, "The merchant takes \(currencies.joined(separator: ", ")) at the host.")
        }
        guard basket.currencyAsISO4217Code == currency else { return }
        let total = try basket.total()
        if let amountLowerLimit, total < amountLowerLimit {
            throw AcceptError(.amountLimit, "The least amount is \(amountLowerLimit) \(currency).")
        }
        if let amountUpperLimit, total > amountUpperLimit {
            throw AcceptError(.amountLimit, "The greatest amount is \(amountUpperLimit) \(currency).")
        }
    }
}

/// The version and the address of a configuration for terminals (`AcceptTerminalConfigFiles`).
public struct AcceptTerminalConfigFiles: Sendable, Hashable {
    /// The version, which is compared as text: another one than the terminal's is needed.
    public let version: String
    /// The address of the file; or its path at the host, which begins with a slash.
    public let url: String
    /// The MD5 of the file in hexadecimal digits; empty if the host does not report it.
    public let md5: String

    /// The version, under the SDK's name.
    public func getVersion() -> String { version }

    init(_ body: HTTPBody) throws(AcceptError) {
        let json: JSONValue
        do throws(HostFailure) { json = try JSONValue(body, most: 1 << 16) } catch {
            throw AcceptError(.config(.infoNoProperResponse), error.message)
        }
        guard let version = json["version"]?.text, let url = json["url"]?.text, !version.isEmpty,
            AcceptAddress(url) != nil || Self.isPath(url)
        else { throw AcceptError(.config(.infoNoProperResponse), "The answer has no version and address.") }
        self.version = version
        self.url = url
        md5 = json["md5"]?.text ?? ""
    }

    /// The path of the file at a host; nil if the file is at another one, to which its token must not be sent.
    func path(at host: String) -> String? {
        if Self.isPath(url) { return url }
        let base = host.hasSuffix("/") ? String(host.dropLast()) : host
        guard url.hasPrefix(base) else { return nil }
        let path = String(url.dropFirst(base.count))
        return Self.isPath(path) ? path : nil
    }

    /// Whether a text is the path of a file, in which no step leads elsewhere (RFC 3986, 3.3 and 5.2.4).
    private static func isPath(_ text: String) -> Bool {
        guard text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= AcceptAddress.maxBytes else {
            return false
        }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"?#\\".utf8.contains(byte)
        }
        return isPlain && !text.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }
}

extension JSONValue {
    /// The text of a member, or its whole number as text; empty without either.
    func word(_ name: String) -> String {
        guard let member = self[name] else { return "" }
        return member.text ?? member.wholeNumber.map { "\($0)" } ?? ""
    }

    /// The elements of a member; empty without one.
    fileprivate func list(_ name: String) throws(AcceptError) -> [JSONValue] {
        guard case .array(let elements)? = self[name] else { return [] }
        guard elements.count <= AcceptUserResponse.maxElements else {
            throw AcceptError(.answerUnreadable, "The answer has too many \(name).")
        }
        return elements
    }

    /// A whole number from 0, as a number or a text.
    var hundredths: AcceptHundredths? {
        let number = wholeNumber ?? text.flatMap { $0.utf8.count <= 15 ? UInt64($0) : nil }
        return number.map { AcceptHundredths(rawValue: Int64($0)) }
    }
}
