/// Tells a battery that is low from one that wavers about the limit.
struct BatteryWatch: Sendable {
    /// From here down it is low.
    static let low = 15
    /// From here up it no longer is.
    static let recovered = 20

    private(set) var last: BatteryReport?
    private var isLow = false

    /// Takes the next report.
    /// - Returns: whether it says something new, and whether the battery is low since just now.
    mutating func receive(_ report: BatteryReport) -> (isNew: Bool, becameLow: Bool) {
        let isNew = report != last
        last = report
        let wasLow = isLow
        if report.isCharging == true {
            isLow = false
        } else if let percent = report.percent {
            isLow = percent <= (wasLow ? Self.recovered - 1 : Self.low)
        }
        return (isNew, isLow && !wasLow)
    }
}
