/// An event of the readers: the same events as ``PGSwipeDelegate`` receives, in the same order.
public enum PGSwipeEvent: Sendable, CustomStringConvertible {
    /// A card was swiped; nil if it could not be read.
    case didSwipeCard(PGSwipedCard?, PGSwipeDevice)
    /// A reader accepts swipes from now on.
    case deviceBecameReadyForSwipe(PGSwipeDevice)
    /// A reader no longer accepts swipes, with the reason.
    case deviceBecameUnreadyForSwipe(PGSwipeDevice, SwipeReasonUnreadyForSwipe)
    /// An object was attached at the reader's connector.
    case deviceConnected(PGSwipeDevice)
    /// The object at the reader's connector was detached.
    case deviceDisconnected(PGSwipeDevice)
    /// An attempt to power a reader up has ended.
    case deviceActivationFinished(PGSwipeDevice, SwipeActivationResult)
    /// A reader has lost its power.
    case deviceDeactivated(PGSwipeDevice)
    /// Autodetection on the audio jack has begun.
    case deviceAutodetectStarted
    /// Autodetection on the audio jack has ended.
    case deviceAutodetectComplete(CardReaderAutodetectResult)
    /// A reader's communication test has ended, and whether the reader answered. The test's own delegate also receives
    /// the result.
    case communicationTestComplete(PGSwipeDevice, Bool)
    /// An unwise call of the program, or a problem of a reader.
    case warning(PGSwipeWarning)

    /// One line for a person, with card data masked.
    public var description: String {
        switch self {
        case .didSwipeCard(let card, let device): "didSwipeCard \(device): \(card.map { "\($0)" } ?? "not read")"
        case .deviceBecameReadyForSwipe(let device): "deviceBecameReadyForSwipe \(device)"
        case .deviceBecameUnreadyForSwipe(let device, let reason): "deviceBecameUnreadyForSwipe \(device): \(reason)"
        case .deviceConnected(let device): "deviceConnected \(device)"
        case .deviceDisconnected(let device): "deviceDisconnected \(device)"
        case .deviceActivationFinished(let device, let result): "deviceActivationFinished \(device): \(result)"
        case .deviceDeactivated(let device): "deviceDeactivated \(device)"
        case .deviceAutodetectStarted: "deviceAutodetectStarted"
        case .deviceAutodetectComplete(let result): "deviceAutodetectComplete: \(result)"
        case .communicationTestComplete(let device, let success):
            "communicationTestComplete \(device): \(success ? "answered" : "no answer")"
        case .warning(let warning): "warning: \(warning)"
        }
    }

    /// Calls the delegate's method for the event, and the delegates of a communication test that has ended.
    func tell(_ delegate: (any PGSwipeDelegate)?) {
        if case .communicationTestComplete(let device, let success) = self { device.finishTest(success) }
        guard let delegate else { return }
        switch self {
        case .didSwipeCard(let card, let device): delegate.didSwipeCard(card, device: device)
        case .deviceBecameReadyForSwipe(let device): delegate.deviceBecameReadyForSwipe(device)
        case .deviceBecameUnreadyForSwipe(let device, let reason):
            delegate.deviceBecameUnreadyForSwipe(device, reason: reason)
        case .deviceConnected(let device): delegate.deviceConnected(device)
        case .deviceDisconnected(let device): delegate.deviceDisconnected(device)
        case .deviceActivationFinished(let device, let result):
            delegate.deviceActivationFinished(device, result: result)
        case .deviceDeactivated(let device): delegate.deviceDeactivated(device)
        case .deviceAutodetectStarted: delegate.deviceAutodetectStarted()
        case .deviceAutodetectComplete(let result): delegate.deviceAutodetectComplete(result)
        case .communicationTestComplete: break
        case .warning(let warning): delegate.swipeControllerWarning(warning)
        }
    }
}
