/// A link to a device that carries bytes in both directions, in order and complete, until it ends.
///
/// Received bytes may contain card data: the link passes them to the caller in its own buffer, and overwrites the
/// buffer after the call.
public protocol Transport: Sendable {
    /// The name that opens the link.
    var link: LinkName { get }

    /// The executor of the thread that reads the link; nil if the link has no thread of its own. A task that prefers it
    /// (`withTaskExecutorPreference`) receives without a thread switch, which is the largest part of the cost of a
    /// small packet. Other links share the thread: the task must not block it, and a task that receives must not be a
    /// child that starts synchronously in its parent (`addImmediateTask`).
    var executor: (any TaskExecutor)? { get }

    /// Waits for the next bytes from the device and passes them to `take`. Only one task at a time may receive.
    /// - Parameter take: receives the bytes, at least one; a packet link passes one packet per call.
    /// - Returns: whether bytes were received; false after the device has closed its direction in good order, and at
    ///   each later call.
    /// - Throws: ``LinkError`` if the link was lost, again at each call, or if the task was cancelled (`cancelled`),
    ///   which loses no bytes.
    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool

    /// Sends all bytes, and waits while the device accepts none. Only one task at a time may send.
    /// - Parameter bytes: the bytes to send.
    /// - Throws: ``LinkError``, with the number of bytes that were not passed to the link. If the task was cancelled,
    ///   the link stays open, and some of the bytes may have been sent.
    func send(_ bytes: [UInt8]) async throws(LinkError)

    /// Closes the sending direction: the device receives an end of data, and its own data can still be received.
    func endSending() async throws(LinkError)

    /// Closes the link. Tasks that wait on it receive `disconnected`; a second call has no effect.
    func close() async
}

extension Transport {
    /// Default: nil, the link has no thread of its own.
    public var executor: (any TaskExecutor)? { nil }
}

/// A link that carries power in addition to bytes, as an audio jack does.
public protocol PoweredTransport: Transport {
    /// Switches the reader's power, in order with the bytes sent. Call it from the task that sends.
    /// - Parameter power: the power from now on.
    /// - Throws: `LinkError` if the link was lost.
    func setPower(_ power: ReaderPower) async throws(LinkError)
}

/// The power that a link supplies to a reader on an audio jack. Links of bytes supply none.
public enum ReaderPower: String, Sendable, Hashable, CaseIterable {
    /// No power is supplied to the reader.
    case off
    /// The power that wakes the reader.
    case connecting
    /// The power that keeps the reader awake.
    case connected
}

/// The playback of a sound card with a reader in its jack, as far as the reader's power depends on it.
public struct JackOutput: Sendable, Hashable {
    /// Whether the card plays one channel alone. Some readers get their power from the difference of two.
    public var isMono: Bool
    /// Whether the volume is at its maximum. At less, a reader may get too little power.
    public var isVolumeFull: Bool

    /// Describes a playback.
    /// - Parameters:
    ///   - isMono: whether the card plays one channel alone. Default: false.
    ///   - isVolumeFull: whether the volume is at its maximum. Default: true.
    public init(isMono: Bool = false, isVolumeFull: Bool = true) {
        self.isMono = isMono
        self.isVolumeFull = isVolumeFull
    }
}

/// A link that reports the state of the device's battery.
public protocol BatteryReporting: Sendable {
    /// The device's battery reports: the last one at once, if there is one, then each new one.
    /// - Returns: reports, until the link ends or the caller ends the stream.
    func batteryReports() async -> AsyncStream<BatteryReport>
}

/// A link to a chip card with contacts. Each packet sent is one command (an APDU), each packet received is the answer
/// to one command: its data, then SW1 and SW2.
public protocol CardResetting: Sendable {
    /// The answer of the card to its last reset (ATR).
    /// - Returns: 2 to 33 octets; empty if the link has no card.
    func answerToReset() async -> [UInt8]

    /// Resets the card. Its state, such as a verified PIN, is lost.
    /// - Returns: the answer to reset, 2 to 33 octets.
    /// - Throws: ``LinkError`` if the link was lost, or has no card (`unsupported`).
    func resetCard() async throws(LinkError) -> [UInt8]
}

/// A reader's report on its battery.
public struct BatteryReport: Sendable, Hashable {
    /// The charge, 0 to 100 %; nil if it is not known.
    public let percent: Int?
    /// Whether the battery is being charged; nil if it is not known.
    public let isCharging: Bool?

    /// Creates a report.
    /// - Parameters:
    ///   - percent: the charge; a value outside 0 to 100 is stored as nil, not known.
    ///   - isCharging: whether the battery is being charged.
    public init(percent: Int?, isCharging: Bool? = nil) {
        self.percent = percent.flatMap { (0...100).contains($0) ? $0 : nil }
        self.isCharging = isCharging
    }
}
