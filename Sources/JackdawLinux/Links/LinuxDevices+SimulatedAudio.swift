internal import JackdawALSA
internal import JackdawDSP
public import JackdawReaders
public import JackdawSimulator
public import JackdawTransport

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
    public static func simulate(
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
