public import JackdawALSA
import JackdawAudioFile
public import JackdawBluetooth
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
