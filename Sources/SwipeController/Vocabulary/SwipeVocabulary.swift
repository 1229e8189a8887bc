/// The enabled reader type on the audio jack. Only one is enabled at a time, so that no two readers use the sound card
/// at once. iDynamo readers are always enabled in addition.
///
/// Source: the Mobile Swipe SDK's `AudioJackReaderType`, numbers included.
public enum AudioJackReaderType: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag and Shuttle. The vendor's default.
    case unimag = 1
    /// IPS's encrypted reader for the audio jack.
    case ips = 2
    /// No reader until one is attached, then the type that autodetection finds.
    case autodetectOnConnect = 3
    /// No reader is enabled.
    case none = 4
    /// IPS Enterprise's encrypted reader for the audio jack.
    case ipsEnterprise = 5
}

extension AudioJackReaderType {
    /// The reader family that the type enables; nil if it enables no reader.
    package var family: String? { ReaderKind(self)?.family }
}

/// The name of this constant in the vendor's text.
@available(*, deprecated, renamed: "AudioJackReaderType.autodetectOnConnect")
public let AudioReaderAutodetectOnConnect = AudioJackReaderType.autodetectOnConnect  // swift-format-ignore

/// The result of autodetection.
///
/// Source: the Mobile Swipe SDK's `CardReaderAutodetectResult`, numbers included.
public enum CardReaderAutodetectResult: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag or Shuttle.
    case uniMag = 0
    /// IPS's encrypted reader for the audio jack.
    case ips = 1
    /// IPS Enterprise's encrypted reader for the audio jack.
    case ipsEnterprise = 2
    /// No reader answered. A reader may be attached all the same: the program can try again.
    case fail = 3
}

/// The result of an attempt to power a reader up.
///
/// Source: the Mobile Swipe SDK's `SwipeActivationResult`, numbers included.
public enum SwipeActivationResult: Int, Sendable, Hashable, CaseIterable {
    /// The reader has power and answers.
    case success = 0
    /// The reader did not answer.
    case timeout = 1
    /// Another failure, for example of the sound card, or the power-up was cancelled.
    case failure = 2
    /// The reader did not answer, and the volume is below its maximum.
    case volumeTooLow = 3
}

/// The reason why a reader no longer accepts swipes.
///
/// Source: the Mobile Swipe SDK's `SwipeReasonUnreadyForSwipe`, in its order.
public enum SwipeReasonUnreadyForSwipe: Int, Sendable, Hashable, CaseIterable {
    /// The reader was detached, lost or switched off.
    case disconnected = 0
    /// No card was swiped within the time limit; Shuttle only.
    case timedOut = 1
    /// The request was cancelled; Shuttle only.
    case canceled = 2
    /// The controller is about to send the next request; Shuttle only. The reason why the last one ended is not
    /// reported.
    case refreshing = 3
    /// A card was swiped, read successfully or not.
    case swipeDone = 4
}

/// The name of this constant in the vendor's text.
@available(*, deprecated, renamed: "SwipeReasonUnreadyForSwipe.refreshing")
public let SwipeUnreadyForSwipeReasonRefreshing = SwipeReasonUnreadyForSwipe.refreshing  // swift-format-ignore
