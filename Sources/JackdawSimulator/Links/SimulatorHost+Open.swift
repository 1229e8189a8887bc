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
        return program
    }
}
