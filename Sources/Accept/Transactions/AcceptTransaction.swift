public import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders

/// A payment as the host has it (`AcceptTransaction`). Texts that the host leaves out are empty.
public struct AcceptTransaction: Sendable, Hashable {
    /// The identifier that the till gave it: the attempt's.
    public let uniqueId: String
    /// The host's identifier of the payment.
    public let guwid: String
    /// The state at the host.
    public private(set) var status: AcceptTransactionStatus
    /// The amount that was authorised or booked.
    public let amount: AcceptHundredths
    /// The currency by its three letters of ISO 4217.
    public let currency: String
    /// The host's word for the kind of the payment: `purchase`, `authorize`, `preauthorize`, `sepa`.
    public let transactionType: String
    /// The time of the payment in ISO 8601, with its zone.
    public let createdAt: String
    /// The card number: of 13 to 19 digits at most the first six and the last four, others as `*`, whatever the host
    /// sends.
    public let cardNumber: String
    /// The brand of the card, such as `visa`.
    public let cardType: String
    /// Whether it was paid in cash. Beyond the seed.
    public let isCash: Bool
    /// The name on the card.
    public let cardHolder: String
    /// The application of the chip (tag 4F), in hexadecimal digits.
    public let cnpApplicationId: String
    /// The name of the application (tag 50).
    public let cnpApplicationLabel: String
    /// The identifier of the terminal.
    public let cnpTerminalId: String
    /// The code of the approval.
    public let cnpAuthorizationCode: String
    /// The host's code of a decline.
    public let errorCode: String
    /// The host's text of a decline.
    public let technicalMessage: String
    /// The host's identifier of the merchant.
    public let merchantId: String
    /// A text about the payment.
    public let note: String
    /// The sum of the tips.
    public let tip: AcceptHundredths
    /// The tax rate of the tips in hundredths of a percent.
    public let tipTaxRate: AcceptHundredths
    /// Whether prices have their tax in them.
    public let netTaxation: AcceptTaxationType
    /// Whether a receipt was asked for.
    public let receiptRequested: Bool
    /// Whether the host takes a capture.
    public let capturable: Bool
    /// Whether the host takes a reversal.
    public let reversible: Bool
    /// Whether the host takes a refund.
    public let refundable: Bool
    /// The items of the basket.
    public let items: [AcceptTransactionPaymentItem]
    /// The refunds, oldest first.
    public private(set) var refunds: [AcceptTransactionVoidance]
    /// The reversals, oldest first.
    public let reversals: [AcceptTransactionVoidance]
    /// The money that the merchant keeps. The sandbox reports it, which is beyond version 3; nil at other hosts.
    public private(set) var bookedAmount: AcceptHundredths?

    /// Whether the customer has paid.
    public var isAccepted: Bool { status.isAccepted }
    /// The state on a receipt; nil if the SDK has none for the host's word.
    public var transactionState: AcceptTransactionState? { status.transactionState }
    /// The host's word for the state.
    public var state: String { status.rawValue }

    /// Reads an answer about a payment.
    /// - Throws: `answerUnreadable`.
    init(_ body: HTTPBody, of uniqueId: String) throws(AcceptError) {
        let json: JSONValue
        do throws(HostFailure) { json = try JSONValue(body, most: PaymentView.maxBytes) } catch {
            throw AcceptError(.answerUnreadable, error.message)
        }
        guard json["unique_id"]?.text == uniqueId, let state = json["state"]?.text,
            let amount = json["amount"]?.hundredths,
            let currency = json["currency"]?.text
        else { throw AcceptError(.answerUnreadable, "The answer is about no payment, or another one.") }
        self.uniqueId = uniqueId
        status = AcceptTransactionStatus(rawValue: state)
        self.amount = amount
        self.currency = currency
        guwid = json.word("guwid")
        transactionType = json.word("transaction_type")
        createdAt = json.word("created_at")
        cardNumber = Self.masked(json.word("card_number"))
        cardType = json.word("card_brand")
        isCash = json.word(AcceptWire.methodMember) == AcceptWire.cash
        cardHolder = json.word("card_holder")
        cnpApplicationId = json.word("aid")
        cnpApplicationLabel = json.word("aid_label")
        cnpTerminalId = json.word("terminal_id")
        cnpAuthorizationCode = json["sandbox"]?.word("authorisation_code") ?? ""
        errorCode = json.word("error_code")
        technicalMessage = json.word("error_message")
        merchantId = json.word("merchant_id")
        note = json.word("note")
        tip = json["tip"]?.hundredths ?? 0
        tipTaxRate = json["tip_tax_rate"]?.hundredths ?? 0
        netTaxation = json.netTaxation
        receiptRequested = json["receipt_requested"] == .flag(true)
        capturable = json["capturable"] == .flag(true)
        reversible = json["reversible"] == .flag(true)
        refundable = json["refundable"] == .flag(true)
        items = try json.elements("items").map(AcceptTransactionPaymentItem.init)
        refunds = try json.elements("refunds").map(AcceptTransactionVoidance.init)
        reversals = try json.elements("reversals").map(AcceptTransactionVoidance.init)
        bookedAmount = json["sandbox"]?["booked"]?.hundredths
    }

