import JackdawBytes
public import JackdawTransport

/// One end of a link in memory: each end receives the bytes that the other sends, until one of them closes.
public struct MemoryLink: Transport {
    /// The name of the link at both ends.
    public let link: LinkName
    private let wire: MemoryWire
    private let side: Int

    /// Makes two ends of one link.
    /// - Parameters:
    ///   - link: the name of the link.
    ///   - room: the limit of unreceived bytes in each direction, 1 or more; at the limit sending waits.
    ///   - keepsPackets: whether the bytes of one call to ``send(_:)`` are received at once and alone, as over
    ///     Bluetooth Low Energy.
    /// - Returns: the two ends.
    public static func pair(
        link: LinkName, room: Int = 65_536, keepsPackets: Bool = false
    ) -> (MemoryLink, MemoryLink) {
        let wire = MemoryWire(link: link, room: room, keepsPackets: keepsPackets)
        return (MemoryLink(link: link, wire: wire, side: 0), MemoryLink(link: link, wire: wire, side: 1))
    }

    /// Receives all bytes that have been sent, or one packet if the link keeps packets.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = try await wire.receive(at: side)
        guard !bytes.isEmpty else { return false }
        take(bytes.span)
        bytes.wipe()
        return true
    }

    /// Sends bytes; waits while the other end has not received earlier ones.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await wire.send(bytes, from: side) }

    /// Ends this end's direction.
    public func endSending() async throws(LinkError) { await wire.end(side) }

    /// Closes this end; the other end can still receive bytes that were sent before.
    public func close() async { await wire.close(side) }
}

/// Both directions of a link in memory.
private actor MemoryWire {
    private struct Direction {
        /// In the order in which they were sent.
        var packets: [[UInt8]] = []
        var count = 0
        var hasEnded = false
    }

    private let link: LinkName
    private let room: Int
    private let keepsPackets: Bool
    private var directions = [Direction(), Direction()]
    private var isClosed = [false, false]
    private let change = AsyncSignal()

    init(link: LinkName, room: Int, keepsPackets: Bool) {
        precondition(room > 0, "the room must be 1 byte or more")
        self.link = link
        self.room = room
        self.keepsPackets = keepsPackets
    }

    func receive(at side: Int) async throws(LinkError) -> [UInt8] {
        while true {
            try check(side)
            let other = directions[1 - side]
            if !other.packets.isEmpty {
                let taken = other.packets.prefix(keepsPackets ? 1 : .max)
                directions[1 - side].packets.removeFirst(taken.count)
                let bytes = Array(taken.joined())
                directions[1 - side].count -= bytes.count
                change.send()
                return bytes
            }
            if other.hasEnded || isClosed[1 - side] { return [] }
            await change.wait(after: change.count)
        }
    }

    func send(_ bytes: [UInt8], from side: Int) async throws(LinkError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(LinkError) {
                try check(side)
                guard !isClosed[1 - side], !directions[side].hasEnded else { throw disconnected }
            } catch {
                throw LinkError(error.code, link: error.link, error.message, undelivered: rest.count)
            }
            let free = room - directions[side].count
            // A packet is never divided; one that is larger than the limit is sent once the direction is empty.
            let isWhole = keepsPackets && (rest.count <= free || directions[side].count == 0)
            let count = isWhole ? rest.count : keepsPackets ? 0 : min(rest.count, free)
            guard count > 0 else {
                await change.wait(after: change.count)
                continue
            }
            directions[side].packets.append(Array(rest.prefix(count)))
            directions[side].count += count
            rest = rest.dropFirst(count)
            change.send()
        }
    }

    func end(_ side: Int) {
        directions[side].hasEnded = true
        change.send()
    }

    func close(_ side: Int) {
        isClosed[side] = true
        change.send()
    }

    private func check(_ side: Int) throws(LinkError) {
        guard !Task.isCancelled else { throw LinkError(.cancelled, link: link.description, "cancelled") }
        guard !isClosed[side] else { throw disconnected }
    }

    private var disconnected: LinkError { LinkError(.disconnected, link: link.description, "the link is closed") }
}
