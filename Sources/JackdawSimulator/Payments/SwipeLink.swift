package import JackdawCards
import JackdawEMV
package import JackdawReaders
import JackdawTransport

/// A simulated reader on the audio jack, at which a virtual card is swiped and pays.
package struct SwipeLink: Sendable, Hashable {
    /// The name of the reader's family.
    package let family: String

    /// The families on the audio jack whose readers report swipes, in the order of their names.
    package static let all: [SwipeLink] = SimulatedFamily.all.filter { simulated in
        simulated.reportsSwipes && ReaderFamily.named(simulated.name)?.carriers.contains(.audio) == true
    }.map { SwipeLink($0) }

    private init(_ simulated: SimulatedFamily) { family = simulated.name }

    /// The reader of a family; nil if the family is not on the audio jack, or reports no swipes.
    package init?(family: String) {
        guard let link = Self.all.first(where: { $0.family == family }) else { return nil }
        self = link
    }

    /// Finds a reader by the name of its link: `sim:unimag`.
    package init?(name: String) {
        guard let link = Self.all.first(where: { $0.name == name }) else { return nil }
        self = link
    }

    /// Finds a reader by the name in a recording: that of the link, or of a reader at another link.
    init?(recordedAs name: String) {
        guard let link = Self(name: name) ?? Self(family: name) else { return nil }
        self = link
    }

    /// The name of the link.
    package var name: String { "sim:\(family)" }

    /// The rules of payments. The jack may have to power the reader up more than once.
    static func policy(_ policy: PaymentPolicy = PaymentPolicy()) -> PaymentPolicy {
        var policy = policy
        policy.limits.preparation = .seconds(60)
        return policy
    }

    /// Whether a cardholder swipes the card at least once.
    package func serves(_ payer: SimulatedPayer) -> Bool { payer.setup.presentations.contains(.swipe) }

    /// Whether a cardholder only swipes the card.
    package func takesEachPresentation(of payer: SimulatedPayer) -> Bool {
        payer.setup.presentations.allSatisfy { $0 == .swipe }
    }
}

/// A reader on the audio jack at which cards are swiped for a payment.
package struct SwipingReader: Sendable {
    /// The name of the reader's family.
    let family: String
    let payment: SwipePaymentSettings
    /// Masks the reader's messages.
    let mask: any TranscriptMask
    /// The simulated reader; nil for one at a link.
    let model: (any ReaderModel)?
    /// The card of a swipe.
    let card: @Sendable (ReaderSwipe) -> CardEvent

    /// - Parameters:
    ///   - family: the reader's family.
    ///   - profile: the values of its protocol.
    ///   - model: the simulated reader. Default: nil, for one at a link.
    ///   - card: makes a card of a swipe. Default: the fields that the reader did not encrypt.
    /// - Throws: `ReaderError` if a value is missing or invalid, or the reader cannot wait for a card.
    package init(
        _ family: ReaderFamily, profile: ReaderProfile, model: (any ReaderModel)? = nil,
        card: @escaping @Sendable (ReaderSwipe) -> CardEvent = { CardEvent($0, source: .audioReader) }
    ) throws(ReaderError) {
        self.family = family.name
        payment = try SwipePaymentSettings(family.makeDialect(profile))
        mask = try family.makeMask(profile)
        self.model = model
        self.card = card
    }
}

extension VirtualCard {
    /// The swipe of the card at a simulated reader, which cannot read it if the card has no track of a payment card.
    /// - Parameter delay: the time since the reader began to wait. Default: zero.
    /// - Returns: the swipe.
    func swipe(after delay: Duration = .zero) -> Presentation {
        guard let track = trackText else { return Presentation(SimulatedCard("virtual"), .swipedInVain, after: delay) }
        return Presentation(SimulatedCard("virtual", track2: track), after: delay)
    }

    /// Track 2 with its sentinels; nil without one.
    private var trackText: String? {
        stripe?.withOctets { octets -> String? in
            guard (try? Track2(equivalentData: octets)) != nil else { return nil }
            var text = ";"
            for index in octets.indices {
                for nibble in [octets[index] >> 4, octets[index] & 0x0F] where nibble != 0x0F {
                    text += nibble == 0x0D ? "=" : "\(nibble)"
                }
            }
            return text + "?"
        } ?? nil
    }
}

extension PaymentSetup {
    /// The swipes of the card at a simulated reader, as often as the cardholder swipes it.
    /// - Parameter delay: the time from the beginning of each wait for a card.
    /// - Returns: the swipes; none of a cardholder who only inserts or taps the card.
    package func swipes(after delay: Duration) -> [Presentation] {
        let setup = payer.setup
        let ways = (0..<setup.maxPresentations).map { setup.presentations[min($0, setup.presentations.count - 1)] }
        return ways.filter { $0 == .swipe }.map { _ in card.swipe(after: delay) }
    }
}
