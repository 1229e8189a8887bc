import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// Sales at simulated readers of the SDK's families, by their drivers. The wires of PosMate and EMVSwiper are invented.
@Suite struct ReaderTerminalTests {
    /// The readers with a kernel.
    private static let kernels: [AcceptReaderTerminals.Model] = [.posMate, .emvSwiper, .miura]

    private struct Sale {
        let steps: [AcceptStateUpdate]
        let report: AttemptReport
        let error: AcceptError?
        let host: SandboxTill
        let sealedTags: [[JackdawEMV.Tag]]

        var booked: Double {
            var fixture = host.till.fixture
            fixture.logIn("till-2")
            return fixture.status("A1").booked
        }
    }

    private func sell(
        _ model: AcceptReaderTerminals.Model, _ hundredths: UInt64, unplugsAt step: AcceptStateUpdate? = nil
    ) async throws -> Sale {
        let (transaction, parts) = (try ReaderParts.transaction(hundredths), try ReaderParts.parts(hundredths))
        let (cryptography, host) = (PlainIssuerCryptography(), try SandboxTill())
        var plan = WorldPlan()
        if let step { plan.acts = [.step(step): .unplug] }
        switch model {
        case .uniMag: return try await swipe(hundredths, plan)
        case .posMate:
            let values = ReaderTillParts.eposValues
            return try await run(
                ReaderWorld(
                    EPOSPayment(transaction, values), transaction, parts.posmate(cryptography), values.wire.format,
                    host, plan), hundredths, host)
        case .emvSwiper:
            let values = ReaderTillParts.bbposValues
            return try await run(
                ReaderWorld(
                    BBPOSPayment(transaction, values), transaction, parts.emvswiper(cryptography), values.wire.format,
                    host, plan), hundredths, host)
        case .miura:
            return try await run(
                ReaderWorld(
                    MiuraPayment(transaction), transaction, parts.miura(cryptography), MiuraFormat(.answer), host, plan),
                hundredths, host)
        }
    }

    /// A sale with a card that is swiped at a UniMag. Service code 101 is that of a stripe alone.
    private func swipe(
        _ hundredths: UInt64, serviceCode: String = "101", _ plan: WorldPlan = WorldPlan()
    ) async throws -> Sale {
        let host = try SandboxTill()
        var plan = plan
        plan.entries = [.swipe]
        plan.deck = [
            Presentation(SimulatedCard("stripe", track2: ";9999990000000014=3012\(serviceCode)1234500000?"))
        ]
        return try await run(uniMagWorld(try ReaderParts.transaction(hundredths), host, plan), hundredths, host)
    }

    private func run<Payment: ReaderPayment & ~Copyable, Terminal: ReaderModel>(
        _ world: ReaderWorld<Payment, Terminal>, _ hundredths: UInt64, _ host: SandboxTill
    ) async throws -> Sale {
        await world.run(try ReaderParts.request(hundredths))
        let end = try #require(world.end)
        return Sale(
            steps: world.steps, report: end.report, error: end.error, host: host, sealedTags: world.sealedTags)
    }

    @Test(arguments: kernels)
    func aSaleIsPaidAtEachReader(model: AcceptReaderTerminals.Model) async throws {
        let sale = try await sell(model, 1000)
        #expect(sale.error == nil, "\(String(describing: sale.error))")
        #expect(sale.report.outcome == .approved)
        #expect(sale.booked == 1000)
        #expect(sale.steps.starts(with: [.initialize, .insertOrSwipeCard, .checkingCard]))
        #expect(sale.steps.contains(.onlineProcessingData))
        // The certificate of the second cryptogram reached the host.
        var fixture = sale.host.till.fixture
        fixture.logIn("till-2")
        #expect(fixture.send(.get, "payments/A1.json").json["sandbox"]?["certificate"]?.text?.isEmpty == false)
    }

