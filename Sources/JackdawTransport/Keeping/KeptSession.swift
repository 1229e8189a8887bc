/// The transport of one session of a kept link, which hears of its end.
struct KeptSession: Transport {
    private let number: Int
    private let transport: any Transport
    /// Weak, because events that nobody has taken hold sessions, and the link holds the events.
    private weak var owner: KeptLink?

    init(number: Int, transport: any Transport, owner: KeptLink) {
        self.number = number
        self.transport = transport
        self.owner = owner
    }

    var link: LinkName { transport.link }

    var executor: (any TaskExecutor)? { transport.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        do throws(LinkError) {
            if try await transport.receive(take) { return true }
        } catch {
            if error.code != .cancelled { await owner?.fail(number, error) }
            throw error
        }
        await owner?.fail(number, LinkError(.disconnected, link: link.description, "the device has ended the link"))
        return false
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        guard await owner?.beginSending(in: number) == true else {
            throw LinkError(
                .disconnected, link: link.description, "the session is over", undelivered: bytes.count)
        }
        do throws(LinkError) {
            try await transport.send(bytes)
        } catch {
            await owner?.endSending(in: number, error)
            throw error
        }
        await owner?.endSending(in: number, nil)
    }

    func endSending() async throws(LinkError) {
        do throws(LinkError) {
            try await transport.endSending()
        } catch {
            if error.code != .cancelled { await owner?.fail(number, error) }
            throw error
        }
    }

    func close() async { await owner?.hangUp(number) }
}
