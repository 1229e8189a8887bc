internal import JackdawALSA
public import JackdawBluetooth
internal import JackdawDSP
public import JackdawReaders
package import JackdawSimulator
internal import JackdawSystem
public import JackdawTransport

extension LinuxDevices {
    /// Opens a sound card that has a reader in its headphone jack, for a `ReaderSession`. Playback uses the channels of
    /// the power tone, capture the first channel.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name, or `record:` and a file before it.
    ///   - sound: the signals at the jack, from the reader's family.
    ///   - secrecy: how a transcript masks the bytes.
    /// - Returns: the link, to a reader without power.
    /// - Throws: `LinkError` with the cause and a remedy.
    public static func connect(
        _ link: LinkName, sound: ReaderSound, secrecy: TranscriptSecrecy = .usual
    ) async throws(LinkError) -> any PoweredTransport {
        if let (path, inner) = link.recording {
            return try await record(connect(inner, sound: sound), as: link, to: path, secrecy)
        }
        // Opening and closing a sound card block.
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
                // The thread ends with the link.
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
    /// Simulates a reader on a sound card, such as one end of a loopback whose other end a program opens as the
    /// reader's card. Blocks until the simulation ends.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name.
    ///   - sound: the signals at the reader's jack, from its family.
    ///   - path: the path of the sound; noise and hum come from the card itself.
    ///   - goesOn: whether to go on; called at least ten times a second.
    ///   - powerChanged: called each time that the reader gets power or loses it.
    ///   - makeReader: makes the model of the reader.
    /// - Throws: `LinkError` with the cause and a remedy.
    package static func simulate(
        _ link: LinkName, _ sound: ReaderSound, path: AudioPath = AudioPath(), while goesOn: () -> Bool,
        _ powerChanged: (Bool) -> Void = { _ in }, _ makeReader: () -> SimulatedReader
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
            try host.run(hearing: stream, saying: stream, while: goesOn, powerChanged)
        }
    }

    /// Runs a body that uses a sound card, and converts its errors to a `LinkError` with a remedy.
    static func onSoundCard<Result>(_ link: LinkName, _ body: () throws -> Result) throws(LinkError) -> Result {
        guard link.scheme == .alsa else {
            throw LinkError(.unsupported, link: link.description, "not a sound card", remedy: "name one: alsa:hw:1,0")
        }
        do {
            return try body()
        } catch let error as LinkError {
            throw error
        } catch {
            throw LinkError(
                .unsupported, link: link.description, "the sound card does not support the sound that the reader needs",
                remedy: "choose one that plays 44.1 or 48 kHz", underlying: "\(error)")
        }
    }
}

/// Opens simulated readers in this process, by their names or those of their families.
enum SimulatedLinks {
    /// Opens a link to a new reader. Each card of the deck is swiped once, a second after the reader began to wait for
    /// it; three seconds if the reader draws its power from a jack.
    /// - Parameters:
    ///   - link: a name with the scheme `sim`.
    ///   - cipher: the reader's cipher for swipes; nil for a reader without a key.
    ///   - clock: measures the reader's times.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `notFound` if no reader of that name is simulated, `unsupported` if the encryption of the
    ///   family's readers is not published.
    static func open(
        _ link: LinkName, cipher: (any SwipeCipher)? = nil, clock: any Clock<Duration> = SuspendingClock()
    ) throws(LinkError) -> any Transport {
        guard let family = SimulatedFamily.named(link.address) else {
            let known = SimulatedFamily.names.map { "\(LinkName(.sim, $0))" }.joined(separator: ", ")
            throw LinkError(
                .notFound, link: link.description, "there is no simulated reader of this name",
                remedy: "the simulated readers are \(known)")
        }
        // A reader that draws its power from a jack reads cards as soon as it has power, before its driver knows that
        // it is awake.
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
                "the encryption of \(family.name) readers with such a key is not published",
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
            throw .system(error, link: link.description, "no event loop can be created")
        }
    }
}

extension GATTProfile {
    /// The GATT profile of a reader for Bluetooth Low Energy, from the profile of its family.
    /// - Parameter profile: of the reader's family, with `ProfileKey.lowEnergyService` and the others.
    /// - Throws: `ReaderError`: `missingValue` if a value is missing, `badProfile` if one is not a UUID.
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
                .badProfile, "values.\(key) of the profile \"\(name)\" is not a UUID", remedy: "use 36 characters")
        }
        return uuid.description
    }
}
