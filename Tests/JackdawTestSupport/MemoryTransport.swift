public import JackdawTransport

/// One end of a link in memory: what one end sends the other receives, until one of them closes
/// or the test loses the link.
public final class MemoryTransport: Transport {
    private struct Direction {
        var bytes: [UInt8] = []
        var hasEnded = false
    }

    private struct Wire {
        let room: Int
        var directions = [Direction(), Direction()]
        var isClosed = [false, false]
        var failure: LinkError?
    }

    /// The name that both ends have.
    public let link: LinkName
    private let wire: Shared<Wire>
    private let side: Int

    private init(link: LinkName, wire: Shared<Wire>, side: Int) {
        self.link = link
        self.wire = wire
        self.side = side
    }

    /// Two ends of one link.
    /// - Parameters:
    ///   - link: its name.
    ///   - room: bytes of each direction that wait to be received; who sends more waits.
    /// - Returns: the ends.
    public static func pair(link: LinkName, room: Int = 4_096) -> (MemoryTransport, MemoryTransport) {
        let wire = Shared(Wire(room: room))
        return (MemoryTransport(link: link, wire: wire, side: 0), MemoryTransport(link: link, wire: wire, side: 1))
    }

    /// Loses the link: what was not received is gone, and both ends fail.
    /// - Parameter failure: as what.
    public func lose(_ failure: LinkError) {
        wire.with { wire in
            guard wire.failure == nil else { return }
            wire.failure = failure
            wire.directions = [Direction(), Direction()]
        }
    }

    /// Whether this end is not closed.
    public var isOpen: Bool { wire.with { wire in !wire.isClosed[side] } }
    /// Bytes that this end sent and the other has not received.
    public var unread: Int { wire.with { wire in wire.directions[side].bytes.count } }
    /// How many receive or send and wait, on both ends.
    public var waitingCount: Int { wire.waitingCount }

    /// Receives what has come, all of it.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        let bytes: [UInt8] = try await first { wire in
            if let failure = self.failure(wire) { return .failure(failure) }
            let bytes = wire.directions[1 - self.side].bytes
            wire.directions[1 - self.side].bytes = []
            if !bytes.isEmpty || wire.directions[1 - self.side].hasEnded || wire.isClosed[1 - self.side] {
                return .success(bytes)
            }
            return nil
        }
        guard !bytes.isEmpty else { return false }
        take(bytes.span)
        return true
    }

    /// Sends bytes as room comes free.
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let left = rest
            do throws(LinkError) {
                rest = try await first { wire in
                    let failure = self.failure(wire) ?? (wire.isClosed[1 - self.side] ? self.disconnected : nil)
                    if let failure { return .failure(failure) }
                    let count = min(left.count, wire.room - wire.directions[self.side].bytes.count)
                    wire.directions[self.side].bytes += left.prefix(count)
                    return count > 0 ? .success(left.dropFirst(count)) : nil
                }
            } catch {
                throw LinkError(
                    error.code, link: error.link, error.message, remedy: error.remedy, undelivered: left.count)
            }
        }
    }

    /// Ends this end's direction.
    public func endSending() async throws(LinkError) { wire.with { wire in wire.directions[side].hasEnded = true } }

    public func close() async { wire.with { wire in wire.isClosed[side] = true } }

    private var disconnected: LinkError { LinkError(.disconnected, link: link.description, "the link is closed") }

    private func failure(_ wire: Wire) -> LinkError? { wire.failure ?? (wire.isClosed[side] ? disconnected : nil) }

    private func first<Value: Sendable>(
        _ body: (inout Wire) -> Result<Value, LinkError>?
    ) async throws(LinkError) -> Value {
        let result: Result<Value, LinkError>
        do {
            result = try await wire.first(body)
        } catch {
            throw LinkError(.cancelled, link: link.description, "given up")
        }
        return try result.get()
    }
}
