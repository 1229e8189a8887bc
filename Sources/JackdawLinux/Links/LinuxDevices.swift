public import JackdawALSA
import JackdawAudioFile
public import JackdawBluetooth
public import JackdawReaders
public import JackdawTransport

#if PCSC
import JackdawPCSC
#endif

/// Opens this computer's devices by the names of their links. The links share resources, such as a thread, that this
/// value keeps.
public struct LinuxDevices: Sendable {
    let bluetooth: Bluetooth
    let serialPorts: SerialPorts
    let streamLinks = StreamLinks()

    /// Access to this computer's devices.
    /// - Parameter bluetooth: this computer's Bluetooth.
    public init(bluetooth: Bluetooth = Bluetooth()) {
        self.init(bluetooth: bluetooth) { () throws(LinkError) in try RFCOMMConnector() }
    }

    /// - Parameters:
    ///   - bluetooth: this computer's Bluetooth.
    ///   - connector: makes the RFCOMM connector, when the first RFCOMM link is opened.
    init(bluetooth: Bluetooth, connector: @escaping @Sendable () throws(LinkError) -> RFCOMMConnector) {
        self.bluetooth = bluetooth
        serialPorts = SerialPorts(connector)
    }

    /// Opens a port that captures sound.
    /// - Parameters:
    ///   - link: `alsa:` and the name of a device, or `wav:` and the path of a sound file.
    ///   - configuration: the configuration of a sound card; its device is replaced by the link's. A file has its own
    ///     format.
    /// - Returns: the open port.
    /// - Throws: `LinkError` with the cause and a remedy.
    public func capture(
        _ link: LinkName, _ configuration: StreamConfiguration = StreamConfiguration()
    ) throws(LinkError) -> any AudioPort {
        try capture(link, configuration, while: nil)
    }

    /// Opens a port that captures sound, and gives up when a closure returns false.
    /// - Parameters:
    ///   - link: `alsa:` and the name of a device, or `wav:` and the path of a sound file.
    ///   - configuration: the configuration of a sound card; its device is replaced by the link's.
    ///   - isWanted: called while a pipe has not sent its header, and returns false to end the wait; nil waits without
    ///     limit.
    /// - Returns: the open port.
    /// - Throws: `LinkError`, with code `cancelled` if `isWanted` returned false.
    package func capture(
        _ link: LinkName, _ configuration: StreamConfiguration, while isWanted: (() -> Bool)?
    ) throws(LinkError) -> any AudioPort {
        switch link.scheme {
        case .alsa:
            var configuration = configuration
            configuration.device = link.address
            return try CaptureStream(configuration)
        case .rfcomm, .ble:
            throw LinkError(.unsupported, link: link.description, "a Bluetooth link carries no sound to capture")
        case .tcp, .pty, .pcsc, .sim, .record, .replay:
            throw LinkError(.unsupported, link: link.description, "a link of bytes carries no sound to capture")
        case .wav:
            do throws(AudioFileError) {
                return try AudioFilePort(path: link.address, while: isWanted)
            } catch {
                throw LinkError(error, link)
            }
        }
    }

    /// Lists the devices that are paired with this computer over Bluetooth, switched on or not.
    /// - Returns: each device, with the name of its link.
    /// - Throws: `LinkError`: `serviceMissing`, `notPermitted`.
    public func pairedDevices() async throws(LinkError) -> [FoundDevice] {
        try await bluetooth.knownDevices().filter(\.isPaired)
    }

    /// Lists the sound cards that capture and play, as a reader on an audio jack needs.
    /// - Returns: each device of a card, with the name of its link and that of the card.
    /// - Throws: `LinkError` if the kernel's list cannot be read.
    public func jackCards() throws(LinkError) -> [FoundDevice] { try SoundCards(probing: false).duplexDevices }

    /// The mixer of the sound card that a link names.
    /// - Parameter link: the name of the link.
    /// - Returns: the mixer; nil if the link is not a sound card.
    /// - Throws: `LinkError` if the mixer cannot be opened.
    public func mixer(_ link: LinkName) throws(LinkError) -> Mixer? {
        guard link.scheme == .alsa else { return nil }
        return try Mixer(card: StreamConfiguration(device: link.address).card)
    }

