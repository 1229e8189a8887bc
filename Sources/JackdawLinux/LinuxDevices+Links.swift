public import JackdawBluetooth
public import JackdawReaders
public import JackdawTransport

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
