public import JackdawALSA
import JackdawAudioFile
public import JackdawBluetooth
public import JackdawReaders
public import JackdawTransport

/// Opens the devices of this system by the names of their links. What these share, such as a thread, is kept with it.
public struct LinuxDevices: Sendable {
    let bluetooth: Bluetooth
    let serialPorts: SerialPorts
    let streamLinks = StreamLinks()

    /// Access to this system's devices.
    /// - Parameter bluetooth: this computer's Bluetooth.
    public init(bluetooth: Bluetooth = Bluetooth()) {
        self.init(bluetooth: bluetooth) { () throws(LinkError) in try RFCOMMConnector() }
    }

    /// - Parameters:
    ///   - bluetooth: this computer's Bluetooth.
    ///   - connector: makes what connects RFCOMM links, when the first of them is opened.
    init(bluetooth: Bluetooth, connector: @escaping @Sendable () throws(LinkError) -> RFCOMMConnector) {
        self.bluetooth = bluetooth
        serialPorts = SerialPorts(connector)
    }

    /// Opens what captures sound.
    /// - Parameters:
    ///   - link: `alsa:` and the name of a device, or `wav:` and the path of a sound file.
    ///   - configuration: how a sound card is to be opened; its device is the link's. A file is as it is.
    /// - Returns: the open port.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public func capture(
        _ link: LinkName, _ configuration: StreamConfiguration = StreamConfiguration()
    ) throws(LinkError) -> any AudioPort {
        try capture(link, configuration, while: nil)
    }

    /// The same, for as long as that is wanted.
    /// - Parameters:
    ///   - link: `alsa:` and the name of a device, or `wav:` and the path of a sound file.
    ///   - configuration: how to open a sound card.
    ///   - isWanted: asked while a pipe has not sent its header; nil waits for as long as it takes.
    /// - Returns: the open port.
    /// - Throws: `LinkError`, with code `cancelled` once it is not wanted.
    package func capture(
        _ link: LinkName, _ configuration: StreamConfiguration, while isWanted: (() -> Bool)?
    ) throws(LinkError) -> any AudioPort {
        switch link.scheme {
        case .alsa:
            var configuration = configuration
            configuration.device = link.address
            return try CaptureStream(configuration)
        case .rfcomm, .ble:
            throw LinkError(.unsupported, link: link.description, "there is no sound to capture on a Bluetooth link")
        case .tcp, .pty, .sim, .record, .replay:
            throw LinkError(.unsupported, link: link.description, "there is no sound to capture on a link of bytes")
        case .wav:
            do throws(AudioFileError) {
                return try AudioFilePort(path: link.address, while: isWanted)
            } catch {
                throw LinkError(error, link)
            }
        }
    }

    /// The levels of the sound card that a link leads to.
    /// - Parameter link: the name of the link.
    /// - Returns: nil for what is no sound card.
    /// - Throws: `LinkError`.
    public func mixer(_ link: LinkName) throws(LinkError) -> Mixer? {
        guard link.scheme == .alsa else { return nil }
        return try Mixer(card: StreamConfiguration(device: link.address).card)
    }

    /// The jacks of the sound card that a link leads to.
    /// - Parameter link: the name of the link.
    /// - Returns: nil for what is no sound card, or one that senses nothing.
    /// - Throws: `LinkError`.
    public func jacks(_ link: LinkName) throws(LinkError) -> JackMonitor? {
        guard link.scheme == .alsa else { return nil }
        do throws(LinkError) {
            return try JackMonitor(card: StreamConfiguration(device: link.address).card)
        } catch {
            guard error.code == .unsupported else { throw error }
            return nil
        }
    }
}

extension LinkError {
    /// A file that stands in for a device cannot be read.
    fileprivate init(_ error: AudioFileError, _ link: LinkName) {
        let code: LinkError.Code =
            switch error.code {
            case .notFound: .notFound
            case .notReadable: .notPermitted
            case .io: .system
            case .cancelled: .cancelled
            default: .unsupported
            }
        self.init(code, link: link.description, error.message, underlying: error.underlying)
    }
}

