internal import JackdawReaders
internal import JackdawSimulator
internal import JackdawTransport

/// Opens simulated readers in this process, by the names of their families.
enum SimulatedLinks {
    /// Opens a link to a reader of its own, at which each card of the deck is swiped once, a second after the reader began to
    /// wait for one; three where it lives on a jack.
    /// - Parameters:
    ///   - link: a name with the scheme `sim`.
    ///   - clock: what the reader's times are measured with.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`notFound`) where no family of that name is simulated.
    static func open(
        _ link: LinkName, clock: any Clock<Duration> = SuspendingClock()
    ) throws(LinkError) -> any Transport {
        guard let family = SimulatedFamily.named(link.address) else {
            let known = SimulatedFamily.all.map { "\(LinkName(.sim, $0.name))" }.joined(separator: ", ")
            throw LinkError(
                .notFound, link: link.description, "no family of readers of that name is simulated",
                remedy: "there are \(known)")
        }
        // One that lives on the jack reads from when it has power on, before its driver knows that it is awake.
        let model = family.makeModel()
        let delay = Duration.seconds(model.livesOnJack ? 3 : 1)
        let keepsPackets = ReaderFamily.named(family.name)?.needsPackets ?? false
        return SimulatorHost.open(link, keepsPackets: keepsPackets, clock: clock) {
            SimulatedReader(model, deck: SimulatedCard.deck.map { Presentation($0, after: delay) })
        }
    }
}
