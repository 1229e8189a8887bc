/// A transcript that stands in for a device: what was received comes again, once what was sent before has been sent again,
/// and at its time. What is sent must be what was sent then, in whatever pieces; another byte fails both directions with
/// `badAnswer`, which says where. Masked bytes that were sent are any, and those that were received come as asterisks.
///
/// It ends as the transcript does: in order, or with the same error. A transcript that only stops ends in order.
public final class ReplayTransport: Transport {
    /// The name of the link.
    public let link: LinkName
    private let state: ReplayState

    /// A link at the beginning of a transcript.
    /// - Parameters:
    ///   - transcript: what is played back.
    ///   - link: the name of the link.
    ///   - clock: measures the times of the transcript, from now on; nil gives everything at once.
    public init(_ transcript: Transcript, link: LinkName, clock: (any Clock<Duration>)? = ContinuousClock()) {
        self.link = link
        state = ReplayState(transcript, link.description, clock.map { ElapsedClock($0) })
    }

    /// Waits for what the transcript has next and hands it over.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = try await state.receive()
        defer { overwrite(&bytes) }
        if !bytes.isEmpty { take(bytes.span) }
        return !bytes.isEmpty
    }

    /// Compares bytes with those of the transcript; never waits.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await state.send(bytes) }

    /// Does nothing: it is not compared.
    public func endSending() async throws(LinkError) {}

    /// Closes the link.
    public func close() async { await state.close() }
}