extension LinuxDevices {
    /// Opens a link of bytes to a reader.
    /// - Parameters:
    ///   - link: `rfcomm:` and an address, with `/` and a channel where that is known; `ble:` and an address; `tcp:`, a host
    ///     and a port; `pty:` and the path of a serial line; `sim:` and a family of which a reader is simulated, with a deck
    ///     of test cards; `record:`, a file, a comma and one of these, of which a transcript is kept; or `replay:` and such a
    ///     file, which plays one back at its own times.
    ///   - profile: how the family of readers carries bytes over Bluetooth Low Energy; needed for `ble:`.
    ///   - route: who connects `rfcomm:`.
    ///   - secrecy: what the transcript of `record:` keeps of the bytes. Only this user may read its file.
    ///   - cipher: what the simulated reader of `sim:` encrypts swipes with; nil for one without a key.
    /// - Returns: the open link.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public func connect(
        _ link: LinkName, profile: GATTProfile? = nil, route: SerialRoute = .kernel,
        secrecy: TranscriptSecrecy = .usual, cipher: (any SwipeCipher)? = nil
    ) async throws(LinkError) -> any Transport {
        switch link.scheme {
        case .rfcomm:
            let address = try RFCOMMAddress(link)
            guard route == .bluetoothd else { return try await serialPorts.connect(to: address) }
            guard address.channel == nil else {
                throw LinkError(
                    .unsupported, link: link.description, "bluetoothd finds the channel itself",
                    remedy: "leave it out: \(RFCOMMAddress(device: address.device).link)")
            }
            return try await bluetooth.serialPort(address.device)
        case .ble:
            guard let address = BluetoothAddress(link.address) else {
                throw LinkError(
                    .badName, link: link.description, "no address of a device",
                    remedy: "one has six pairs of digits: ble:AA:BB:CC:DD:EE:FF")
            }
            guard let profile else {
                throw LinkError(
                    .unsupported, link: link.description, "it is not known how this device carries bytes",
                    remedy: "name its service and its characteristics")
            }
            return try await bluetooth.connect(address, profile: profile)
        case .tcp: return try await streamLinks.connect(to: TCPAddress(link))
        case .pty: return try await streamLinks.open(link)
        case .sim: return try SimulatedLinks.open(link, cipher: cipher)
        case .record:
            guard let (path, inner) = link.recording else { preconditionFailure("a transcript is of a link") }
            let transport = try await connect(inner, profile: profile, route: route, cipher: cipher)
            return try await Self.record(transport, as: link, to: path, secrecy)
        case .replay:
            let transcript = try Transcript(contentsOf: link.address, link: link.description)
            return ReplayTransport(transcript, link: link)
        case .alsa, .wav:
            throw LinkError(.unsupported, link: link.description, "carries sound and no bytes")
        }
    }

    /// Keeps a transcript of an open link, which is closed where none can be kept.
    static func record(
        _ transport: any Transport, as link: LinkName, to path: String, _ secrecy: TranscriptSecrecy
    ) async throws(LinkError) -> RecordingTransport {
        do throws(LinkError) {
            // Once the link is open, so that an attempt in vain leaves the last transcript as it is.
            let file = try TranscriptFile(path, link: link.description)
            return try RecordingTransport(transport, secrecy: secrecy) { text throws(LinkError) in
                try file.write(text)
            }
        } catch {
            await transport.close()
            throw error
        }
    }
}

/// Who connects a serial port of classic Bluetooth.
public enum SerialRoute: Sendable, Hashable, CaseIterable {
    /// The kernel, by its own sockets.
    case kernel
    /// bluetoothd, where programs may not use such sockets.
    case bluetoothd
}
