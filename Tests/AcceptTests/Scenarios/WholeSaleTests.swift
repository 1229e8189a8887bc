#if Payments
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

/// Sales by the public calls of the SDK: the payment service, a terminal over a link, and the sandbox's server over TLS.
struct WholeSaleTests {
    /// A card that is inserted, pays 60.00 EUR online, and needs no PIN.
    private static let setup = FlowSetup(
        changes: ["applications[0].records[1].objects.8E": #""00000000000000001F00""#])

    @Test(arguments: [AcceptReaderTerminals.Model.posMate, .emvSwiper, .miura])
    func startPaySellsAtASimulatedReader(model: AcceptReaderTerminals.Model) async throws {
        let sandbox = Sandbox(
            .ready, issuer: try FlowParts(Self.setup).issuer, hashing: PlainTextHashing(),
            random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date) { host in
            let (journal, parts) = (MemoryJournal(), try FlowParts(Self.setup))
            let (accept, clock) = (host.accept, host.clock)
            let service = PaymentService(
                host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
                policy: Accept.paymentPolicy, clock: clock, date: { FlowParts.date }, reader: accept.reader)
            accept.use(service)
            let terminal = AcceptTerminal(uuid: "reader", displayName: "reader", model: "PosMate")
            let link = try SimulatedLink(parts.reader(model))
            accept.use(
                AcceptReaderTerminals(
                    [
                        AcceptReaderTerminals.Reader(
                            vendor: AcceptTerminalVendor(uuid: "vendor", displayName: "vendor"), terminal: terminal,
                            model: model, open: { () throws(LinkError) in link })
                    ], clock: clock, date: { FlowParts.date }, seal: { .tagLengthValue($0) }))
            try await service.start()
            for terminal in try await accept.discoverTerminalsForVendor("vendor") where terminal.isUnconfigured {
                _ = try await accept.configure(terminal, of: "vendor", andToken: host.token, config: host.config)
            }
            let paid = try await accept.startPay(
                AcceptPaymentConfig(
                    vendorUUID: "vendor", terminalUUID: "reader", backendConfig: host.config,
                    basket: AcceptBasket(
                        currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 6000)],
                        transactionUniqueId: "A1"),
                    accessToken: host.token)
            ).result()
            #expect(paid.isAccepted)
            // The certificate of the card follows the approval.
            while true {
                let seen = service.changes.count
                if await service.unfinished.isEmpty { break }
                await service.changes.wait(after: seen)
            }
            let record = try #require(try await journal.record(of: attempt("A1")))
            #expect(record.state == .approved)
            #expect(record.delivery == nil)
            #expect(try await host.booked("A1") == 6000)
            await service.shutDown()
        }
    }
}

/// A simulated reader as a link, whose time is its own: its steps of the next seconds follow each message at once.
struct SimulatedLink: Transport {
    let link: LinkName
    private let core: Core
    private let (near, far): (MemoryLink, MemoryLink)

    init(_ model: any ReaderModel) throws {
        link = try LinkName(parsing: "tcp:localhost:1")
        (near, far) = MemoryLink.pair(link: link)
        core = Core(model)
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await near.receive(take) }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        for message in await core.answer(bytes) { try await far.send(message) }
    }

    func endSending() async throws(LinkError) {}

    func close() async { await near.close() }

    private actor Core {
        private var reader: SimulatedReader
        private var now = Duration.zero

        /// Longer than a cardholder takes for anything, and shorter than the reader's own limits.
        private static let horizon = Duration.seconds(6)

        init(_ model: any ReaderModel) { reader = SimulatedReader(model) }

        func answer(_ bytes: [UInt8]) -> [[UInt8]] {
            reader.receive(bytes.span, at: now)
            let end = now + Self.horizon
            var messages: [[UInt8]] = []
            while let next = reader.nextDeadline, next <= end {
                now = max(now, next)
                for case .send(let message) in reader.advance(to: now) { messages.append(message) }
            }
            return messages
        }
    }
}
#endif
