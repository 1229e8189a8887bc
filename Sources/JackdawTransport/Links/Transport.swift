/// A link to a device that carries bytes both ways, in order and whole, until it ends.
///
/// What is read may hold card data: it is handed over where it lies, and overwritten behind the reader.
public protocol Transport: Sendable {
    /// The name that opens the link.
    var link: LinkName { get }

    /// Whose thread the link is read in, nil where it has none. A task that prefers it (`withTaskExecutorPreference`) receives
    /// without a change of threads, which is most of what a small packet costs. The thread is shared with other links: the task
    /// must not block it, and one that receives must not be a child that starts in its parent's place (`addImmediateTask`).
    var executor: (any TaskExecutor)? { get }

    /// Waits for what the device sends next and hands it over. For one task at a time.
    /// - Parameter take: gets the bytes, at least one; a packet link hands over one packet each time.
    /// - Returns: whether there were any; false when the device has ended its direction in good order, and ever after.
    /// - Throws: ``LinkError`` where the link was lost, again at each call, or where the task was cancelled (`cancelled`),
    ///   which loses nothing.
    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool

    /// Sends bytes, all of them, waiting while the device takes none. For one task at a time.
    /// - Parameter bytes: what to send.
    /// - Throws: ``LinkError``, with the number of bytes that were not given to the link; where the task was cancelled the
    ///   link stays open, and some of the bytes may have been sent.
    func send(_ bytes: [UInt8]) async throws(LinkError)

    /// Tells the device that nothing more will be sent; what it sends can still be received.
    func endSending() async throws(LinkError)

    /// Closes the link. Who waits gets `disconnected`; a second call does nothing.
    func close() async
}

extension Transport {
    /// None: the link is read in no thread of its own.
    public var executor: (any TaskExecutor)? { nil }
}

/// A link that carries power beside bytes, as an audio jack does.
public protocol PoweredTransport: Transport {
    /// Gives the reader power, or takes it away, in order with what is sent. For the task that sends.
    /// - Parameter power: which.
    /// - Throws: `LinkError` where the link was lost.
    func setPower(_ power: ReaderPower) async throws(LinkError)
}

/// The power that a reader on an audio jack is given over it. Links of bytes carry none.
public enum ReaderPower: String, Sendable, Hashable, CaseIterable {
    /// None.
    case off
    /// What wakes it up.
    case connecting
    /// What keeps it awake.
    case connected
}

/// A link that tells of the device's battery.
public protocol BatteryReporting: Sendable {
    /// What the device says of its battery: at once where it has said something, and whenever it does again.
    /// - Returns: reports, until the link has ended or the stream is given up.
    func batteryReports() async -> AsyncStream<BatteryReport>
}

/// What a reader says about its battery.
public struct BatteryReport: Sendable, Hashable {
    /// How full it is, 0 to 100; nil where it is not known.
    public let percent: Int?
    /// Whether it is being charged; nil where it is not known.
    public let isCharging: Bool?

    /// A report.
    /// - Parameters:
    ///   - percent: how full it is; what is not in 0 to 100 means that it is not known.
    ///   - isCharging: whether it is being charged.
    public init(percent: Int?, isCharging: Bool? = nil) {
        self.percent = percent.flatMap { (0...100).contains($0) ? $0 : nil }
        self.isCharging = isCharging
    }
}
