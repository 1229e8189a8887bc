import Glibc
import JackdawALSA
import JackdawLinux
import JackdawTransport

/// What `listen` has to do with outside of its sound; tests have their own.
struct LiveSystem {
    /// Opens what captures sound.
    var capture: (LinkName, StreamConfiguration) throws(LinkError) -> any AudioPort = {
        link, configuration throws(LinkError) in try LinuxDevices().capture(link, configuration)
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
    /// What the time of day is.
    var wallClock = WallClock()
    /// Whether the user wants to hear no more.
    var isInterrupted: () -> Bool = { Interruption.isRequested }
}
