import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// Readers in a condition that keeps them from paying: `startPay`, the driver, and a simulated reader. The numbers of
/// statuses and errors are those of Miura's SDKs and of the headers of PaynetEasyReader; EMVSwiper's are names of its SDK.
@Suite struct ReaderConditionTests {
    private func pay(
        _ model: AcceptReaderTerminals.Model, _ faults: [PlannedFault], leastBattery: Double? = nil
    ) async throws -> (error: AcceptError?, till: PayTill) {
        let till = try await PayTill(chip())
        var profile = try #require(ReaderFamily.named(model.rawValue)).simulatedProfile
        if let leastBattery {
            let key: ProfileKey = model == .miura ? "miura.leastBattery" : "payment.leastBattery"
            profile[key] = ProfileEntry("", .number(leastBattery), .inferred, "a test")
        }
        _ = try till.simulate(model, faults, profile: profile)
        return (await failure { () throws(AcceptError) in try await till.pay() }, till)
    }

    @Test(arguments: [
        (AcceptReaderTerminals.Model.emvSwiper, ReaderFault.damaged, AcceptPayErrorCode.terminalDamaged),
        (.miura, .noKeys, .noDUKPT), (.miura, .noSettings, .cantLoadTerminalConfiguration),
    ])
    func aConditionHasItsError(
        model: AcceptReaderTerminals.Model, fault: ReaderFault, code: AcceptPayErrorCode
    ) async throws {
        let (error, till) = try await pay(model, [PlannedFault(fault)])
        #expect(error?.code == .pay(code))
        #expect(error?.decline?.advice == .checkTerminal)
        #expect(till.link.paymentCount == 0)
    }

    /// The simulated battery has 80 %, and 5 % with the fault.
    @Test(arguments: [AcceptReaderTerminals.Model.emvSwiper, .miura])
    func S1_47_aPaymentNeedsTheLeastChargeOfTheProfile(model: AcceptReaderTerminals.Model) async throws {
        #expect(try await pay(model, [], leastBattery: 80).error == nil)
        let (error, till) = try await pay(model, [], leastBattery: 81)
        #expect(error?.code == .pay(.lowBatteryLevel))
        #expect(till.link.paymentCount == 0)
        let (low, _) = try await pay(model, [PlannedFault(.lowBattery)], leastBattery: 6)
        #expect(low?.code == .pay(.lowBatteryLevel))
    }

    /// A Miura reader is not asked for its battery, unless its profile says so.
    @Test func aMiuraReaderIsNotAskedForItsBattery() async throws {
        #expect(try await pay(.miura, [PlannedFault(.lowBattery)]).error == nil)
    }

