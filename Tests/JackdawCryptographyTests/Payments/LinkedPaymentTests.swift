import JackdawCryptography
import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// Payments at a reader at the other end of a link, whose link breaks.
@Suite struct LinkedPaymentTests {
    /// The link to an SPm20 is lost after each packet, and opened again: the terminal is asked how the payment ended.
    @Test(.timeLimit(.minutes(10))) func aLostLinkToATerminalIsOpenedAgain() async {
        // In a process of its own: its timers need threads that no other test keeps.
        await #expect(processExitsWith: .success) { try await LinkedPaymentTests.loseLinks() }
    }

    fileprivate static func loseLinks() async throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let (setup, ends) = (try PaymentRuns.setup(card), try PaymentRuns.ends(card))
        let primitives = LibCryptoPrimitives(mode: .test)
        let link = LinkName(.tcp, "127.0.0.1:4000")
        var reopened = 0
        for packets in 0..<24 {
            let time = VirtualTime()
            let model = try #require(setup.terminal(of: .spm20, primitives))
            let host = SimulatorHost(clock: time.clock) { SimulatedReader(model) }
            let servings = Shared<[Task<Void, Never>]>([])
            @Sendable func open(_ packets: Int) -> any Transport {
                let (program, reader) = MemoryLink.pair(link: link)
                let serving = Task(executorPreference: time) { await host.serve(reader) }
                servings.with { $0.append(serving) }
                return ShortLink(base: program, packets: packets)
            }
            let payment = LinkedPayment(
                try PaymentRun(
                    setup, amount: ends.amount, currency: ends.currency, atLinkOf: .spm20, number: 7, primitives),
                over: open(packets), clock: time.clock, reopen: { () async throws(LinkError) in open(.max) })
            let result = await time.run {
                let (result, _) = await payment.pay { _ in }
                for serving in servings.with(\.self) { await serving.value }
                return result
            }
            #expect(result.outcome != nil && result.isSettled, "after \(packets)")
            #expect(result.captured == (result.verdict == .approved ? ends.amount : 0), "after \(packets)")
            let links = servings.with(\.count)
            #expect(links <= 2, "after \(packets)")
            if links == 2 { reopened += 1 }
        }
        #expect(reopened > 3)
    }

    @Test(.timeLimit(.minutes(10))) func aProgramThatConnectsTakesTheReaderOver() async throws {
        let host = SimulatorHost(clock: LeapingClock()) { SimulatedReader(JSONPOSModel()) }
        let link = LinkName(.tcp, "127.0.0.1:4000")
        let (first, firstReader) = MemoryLink.pair(link: link)
        let (second, secondReader) = MemoryLink.pair(link: link)
        let question = JSONPOSMessage.request(method: "_Keepalive", parameters: .object([:]), id: "1").frame
        let serving = Task { await host.serve(firstReader) }
        try await first.send(question)
        let isServed = try await first.receive { _ in }
        #expect(isServed)
        let next = Task { await host.serve(secondReader) }
        await serving.value
        let isOpen = try await first.receive { _ in }
        #expect(!isOpen)
        try await second.send(question)
        let isServedNext = try await second.receive { _ in }
        #expect(isServedNext)
        await second.close()
        await next.value
    }
}

/// A link that breaks after some packets.
private struct ShortLink: Transport {
    let base: MemoryLink
    private let rest: Shared<Int>

    init(base: MemoryLink, packets: Int) {
        self.base = base
        rest = Shared(packets)
    }

    var link: LinkName { base.link }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        let isOver = rest.with { rest in
            rest -= 1
            return rest < 0
        }
        guard isOver else { return try await base.receive(take) }
        await base.close()
        return false
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func endSending() async throws(LinkError) { try await base.endSending() }
    func close() async { await base.close() }
}
