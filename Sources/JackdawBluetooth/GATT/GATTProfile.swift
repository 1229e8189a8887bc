/// The GATT protocol of a reader family: the characteristics for writing and for notifications, and the size of the
/// chunks.
public struct GATTProfile: Sendable, Hashable {
    /// The greatest length of a value in one write.
    public enum Chunk: Sendable, Hashable {
        /// As many bytes as a packet of the link holds.
        case packet
        /// This number of bytes, or as many as a packet holds if that is less.
        case bytes(Int)
    }

    /// The name of the reader family.
    public var name: String
    /// The service, a lower-case UUID of 36 characters.
    public var service: String
    /// UUID of the characteristic that the link writes.
    public var write: String
    /// UUID of the characteristic that notifies; it may be the same.
    public var notify: String
    /// The size of each write.
    public var chunk: Chunk
    /// Whether the device acknowledges each write, which is slower and confirms its arrival.
    public var isAcknowledged: Bool

    /// Creates a profile.
    /// - Parameters:
    ///   - name: the name of the reader family.
    ///   - service: UUID of the service.
    ///   - write: UUID of the characteristic that the link writes.
    ///   - notify: UUID of the characteristic that notifies.
    ///   - chunk: the size of each write.
    ///   - isAcknowledged: whether the device acknowledges each write.
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

    /// The greatest length of a value in bytes, for any packet size (Bluetooth Core 5.3, volume 3, part F, 3.2.9).
    /// bluetoothd truncates longer values without an error.
    static let longestValue = 512

    /// The greatest length of a value, for the bytes in a packet of the link, three of which are its header; a nil
    /// packet size counts as 23.
    static func payloadSize(packet: Int?) -> Int { min(max(1, (packet ?? 23) - 3), longestValue) }

    /// The bytes in one write, for the greatest length of a value.
    func chunkSize(payload: Int) -> Int {
        switch chunk {
        case .packet: payload
        case .bytes(let count): max(1, min(count, payload))
        }
    }
}
