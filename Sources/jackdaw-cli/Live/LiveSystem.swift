import Glibc
import JackdawALSA
import JackdawLinux
import JackdawTransport

/// The devices, the clocks and the user of `listen`; tests have their own.
struct LiveSystem {
    /// Opens a source of sound, for as long as the closure returns true.
    var capture: (LinkName, StreamConfiguration, @escaping () -> Bool) throws(LinkError) -> any AudioPort = {
        link, configuration, isWanted throws(LinkError) in
        try LinuxDevices().capture(link, configuration, while: isWanted)
    }
    /// The levels of its card; nil where it has none.
    var mixer: (LinkName) throws(LinkError) -> Mixer? = { link throws(LinkError) in try LinuxDevices().mixer(link) }
    /// The jacks of its card; nil where it senses none.
    var jacks: (LinkName) throws(LinkError) -> JackMonitor? = { link throws(LinkError) in
        try LinuxDevices().jacks(link)
    }
    /// The time, whatever that of the sound is.
    var now: () -> ContinuousClock.Instant = { .now }
    /// Waits so long.
    var sleep: (Duration) -> Void = { usleep(UInt32($0 / .microseconds(1))) }
    /// The time of day.
    var wallClock = WallClock()
    /// Whether the user wants to hear no more.
    var isInterrupted: () -> Bool = { Interruption.isRequested }
}

#if Command
import JackdawALSA
import JackdawTransport

/// Tells of plugs at the card that is listened to.
struct JackWatch {
    let monitor: JackMonitor
    let link: LinkName

    func receive(_ console: Console) {
        _ = try? monitor.receive(within: .zero) { event in
            switch event {
            case .attached(let jack, _): console.message("\(link): \(jack) plugged in")
            case .detached(let jack, _): console.message("\(link): \(jack) pulled out")
            case .gone: break
            }
        }
    }
}
#endif
