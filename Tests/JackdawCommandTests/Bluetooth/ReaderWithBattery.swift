import JackdawTestSupport
import JackdawTransport

/// A reader that reports its battery twice, and is then lost.
struct ReaderWithBattery: Transport, BatteryReporting {
    let link: LinkName
    private let beforeReport: @Sendable () -> Void
    private let areSent = Shared(false)

    /// Creates a connected reader.
    /// - Parameters:
    ///   - link: the name of the link.
    ///   - beforeReport: called before each of the two reports.
    init(_ link: LinkName, beforeReport: @escaping @Sendable () -> Void) {
        self.link = link
        self.beforeReport = beforeReport
    }

    func batteryReports() async -> AsyncStream<BatteryReport> {
        let reports = Shared([BatteryReport(percent: 50), BatteryReport(percent: 14, isCharging: false)])
        return AsyncStream {
            guard let report = reports.with({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                areSent.with { $0 = true }
                return nil
            }
            beforeReport()
            return report
        }
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        try? await areSent.until { $0 }
        throw LinkError(.disconnected, link: link.description, "gone")
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {}

    func endSending() async throws(LinkError) {}

    func close() async {}
}
