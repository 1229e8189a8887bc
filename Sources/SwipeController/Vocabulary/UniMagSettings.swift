/// The settings of a UniMag or Shuttle, with the vendor's defaults.
struct UniMagSettings: Sendable, Hashable {
    var options = PGSwipeUniMagMessageOptions()
    var activateReaderOnAttach = true
    var automaticallySetVolumeToMaxOnActivate = true
    var alwaysAcceptSwipe = true
    /// Duration of a request, in seconds.
    var swipeTimeout = 20

    static let swipeTimeouts = 3...20
}

/// The questions and messages that a UniMag or Shuttle shows to the user of the app.
public struct PGSwipeUniMagMessageOptions: Sendable, Hashable {
    /// Whether the reader is activated without a question to the user. Default: false.
    public var activateReaderWithoutPromptingUser = false
    /// Whether a message is shown while the reader powers up. Default: false.
    public var showInitializingReaderMessage = false
    /// The question before the volume is raised and the reader receives power.
    public var cardReaderActivationPrompt =
        "The volume will be set to its maximum to power up the card reader. Remove headphones first. Continue?"
    /// The question that replaces it if the volume will not change.
    public var cardReaderActivationAtMaxVolumePrompt =
        "The card reader will be powered up with a loud tone. Remove headphones first. Continue?"
    /// The message if the reader does not answer; nil shows no message.
    public var cardReaderTimeoutMessage: String? = "The card reader did not answer."
    /// The message if the reader does not answer because the volume is too low; nil shows no message.
    public var volumeTooLowMessage: String? = "The volume is too low for the card reader."

    /// Creates the options with their defaults. The texts are not the vendor's, which are not published.
    public init() {}

    /// Resets all options to their defaults.
    public mutating func resetToDefaults() { self = PGSwipeUniMagMessageOptions() }
}
