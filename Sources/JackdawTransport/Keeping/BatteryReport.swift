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
