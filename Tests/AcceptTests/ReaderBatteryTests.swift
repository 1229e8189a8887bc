import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// The charge and the connection of simulated readers outside of payments. Source of the numbers: the Accept SDK integration
/// guide 1.6.182, chapter 3.1.
@Suite struct ReaderBatteryTests {
    typealias Model = AcceptReaderTerminals.Model

    /// Hands a reader in, which is another one at each opening.
    private func use(
        _ till: PayTill, _ model: Model, _ faults: [PlannedFault] = [], battery: Int? = nil, isCharging: Bool = false
    ) throws -> Lock<Int> {
        let openings = Lock(0)
        let parts = try ReaderParts.parts(1000)
        till.use(model) { () throws(LinkError) in
            openings.withLock { $0 += 1 }
            var device = SimulatedDevice()
            if let battery { device.battery = battery }
            device.isCharging = isCharging
            let reader: any ReaderModel =
                switch model {
                case .posMate: parts.posmate(PlainIssuerCryptography())
                case .emvSwiper: parts.emvswiper(PlainIssuerCryptography())
                case .miura: parts.miura(PlainIssuerCryptography())
                case .uniMag: UniMagModel()
                }
            do {
                return try SimulatedLink(reader, deck: [], faults: faults, device: device)
            } catch { throw LinkError(.system, link: "test", "\(error)") }
        }
        return openings
    }

    private func number(_ till: PayTill) async -> Int {
        await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID)
    }

    @Test(arguments: [
        (Model.emvSwiper, false, 55), (.miura, false, 55), (.miura, true, -3), (.posMate, false, -1),
        (.uniMag, false, -1),
    ])
    func S1_42_S1_43_S1_45_aReaderHasItsCharge(model: Model, isCharging: Bool, expected: Int) async throws {
        let till = try await PayTill(chip())
        let openings = try use(till, model, battery: 55, isCharging: isCharging)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .unknown)
        #expect(await number(till) == expected)
        #expect(openings.withLock { $0 } == (expected == -1 ? 0 : 1))
        #expect(
            await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID)
                == (expected == -1 ? .unknown : .connected))
        // The link is free for a payment.
        guard model == .emvSwiper || model == .miura else { return }
        #expect(try await till.pay().isAccepted)
    }

    @Test(arguments: [Model.emvSwiper, .miura])
    func S1_44_aReaderThatIsSilentHasNoAnswer(model: Model) async throws {
        let till = try await PayTill(chip())
        try till.simulate(model).freeze()
        let question = Task { await number(till) }
        // The lifetime of the token, and the limit of the question; the driver of Miura has one of its own.
        await till.clock.sleepers(model == .miura ? 3 : 2)
        till.clock.advance(by: AcceptReaderTerminals.questionLimit)
        #expect(await question.value == -2)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .disconnected)
    }

    @Test func S1_44_aReaderThatIsAwayHasNoAnswer() async throws {
        let till = try await PayTill(chip())
        till.use(.miura) { () throws(LinkError) in throw LinkError(.outOfRange, link: "test", "away") }
        #expect(await number(till) == -2)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .disconnected)
    }

    @Test func S1_137_aLostLinkIsKnown() async throws {
        let till = try await PayTill(chip())
        let reader = try till.simulate(.emvSwiper)
        let steps = AcceptPaymentHandlers(progress: { if $0 == .checkingCard { reader.unplug() } })
        let error = await failure { () throws(AcceptError) in try await till.pay(nil, steps) }
        #expect(error?.decline?.outcome == .failedLink)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .disconnected)
    }
}
