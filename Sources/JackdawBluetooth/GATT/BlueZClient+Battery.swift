internal import JackdawTransport

extension BlueZClient {
    /// What a connected device says of its battery: at once where it has, and whenever it says so again.
    func batteryReports(of path: String) -> AsyncStream<BatteryReport> {
        let (reports, continuation) = AsyncStream.makeStream(
            of: BatteryReport.self, bufferingPolicy: .bufferingNewest(1))
        guard objects.device(path)?.isConnected == true else {
            continuation.finish()
            return reports
        }
        let tell: @Sendable (BlueZObjects) -> Void = { objects in
            guard let level = objects.batteryLevel(of: path) else { return }
            continuation.yield(BatteryReport(percent: level))
        }
        tell(objects)
        let number = observe { [weak self] event in
            switch event {
            case .added(path, BlueZName.battery), .changed(path, BlueZName.battery, _):
                self?.assumeIsolated { tell($0.objects) }
            case .changed(path, BlueZName.device, let properties) where properties["Connected"] == .boolean(false):
                continuation.finish()
            case .removed(path, BlueZName.device), .serviceEnded: continuation.finish()
            default: break
            }
        }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.forget(number) }
        }
        return reports
    }
}
