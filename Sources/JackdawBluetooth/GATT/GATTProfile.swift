/// How a family of readers carries its bytes over GATT: which characteristics it is written by and tells by, and in what
/// pieces.
public struct GATTProfile: Sendable, Hashable {
    /// The longest value that is written at once.
    public enum Chunk: Sendable, Hashable {
        /// What a packet of the link holds.
        case packet
        /// A number of bytes, or what a packet holds where that is less.
        case bytes(Int)
    }

    /// What the family is called.
    public var name: String
    /// The service, a lower-case UUID of 36 characters.
    public var service: String
    /// The characteristic that is written.
    public var write: String
    /// The characteristic that notifies; it may be the same.
    public var notify: String
    /// How much is written at once.
    public var chunk: Chunk
    /// Whether the device answers each write, which is slower and tells whether it arrived.
    public var isAcknowledged: Bool

    /// A profile.
    /// - Parameters:
    ///   - name: what the family is called.
    ///   - service: UUID of the service.
    ///   - write: UUID of the characteristic that is written.
    ///   - notify: UUID of the characteristic that notifies.
    ///   - chunk: how much is written at once.
    ///   - isAcknowledged: whether the device answers each write.
    public init(
        name: String, service: String, write: String, notify: String, chunk: Chunk = .packet,
        isAcknowledged: Bool = true
    ) {
        self.name = name
        self.service = service.lowercased()
        self.write = write.lowercased()
        self.notify = notify.lowercased()
        self.chunk = chunk
        self.isAcknowledged = isAcknowledged
    }

    /// Bytes of a value at most, whatever the link holds (Bluetooth Core 5.3, volume 3, part F, 3.2.9). bluetoothd cuts what is
    /// longer and tells nobody.
    static let longestValue = 512

    /// Bytes of a value at most, by those in a packet of the link, three of which are its own; nil where these are not known.
    static func payloadSize(packet: Int?) -> Int { min(max(1, (packet ?? 23) - 3), longestValue) }

    /// Bytes that are written at once, by those of a value at most.
    func chunkSize(payload: Int) -> Int {
        switch chunk {
        case .packet: payload
        case .bytes(let count): max(1, min(count, payload))
        }
    }
}