    @Test(arguments: kernels)
    func cryptogramAndCounterAreSealed(model: AcceptReaderTerminals.Model) async throws {
        let sale = try await sell(model, 1000)
        #expect(sale.sealedTags.count == 2)
        for tags in sale.sealedTags {
            // Cryptogram, counter, terminal verification results.
            #expect(tags.contains(0x9F26) && tags.contains(0x9F36) && tags.contains(0x95))
        }
        // The second one has no card data.
        #expect(sale.sealedTags.last?.contains { [0x57, 0x5A, 0x5F20].contains($0) } == false)
    }

    @Test func scriptsOfTheIssuerAreHandedOn() {
        let bytes = hex("8A023030910A0102030405060708303071079F1804AABBCCDD7206860484240000")
        let response = HostResponse(body(bytes), isApproved: true)
        #expect(response?.responseCode == AuthorisationResponseCode(Array("00".utf8)))
        #expect(response?.authenticationData == hex("01020304050607083030"))
        #expect(response?.scripts == SecretOctets(hex("71079F1804AABBCCDD7206860484240000")))
        #expect(HostResponse(body(hex("910101")), isApproved: true) == nil)
        #expect(HostResponse(body(hex("8A0530")), isApproved: true) == nil)
        #expect(HostResponse(HTTPBody(), isApproved: false) == nil)
    }

    @Test(arguments: kernels)
    func aSaleIsDeclinedAtEachReader(model: AcceptReaderTerminals.Model) async throws {
        // The simulated issuer declines this amount.
        let sale = try await sell(model, 5105)
        #expect(sale.report.outcome == .declinedOnline)
        #expect(sale.error?.code == .pay(.transactionNotApproved))
        #expect(sale.booked == 0)
        // S1-147: cryptogram and terminal verification results of the card's answer to the decline, without its number.
        let answer = try #require(sale.sealedTags.dropFirst().last)
        #expect(answer.contains(0x9F26) && answer.contains(0x95))
        #expect(!answer.contains { [0x57, 0x5A, 0x5F20].contains($0) })
    }

    @Test(arguments: kernels)
    func aReaderThatIsUnpluggedAfterTheApprovalReversesTheSale(model: AcceptReaderTerminals.Model) async throws {
        let sale = try await sell(model, 1000, unplugsAt: .processingData)
        #expect(sale.report.outcome == .failedAutoReversed)
        #expect(sale.error?.decline?.reversalReason == .terminalTerminated)
        #expect(sale.booked == 0)
    }

    @Test(arguments: kernels)
    func aReaderThatIsUnpluggedBeforeTheHostBooksNothing(model: AcceptReaderTerminals.Model) async throws {
        let sale = try await sell(model, 1000, unplugsAt: .checkingCard)
        #expect(sale.report.outcome == .failedLink)
        #expect(sale.error?.code == .pay(.terminalNotReady))
        #expect(sale.error?.decline?.text == "test: unplugged")
        #expect(!sale.host.till.paths.contains("/v3/payments.json"))
    }

    // MARK: swipes at a reader on the audio jack

