import JackdawReaders
public import JackdawTransport

extension SimulatorHost {
    /// Connects a reader in this process, which runs until the link to it is closed.
    /// - Parameters:
    ///   - link: the name of the link.
    ///   - keepsPackets: whether what is sent at once is received at once, as over Bluetooth Low Energy.
    ///   - clock: what the reader's times are measured with.
    ///   - makeReader: makes the reader; its times begin at zero.
    /// - Returns: the program's end of the link.
    public static func open(
        _ link: LinkName, keepsPackets: Bool = false, clock: any Clock<Duration> = SuspendingClock(),
        _ makeReader: @Sendable () -> SimulatedReader
    ) -> any Transport {
        let (program, reader) = MemoryLink.pair(link: link, keepsPackets: keepsPackets)
        let host = SimulatorHost(reader, clock: clock, makeReader)
        Task { await host.run() }
        return PoweredMemoryLink(base: program, host: host)
    }
}

/// A link in memory that carries power to the reader at its other end.
private struct PoweredMemoryLink: PoweredTransport {
    let base: MemoryLink
    let host: SimulatorHost

    var link: LinkName { base.link }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func setPower(_ power: ReaderPower) async throws(LinkError) { await host.setPower(power) }
    func endSending() async throws(LinkError) { try await base.endSending() }
    func close() async { await base.close() }
}