    @Test(arguments: [AcceptReaderTerminals.Model.emvSwiper, .miura])
    func aReaderThatDoesNotAnswerHasItsError(model: AcceptReaderTerminals.Model) async throws {
        let till = try await PayTill(chip())
        _ = try till.simulate(model, [PlannedFault(.noAnswer)])
        let run = till.accept.startPay(till.config())
        // The limit of each command, beside the lifetime of the token and the limit of the payment flow.
        for _ in 0..<(model == .miura ? 2 : 1) { await till.clock.advance(toFirstOf: 3) }
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.terminalCommandTimeOut))
        #expect(error?.decline?.outcome == .failedPreparation)
    }

    /// The limit of the payment flow is 20 s, if the terminal has none of its own.
    @Test func aTerminalThatIsNeverPreparedHasItsError() async throws {
        let till = try await PayTill(chip(1000, ["prepare": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .prepare }
        await till.wait(.seconds(20))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.terminalCommandTimeOut))
        #expect(error?.decline?.outcome == .failedTimeout)
    }

    @Test(arguments: [
        (AcceptReaderTerminals.Model.emvSwiper, AcceptPayErrorCode.cantLoadSwiperTerminalConfiguration),
        (.uniMag, .cantLoadSwiperTerminalConfiguration), (.posMate, .initialization), (.miura, .initialization),
    ])
    func aProfileThatCannotBeUsedHasItsError(
        model: AcceptReaderTerminals.Model, code: AcceptPayErrorCode
    ) async throws {
        let till = try await PayTill(chip())
        var profile = try #require(ReaderFamily.named(model.rawValue)).simulatedProfile
        profile[.answer] = ProfileEntry("", .number(-1), .inferred, "a test")
        let (near, far) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
        till.use(model, profile: profile) { () throws(LinkError) in near }
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(code))
        // The link is closed.
        while try await far.receive({ _ in }) {}
    }

    @Test(arguments: [
        (LinkError.Code.outOfRange, AcceptPayErrorCode.failedBluetoothConnection),
        (.pairedElsewhere, .failedBluetoothConnection), (.adapterOff, .failedBluetoothConnection),
        (.notPermitted, .hardwareAccessPermission), (.disconnected, .terminalNotReady),
    ])
    func aLinkThatIsLostHasItsReason(link: LinkError.Code, code: AcceptPayErrorCode) async throws {
        // Before the terminal is prepared, while it waits for a card, and after the host has approved.
        for (step, other) in [
            (AcceptStateUpdate.initialize, AcceptPayErrorCode.initialization), (.insertOrSwipeCard, .terminalNotReady),
            (.processingData, .failedToSendOnlineEMV),
        ] {
            let till = try await PayTill(chip())
            let reader = try till.simulate(.emvSwiper)
            let error = LinkError(link, link: "reader", "gone", remedy: "look for it")
            let handlers = AcceptPaymentHandlers(progress: { if $0 == step { reader.unplug(error) } })
            let end = await failure { () throws(AcceptError) in try await till.pay(nil, handlers) }
            let isKnown = link != .disconnected
            let outcome = end?.decline?.outcome
            #expect(outcome == .failedLink || outcome == .failedPreparation || outcome == .failedAutoReversed)
            #expect(end?.code == .pay(isKnown ? code : outcome == .failedLink ? .terminalNotReady : other), "\(step)")
            #expect(end?.decline?.text == error.description, "\(step)")
            #expect(end?.description.contains("look for it") == true)
        }
    }

    /// A link to a simulated reader that takes one opener at a time, and closes slowly.
    private struct OneOpenerLink: Transport {
        let base: SimulatedLink
        let isOpen: Lock<Bool>

        var link: LinkName { base.link }
        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
        func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
        func endSending() async throws(LinkError) {}
        func close() async {
            for _ in 0..<100 { await Task.yield() }
            await base.close()
            isOpen.withLock { $0 = false }
        }
    }

    @Test func aPaymentFollowsAnotherAtALinkWithOneOpener() async throws {
        let till = try await PayTill(chip())
        let (isOpen, parts) = (Lock(false), try ReaderParts.parts(1000))
        till.use(.emvSwiper) { () throws(LinkError) in
            let isFree = isOpen.withLock { isOpen in
                defer { isOpen = true }
                return !isOpen
            }
            guard isFree,
                let base = try? SimulatedLink(parts.emvswiper(PlainIssuerCryptography()), deck: [], faults: [])
            else { throw LinkError(.busy, link: "test", "in use") }
            return OneOpenerLink(base: base, isOpen: isOpen)
        }
        for name in ["A1", "A2", "A3"] { #expect(try await till.pay(till.config(1000, name)).isAccepted) }
    }

    @Test func aMonoSoundCardIsNotOpened() async throws {
        let till = try await PayTill(chip())
        let opened = Lock(false)
        till.use(.uniMag, jack: JackOutput(isMono: true)) { () throws(LinkError) in
            opened.withLock { $0 = true }
            throw LinkError(.notFound, link: "test", "not asked for")
        }
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.monoAudioEnabled))
        #expect(!opened.withLock { $0 })
    }

    @Test func S1_144_theProtectionOfTheComputerIsCheckedBeforeEachPayment() async throws {
        let till = try await PayTill(chip())
        let isProtected = Lock(true)
        till.accept.use { isProtected.withLock { $0 } }
        _ = try await till.pay()
        isProtected.withLock { $0 = false }
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(1000, "A2")) }
        #expect(error?.code == .pay(.deviceRooted))
        #expect(try await till.accept.status(of: "A1").state == .approved)
        till.accept.use(protection: nil)
        _ = try await till.pay(till.config(1000, "A2"))
    }

    /// A cause is an error of its own; data that the terminal refuses after the host's answer are those of the host.
    @Test func eachCauseHasACode() {
        let codes = ReaderTrouble.allCases.map { AcceptPayErrorCode($0, isHostAnswered: false) }
        #expect(Set(codes).count == codes.count)
        #expect(AcceptPayErrorCode(.dataRefused, isHostAnswered: true) == .failedToSendOnlineEMV)
        #expect(AcceptPayErrorCode(.damaged, isHostAnswered: true) == .terminalDamaged)
    }
}
