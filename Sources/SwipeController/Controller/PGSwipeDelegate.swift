/// Who is told what happens at the readers. Every method may be left out.
///
/// Methods are called on the controller's executor, one after the other, never while another one runs.
public protocol PGSwipeDelegate: AnyObject, Sendable {
    /// A card was swiped. Not told for cards that IPS's readers could not read: they say nothing of them.
    /// - Parameters:
    ///   - card: what was read; nil where it could not be.
    ///   - device: the reader.
    func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice)
    /// A reader accepts swipes from now on: each one is told.
    func deviceBecameReadyForSwipe(_ device: PGSwipeDevice)
    /// A reader accepts swipes no more.
    /// - Parameters:
    ///   - device: the reader.
    ///   - reason: why. With `refreshing` it will by itself, at once.
    func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe)
    /// Something was attached where the reader belongs: headphones, maybe.
    func deviceConnected(_ device: PGSwipeDevice)
    /// What was attached was detached.
    func deviceDisconnected(_ device: PGSwipeDevice)
    /// An attempt to power a reader up has ended, successfully or not.
    func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult)
    /// A reader has no power any more.
    func deviceDeactivated(_ device: PGSwipeDevice)
    /// It is being found out what is on the audio jack. Until it is, nothing is told of connection, activation or readiness.
    func deviceAutodetectStarted()
    /// It was found out what is on the audio jack. The reader's type is set, and it is activated.
    func deviceAutodetectComplete(_ result: CardReaderAutodetectResult)
    /// Something that the program should not do, or that readers suffer from.
    func swipeControllerWarning(_ warning: PGSwipeWarning)

    /// The same as ``deviceBecameReadyForSwipe(_:)``, as the vendor's text calls it in places.
    func didBecomeReadyForSwipe(_ device: PGSwipeDevice)
    /// The same as ``deviceBecameUnreadyForSwipe(_:reason:)``, as the vendor's text calls it in places.
    func didBecomeUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe)
    /// The same as ``deviceActivationFinished(_:result:)``, as the vendor's text calls it in places.
    func activationDidComplete(_ device: PGSwipeDevice, result: SwipeActivationResult)
}

extension PGSwipeDelegate {
    /// Does nothing.
    public func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) {}
    /// Calls ``didBecomeReadyForSwipe(_:)``.
    public func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) { didBecomeReadyForSwipe(device) }
    /// Calls ``didBecomeUnreadyForSwipe(_:reason:)``.
    public func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
        didBecomeUnreadyForSwipe(device, reason: reason)
    }
    /// Does nothing.
    public func deviceConnected(_ device: PGSwipeDevice) {}
    /// Does nothing.
    public func deviceDisconnected(_ device: PGSwipeDevice) {}
    /// Calls ``activationDidComplete(_:result:)``.
    public func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
        activationDidComplete(device, result: result)
    }
    /// Does nothing.
    public func deviceDeactivated(_ device: PGSwipeDevice) {}
    /// Does nothing.
    public func deviceAutodetectStarted() {}
    /// Does nothing.
    public func deviceAutodetectComplete(_ result: CardReaderAutodetectResult) {}
    /// Does nothing.
    public func swipeControllerWarning(_ warning: PGSwipeWarning) {}
    /// Does nothing.
    public func didBecomeReadyForSwipe(_ device: PGSwipeDevice) {}
    /// Does nothing.
    public func didBecomeUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {}
    /// Does nothing.
    public func activationDidComplete(_ device: PGSwipeDevice, result: SwipeActivationResult) {}
}

/// Where a delegate is called: an app's own thread or queue. Swift programs on Linux have no main queue that is always served, so
/// that each app says which it is.
public struct DelegateExecutor: Sendable {
    /// Runs a body once, sooner or later, after those that it was given before.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: runs a body once, sooner or later, after those that it was given before.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// The main actor, for programs with an asynchronous `main`.
    public static let main = DelegateExecutor { body in Task { @MainActor in body() } }

    /// At once, on whichever thread has told what happened.
    public static let immediate = DelegateExecutor { $0() }
}
