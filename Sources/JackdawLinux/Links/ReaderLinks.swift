internal import JackdawALSA
public import JackdawBluetooth
internal import JackdawDSP
public import JackdawReaders
public import JackdawSimulator
internal import JackdawSystem
public import JackdawTransport

extension LinuxDevices {
    /// Opens a sound card that has a reader in its headphone jack, for a `ReaderSession`: it is played to on two channels, and
    /// heard on the first one that is captured.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name, or `record:` and a file before it.
    ///   - sound: what goes through the jack, as the reader's family has it.
    ///   - secrecy: what a transcript keeps.
    /// - Returns: the link, to a reader without power.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public static func connect(
        _ link: LinkName, sound: ReaderSound, secrecy: TranscriptSecrecy = .usual
    ) async throws(LinkError) -> any PoweredTransport {
        if let (path, inner) = link.recording {
            return try await record(connect(inner, sound: sound), as: link, to: path, secrecy)
        }
        // A sound card takes its time to open and to close.
        return try await WorkerThread.run(name: "jackdaw-open", for: link) { () throws(LinkError) in
            try open(link, sound)
        }
    }

    private static func open(_ link: LinkName, _ sound: ReaderSound) throws(LinkError) -> any PoweredTransport {
        try onSoundCard(link) {
            let configuration = StreamConfiguration(device: link.address, reopens: false)
            let stream = try DuplexStream(configuration, playbackChannels: sound.power.connecting.channels.count) {
                format in try ReaderModulator(sound, sampleRate: format.sampleRate).makeLine()
            }
            do {
                let transport = try SoundLink(link, sound, playback: stream, captureRate: stream.sampleRate) {
                    await WorkerThread.finish(name: "jackdaw-close") { stream.close() }
                }
                // It ends with the link.
                try WorkerThread(name: "jackdaw-reader") { transport.capture(from: stream) }.detach()
                return transport
            } catch {
                stream.close()
                throw error
            }
        }
    }
}

extension LinuxDevices {
    /// Simulates a reader on a sound card, such as one end of a loopback whose other end a program takes for the reader's card.
    /// Blocks until it is over.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name.
    ///   - sound: what goes through the reader's jack, as its family has it.
    ///   - path: how the reader is heard; noise and hum are the card's own.
    ///   - goesOn: whether it goes on; asked ten times a second at least.
    ///   - tell: gets each time that the reader gets power or loses it.
    ///   - makeReader: makes what it answers and sends.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    package static func simulate(
        _ link: LinkName, _ sound: ReaderSound, path: AudioPath = AudioPath(), while goesOn: () -> Bool,
        _ tell: (Bool) -> Void = { _ in }, _ makeReader: () -> SimulatedReader
    ) throws(LinkError) {
        try onSoundCard(link) {
            var configuration = StreamConfiguration(device: link.address, reopens: false)
            // The power may be on the second channel.
            configuration.channels = sound.power.connecting.channels.count
            let stream = try DuplexStream(configuration, playbackChannels: 1) { format in
                try SimulatedAudioHost.makeLine(sampleRate: format.sampleRate)
            }
            defer { stream.close() }
            let reader = try SimulatedAudioReader(sound, sampleRate: stream.sampleRate, path: path, makeReader)
            var host = SimulatedAudioHost(reader)
            try host.run(hearing: stream, saying: stream, while: goesOn, tell)
        }
    }

    /// Does something with a sound card, and says of what stands in the way what to do about it.
    static func onSoundCard<Result>(_ link: LinkName, _ body: () throws -> Result) throws(LinkError) -> Result {
        guard link.scheme == .alsa else {
            throw LinkError(.unsupported, link: link.description, "no sound card", remedy: "name one: alsa:hw:1,0")
        }
        do {
            return try body()
        } catch let error as LinkError {
            throw error
        } catch {
            throw LinkError(
                .unsupported, link: link.description, "the sound card cannot carry what the reader needs",
                remedy: "choose one that plays 44.1 or 48 kHz", underlying: "\(error)")
        }
    }
}

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

/// Opens links over TCP and serial lines, which share a thread.
actor StreamLinks {
    private var made: EventLoop?

    func connect(to address: TCPAddress) async throws(LinkError) -> any Transport {
        try await TCPConnector(loop: loop(for: address.link)).connect(to: address)
    }

    func open(_ link: LinkName) throws(LinkError) -> any Transport { try SerialLine(loop: loop(for: link)).open(link) }

    private func loop(for link: LinkName) throws(LinkError) -> EventLoop {
        if let made { return made }
        do throws(SystemFailure) {
            let loop = try EventLoop(name: "jackdaw-links")
            made = loop
            return loop
        } catch {
            throw .system(error, link: link.description, "cannot be watched")
        }
    }
}

extension GATTProfile {
    /// How a reader is reached over Bluetooth Low Energy, by its profile.
    /// - Parameter profile: of the reader's family, with `ProfileKey.lowEnergyService` and the others.
    /// - Throws: `ReaderError`: `missingValue` where one is not there, `badProfile` where one is no UUID.
    public init(_ profile: ReaderProfile) throws(ReaderError) {
        self.init(
            name: profile.name, service: try profile.uuid(.lowEnergyService),
            write: try profile.uuid(.lowEnergyWrite), notify: try profile.uuid(.lowEnergyNotify))
    }
}

extension ReaderProfile {
    fileprivate func uuid(_ key: ProfileKey) throws(ReaderError) -> String {
        let text = try text(key)
        guard let uuid = BluetoothUUID(text) else {
            throw ReaderError(
                .badProfile, "values.\(key) of the profile \"\(name)\" is no UUID", remedy: "give it 36 characters")
        }
        return uuid.description
    }
}
