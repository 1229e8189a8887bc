internal import JackdawReaders
internal import JackdawSimulator
internal import JackdawTransport

/// Opens simulated readers in this process, by the names of their families.
enum SimulatedLinks {
    /// Opens a link to a reader of its own, at which each card of the deck is swiped once, a second after the reader began to
    /// wait for one; three where it lives on a jack.
    /// - Parameters:
    ///   - link: a name with the scheme `sim`.
    ///   - cipher: the reader's cipher for swipes; nil for one without a key.
    ///   - clock: what the reader's times are measured with.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`notFound`) where no family of that name is simulated, `unsupported` where it is not published how
    ///   the family's readers encrypt.
    static func open(
        _ link: LinkName, cipher: (any SwipeCipher)? = nil, clock: any Clock<Duration> = SuspendingClock()
    ) throws(LinkError) -> any Transport {
        guard let family = SimulatedFamily.named(link.address) else {
            let known = SimulatedFamily.all.map { "\(LinkName(.sim, $0.name))" }.joined(separator: ", ")
            throw LinkError(
                .notFound, link: link.description, "no family of readers of that name is simulated",
                remedy: "there are \(known)")
        }
        // One that lives on the jack reads from when it has power on, before its driver knows that it is awake.
        let model =
            try cipher.map { (cipher) throws(LinkError) in try makeModel(of: family, cipher, link) }
            ?? family.makeModel()
        let delay = Duration.seconds(model.livesOnJack ? 3 : 1)
        let keepsPackets = ReaderFamily.named(family.name)?.needsPackets ?? false
        return SimulatorHost.open(link, keepsPackets: keepsPackets, clock: clock) {
            SimulatedReader(model, deck: SimulatedCard.deck.map { Presentation($0, after: delay) })
        }
    }

    private static func makeModel(
        of family: SimulatedFamily, _ cipher: any SwipeCipher, _ link: LinkName
    ) throws(LinkError) -> any ReaderModel {
        guard let model = family.makeModel(cipher: cipher) else {
            throw LinkError(
                .unsupported, link: link.description,
                "how readers of \(family.name) encrypt by such a key is not published",
                remedy: "open it without a key")
        }
        return model
    }
}
