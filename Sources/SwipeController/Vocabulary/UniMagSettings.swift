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

/// How a UniMag or Shuttle deals with the person in front of it.
public struct PGSwipeUniMagMessageOptions: Sendable, Hashable {
    /// Whether the reader is activated without a person being asked. Unless told, somebody is asked.
    public var activateReaderWithoutPromptingUser = false
    /// Whether it is shown that the reader powers up, while it does.
    public var showInitializingReaderMessage = false
    /// What is asked before the volume is turned up and the reader gets power.
    public var cardReaderActivationPrompt =
        "The volume will be set to its maximum to power up the card reader. Remove headphones first. Continue?"
    /// What is asked instead where the volume is not going to be changed.
    public var cardReaderActivationAtMaxVolumePrompt =
        "The card reader will be powered up with a loud tone. Remove headphones first. Continue?"
    /// What is shown when the reader does not answer; nil for nothing.
    public var cardReaderTimeoutMessage: String? = "The card reader did not answer."
    /// What is shown when it does not because the volume is too low; nil for nothing.
    public var volumeTooLowMessage: String? = "The volume is too low for the card reader."

    /// All as above. The texts are not the vendor's, which are not published.
    public init() {}

    /// Puts all back to what it is in a new one.
    public mutating func resetToDefaults() { self = PGSwipeUniMagMessageOptions() }
}
