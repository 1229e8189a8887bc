import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A card with two applications in a simulated till, with calculations that protect nothing.
@Suite struct PlainTillTests {
    @Test(arguments: [
        ("{}", "A0000009990101"), ("{\"application\": {\"index\": 0}}", "A0000009990101"),
        ("{\"application\": {\"index\": 1}}", "A0000009990102"),
        ("{\"application\": {\"aid\": \"A0000009990102\"}}", "A0000009990102"),
    ])
    func thePayerChoosesTheApplication(_ payer: String, _ name: String) throws {
        var till = try PlainTill.till(payer)
        till.run()
        #expect(till.events.contains(.applicationsFound))
        #expect(till.events.contains(.applicationChosen))
        #expect(till.kernelOutcome?.objects[0x84] == hex(name))
    }

    @Test func anInvalidChoiceIsAskedForAgain() throws {
        var till = try PlainTill.till("{\"application\": {\"index\": 9}}")
        till.run()
        #expect(till.events.filter { $0 == .applicationChoiceInvalid }.count == 1)
        #expect(till.kernelOutcome?.objects[0x84] == hex("A0000009990101"))
    }

    @Test func aMissingChoiceEndsByTheTimeLimit() throws {
        var till = try PlainTill.till("{\"application\": {\"aid\": \"A0000009990109\"}}")
        #expect(till.run() == .failedTimeout)
        #expect(till.issuer.ledger.entries.isEmpty)
    }

    /// A card whose first application has no counter left refuses it (6985).
    private let exhausted = [("\"format\": 2,", "\"format\": 2, \"counter\": 65534,")]
    private let lastTransaction = ["00A4040007A0000009990101", "80A80000048302" + "0528"]

    @Test(arguments: ["{}", "{\"application\": {\"index\": 0}}"])
    func theCardholderConfirmsTheNextApplication(_ payer: String) throws {
        var till = try PlainTill.till(payer, card: exhausted, after: lastTransaction)
        till.run()
        #expect(
            till.events.filter { [.applicationsFound, .applicationChosen].contains($0) } == [
                .applicationsFound, .applicationChosen, .applicationsFound, .applicationChosen,
            ])
        #expect(till.kernelOutcome?.objects[0x84] == hex("A0000009990102"))
    }

    /// The cardholder wants the refused application, and no other one.
    @Test func anApplicationThatIsNotChosenIsNotUsed() throws {
        var till = try PlainTill.till(
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
        var till = try PlainTill.till(
            "{\"presentations\": 1}", card: alone, after: lastTransaction)
        #expect(till.run() == .failedTimeout)
        #expect(till.events.filter { $0 == .applicationsFound }.count == 1)
        #expect(till.events.contains(.noCommonApplication))
    }

    /// A blocked application is not a card without application: no fallback.
    @Test func aBlockedApplicationIsNotAccepted() throws {
        var till = try PlainTill.till("{}", card: [("\"profile\":", "\"blocked\": true, \"profile\":")])
        #expect(till.run() == .notAccepted)
        #expect(till.events.contains(.applicationBlocked))
    }

    @Test func aCardWithoutApplicationMayBeSwiped() throws {
        var till = try PlainTill.till(
            "{\"presentations\": 1}",
            card: [("A0000009990101", "A0000008880101"), ("A0000009990102", "A0000008880102")])
        #expect(till.run() == .failedTimeout)
        #expect(till.events.contains(.noCommonApplication))
        #expect(till.log.contains { $0.content == .action(.prompt(.swipeCard)) })
    }

    /// The reader is ready after 0.2 s, and the card comes 5 s later.
    @Test func aRunCountsItsTimeFromItsCall() throws {
        var till = try PlainTill.till("{\"delays\": {\"card\": 5000}}")
        #expect(till.run(for: .seconds(4)) == nil)
        #expect(till.now == .seconds(4))
        #expect(till.run(for: .seconds(1)) == nil)
        #expect(till.now == .seconds(5))
        #expect(till.payment.phase == .awaitingCard)
        #expect(till.run(for: .seconds(4)) != nil)
        #expect(till.now > .seconds(5.2) && till.now < .seconds(9))
    }

    @Test func theMerchantCancels() throws {
        var till = try PlainTill.till("{\"delays\": {\"card\": 5000}}")
        till.start()
        till.advance()
        till.receive(.cancelled)
        #expect(till.run() == .cancelled)
        #expect(till.issuer.ledger.entries.isEmpty)
    }
}
