/// A link that tells of the device's battery.
public protocol BatteryReporting: Sendable {
    /// What the device says of its battery: at once where it has said something, and whenever it does again.
    /// - Returns: reports, until the link has ended or the stream is given up.
    func batteryReports() async -> AsyncStream<BatteryReport>
}
