/// How a UniMag or Shuttle is handled; the vendor's defaults.
struct UniMagSettings: Sendable, Hashable {
    var options = PGSwipeUniMagMessageOptions()
    var activateReaderOnAttach = true
    var automaticallySetVolumeToMaxOnActivate = true
    var alwaysAcceptSwipe = true
    /// How long a request lasts, in seconds.
    var swipeTimeout = 20

    static let swipeTimeouts = 3...20
}
