internal import JackdawALSA
public import JackdawReaders
public import JackdawTransport

extension LinuxDevices {
    /// What a `PGSwipeController` is made with: the jack of a sound card, or a simulated one.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name; or `sim:unimag`, `sim:ips` or `sim:ipsenterprise` for a reader that is simulated
    ///     and always attached, with a deck of test cards, and `sim:none` for something that never answers.
    ///   - attachment: how it is known whether something is in the jack.
    ///   - iDynamo: where an iDynamo is: `pty:/dev/ttyACM0`, `tcp:` or `sim:magtek`; nil for none.
    ///   - profiles: values in the place of those of families, one for each at most. A family of which too little is known is not
    ///     looked for without one, and cannot be opened.
    ///   - ciphers: what simulated readers encrypt swipes with, by the names of their families (`magtek` for iDynamo); those
    ///     without one send tracks in clear. `SwipeEncryptor.byFamily` makes them of a key that is published for tests.
    ///   - memory: where it is remembered which reader was found at the card. Nothing is remembered of simulated ones.
    ///   - clock: what readers' times are measured with.
    /// - Returns: the environment; nothing is open yet.
    /// - Throws: `LinkError` with code `unsupported` where the link leads to no jack.
    public func swipeEnvironment(
        _ link: LinkName, attachment: JackSensing = .automatic, iDynamo: LinkName? = nil,
        profiles: [ReaderProfile] = [], ciphers: [String: any SwipeCipher] = [:], memory: SwipeMemory = .standard,
        clock: any Clock<Duration> = SuspendingClock()
    ) throws(LinkError) -> LinuxSwipeEnvironment {
        let own = Dictionary(profiles.map { ($0.family, $0) }) { first, _ in first }
        let iDynamos: @Sendable () -> AsyncStream<ReaderSession> = { [self] in
            guard let iDynamo, let family = ReaderFamily.named("magtek") else { return AsyncStream { nil } }
            return KeptReaders.sessions(
                { () throws(ReaderError) in try family.makeDialect(own[family.name]) }, clock: clock
            ) { () async throws(LinkError) in
                try await iDynamo.scheme == .sim
                    ? SimulatedLinks.open(iDynamo, cipher: ciphers[iDynamo.address], clock: clock)
                    : connect(iDynamo)
            }
        }
        switch link.scheme {
        case .alsa:
            let sensed = JackAttachment(attachment) { [self] () throws(LinkError) in try jacks(link) }
            let volume = PlaybackVolume { [self] () throws(LinkError) in try mixer(link) }
            return LinuxSwipeEnvironment(
                link, SoundCardJack(link: link, profiles: own, clock: clock), sensed, volume,
                ReaderMemory(memory) { SoundCards.identity(of: link) }, iDynamos: iDynamos)
        case .sim:
            guard let name = Self.simulatedJacks[link.address] else { throw Self.noJack(link) }
            let attachment = JackAttachment(attachment == .automatic ? .always : attachment) { nil }
            let jack = SimulatedJack(
                link: link, name: name, profiles: own, cipher: name.flatMap { ciphers[$0] }, clock: clock)
            return LinuxSwipeEnvironment(link, jack, attachment, PlaybackVolume { nil }, nil, iDynamos: iDynamos)
        case .wav, .rfcomm, .ble, .tcp, .pty, .record, .replay: throw Self.noJack(link)
        }
    }

    /// The families of the readers in simulated jacks, by the addresses of these.
    private static let simulatedJacks: [String: String?] = [
        "unimag": "unimag", "ips": "ips", "ipsenterprise": "ipsenterprise", "none": String?.none,
    ]

    private static func noJack(_ link: LinkName) -> LinkError {
        LinkError(
            .unsupported, link: link.description, "leads to no audio jack",
            remedy: "name a sound card, alsa:hw:1,0, or a simulated reader, "
                + simulatedJacks.keys.sorted().map { "sim:\($0)" }.joined(separator: ", "))
    }
}

extension SoundCards {
    /// Who the card is that a link leads to, whatever number it has at the moment; the link's address where that is not known.
    fileprivate static func identity(of link: LinkName) -> String {
        let name = StreamConfiguration(device: link.address).card
        let wanted = name.hasPrefix("hw:") ? String(name.dropFirst(3)) : name
        guard let cards = try? SoundCards(probing: false).cards,
            let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted })
        else { return link.address }
        return "\(card.id) \(card.longName)"
    }
}
