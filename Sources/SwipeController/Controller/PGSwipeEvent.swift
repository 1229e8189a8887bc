/// What happens at the readers: the same as ``PGSwipeDelegate`` is told, in the same order.
public enum PGSwipeEvent: Sendable, CustomStringConvertible {
    /// A card was swiped; nil where it could not be read.
    case didSwipeCard(PGSwipedCard?, PGSwipeDevice)
    /// A reader accepts swipes from now on.
    case deviceBecameReadyForSwipe(PGSwipeDevice)
    /// A reader accepts swipes no more, and why.
    case deviceBecameUnreadyForSwipe(PGSwipeDevice, SwipeReasonUnreadyForSwipe)
    /// Something was attached where the reader belongs.
    case deviceConnected(PGSwipeDevice)
    /// What was attached was detached.
    case deviceDisconnected(PGSwipeDevice)
    /// An attempt to power a reader up has ended.
    case deviceActivationFinished(PGSwipeDevice, SwipeActivationResult)
    /// A reader has no power any more.
    case deviceDeactivated(PGSwipeDevice)
    /// It is being found out what is on the audio jack.
    case deviceAutodetectStarted
    /// It was found out what is on the audio jack.
    case deviceAutodetectComplete(CardReaderAutodetectResult)
    /// A reader's communication test has ended, and whether it has answered. Its own delegate is told of it.
    case communicationTestComplete(PGSwipeDevice, Bool)
    /// Something that the program should not do, or that readers suffer from.
    case warning(PGSwipeWarning)

    /// One line for a person, card data masked.
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

    /// Tells a delegate, and who has begun a test.
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
