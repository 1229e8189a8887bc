/// Which reader for the audio jack is enabled: one at a time, so that no two use the sound card at once. iDynamo readers are
/// always enabled beside it.
///
/// Source: the Mobile Swipe SDK's `AudioJackReaderType`, numbers included.
public enum AudioJackReaderType: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag and Shuttle. The vendor's default.
    case unimag = 1
    /// IPS's encrypted reader.
    case ips = 2
    /// None until something is attached, and then whichever it turns out to be.
    case autodetectOnConnect = 3
    /// None.
    case none = 4
    /// IPS Enterprise's encrypted reader.
    case ipsEnterprise = 5
}

extension AudioJackReaderType {
    /// The name of the family of readers that it enables; nil where it enables none.
    package var family: String? { ReaderKind(self)?.family }
}

/// The spelling of the vendor's text.
@available(*, deprecated, renamed: "AudioJackReaderType.autodetectOnConnect")
public let AudioReaderAutodetectOnConnect = AudioJackReaderType.autodetectOnConnect  // swift-format-ignore

/// What autodetection has found.
///
/// Source: the Mobile Swipe SDK's `CardReaderAutodetectResult`, numbers included.
public enum CardReaderAutodetectResult: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag or Shuttle.
    case uniMag = 0
    /// IPS's encrypted reader.
    case ips = 1
    /// IPS Enterprise's encrypted reader.
    case ipsEnterprise = 2
    /// Nothing that answers. A reader may be there all the same: it can be tried again.
    case fail = 3
}

/// How an attempt to power a reader up has ended.
///
/// Source: the Mobile Swipe SDK's `SwipeActivationResult`, numbers included.
public enum SwipeActivationResult: Int, Sendable, Hashable, CaseIterable {
    /// It has power and answers.
    case success = 0
    /// It did not answer.
    case timeout = 1
    /// Something else failed, such as the sound card, or it was given up.
    case failure = 2
    /// It did not answer, and the volume is not at its most.
    case volumeTooLow = 3
}

/// Why a reader accepts swipes no more.
///
/// Source: the Mobile Swipe SDK's `SwipeReasonUnreadyForSwipe`, in its order.
public enum SwipeReasonUnreadyForSwipe: Int, Sendable, Hashable, CaseIterable {
    /// It was detached, lost or switched off.
    case disconnected = 0
    /// No card came in time; Shuttle only.
    case timedOut = 1
    /// The request was cancelled; Shuttle only.
    case canceled = 2
    /// For a moment only, until the next request; Shuttle only. What has ended the last one is not told.
    case refreshing = 3
    /// A card was swiped, whether or not it could be read.
    case swipeDone = 4
}

/// The spelling of the vendor's text.
@available(*, deprecated, renamed: "SwipeReasonUnreadyForSwipe.refreshing")
public let SwipeUnreadyForSwipeReasonRefreshing = SwipeReasonUnreadyForSwipe.refreshing  // swift-format-ignore