    /// A payment that was reversed, as the till has it.
    init(reversed record: AttemptRecord) {
        let amount = record.request.amount
        let currency = amount.currencyCode.flatMap { Currency.find($0) }
        isCash = false
        uniqueId = record.identifier.rawValue
        guwid = record.reference?.rawValue ?? ""
        status = .reversed
        self.amount = AcceptHundredths(rawValue: Int64((try? WireAmount(amount))?.hundredths ?? 0))
        self.currency = currency?.alphabeticCode ?? ""
        transactionType = "purchase"
        (createdAt, cardNumber, cardType, cardHolder) = ("", "", "", "")
        (cnpApplicationId, cnpApplicationLabel, cnpTerminalId, cnpAuthorizationCode) = ("", "", "", "")
        (errorCode, technicalMessage, merchantId) = ("", "", "")
        (note, tip, tipTaxRate, netTaxation) = ("", 0, 0, .gross)
        (receiptRequested, capturable, reversible, refundable) = (false, false, false, false)
        (items, refunds, reversals, bookedAmount) = ([], [], [], nil)
    }

    /// An approved payment as the till has it, without the host's answer.
    init(_ report: AttemptReport, _ config: AcceptPaymentConfig, isCash: Bool = false) {
        self.isCash = isCash
        uniqueId = report.attempt.rawValue
        guwid = report.reference?.rawValue ?? ""
        status =
            switch config.transactionType {
            case .authorize: .authorized
            case .preauthorize: .preauthorized
            case .purchase, .sepa: .approved
            }
        amount = (try? config.basket.total()) ?? 0
        currency = config.basket.currencyAsISO4217Code
        transactionType =
            switch config.transactionType {
            case .authorize: AcceptWire.authorize
            case .preauthorize: AcceptWire.preauthorize
            case .purchase: AcceptWire.purchase
            case .sepa: AcceptWire.directDebit
            }
        (createdAt, cardNumber, cardType, cardHolder) = ("", "", "", "")
        (cnpApplicationId, cnpApplicationLabel, cnpTerminalId, cnpAuthorizationCode) = ("", "", "", "")
        (errorCode, technicalMessage, merchantId) = ("", "", "")
        note = config.basket.note
        tip = (try? config.basket.tip()) ?? 0
        tipTaxRate = config.basket.items.first { $0.itemType == .tip }?.taxRate ?? 0
        netTaxation = config.basket.netTaxation
        (receiptRequested, capturable, reversible, refundable) = (false, false, false, false)
        items = config.basket.items.filter { $0.itemType != .tip }.map { item in
            AcceptTransactionPaymentItem(
                note: item.note, price: item.grossPrice, quantity: item.quantity, taxRate: item.taxRate)
        }
        (refunds, reversals, bookedAmount) = ([], [], nil)
    }

    // MARK: the payment after an operation, as the till has it without the host's answer

    /// The payment after its reversal.
    var reversed: AcceptTransaction {
        var payment = self
        payment.status = .reversed
        return payment
    }

    /// The payment after a refund.
    func refunded(_ amount: AcceptHundredths, note: String) -> AcceptTransaction {
        var payment = self
        payment.refunds.append(AcceptTransactionVoidance(amount, note: note))
        let left = OperationRules.left(of: self, isRefund: true).rawValue - amount.rawValue
        if bookedAmount != nil { payment.bookedAmount = AcceptHundredths(rawValue: left) }
        if left <= 0 { payment.status = .refunded }
        return payment
    }

    /// The payment after a capture.
    func captured(_ amount: AcceptHundredths) -> AcceptTransaction {
        var payment = self
        payment.status = .approved
        if bookedAmount != nil { payment.bookedAmount = amount }
        return payment
    }

