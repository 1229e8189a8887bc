import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

@testable import Accept

/// Baskets and their arithmetic. Sources: the Accept SDK integration guide 1.6.182, chapters 3.2 and 4, and the demo and
/// headers of the public SDK.
@Suite struct BasketTests {
    private func basket(
        _ items: [AcceptBasketItem], _ taxation: AcceptTaxationType = .gross, currency: String = "EUR"
    ) -> AcceptBasket {
        AcceptBasket(currencyAsISO4217Code: currency, items: items, netTaxation: taxation)
    }

    private func code(_ body: () throws -> Void) -> AcceptError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? AcceptError)?.code }
    }

    // MARK: amounts and taxes

    @Test func S1_56_amountsAreHundredths() throws {
        let basket = basket([AcceptBasketItem(grossPrice: 2000)])
        #expect(try basket.total().description == "20.00")
        #expect(try basket.amount() == Amount(minorUnits: 2000, currencyCode: 978))
        #expect(try basket.details().contains(AttemptDetail("items[][gross_price]", "2000")))
    }

    @Test func S1_57_taxesAreHundredthsOfAPercent() throws {
        #expect(try AcceptBasketItem(grossPrice: 10_000, taxRate: 700).sums(.net).tax == 700)
        #expect(try AcceptBasketItem(grossPrice: 10_000, taxRate: 7).sums(.net).tax == 7)
        #expect(AcceptHundredths(decimal: "0.07") == 7)
    }

    @Test(arguments: [
        ("20", 2000), ("20.5", 2050), ("20.00", 2000), ("20,25", 2025), ("0.01", 1), ("0", 0),
        ("999999999999.99", 99_999_999_999_999),
    ])
    func S1_58_thePersonReadsAndWritesDecimals(text: String, hundredths: Int64) {
        #expect(AcceptHundredths(decimal: text)?.rawValue == hundredths)
    }

    @Test(arguments: ["", ".", "1.", ".5", "1.234", "-1", "+1", " 1", "1 ", "1.2.3", "1e2", "١", "1000000000000"])
    func otherTextsAreNoNumbers(text: String) { #expect(AcceptHundredths(decimal: text) == nil) }

    @Test func decimalsAreWrittenWithTwoPlaces() {
        let texts: [(AcceptHundredths, String)] = [
            (0, "0.00"), (5, "0.05"), (50, "0.50"), (123_456, "1234.56"), (-5, "-0.05"),
        ]
        for (number, text) in texts { #expect(number.description == text) }
        #expect(AcceptHundredths(rawValue: .min).description == "-92233720368547758.08")
    }

    /// The guide's two receipts, chapter 4: "Net amount (10 %): 9,10, Tax 10 %: 0,90" of 10,00, and 8,19 with 0,81 of
    /// 9,00.
    @Test(arguments: [(1000, 910, 90), (900, 819, 81)] as [(Int64, Int64, Int64)])
    func S1_82_theTaxInAPriceIsTruncated(gross: Int64, net: Int64, tax: Int64) throws {
        let item = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: gross), taxRate: 1000)
        let sums = try basket([item]).sums()
        #expect(sums.net.rawValue == net)
        #expect(sums.tax.rawValue == tax)
        #expect(sums.gross.rawValue == gross)
        let summary = try basket([item]).taxSummary()
        #expect(summary.count == 1)
        #expect(summary.first?.taxRate == 1000)
        #expect(summary.first?.sums == sums)
    }

    /// The demo: `grossPrice` is the amount divided by 100, `netTaxation` 0 is "tax inclusive".
    @Test func X1_09_pricesHaveTheirTaxUnlessTheTaxationIsNet() throws {
        let item = AcceptBasketItem(grossPrice: 1000, quantity: 3, taxRate: 700)
        #expect(try item.totalPrice() == 3000)
        #expect(AcceptTaxationType.gross.rawValue == 0)
        #expect(try basket([item]).total() == 3000)
        #expect(try basket([item], .net).total() == 3210)
        #expect(AcceptBasketItemType.allCases.map(\.rawValue) == [0, 1, 2])
    }

    @Test func S1_55_itemsMayHaveDifferentTaxes() throws {
        let items = [
            AcceptBasketItem(grossPrice: 1000, taxRate: 1900), AcceptBasketItem(grossPrice: 1000, taxRate: 700),
            AcceptBasketItem(grossPrice: 500, taxRate: 1900),
        ]
        let basket = basket(items)
        let summary = try basket.taxSummary()
        #expect(summary.map(\.taxRate) == [700, 1900])
        // 65.42, and 159.66 + 79.83, each truncated.
        #expect(summary.map(\.sums.tax) == [65, 238])
        #expect(try basket.sums().tax == 303)
        #expect(try basket.sums().net == 2197)
    }

    @Test func S1_55_aBasketHasThePlaceOfTheTill() throws {
        var basket = basket([AcceptBasketItem(grossPrice: 1)])
        basket.lat = 48.1372
        basket.lng = -0.000001
        try basket.validate()
        let details = try basket.details()
        #expect(details.contains(AttemptDetail("lat", "48.137200")))
        #expect(details.contains(AttemptDetail("lng", "-0.000001")))
        for (lat, lng) in [(91, 0), (0, 181), (.nan, 0), (0, .infinity)] as [(Double, Double)] {
            basket.lat = lat
            basket.lng = lng
            #expect(code { try basket.validate() } == .basketInvalid)
        }
    }

    @Test(arguments: [AcceptTaxationType.gross, .net]) func sumsAgreeWithTheirParts(taxation: AcceptTaxationType) throws
    {
        var random = SeededRandom(seed: 31)
        for _ in 0..<500 {
            let items = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                AcceptBasketItem(
                    grossPrice: AcceptHundredths(rawValue: .random(in: 0...100_000, using: &random)),
                    quantity: .random(in: 1...50, using: &random),
                    taxRate: AcceptHundredths(rawValue: [0, 7, 700, 1000, 1900, 10_000].randomElement(using: &random)!))
            }
            let basket = basket(items, taxation)
            let sums = try basket.sums()
            #expect(sums.net.rawValue + sums.tax.rawValue == sums.gross.rawValue)
            let parts = try basket.taxSummary().map(\.sums)
            #expect(parts.reduce(0) { $0 + $1.tax.rawValue } == sums.tax.rawValue)
            #expect(parts.reduce(0) { $0 + $1.gross.rawValue } == sums.gross.rawValue)
        }
    }

    @Test func sumsThatAreTooLargeAreErrors() {
        let huge = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max / 2), quantity: 3)
        #expect(code { _ = try huge.totalPrice() } == .amountOverflow)
        let item = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max / 2 + 1))
        #expect(code { _ = try self.basket([item, item]).total() } == .amountOverflow)
        let taxed = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max), taxRate: 700)
        #expect(code { _ = try taxed.sums(.gross) } == .amountOverflow)
        #expect(code { _ = try taxed.sums(.net) } == .amountOverflow)
        // Rates that would divide by zero or overflow.
        for rate in [-10_000, .max, .min] as [Int64] {
            let item = AcceptBasketItem(grossPrice: 1, taxRate: AcceptHundredths(rawValue: rate))
            #expect(code { _ = try item.sums(.gross) } == .basketInvalid)
            #expect(code { _ = try self.basket([item]).amount() } == .basketInvalid)
        }
        let most = AcceptBasketItem(grossPrice: .greatestAmount, quantity: AcceptBasketItem.maxQuantity)
        #expect(code { try self.basket([most]).validate() } == .amountInvalid)
    }

    // MARK: currencies

    @Test(
        arguments: [
            ("EUR", 150, 150), ("JPY", 15_000, 150), ("KWD", 150, 1500), ("CLF", 150, 15_000),
        ] as [(String, Int64, UInt64)])
    func amountsAreInMinorUnitsOfTheCurrency(currency: String, hundredths: Int64, units: UInt64) throws {
        let basket = basket([AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: hundredths))], currency: currency)
        #expect(try basket.amount().minorUnits == units)
    }

    @Test func amountsThatTheCurrencyDoesNotHaveAreErrors() {
        let half = [AcceptBasketItem(grossPrice: 50)]
        #expect(code { _ = try self.basket(half, currency: "JPY").amount() } == .amountInvalid)
        #expect(code { _ = try self.basket(half, currency: "eur").amount() } == .basketInvalid)
        #expect(code { _ = try self.basket(half, currency: "").amount() } == .basketInvalid)
        #expect(code { _ = try self.basket([AcceptBasketItem(grossPrice: 0)]).amount() } == .amountInvalid)
    }

    // MARK: tips and charges

    @Test func S1_54_aTipIsAPartOfTheTotalIfItIsAllowed() throws {
        var basket = basket([AcceptBasketItem(grossPrice: 1000, taxRate: 1900)])
        basket.addTip(100)
        #expect(try basket.total() == 1100)
        #expect(try basket.tip() == 100)
        var config = ConfigurationTests.payment(basket)
        #expect(code { try config.validate() } == .gratuityNotAllowed)
        config.allowGratuity = true
        #expect(code { try config.validate() } == nil)
    }

    @Test func S1_128_aTipAndAChargeForServiceAreItemsOfTheirOwn() throws {
        var basket = basket([AcceptBasketItem(grossPrice: 1000, note: "Coffee", taxRate: 1900)])
        basket.addServiceCharge(50, taxRate: 700)
        basket.addTip(100, taxRate: 0)
        #expect(basket.items.map(\.itemType) == [.normal, .serviceCharge, .tip])
        #expect(try basket.total() == 1150)
        // The tax of the charge: 3.27, truncated.
        #expect(try basket.taxSummary().map(\.sums.tax) == [0, 3, 159])
        let details = try basket.details()
        #expect(details.filter { $0.name == "items[][note]" }.map(\.value) == ["Coffee", "Service charge"])
        #expect(details.contains(AttemptDetail("tip", "100")))
        #expect(details.contains(AttemptDetail("tip_tax_rate", "0")))
        basket.addTip(100, taxRate: 700)
        #expect(code { try basket.validate() } == .basketInvalid)
    }

    // MARK: limits

    @Test func valuesOutOfRangeAreRefused() {
        let longNote = String(repeating: "ä", count: 101)
        let items: [AcceptBasketItem] = [
            AcceptBasketItem(grossPrice: -1), AcceptBasketItem(grossPrice: 1, quantity: 0),
            AcceptBasketItem(grossPrice: 1, quantity: .max), AcceptBasketItem(grossPrice: 1, taxRate: 10_001),
            AcceptBasketItem(grossPrice: 1, taxRate: -1), AcceptBasketItem(grossPrice: 1, note: longNote),
            AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: .max)),
        ]
        for item in items { #expect(code { try self.basket([item]).validate() } == .basketInvalid) }
        let one = AcceptBasketItem(grossPrice: 1)
        #expect(code { try self.basket([]).validate() } == .basketInvalid)
        #expect(code { try self.basket(Array(repeating: one, count: 200)).validate() } == nil)
        #expect(code { try self.basket(Array(repeating: one, count: 201)).validate() } == .basketInvalid)
        var named = basket([one])
        for name in ["", "a b", "ä", String(repeating: "a", count: 65)] {
            named.transactionUniqueId = name
            #expect(code { try named.validate() } == .basketInvalid)
        }
    }

    // MARK: the sandbox's view

    @Test(arguments: AcceptTransactionType.allCases)
    func S1_59_S1_150_theSandboxBooksTheTypeAndTheItems(type: AcceptTransactionType) throws {
        var basket = basket([
            AcceptBasketItem(grossPrice: 450, note: "Coffee & cake", quantity: 2, taxRate: 1900),
            AcceptBasketItem(grossPrice: 50, taxRate: 700),
        ])
        basket.addTip(50)
        var config = ConfigurationTests.payment(basket)
        config.allowGratuity = true
        config.transactionType = type
        let attemptRequest = try config.attemptRequest(for: SaleIdentifier(rawValue: "sale")!)
        let record = AttemptRecord(
            attempt("A1"), attemptRequest, on: RecordedTime(seconds: 1_453_992_427, offset: 60))
        var till = try AcceptTill()
        let reply = try till.ask(HostRequest(.authorise, record, octets: card(1000)))
        guard case .approved = reply else {
            Issue.record("\(reply)")
            return
        }
        till.fixture.logIn()
        let view = till.fixture.send(.get, "payments/A1.json").json
        #expect(view["transaction_type"]?.text == ["purchase", "authorize", "preauthorize", "sepa"][type.rawValue])
        #expect(view["amount"]?.number == 1000)
        #expect(view["tip"]?.number == 50)
        guard case .array(let items)? = view["items"] else {
            Issue.record("no items")
            return
        }
        #expect(items.map { $0["gross_price"]?.number } == [450, 50])
        #expect(items.map { $0["quantity"]?.number } == [2, 1])
        #expect(items.map { $0["tax_rate"]?.number } == [1900, 700])
        #expect(items.first?["note"]?.text == "Coffee & cake")
    }
}
