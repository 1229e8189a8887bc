internal import JackdawALSA
internal import JackdawDSP
public import JackdawReaders
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
