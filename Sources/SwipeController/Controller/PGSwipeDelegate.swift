/// Receives the events of the readers. All methods are optional.
///
/// The controller calls the methods on its executor, one after the other, never two at the same time.
public protocol PGSwipeDelegate: AnyObject, Sendable {
    /// A card was swiped. Not called for cards that an IPS reader could not read: these readers do not report them.
    /// - Parameters:
    ///   - card: the card; nil if it could not be read.
    ///   - device: the reader.
    func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice)
    /// A reader accepts swipes from now on, and each swipe is reported.
    func deviceBecameReadyForSwipe(_ device: PGSwipeDevice)
    /// A reader no longer accepts swipes.
    /// - Parameters:
    ///   - device: the reader.
    ///   - reason: the cause. After `refreshing`, the reader becomes ready again at once, without a call of the
    ///     program.
    func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe)
    /// An object was attached at the reader's connector; it may be headphones.
    func deviceConnected(_ device: PGSwipeDevice)
    /// The object at the reader's connector was detached.
    func deviceDisconnected(_ device: PGSwipeDevice)
    /// An attempt to power a reader up has ended, successfully or not.
    func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult)
    /// A reader has lost its power.
    func deviceDeactivated(_ device: PGSwipeDevice)
    /// Autodetection on the audio jack has begun. Until it ends, the controller reports no connection, activation or
    /// readiness.
    func deviceAutodetectStarted()
    /// Autodetection on the audio jack has ended. If it found a reader, the reader's type is set and the reader is
    /// activated.
    func deviceAutodetectComplete(_ result: CardReaderAutodetectResult)
    /// Reports an unwise call of the program, or a problem of a reader.
    func swipeControllerWarning(_ warning: PGSwipeWarning)

    /// The same as ``deviceBecameReadyForSwipe(_:)``, under another name in the vendor's text.
    func didBecomeReadyForSwipe(_ device: PGSwipeDevice)
    /// The same as ``deviceBecameUnreadyForSwipe(_:reason:)``, under another name in the vendor's text.
    func didBecomeUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe)
    /// The same as ``deviceActivationFinished(_:result:)``, under another name in the vendor's text.
    func activationDidComplete(_ device: PGSwipeDevice, result: SwipeActivationResult)
}

extension PGSwipeDelegate {
    /// Default: ignores the event.
    public func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) {}
    /// Default: calls ``didBecomeReadyForSwipe(_:)``.
    public func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) { didBecomeReadyForSwipe(device) }
    /// Default: calls ``didBecomeUnreadyForSwipe(_:reason:)``.
    public func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
        didBecomeUnreadyForSwipe(device, reason: reason)
    }
    /// Default: ignores the event.
    public func deviceConnected(_ device: PGSwipeDevice) {}
    /// Default: ignores the event.
    public func deviceDisconnected(_ device: PGSwipeDevice) {}
    /// Default: calls ``activationDidComplete(_:result:)``.
    public func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
        activationDidComplete(device, result: result)
    }
    /// Default: ignores the event.
    public func deviceDeactivated(_ device: PGSwipeDevice) {}
    /// Default: ignores the event.
    public func deviceAutodetectStarted() {}
    /// Default: ignores the event.
    public func deviceAutodetectComplete(_ result: CardReaderAutodetectResult) {}
    /// Default: ignores the event.
    public func swipeControllerWarning(_ warning: PGSwipeWarning) {}
    /// Default: ignores the event.
    public func didBecomeReadyForSwipe(_ device: PGSwipeDevice) {}
    /// Default: ignores the event.
    public func didBecomeUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {}
    /// Default: ignores the event.
    public func activationDidComplete(_ device: PGSwipeDevice, result: SwipeActivationResult) {}
}

/// Calls a delegate's methods on a thread or queue of the app. A Swift program on Linux may have no main queue that is
/// served, so each app chooses its own.
public struct DelegateExecutor: Sendable {
    /// Runs each body once, at once or later, in the order of the calls.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: runs each body once, at once or later, in the order of the calls.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// The main actor, for programs with an asynchronous `main`.
    public static let main = DelegateExecutor { body in Task { @MainActor in body() } }

    /// Runs bodies at once, on the thread on which the event happened.
    public static let immediate = DelegateExecutor { $0() }
}
