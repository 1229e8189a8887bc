/// What a simulated reader is and how it stands.
public struct SimulatedDevice: Sendable, Hashable {
    /// What software runs in it.
    public var firmware = "JACKDAW SIMULATED 1.00"
    /// Its own number.
    public var serialNumber = "SIM0000001"
    /// How full its battery is, 0 to 100 %; what is beyond counts as the nearest.
    public var battery = 80 {
        didSet { battery = min(max(battery, 0), 100) }
    }
    /// Whether it is being charged.
    public var isCharging = false
    /// How long it takes to answer.
    public var answerDelay = Duration.milliseconds(10)
    /// Whether it waits for a card.
    public internal(set) var isArmed = false
    /// How it was set up, by the number of the setting.
    public var settings: [Int: [UInt8]] = [:]

    /// A reader as it comes out of its box, with a full battery.
    public init() {}
}