    /// A card number with at most the first six and the last four digits. Signs that hide a digit count as one.
    static func masked(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let places = scalars.indices.filter { scalars[$0].isDigit || ["*", "X", "x"].contains(scalars[$0]) }
        let shown = places.count >= 13 ? places.prefix(6) + places.suffix(4) : places.suffix(4)
        for place in places where scalars[place].isDigit && !shown.contains(place) { scalars[place] = "*" }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension AcceptTransaction: RedactedDescription {
    /// Identifier, state and amount.
    public var description: String { "payment \(uniqueId), \(status.rawValue), \(amount) \(currency)" }
}

/// An item of a payment (`AcceptTransactionPaymentItem`).
public struct AcceptTransactionPaymentItem: Sendable, Hashable {
    /// The text on the receipt.
    public let note: String
    /// The price of one piece.
    public let price: AcceptHundredths
    /// The number of pieces.
    public let quantity: Int
    /// The tax rate in hundredths of a percent.
    public let taxRate: AcceptHundredths

    init(note: String, price: AcceptHundredths, quantity: Int, taxRate: AcceptHundredths) {
        self.note = note
        self.price = price
        self.quantity = quantity
        self.taxRate = taxRate
    }

    init(_ json: JSONValue) {
        note = json.word("note")
        price = json["gross_price"]?.hundredths ?? 0
        quantity = Int(json["quantity"]?.hundredths?.rawValue ?? 1)
        taxRate = json["tax_rate"]?.hundredths ?? 0
    }
}

/// A refund or a reversal of a payment (`AcceptTransactionVoidance`).
public struct AcceptTransactionVoidance: Sendable, Hashable {
    /// The amount that was returned.
    public let amount: AcceptHundredths
    /// The reason that the till gave.
    public let note: String
    /// The host's identifier of the user.
    public let triggeredBy: String
    /// The time in ISO 8601, with its zone.
    public let createdAt: String
    /// Whether it was taken back. The sandbox reports it, which is beyond version 3.
    public let isReversed: Bool

    /// A refund as the till has it, without the host's answer.
    fileprivate init(_ amount: AcceptHundredths, note: String) {
        self.amount = amount
        self.note = note
        (triggeredBy, createdAt, isReversed) = ("", "", false)
    }

    init(_ json: JSONValue) {
        amount = json["amount"]?.hundredths ?? 0
        note = json.word("note")
        triggeredBy = json.word("triggered_by")
        createdAt = json.word("created_at")
        isReversed = json["sandbox"]?["reversed"] == .flag(true)
    }
}

extension JSONValue {
    /// The kind of prices of a merchant or a payment.
    var netTaxation: AcceptTaxationType {
        self["net_taxation"] == .flag(true) || ["1", "true"].contains(word("net_taxation")) ? .net : .gross
    }

    /// The elements of a list of a payment; empty without one.
    fileprivate func elements(_ name: String) throws(AcceptError) -> [JSONValue] {
        guard case .array(let elements)? = self[name] else { return [] }
        guard elements.count <= AcceptUserResponse.maxElements else {
            throw AcceptError(.answerUnreadable, "The answer has too many \(name).")
        }
        return elements
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(value) }
}

/// The parameters of an operation on a payment (`AcceptPaymentParameters`).
public struct AcceptPaymentParameters: Sendable {
    /// Whether a receipt is sent. Default: false.
    public var receiptRequested = false
    /// The address for e-mail, which is used before the phone number. Default: empty.
    public var customerEmail = ""
    /// The number to which the receipt is sent by SMS without an address for e-mail. Default: empty.
    public var customerPhone = ""
    /// The reason, at most 200 bytes of UTF-8. Default: empty.
    public var note = ""
    /// The image of the signature, 1 to 32,768 bytes, for ``AcceptOperationOnPayment/signatureUpdate``. Default: empty.
    public var signatureImage: [UInt8] = []
    /// The amount of a refund or a capture. Beyond the seed. Default: nil, for all that is left.
    public var amount: AcceptHundredths?
    /// The identifier of a refund or a capture, so that a repetition of the call is the same operation: 1 to 64 characters
    /// of printable ASCII without spaces. Beyond the seed. Default: nil, for one of 128 random bits.
    public var operationId: String?

    /// Parameters with their defaults.
    public init() {}

    /// The note for the journal; nil without one.
    var reason: ReasonText? { note.isEmpty ? nil : ReasonText(note) }

    /// The fields of a receipt, and the checked address.
    /// - Throws: `contactInvalid`.
    func receiptForm() throws(AcceptError) -> AcceptForm {
        guard receiptRequested else {
            throw AcceptError(.contactInvalid, "receiptRequested must be true for a receipt.")
        }
        var form = AcceptForm()
        form.add("payment[receipt_requested]", "true")
        if !customerEmail.isEmpty {
            guard AcceptContact.isEmailAddress(customerEmail) else {
                throw AcceptError(.contactInvalid, "This is no address for e-mail.")
            }
            form.add("payment[customer_email]", customerEmail)
        } else if let number = AcceptContact.phoneNumber(customerPhone) {
            form.add("payment[customer_phone]", number)
        } else {
            throw AcceptError(.contactInvalid, "A receipt needs an address for e-mail or a phone number.")
        }
        return form
    }
}

extension AcceptPaymentParameters: RedactedDescription {
    /// Whether a receipt is sent: addresses are personal.
    public var description: String { "parameters, \(receiptRequested ? "with" : "without") a receipt" }
}
