import JackdawCards
import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A till with a simulated reader on the audio jack, which only swipes cards: the payment's flow, the reader's driver
/// and its sound, and the issuer.
private struct SwipingTill: ~Copyable {
    private(set) var flow: PaymentFlow
    private(set) var issuer: SimulatedIssuer
    /// The events that the payment received.
    private(set) var events: [PaymentEvent] = []
    private(set) var prompts: [PaymentPrompt] = []

    private var rehearsal: SoundRehearsal
    private var silence = Duration.zero
    private var cards: ArraySlice<SimulatedCard>
    private let transaction: KernelTransaction
    private var request = DataObjectStore()
    private var queue: [(event: PaymentEvent, effect: Int?)] = [(.start, nil)]

    init(_ family: String, _ cards: [SimulatedCard], amount: UInt64 = 1000) throws {
        let date = try #require(CardDate(year: 2026, month: 1, day: 15))
        let rehearsal = try SoundRehearsal(family)
        let issuer = try PlainIssuer.issuer()
        transaction = KernelTransaction(amount: amount, currency: hex("0978"), type: .purchase, date: date)
        self.issuer = issuer
        self.cards = cards[...]
        // A reader that gets its power from the jack takes its time to wake up.
        var policy = PaymentPolicy()
        policy.limits.preparation = .seconds(60)
        flow = PaymentFlow(policy: policy)
        self.rehearsal = rehearsal
    }

    /// The time of the sound, and that in which nothing is swiped.
    private var now: Duration { rehearsal.now + silence }

    mutating func run() -> PaymentOutcome? {
        while flow.outcome == nil {
            if queue.isEmpty {
                guard let deadline = flow.nextDeadline else { break }
                let left = deadline - now
                silence += max(.zero, left)
                queue.append((.timer, nil))
            }
            let (event, effect) = queue.removeFirst()
            events.append(event)
            for effect in flow.receive(event, answering: effect, at: now) { carryOut(effect) }
        }
        return flow.outcome
    }

    private mutating func carryOut(_ effect: PaymentEffect) {
        let identifier = effect.identifier
        switch effect.action {
        case .prepare:
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            queue.append((.prepared, identifier))
        case .acceptCard: swipe(identifier)
        case .askHost: askIssuer(identifier)
        case .storeRecord:
            let message = IssuerRequest(reference: "1", .confirmation(request))
            _ = issuer.receive(message, at: now)
            queue.append((.recordStored, identifier))
        case .prompt(let prompt): prompts.append(prompt)
        default: break
        }
    }

    /// Has the next card swiped. What the driver reports of it is the card's event, as `jackdaw listen` prints it.
    private mutating func swipe(_ identifier: Int) {
        guard let card = cards.popFirst() else { return }
        let count = rehearsal.events.count
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(until: .armed)
        rehearsal.present(Presentation(card))
        rehearsal.run(until: .ready)
        for case .swipe(let swipe) in rehearsal.events.dropFirst(count) {
            let event = CardEvent(swipe, source: .audioReader)
            request = event.authorisation(transaction) ?? DataObjectStore()
            queue.append((event.paymentEvent, identifier))
        }
    }

    private mutating func askIssuer(_ identifier: Int) {
        let message = IssuerRequest(reference: "1", .authorisation(request, pinBlock: nil))
        guard case .replies(.decision(let decision), _) = issuer.receive(message, at: now) else {
            return queue.append((.hostUnreachable, identifier))
        }
        queue.append((decision.verdict == .approved ? .hostApproved : .hostDeclined, identifier))
    }
}

/// Payments with cards that a reader on the audio jack swipes.
@Suite struct SwipedPaymentTests {
    private static let plain = SimulatedCard("plain", track2: ";9999990000000014=30121010000012345678?")
    private static let stolen = SimulatedCard("stolen", track2: ";9999990000000022=30121010000012345678?")
    private static let chip = SimulatedCard("chip", track2: ";9999990000000014=30122010000012345678?")
    private static let licence = SimulatedCard("licence", track2: ";636014012345678=281219800101?")

    @Test(arguments: ["unimag", "ips"]) func aSwipedCardPaysOnline(_ family: String) throws {
        var till = try SwipingTill(family, [Self.plain])
        #expect(till.run() == .approved)
        #expect(till.events == [.start, .prepared, .cardSwiped, .hostApproved, .recordStored])
        #expect(till.issuer.ledger["1"]?.capture == .online)
        #expect(till.issuer.ledger["1"]?.amount == 1000)
    }

    @Test func theIssuerDeclinesAStolenCard() throws {
        var till = try SwipingTill("unimag", [Self.stolen])
        #expect(till.run() == .declinedOnline)
        #expect(till.events.contains(.hostDeclined))
        #expect(till.issuer.ledger["1"]?.capture == nil)
    }

    /// A card with a chip must be used in a chip reader; this till has none, and another card is swiped.
    @Test func aCardWithAChipIsNotSwiped() throws {
        var till = try SwipingTill("unimag", [Self.chip, Self.plain])
        #expect(till.run() == .approved)
        #expect(
            till.events == [.start, .prepared, .chipCardSwiped, .cardSwiped, .hostApproved, .recordStored])
        #expect(till.prompts.contains(.useChip))
    }

    @Test func aCardThatIsNoPaymentCardIsNotAccepted() throws {
        var till = try SwipingTill("unimag", [Self.licence])
        #expect(till.run() == .failedTimeout)
        #expect(till.events == [.start, .prepared, .swipeUnreadable, .timer])
        #expect(till.issuer.ledger["1"] == nil)
    }

    /// Without the key, a till cannot make a message for the issuer of tracks that the reader encrypted or masked.
    @Test func tracksThatAreNotInClearAreUnreadable() throws {
        let octets = Array(";9999990000000014=30121010000012345678?".utf8)
        let masked = CardEvent([.init(masked: 2, octets.span)], source: .audioReader)
        let encrypted = CardEvent([.init(encrypted: 2)], source: .audioReader)
        let other = CardEvent([.init(1, octets.span)], source: .audioReader)
        let transaction = KernelTransaction(
            amount: 1000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        for event in [masked, encrypted, other] {
            #expect(event.paymentEvent == .swipeUnreadable)
            #expect(event.authorisation(transaction) == nil)
        }
    }

    /// Track 2 as in object 57 (EMV Book 3, annex A): an odd number of digits ends with F.
    @Test(arguments: [
        (";9999990000000014=30121010000012345678?", "9999990000000014D30121010000012345678F"),
        (";378282246310005=281210112345678?", "378282246310005D281210112345678F"),
        (";4761739001010010=281210100000123?", "4761739001010010D281210100000123"),
    ])
    func trackTwoBecomesAnObject(_ track: String, _ object: String) throws {
        let octets = Array(track.utf8)
        let event = CardEvent([.init(2, octets.span)], source: .sound)
        let transaction = KernelTransaction(
            amount: 1000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        let objects = try #require(event.authorisation(transaction))
        #expect(objects[0x57] == hex(object))
        #expect(objects[0x9F02] == hex("000000001000"))
        #expect(objects[0x5F2A] == hex("0978"))
        #expect(objects[0x9A] == hex("260115"))
        #expect(objects[0x9C] == hex("00"))
    }
}
