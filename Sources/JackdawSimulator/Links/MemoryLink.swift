import JackdawDSP
public import JackdawTransport

/// One end of a link in memory: what one end sends the other receives, until one of them closes.
public struct MemoryLink: Transport {
    /// The name that both ends have.
    public let link: LinkName
    private let wire: MemoryWire
    private let side: Int

    /// Two ends of one link.
    /// - Parameters:
    ///   - link: its name.
    ///   - room: bytes of each direction that wait to be received, 1 or more; who sends more waits.
    ///   - keepsPackets: whether what is sent at once is received at once and alone, as over Bluetooth Low Energy.
    /// - Returns: the ends.
    public static func pair(
        link: LinkName, room: Int = 65_536, keepsPackets: Bool = false
    ) -> (MemoryLink, MemoryLink) {
        let wire = MemoryWire(link: link, room: room, keepsPackets: keepsPackets)
        return (MemoryLink(link: link, wire: wire, side: 0), MemoryLink(link: link, wire: wire, side: 1))
    }

    /// Receives what has come, all of it; one packet where these are kept apart.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = try await wire.receive(at: side)
        guard !bytes.isEmpty else { return false }
        take(bytes.span)
        bytes.wipe()
        return true
    }

    /// Sends bytes as room comes free.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await wire.send(bytes, from: side) }

    /// Ends this end's direction.
    public func endSending() async throws(LinkError) { await wire.end(side) }

    /// Closes this end; the other receives what is still there, and then the end.
    public func close() async { await wire.close(side) }
}

/// Both directions of a link in memory.
private actor MemoryWire {
    private struct Direction {
        /// As they were sent.
        var packets: [[UInt8]] = []
        var count = 0
        var hasEnded = false
    }

    private let link: LinkName
    private let room: Int
    private let keepsPackets: Bool
    private var directions = [Direction(), Direction()]
    private var isClosed = [false, false]
    /// Whoever waits for something to change; ended when anything does.
    private var bells: [AsyncStream<Never>.Continuation] = []

    init(link: LinkName, room: Int, keepsPackets: Bool) {
        precondition(room > 0, "a byte has room")
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
                ring()
                return bytes
            }
            if other.hasEnded || isClosed[1 - side] { return [] }
            await change()
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
            // A packet goes whole: one that never has room goes alone.
            let isWhole = keepsPackets && (rest.count <= free || directions[side].count == 0)
            let count = isWhole ? rest.count : keepsPackets ? 0 : min(rest.count, free)
            guard count > 0 else {
                await change()
                continue
            }
            directions[side].packets.append(Array(rest.prefix(count)))
            directions[side].count += count
            rest = rest.dropFirst(count)
            ring()
        }
    }

    func end(_ side: Int) {
        directions[side].hasEnded = true
        ring()
    }

    func close(_ side: Int) {
        isClosed[side] = true
        ring()
    }

    private func check(_ side: Int) throws(LinkError) {
        guard !Task.isCancelled else { throw LinkError(.cancelled, link: link.description, "given up") }
        guard !isClosed[side] else { throw disconnected }
    }

    private var disconnected: LinkError { LinkError(.disconnected, link: link.description, "the link is closed") }

    private func change() async {
        let (silence, bell) = AsyncStream<Never>.makeStream()
        bells.append(bell)
        for await _ in silence {}
    }

    private func ring() {
        for bell in bells { bell.finish() }
        bells = []
    }
}
