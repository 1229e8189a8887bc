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
