import JackdawTestSupport
import JackdawTransport

/// A link that delivers bytes, and breaks when anything is sent.
struct BrokenLink: Transport {
    static let bytes = [UInt8](repeating: 0x5A, count: 4_096)

    let link = LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/7")
    /// The address in memory of the bytes that could not be sent.
    let sent = Shared<UInt?>(nil)

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        take(Self.bytes.span)
        return true
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        sent.with { $0 = address }
        throw LinkError(.disconnected, link: link.description, "broken", undelivered: bytes.count)
    }

    func endSending() async throws(LinkError) {}

    func close() async {}
}
