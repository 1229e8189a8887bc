/// ID TECH's UniMag and Shuttle for the audio jack. With its defaults it powers up and becomes ready for swipes when it is
/// attached and a person has agreed.
public final class PGSwipeUniMag: PGSwipeDevice, @unchecked Sendable {
    /// How it deals with the person in front of it.
    public var messageOptions: PGSwipeUniMagMessageOptions {
        get { settings.options }
        set { configure { $0.options = newValue } }
    }
    /// Whether it is powered up when something is attached, headphones included. True unless set.
    public var activateReaderOnAttach: Bool {
        get { settings.activateReaderOnAttach }
        set { configure { $0.activateReaderOnAttach = newValue } }
    }
    /// Whether the volume is turned to its most before each power-up, and back behind it. True unless set: the reader needs it.
    public var automaticallySetVolumeToMaxOnActivate: Bool {
        get { settings.automaticallySetVolumeToMaxOnActivate }
        set { configure { $0.automaticallySetVolumeToMaxOnActivate = newValue } }
    }
    /// Whether a swipe is requested at once, and again whenever a request has ended. True unless set.
    public var alwaysAcceptSwipe: Bool {
        get { settings.alwaysAcceptSwipe }
        set { configure { $0.alwaysAcceptSwipe = newValue } }
    }

    /// Powers it up, or gives a power-up up. To be used while ``activateReaderOnAttach`` is false, or to answer for the person
    /// who is asked.
    /// - Parameter isWanted: whether it is to have power.
    public func powerUpDevice(_ isWanted: Bool) { engine.perform(.powerUp(isWanted)) }

    /// Powers it down. It is told as disconnected and connected again, and so powered up anew where ``activateReaderOnAttach`` is
    /// true.
    public func powerDown() { engine.perform(.powerDown) }

    /// Waits for a swipe. Not to be used while ``alwaysAcceptSwipe`` is true.
    public func requestSwipe() { engine.perform(.requestSwipe) }

    /// Ends what ``requestSwipe()`` has begun. Not to be used while ``alwaysAcceptSwipe`` is true.
    public func cancelSwipeRequest() { engine.perform(.cancelSwipeRequest) }

    /// Sets how long a request lasts; the next one does.
    /// - Parameter seconds: 3 to 20, which it is unless set; what is less or more is taken for the least or the most.
    public func setSwipeTimeoutDuration(_ seconds: Int) {
        let range = UniMagSettings.swipeTimeouts
        configure { $0.swipeTimeout = min(max(seconds, range.lowerBound), range.upperBound) }
    }

    private var settings: UniMagSettings { engine.engine?.settings ?? UniMagSettings() }

    private func configure(_ change: @escaping @Sendable (inout UniMagSettings) -> Void) {
        engine.perform(.configure(change))
    }

    /// What kind of reader it is.
    public override var description: String { "UniMag" }
}