    @Test func aSwipeIsPaidAndSigned() async throws {
        let sale = try await swipe(1000)
        #expect(sale.error == nil, "\(String(describing: sale.error))")
        #expect(sale.report.outcome == .approved)
        #expect(sale.booked == 1000)
        #expect(
            sale.steps == [
                .initialize, .waitingForSwipe, .onlineProcessingData, .cardholderSignatureCheck,
            ])
        // Track, date, kind, currency, amount, and the entry mode: the objects of a stripe.
        #expect(sale.sealedTags == [[0x57, 0x9A, 0x9C, 0x5F2A, 0x9F02, 0x9F39]])
    }

    @Test func aSwipeIsDeclined() async throws {
        let sale = try await swipe(5105)
        #expect(sale.report.outcome == .declinedOnline)
        #expect(sale.error?.code == .pay(.transactionNotApproved))
        #expect(sale.booked == 0)
    }

    @Test func aCardWithAChipIsNotSwipedInstead() async throws {
        let sale = try await swipe(1000, serviceCode: "201")
        #expect(sale.report.outcome == .failedTimeout)
        #expect(sale.error?.code == .pay(.swipeTimeout))
        #expect(!sale.host.till.paths.contains("/v3/payments.json"))
    }

    @Test func aReaderThatIsUnpluggedWhileItWaitsForASwipeBooksNothing() async throws {
        var plan = WorldPlan()
        plan.acts = [.step(.waitingForSwipe): .unplug]
        let sale = try await swipe(1000, plan)
        #expect(sale.report.outcome == .failedLink)
        #expect(!sale.host.till.paths.contains("/v3/payments.json"))
    }

    // MARK: values of a transaction

    @Test func aTransactionHasTheTillsDayAndTime() throws {
        let transaction = try ReaderParts.transaction(1050)
        #expect(transaction.amount == 1050)
        #expect(transaction.currency == [0x09, 0x78])
        #expect(transaction.currencyExponent == 2)
        // The time of the guide's contactless receipt: 28.01.2016 - 15:47:07.
        #expect(transaction.date == CardDate(year: 2016, month: 1, day: 28))
        #expect(transaction.time == [0x15, 0x47, 0x07])
        let yen = Amount(minorUnits: 1, currencyCode: 392)
        let leap = KernelTransaction(yen, on: RecordedTime(seconds: 1_709_164_800 - 1, offset: 1))
        #expect(leap?.date == CardDate(year: 2024, month: 2, day: 29))
        #expect(leap?.currencyExponent == 0)
        #expect(KernelTransaction(yen, on: RecordedTime(seconds: 2_524_608_000, offset: 0)) == nil)
        #expect(KernelTransaction(yen, on: RecordedTime(seconds: -1, offset: 0)) == nil)
        let other = Amount(minorUnits: 1, currencyCode: .max)
        #expect(KernelTransaction(other, on: RecordedTime(seconds: 0, offset: 0)) == nil)
    }

    // MARK: links

    @Test(arguments: [
        (LinkError.Code.outOfRange, AcceptPayErrorCode.failedBluetoothConnection),
        (.pairedElsewhere, .failedBluetoothConnection), (.adapterOff, .failedBluetoothConnection),
        (.notPermitted, .hardwareAccessPermission), (.notFound, .terminalNotReady), (.busy, .terminalNotReady),
    ])
    func S1_13_aLinkThatCannotBeOpenedHasItsError(link: LinkError.Code, code: AcceptPayErrorCode) async throws {
        let terminals = Self.terminals { () throws(LinkError) in throw LinkError(link, link: "test", "failed") }
        do throws(AcceptError) {
            _ = try await terminals.open(
                Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1, currencyCode: 978),
                as: attempt("A1")
            ) { _ in }
            Issue.record("it was opened")
        } catch { #expect(error.code == .pay(code)) }
    }

    @Test func aSessionSwitchesThePowerOfAJack() async throws {
        let (near, far) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
        let jack = Jack(near)
        let uniMag = AcceptTerminal(uuid: "UniMag 1", displayName: "UniMag 1", entries: [.swipe])
        let terminals = AcceptReaderTerminals(
            [
                AcceptReaderTerminals.Reader(
                    vendor: AcceptTerminalVendor(uuid: "IDTECH", displayName: "ID TECH"), terminal: uniMag,
                    model: .uniMag, open: { () throws(LinkError) in jack })
            ], clock: ManualClock(), date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
            seal: { .tagLengthValue($0) })
        let session = try await terminals.open(
            uniMag, of: "IDTECH", amount: Amount(minorUnits: 1000, currencyCode: 978),
            as: attempt("A1")
        ) { _ in }
        session.carryOut(PaymentEffect(identifier: 1, action: .prepare), forCard: HTTPBody())
        var powers = jack.powers.makeAsyncIterator()
        #expect(await powers.next() == .connecting)
        session.carryOut(PaymentEffect(identifier: 2, action: .stopReader), forCard: HTTPBody())
        #expect(await powers.next() == .off)
        session.close()
        while try await far.receive({ _ in }) {}
    }

    /// A link that shows the power that it carries.
    private struct Jack: PoweredTransport {
        let powers: AsyncStream<ReaderPower>
        private let base: MemoryLink
        private let input: AsyncStream<ReaderPower>.Continuation

        init(_ base: MemoryLink) {
            self.base = base
            (powers, input) = AsyncStream<ReaderPower>.makeStream()
        }

        var link: LinkName { base.link }
        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
        func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
        func endSending() async throws(LinkError) { try await base.endSending() }
        func close() async { await base.close() }
        func setPower(_ power: ReaderPower) async throws(LinkError) { input.yield(power) }
    }

    private static let posMate = AcceptTerminal(
        uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate", dependsOnConfiguration: true)

    private static func terminals(
        clock: ManualClock = ManualClock(),
        _ open: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) -> AcceptReaderTerminals {
        AcceptReaderTerminals(
            [
                AcceptReaderTerminals.Reader(
                    vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"), terminal: posMate,
                    model: .posMate, open: open)
            ], clock: clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
            seal: { .tagLengthValue($0) })
    }

    @Test func aSessionSendsEffectsAndReportsTheLossOfItsLink() async throws {
        let (near, far) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
        let terminals = Self.terminals { () throws(LinkError) in near }
        #expect(await terminals.vendors().map(\.uuid) == [AcceptSpireVendorUUID])
        #expect(try await terminals.terminals(of: AcceptSpireVendorUUID) == [Self.posMate])
        let (events, continuation) = AsyncStream<AcceptTerminalEvent>.makeStream()
        let session = try await terminals.open(
            Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
            as: attempt("A1")
        ) { continuation.yield($0) }
        session.carryOut(PaymentEffect(identifier: 1, action: .prepare), forCard: HTTPBody())
        var count = 0
        #expect(try await far.receive { count += $0.count })
        #expect(count > 0)
        await far.close()
        for await event in events {
            if case .payment(.linkLost, _, _) = event { break }
            if case .payment(.preparationFailed, _, _) = event { break }
        }
        session.close()
    }

    /// A link whose device takes no bytes.
    private final class FullLink: Transport {
        let link: LinkName
        private let sending = AsyncSignal()
        private let closing = AsyncSignal()

        init() throws { link = try LinkName(parsing: "tcp:localhost:1") }

        /// Waits until bytes are sent.
        func sends() async { await sending.wait(after: 0) }
        /// Waits until the link is closed.
        func closes() async { await closing.wait(after: 0) }

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
            await closing.wait(after: 0)
            throw LinkError(.disconnected, link: "test", "closed")
        }
        /// Waits for the link's end, and for no cancellation.
        func send(_ bytes: [UInt8]) async throws(LinkError) {
            sending.send()
            await Task { [closing] in await closing.wait(after: 0) }.value
            throw LinkError(.disconnected, link: "test", "closed", undelivered: bytes.count)
        }
        func endSending() async throws(LinkError) {}
        func close() async { closing.send() }
    }

    @Test func aReaderThatTakesNoBytesEndsThePaymentInTimeAndIsFreeAfterIt() async throws {
        let (clock, full) = (ManualClock(), try FullLink())
        let (near, far) = MemoryLink.pair(link: full.link)
        let isFull = Lock(true)
        let terminals = Self.terminals(clock: clock) { () throws(LinkError) -> any Transport in
            if isFull.withLock({ $0 }) { return full }
            return near
        }
        @Sendable func open(
            _ events: @escaping @Sendable (AcceptTerminalEvent) -> Void
        ) async throws(AcceptError) -> any AcceptTerminalSession {
            try await terminals.open(
                Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
                as: attempt("A1"), events: events)
        }
        let (events, continuation) = AsyncStream<AcceptTerminalEvent>.makeStream()
        let session = try await open { continuation.yield($0) }
        session.carryOut(PaymentEffect(identifier: 1, action: .prepare), forCard: HTTPBody())
        await full.sends()
        // The driver's limit for the reader's answer.
        await clock.sleepers(1)
        clock.advance(by: .seconds(60))
        var reason: AcceptPayErrorCode?
        for await event in events {
            if case .reason(let code) = event { reason = code }
            if case .payment(.preparationFailed, _, _) = event { break }
        }
        #expect(reason == .terminalCommandTimeOut)
        session.carryOut(PaymentEffect(identifier: 2, action: .end(.failedPreparation)), forCard: HTTPBody())
        session.close()
        await clock.sleepers(1)
        clock.advance(by: ReaderTerminalSession.sendingLimit)
        await full.closes()
        // The next payment has a link that takes bytes.
        isFull.withLock { $0 = false }
        let next = try await open { _ in }
        next.carryOut(PaymentEffect(identifier: 1, action: .prepare), forCard: HTTPBody())
        #expect(try await far.receive { _ in })
        next.close()
    }

    /// A link that takes one opener at a time, and closes when the test wants it.
    private final class ExclusiveLink: Transport {
        private struct State {
            var isOpen = false
            var openings = 0
            var isClosing = false
            var mayClose = false
        }

        let link: LinkName
        private let state = Lock(State())
        private let change = AsyncSignal()
        private let (near, far): (MemoryLink, MemoryLink)

        init() throws {
            link = try LinkName(parsing: "tcp:localhost:1")
            (near, far) = MemoryLink.pair(link: link)
        }

        var openings: Int { state.withLock { $0.openings } }

        func open() throws(LinkError) -> any Transport {
            let isFree = state.withLock { state in
                state.openings += 1
                defer { state.isOpen = true }
                return !state.isOpen
            }
            guard isFree else { throw LinkError(.busy, link: "test", "in use") }
            return self
        }

        /// Waits until a session closes the link.
        func closing() async {
            while true {
                let seen = change.count
                if state.withLock({ $0.isClosing }) { return }
                await change.wait(after: seen)
            }
        }

        func mayClose() {
            state.withLock { $0.mayClose = true }
            change.send()
        }

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await near.receive(take) }
        func send(_ bytes: [UInt8]) async throws(LinkError) { try await near.send(bytes) }
        func endSending() async throws(LinkError) { try await near.endSending() }
        func close() async {
            state.withLock { $0.isClosing = true }
            change.send()
            while true {
                let seen = change.count
                if state.withLock({ $0.mayClose }) { break }
                await change.wait(after: seen)
            }
            state.withLock { $0.isOpen = false }
        }
    }

    @Test func theNextPaymentWaitsUntilTheLinkIsClosed() async throws {
        let (clock, link) = (ManualClock(), try ExclusiveLink())
        let terminals = Self.terminals(clock: clock) { () throws(LinkError) in try link.open() }
        @Sendable func open() async throws(AcceptError) -> any AcceptTerminalSession {
            try await terminals.open(
                Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
                as: attempt("A1")
            ) { _ in }
        }
        try await open().close()
        await link.closing()
        // The next payment begins before the link is closed, and gives up at its limit.
        let late = Task { try await open() }
        await clock.sleepers(1)
        clock.advance(by: AcceptReaderTerminals.closingLimit)
        let error = await #expect(throws: AcceptError.self) { try await late.value }
        #expect(error?.code == .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow))
        // The one after that is there in time.
        let next = Task { try await open() }
        await clock.sleepers(1)
        #expect(link.openings == 1)
        link.mayClose()
        try await next.value.close()
        #expect(link.openings == 2)
        try await open().close()
    }

    @Test func aReaderThatWasNotOpenedIsFree() async throws {
        let link = try ExclusiveLink()
        let isAway = Lock(true)
        let terminals = Self.terminals { () throws(LinkError) in
            guard !isAway.withLock({ $0 }) else { throw LinkError(.notFound, link: "test", "away") }
            return try link.open()
        }
        for isExpected in [false, true] {
            do throws(AcceptError) {
                try await terminals.open(
                    Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
                    as: attempt("A1")
                ) { _ in }.close()
                #expect(isExpected)
            } catch { #expect(!isExpected && error.code == .pay(.terminalNotReady)) }
            isAway.withLock { $0 = false }
        }
        link.mayClose()
    }

    @Test func aSessionClosesItsLink() async throws {
        let (near, far) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
        let terminals = Self.terminals { () throws(LinkError) in near }
        let session = try await terminals.open(
            Self.posMate, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
            as: attempt("A1")
        ) { _ in }
        session.close()
        while try await far.receive({ _ in }) {}
    }
}
