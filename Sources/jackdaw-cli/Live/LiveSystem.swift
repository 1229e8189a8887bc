import Glibc
import JackdawALSA
import JackdawLinux
import JackdawTransport

/// The operating system's services that `listen` uses; tests replace them.
struct LiveSystem {
    /// Opens a port that captures sound; gives up once the closure returns false.
    var capture: (LinkName, StreamConfiguration, @escaping () -> Bool) throws(LinkError) -> any AudioPort = {
        link, configuration, isWanted throws(LinkError) in
        try LinuxDevices().capture(link, configuration, while: isWanted)
    }
    /// Opens the mixer of the port's card; nil if the card has none.
    var mixer: (LinkName) throws(LinkError) -> Mixer? = { link throws(LinkError) in try LinuxDevices().mixer(link) }
    /// Opens the jacks of the port's card; nil if the card has no jack detection.
    var jacks: (LinkName) throws(LinkError) -> JackMonitor? = { link throws(LinkError) in
        try LinuxDevices().jacks(link)
    }
    /// The monotonic time, independent of the sound's.
    var now: () -> ContinuousClock.Instant = { .now }
    /// Sleeps for the duration.
    var sleep: (Duration) -> Void = { usleep(UInt32($0 / .microseconds(1))) }
    /// The time of day, for the results in JSON.
    var wallClock = WallClock()
    /// Whether the user has interrupted the command.
    var isInterrupted: () -> Bool = { Interruption.isRequested }
}

#if Command
import JackdawALSA
import JackdawTransport

/// Reports plugs at the card that `listen` captures from.
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
