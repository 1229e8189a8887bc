/// A link of which a transcript is kept: of what is sent and received, not of power.
public final class RecordingTransport: PoweredTransport, BatteryReporting {
    private let transport: any Transport
    private let recorder: TranscriptRecorder

    /// Begins a transcript.
    /// - Parameters:
    ///   - transport: the link.
    ///   - secrecy: what is kept of the bytes.
    ///   - clock: tells when things happen.
    ///   - sink: gets the transcript's lines one after the other, each with its end, and says where one cannot be kept; that
    ///     fails what was to be kept. So does a transcript that is full: no longer than ``TranscriptReader`` reads.
    /// - Throws: what the sink throws.
    public convenience init(
        _ transport: any Transport, secrecy: TranscriptSecrecy = .usual, clock: any Clock<Duration> = ContinuousClock(),
        sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) throws(LinkError) {
        try self.init(transport, secrecy: secrecy, clock: clock, room: TranscriptRoom(), sink: sink)
    }

    init(
        _ transport: any Transport, secrecy: TranscriptSecrecy, clock: any Clock<Duration>, room: TranscriptRoom,
        sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) throws(LinkError) {
        self.transport = transport
        let isMasked = if case .masked = secrecy { true } else { false }
        let header = TranscriptHeader(link: transport.link.description, isMasked: isMasked).line + "\n"
        try sink(header)
        var room = room
        room.take(header: header)
        recorder = TranscriptRecorder(
            secrecy, link: transport.link.description, ElapsedClock(clock), room: room, sink)
    }

    /// The name of the link that it is kept of.
    public var link: LinkName { transport.link }

    /// The link's.
    public var executor: (any TaskExecutor)? { transport.executor }

    /// Receives, and keeps what came before it is handed over: the answer comes behind it.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes: [UInt8] = []
        defer { overwrite(&bytes) }
        let isMore: Bool
        do throws(LinkError) {
            isMore = try await transport.receive { span in
                bytes = span.indices.map { span[$0] }
            }
        } catch {
            // Where it cannot be kept, the link's own error still says more.
            if error.code != .cancelled { try? await recorder.event(.lost(error.code)) }
            throw error
        }
        if isMore {
            try await recorder.bytes(bytes, isSent: false)
            take(bytes.span)
        } else {
            try await recorder.event(.end)
        }
        return isMore
    }

    /// Keeps what is sent, before it is: the answer comes behind it.
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        do throws(LinkError) {
            try await recorder.bytes(bytes, isSent: true)
        } catch {
            throw error.leaving(undelivered: bytes.count)
        }
        do throws(LinkError) {
            try await transport.send(bytes)
        } catch {
            try? await recorder.event(.unsent(error.undelivered, error.code))
            throw error
        }
    }

    /// Gives power where the link carries it.
    public func setPower(_ power: ReaderPower) async throws(LinkError) {
        try await (transport as? any PoweredTransport)?.setPower(power)
    }

    /// Ends this direction.
    public func endSending() async throws(LinkError) {
        try await transport.endSending()
        try await recorder.event(.endedSending)
    }

    /// Closes the link.
    public func close() async {
        await recorder.beginClosing()
        await transport.close()
        // Where it cannot be kept, nobody is left to be told.
        try? await recorder.event(.closed)
    }

    /// What the link tells of its battery, which is not kept.
    public func batteryReports() async -> AsyncStream<BatteryReport> {
        if let reporting = transport as? any BatteryReporting { return await reporting.batteryReports() }
        return AsyncStream { $0.finish() }
    }
}

/// Overwrites bytes that may be card data. Called as a whole, so that it is not left out as being of no use.
@inline(never) func overwrite(_ bytes: inout [UInt8]) {
    for index in bytes.indices { bytes[index] = 0 }
}
