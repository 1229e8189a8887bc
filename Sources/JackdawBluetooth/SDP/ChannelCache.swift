/// Remembers which channels lead to which services, so that a device need not be asked each time.
actor ChannelCache {
    /// A service of a device.
    struct Service: Hashable, Sendable {
        let device: BluetoothAddress
        let service: BluetoothUUID
        /// What it is called, where that was asked for.
        let name: String?
    }

    private var channels: [Service: UInt8]
    private let keep: @Sendable ([Service: UInt8]) -> Void

    /// - Parameters:
    ///   - channels: what was known before.
    ///   - keep: stores what is known, at each change.
    init(_ channels: [Service: UInt8] = [:], keep: @escaping @Sendable ([Service: UInt8]) -> Void = { _ in }) {
        self.channels = channels
        self.keep = keep
    }

    /// The channel of a service; nil where it is not known.
    subscript(service: Service) -> UInt8? { channels[service] }

    /// Remembers a channel.
    func remember(_ channel: UInt8, of service: Service) {
        guard channels.updateValue(channel, forKey: service) != channel else { return }
        keep(channels)
    }

    /// Forgets the channel of a service.
    func forget(_ service: Service) {
        guard channels.removeValue(forKey: service) != nil else { return }
        keep(channels)
    }
}