    /// The jacks of the sound card that a link names.
    /// - Parameter link: the name of the link.
    /// - Returns: the jacks; nil if the link is not a sound card, or the card has no jack detection.
    /// - Throws: `LinkError` if the card cannot be opened.
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
    /// The error of a file, opened instead of a device, that cannot be read.
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
    /// Opens a byte link to a reader.
    /// - Parameters:
    ///   - link: `rfcomm:` and an address, with `/` and a channel if that is known; `ble:` and an address; `tcp:`, a
    ///     host and a port; `pty:` and the path of a serial line; `pcsc:` and a reader of pcscd, for the chip card in
    ///     it (with the trait `PCSC`); `sim:` and a family or a reader, for a simulated one with a deck of test cards;
    ///     `record:`, a file, a comma and one of these, to record a transcript of it; or `replay:` and such a file, to
    ///     play it back with its own times.
    ///   - profile: the GATT profile of the reader's family for Bluetooth Low Energy; needed for `ble:`.
    ///   - route: the software that connects `rfcomm:`.
    ///   - secrecy: how the transcript of `record:` masks the bytes; nil for the mask of the link: `CardMessageMask`
    ///     for a chip card and a replayed one, else `CardDataMask`. Only this user may read its file.
    ///   - cipher: encrypts the swipes of the simulated reader of `sim:`; nil for a reader without a key.
    /// - Returns: the open link.
    /// - Throws: `LinkError` with the cause and a remedy.
    public func connect(
        _ link: LinkName, profile: GATTProfile? = nil, route: SerialRoute = .kernel,
        secrecy: TranscriptSecrecy? = nil, cipher: (any SwipeCipher)? = nil
    ) async throws(LinkError) -> any Transport {
        switch link.scheme {
        case .rfcomm:
            let address = try RFCOMMAddress(link)
            guard route == .bluetoothd else { return try await serialPorts.connect(to: address) }
            guard address.channel == nil else {
                throw LinkError(
                    .unsupported, link: link.description, "bluetoothd finds the channel itself",
                    remedy: "omit it: \(RFCOMMAddress(device: address.device).link)")
            }
            return try await bluetooth.serialPort(address.device)
        case .ble:
            guard let address = BluetoothAddress(link.address) else {
                throw LinkError(
                    .badName, link: link.description, "not the address of a device",
                    remedy: "an address has six pairs of digits: ble:AA:BB:CC:DD:EE:FF")
            }
            guard let profile else {
                throw LinkError(
                    .unsupported, link: link.description, "the characteristics of this device are not known",
                    remedy: "name its service and its characteristics")
            }
            return try await bluetooth.connect(address, profile: profile)
        case .tcp: return try await streamLinks.connect(to: TCPAddress(link))
        case .pty: return try await streamLinks.open(link)
        case .pcsc: return try await Self.openCard(link)
        case .sim: return try SimulatedLinks.open(link, cipher: cipher)
        case .record:
            guard let (path, inner) = link.recording else { preconditionFailure("a record link has a link") }
            let transport = try await connect(inner, profile: profile, route: route, cipher: cipher)
            return try await Self.record(transport, as: link, to: path, secrecy ?? Self.usualSecrecy(of: transport))
        case .replay:
            let transcript = try Transcript(contentsOf: link.address, link: link.description)
            return ReplayTransport(transcript, link: link)
        case .alsa, .wav:
            throw LinkError(.unsupported, link: link.description, "carries sound, not bytes")
        }
    }

    /// The mask of a link's transcript: that of the device, which a replay replaces.
    private static func usualSecrecy(of transport: any Transport) -> TranscriptSecrecy {
        let isCard = transport.deviceName.hasPrefix("\(LinkName.Scheme.pcsc.rawValue):")
        return isCard ? .masked(CardMessageMask()) : .usual
    }

    private static func openCard(_ link: LinkName) async throws(LinkError) -> any Transport {
        #if PCSC
        return try await CardService().connect(to: link)
        #else
        throw LinkError(
            .unsupported, link: link.description, "this program has no links to PC/SC readers",
            remedy: "build it with the trait PCSC of the package jackdaw")
        #endif
    }

    /// Records a transcript of an open link; closes the link if no transcript can be recorded.
    static func record(
        _ transport: any Transport, as link: LinkName, to path: String, _ secrecy: TranscriptSecrecy
    ) async throws(LinkError) -> RecordingTransport {
        do throws(LinkError) {
            // After the link is open, so that a failed attempt does not overwrite the last transcript.
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

/// The software that connects a serial port of classic Bluetooth.
public enum SerialRoute: Sendable, Hashable, CaseIterable {
    /// The kernel, through this program's own Bluetooth sockets.
    case kernel
    /// bluetoothd, for programs that may not use Bluetooth sockets.
    case bluetoothd
}
