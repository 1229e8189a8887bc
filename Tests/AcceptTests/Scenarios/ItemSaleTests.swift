#if Payments
import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// Items of the Accept SDK integration guide 1.6.182 that need a reader: sales by the public calls at simulated readers over
/// their drivers, and at the sandbox over TLS.
struct ItemSaleTests {
    /// The readers with a kernel.
    private static let kernels: [AcceptReaderTerminals.Model] = [.posMate, .emvSwiper, .miura]

    private struct End: Sendable {
        let error: AcceptError?
        let record: AttemptRecord
        let booked: Double
        let sealedTags: [[JackdawEMV.Tag]]
        let signers: [String]
    }

    private static func scenario(_ number: String) throws -> FlowScenario {
        try #require(FlowScenario.all.first { $0.model.number == number })
    }

    private static func sell(
        _ scenario: FlowScenario, at model: AcceptReaderTerminals.Model,
        _ check: @escaping @Sendable (End) throws -> Void
    ) async throws {
        let sandbox = Sandbox(
            .ready, issuer: try FlowParts(scenario.setup).issuer, hashing: PlainTextHashing(),
            random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date) { host in
            let sale = try await FlowSale(scenario, at: model, host)
            let end = try await sale.sell()
            try check(
                End(
                    error: end.error, record: try #require(end.record), booked: try await host.booked("A1") ?? 0,
                    sealedTags: sale.sealedTags, signers: sale.signers))
        }
    }

    @Test(arguments: kernels) func S1_01_aSaleIsPaidAtEachTerminal(model: AcceptReaderTerminals.Model) async throws {
        try await Self.sell(try Self.scenario("0001"), at: model) { end in
            #expect(end.error == nil)
            #expect(end.record.state == .approved)
            #expect(end.booked == 6000)
        }
    }

    /// Unimag is on the audio jack, and only swipes: the cardholder signs.
    @Test func S1_01_S1_111_aSwipeIsPaidAtAUniMag() async throws {
        var scenario = try Self.scenario("0043")
        scenario.setup.plan.isSigned = true
        try await Self.sell(scenario, at: .uniMag) { end in
            #expect(end.error == nil)
            #expect(end.record.state == .approved)
            #expect(end.booked == 6000)
            #expect(end.signers.count == 1)
            // The objects of a stripe: track, date, kind, currency, amount, and the entry mode.
            #expect(end.sealedTags == [[0x57, 0x9A, 0x9C, 0x5F2A, 0x9F02, 0x9F39]])
        }
    }

    @Test(arguments: kernels)
    func S1_117_cryptogramAndCounterAreSent(model: AcceptReaderTerminals.Model) async throws {
        try await Self.sell(try Self.scenario("0001"), at: model) { end in
            #expect(end.sealedTags.count == 2)
            for tags in end.sealedTags {
                // Cryptogram, counter, terminal verification results.
                #expect(tags.contains(0x9F26) && tags.contains(0x9F36) && tags.contains(0x95))
            }
            // The second one has no card data.
            #expect(end.sealedTags.last?.contains { [0x57, 0x5A, 0x5F20].contains($0) } == false)
        }
    }

    @Test(arguments: kernels)
    func S1_114_aLinkThatIsLostAfterTheApprovalReversesTheSale(model: AcceptReaderTerminals.Model) async throws {
        try await Self.sell(try Self.scenario("0017"), at: model) { end in
            #expect(end.error?.decline?.outcome == .failedAutoReversed)
            #expect(end.error?.decline?.reversalReason == .terminalTerminated)
            #expect(end.record.state == .reversed)
            #expect(end.booked == 0)
        }
    }

    /// During the choice of an application, while the host is asked, and before the comparison of a signature at the
    /// terminal.
    @Test(
        arguments: [
            ("0019", .emvSwiper), ("0019", .miura), ("0021", .posMate), ("0021", .emvSwiper), ("0021", .miura),
            ("0023", .posMate),
        ] as [(String, AcceptReaderTerminals.Model)])
    func S1_105_aCardThatIsRemovedEndsTheSale(number: String, model: AcceptReaderTerminals.Model) async throws {
        let scenario = try Self.scenario(number)
        #expect(scenario.model.events.contains(.cardRemoved))
        try await Self.sell(scenario, at: model) { end in
            #expect(end.error?.decline?.outcome == (number == "0019" ? .failedCardRemoved : .failedAutoReversed))
            #expect(end.record.state == (number == "0019" ? .failed : .reversed))
            #expect(end.booked == 0)
        }
    }

    /// A host that approves, and sends nothing for the card: the terminal receives the response code of an approval.
    @Test(arguments: kernels) func S1_109_anEmptyAnswerIsAnApproval(model: AcceptReaderTerminals.Model) async throws {
        var scenario = try Self.scenario("0001")
        scenario.setup.isWithoutIssuerData = true
        try await Self.sell(scenario, at: model) { end in
            #expect(end.error == nil)
            #expect(end.record.state == .approved)
            #expect(end.booked == 6000)
        }
    }

    /// A name of 26 characters, the most that a card has (5F20), with the characters of names.
    @Test(arguments: [AcceptReaderTerminals.Model.emvSwiper, .miura])
    func S1_136_theNameOnTheCardIsShownToTheOneWhoSigns(model: AcceptReaderTerminals.Model) async throws {
        let name = "D'ARC-O'NEILL/JEANNE M.DR "
        #expect(name.utf8.count == 26)
        var scenario = try Self.scenario("0005")
        scenario.setup.changes["applications[0].records[0].objects.5F20"] = "\"\(hexadecimal(name.utf8))\""
        try await Self.sell(scenario, at: model) { end in
            #expect(end.error == nil)
            #expect(end.signers == [name])
        }
    }

    /// The terminal has no application of the card, and waits for another way to pay.
    @Test(arguments: kernels)
    func S1_136_aCardThatIsNotSupportedIsDetected(model: AcceptReaderTerminals.Model) async throws {
        var scenario = try Self.scenario("0001")
        scenario.setup.changes["applications[0].aid"] = #""A0000009999999""#
        scenario.setup.plan.acts = [.step(.damagedChipAndWaitingForSwipe): .cancel]
        try await Self.sell(scenario, at: model) { end in
            #expect(end.error?.decline?.outcome == .cancelled)
            #expect(end.sealedTags.isEmpty)
            #expect(end.booked == 0)
        }
    }
}
#endif
