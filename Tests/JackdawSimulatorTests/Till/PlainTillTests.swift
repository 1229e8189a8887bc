import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A card with two applications in a simulated till, with calculations that protect nothing.
@Suite struct PlainTillTests {
    /// - Parameters:
    ///   - payer: the file of the cardholder.
    ///   - card: changes of the card's file.
    ///   - commands: commands that the card has answered before.
    private func till(
        _ payer: String, card: [(String, String)] = [], after commands: [String] = []
    ) throws -> SimulatedTill<PlainCryptography> {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0002"))
        configuration.limits = RiskLimits(floorLimit: 1)
        let application = try SupportedApplication(hex("A000000999"), allowsPartialName: true)
        let transaction = KernelTransaction(
            amount: 6000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        let text = card.reduce(PlainCard.text) { $0.replacing($1.0, with: $1.1) }
        var inserted = try VirtualCard(json: Array(text.utf8), PlainCryptography())
        _ = inserted.powerOn()
        _ = inserted.send(commands)
        return try SimulatedTill(
            TillSettings(applications: [TerminalApplication(application, configuration)]), reference: "1", transaction,
            card: inserted, payer: SimulatedPayer(json: Array(payer.utf8)),
            issuer: PlainIssuer.issuer([("\"limits\": {\"amount\": 90000, \"refer_above\": 40000},", "")]),
            PlainCryptography())
    }

    private func events(_ till: SimulatedTill<PlainCryptography>) -> [PaymentEvent] {
        till.log.compactMap { if case .event(let event) = $0.content { event } else { nil } }
    }

    @Test(arguments: [
        ("{}", "A0000009990101"), ("{\"application\": {\"index\": 0}}", "A0000009990101"),
        ("{\"application\": {\"index\": 1}}", "A0000009990102"),
        ("{\"application\": {\"aid\": \"A0000009990102\"}}", "A0000009990102"),
    ])
    func thePayerChoosesTheApplication(_ payer: String, _ name: String) throws {
        var till = try till(payer)
        till.run()
        #expect(events(till).contains(.applicationsFound))
        #expect(events(till).contains(.applicationChosen))
        #expect(till.kernelOutcome?.objects[0x84] == hex(name))
    }

    @Test func anInvalidChoiceIsAskedForAgain() throws {
        var till = try till("{\"application\": {\"index\": 9}}")
        till.run()
        #expect(events(till).filter { $0 == .applicationChoiceInvalid }.count == 1)
        #expect(till.kernelOutcome?.objects[0x84] == hex("A0000009990101"))
    }

    @Test func aMissingChoiceEndsByTheTimeLimit() throws {
        var till = try till("{\"application\": {\"aid\": \"A0000009990109\"}}")
        #expect(till.run() == .failedTimeout)
        #expect(till.issuer.ledger.entries.isEmpty)
    }

    /// A card whose first application has no counter left refuses it (6985).
    private let exhausted = [("\"format\": 2,", "\"format\": 2, \"counter\": 65534,")]
    private let lastTransaction = ["00A4040007A0000009990101", "80A80000048302" + "0528"]

    @Test(arguments: ["{}", "{\"application\": {\"index\": 0}}"])
    func theCardholderConfirmsTheNextApplication(_ payer: String) throws {
        var till = try till(payer, card: exhausted, after: lastTransaction)
        till.run()
        #expect(
            events(till).filter { [.applicationsFound, .applicationChosen].contains($0) } == [
                .applicationsFound, .applicationChosen, .applicationsFound, .applicationChosen,
            ])
        #expect(till.kernelOutcome?.objects[0x84] == hex("A0000009990102"))
    }

    /// The cardholder wants the refused application, and no other one.
    @Test func anApplicationThatIsNotChosenIsNotUsed() throws {
        var till = try till(
            "{\"application\": {\"aid\": \"A0000009990101\"}}", card: exhausted,
            after: lastTransaction)
        #expect(till.run() == .failedTimeout)
        #expect(till.kernelOutcome?.disposition == .selectAnother)
        #expect(till.issuer.ledger.entries.isEmpty)
    }

    /// An application alone that asks for a confirmation.
    @Test func aRefusedApplicationLeavesNoOther() throws {
        let alone =
            exhausted + [("A0000009990102", "A0000008880102"), ("\"priority\": \"01\"", "\"priority\": \"81\"")]
        var till = try till(
            "{\"insertions\": 1}", card: alone, after: lastTransaction)
        #expect(till.run() == .failedTimeout)
        #expect(events(till).filter { $0 == .applicationsFound }.count == 1)
        #expect(events(till).contains(.noCommonApplication))
    }

    /// A blocked application is not a card without application: no fallback.
    @Test func aBlockedApplicationIsNotAccepted() throws {
        var till = try till("{}", card: [("\"profile\":", "\"blocked\": true, \"profile\":")])
        #expect(till.run() == .notAccepted)
        #expect(events(till).contains(.applicationBlocked))
    }

    @Test func aCardWithoutApplicationMayBeSwiped() throws {
        var till = try till(
            "{\"insertions\": 1}",
            card: [("A0000009990101", "A0000008880101"), ("A0000009990102", "A0000008880102")])
        #expect(till.run() == .failedTimeout)
        #expect(events(till).contains(.noCommonApplication))
        #expect(till.log.contains { $0.content == .action(.prompt(.swipeCard)) })
    }

    /// The reader is ready after 0.2 s, and the card comes 5 s later.
    @Test func aRunCountsItsTimeFromItsCall() throws {
        var till = try till("{\"delays\": {\"card\": 5000}}")
        #expect(till.run(for: .seconds(4)) == nil)
        #expect(till.now == .seconds(4))
        #expect(till.run(for: .seconds(1)) == nil)
        #expect(till.now == .seconds(5))
        #expect(till.payment.phase == .awaitingCard)
        #expect(till.run(for: .seconds(4)) != nil)
        #expect(till.now > .seconds(5.2) && till.now < .seconds(9))
    }

    @Test func theMerchantCancels() throws {
        var till = try till("{\"delays\": {\"card\": 5000}}")
        till.start()
        till.advance()
        till.receive(.cancelled)
        #expect(till.run() == .cancelled)
        #expect(till.issuer.ledger.entries.isEmpty)
    }
}
