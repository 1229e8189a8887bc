internal import JackdawSystem
internal import JackdawTransport

/// Opens links over TCP and serial lines, which share a thread.
actor StreamLinks {
    private var made: EventLoop?

    func connect(to address: TCPAddress) async throws(LinkError) -> any Transport {
        try await TCPConnector(loop: loop(for: address.link)).connect(to: address)
    }

    func open(_ link: LinkName) throws(LinkError) -> any Transport { try SerialLine(loop: loop(for: link)).open(link) }

    private func loop(for link: LinkName) throws(LinkError) -> EventLoop {
        if let made { return made }
        do throws(SystemFailure) {
            let loop = try EventLoop(name: "jackdaw-links")
            made = loop
            return loop
        } catch {
            throw .system(error, link: link.description, "cannot be watched")
        }
    }
}
