/// Finds devices.
public protocol DeviceScanner: Sendable {
    /// Looks for devices.
    /// - Parameter duration: how long; nil until the stream is given up.
    /// - Returns: each device when it is first seen and again when something about it changed; ends by itself when the time is
    ///   over, and earlier with ``LinkError`` where it cannot go on.
    func devices(for duration: Duration?) -> AsyncThrowingStream<FoundDevice, any Error>
}
