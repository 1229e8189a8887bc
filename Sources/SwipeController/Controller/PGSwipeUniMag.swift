/// ID TECH's UniMag and Shuttle on the audio jack. With the default settings, the reader powers up and becomes ready
/// for swipes when it is attached and the user of the app has agreed.
public final class PGSwipeUniMag: PGSwipeDevice, @unchecked Sendable {
    /// The questions and messages to the user of the app.
    public var messageOptions: PGSwipeUniMagMessageOptions {
        get { settings.options }
        set { configure { $0.options = newValue } }
    }
    /// Whether the controller powers the reader up when an object is attached, headphones included. Default: true.
    public var activateReaderOnAttach: Bool {
        get { settings.activateReaderOnAttach }
        set { configure { $0.activateReaderOnAttach = newValue } }
    }
    /// Whether the controller sets the volume to the maximum before each power-up, and restores it afterwards. Default:
    /// true, since the reader needs it.
    public var automaticallySetVolumeToMaxOnActivate: Bool {
        get { settings.automaticallySetVolumeToMaxOnActivate }
        set { configure { $0.automaticallySetVolumeToMaxOnActivate = newValue } }
    }
    /// Whether the controller requests a swipe at once, and again whenever a request has ended. Default: true.
    public var alwaysAcceptSwipe: Bool {
        get { settings.alwaysAcceptSwipe }
        set { configure { $0.alwaysAcceptSwipe = newValue } }
    }

    /// Powers the reader up, or cancels a power-up. Use it while ``activateReaderOnAttach`` is false, or to answer the
    /// activation question for the user.
    /// - Parameter isWanted: whether the reader should have power.
    public func powerUpDevice(_ isWanted: Bool) { engine.receive(.powerUp(isWanted)) }

    /// Powers the reader down. It is reported as disconnected and connected again, and is therefore powered up again if
    /// ``activateReaderOnAttach`` is true.
    public func powerDown() { engine.receive(.powerDown) }

    /// Requests a swipe, and returns at once; ``nextSwipe()`` returns its card. If the last request has not ended yet,
    /// for example inside ``PGSwipeDelegate/deviceBecameUnreadyForSwipe(_:reason:)`` or right after
    /// ``cancelSwipeRequest()``, the new one begins when it has ended. Do not use it while ``alwaysAcceptSwipe`` is
    /// true.
    public func requestSwipe() { engine.receive(.requestSwipe) }

    /// Waits for a swipe, and returns its card. While ``alwaysAcceptSwipe`` is true, it returns the next swipe;
    /// otherwise it requests one, as ``requestSwipe()`` does, and cancels the request with its task.
    /// - Returns: the swiped card.
    /// - Throws: ``PGSwipeError`` if no swipe was delivered, or the card could not be read.
    @discardableResult
    public func nextSwipe() async throws(PGSwipeError) -> PGSwipedCard {
        guard let engine = engine.engine else { throw PGSwipeError(.shutDown, "the controller was shut down") }
        let events = engine.teller.laterEvents(takesCards: true)
        let isRequested = !alwaysAcceptSwipe
        // If the reader's deactivation has happened and its delivery is pending, `events` does not contain it.
        guard isActivated, engine.isActivated(.uniMag) else {
            throw PGSwipeError(.notReady, "no reader is activated: wait for deviceActivationFinished")
        }
        if isRequested { engine.receive(.requestSwipe) }
        // Before the reader waits, events concern the preceding request, except a refusal of this one.
        var isWaiting = !isRequested
        for await event in events {
            if case .deviceBecameReadyForSwipe(let device) = event, device === self { isWaiting = true }
            let result = isWaiting ? outcome(of: event) : refusal(of: event)
            if let result { return try result.get() }
        }
        guard Task.isCancelled else { throw PGSwipeError(.shutDown, "the controller was shut down") }
        if isRequested { engine.receive(.cancelSwipeRequest) }
        throw PGSwipeError(.canceled, "the caller cancelled the wait for the swipe")
    }

    /// The result of an event for a caller that waits for a swipe; nil if the event does not end the wait.
    private func outcome(of event: PGSwipeEvent) -> Result<PGSwipedCard, PGSwipeError>? {
        switch event {
        case .didSwipeCard(let card?, let device) where device === self: return .success(card)
        case .didSwipeCard(nil, let device) where device === self:
            return .failure(PGSwipeError(.unreadable, "the card could not be read: swipe it again"))
        case .deviceBecameUnreadyForSwipe(let device, let reason) where device === self:
            switch reason {
            case .disconnected: return .failure(PGSwipeError(.disconnected, "the reader was disconnected"))
            case .timedOut: return .failure(PGSwipeError(.timedOut, "no card came in time"))
            case .canceled: return .failure(PGSwipeError(.canceled, "the request was cancelled"))
            case .refreshing, .swipeDone: return nil
            }
        case .deviceDeactivated(let device) where device === self,
            .deviceDisconnected(let device) where device === self:
            return .failure(PGSwipeError(.disconnected, "the reader was disconnected"))
        case .warning(let warning) where warning.device === self && warning.code == .readerRefuses:
            return .failure(PGSwipeError(.notReady, warning.message))
        default: return nil
        }
    }

    /// The result of an event for a caller whose request the reader has not started yet; nil if the event does not end
    /// the wait.
    private func refusal(of event: PGSwipeEvent) -> Result<PGSwipedCard, PGSwipeError>? {
        switch event {
        case .deviceDeactivated, .deviceDisconnected: return outcome(of: event)
        case .warning(let warning) where warning.device === self:
            switch warning.code {
            case .callIgnored, .readerRefuses: return .failure(PGSwipeError(.notReady, warning.message))
            case .requestCanceled: return .failure(PGSwipeError(.canceled, warning.message))
            default: return nil
            }
        default: return nil
        }
    }

    /// Cancels the request of `requestSwipe()`. Do not use it while ``alwaysAcceptSwipe`` is true.
    public func cancelSwipeRequest() { engine.receive(.cancelSwipeRequest) }

    /// Sets the duration of a request, from the next request on.
    /// - Parameter seconds: 3 to 20, the default is 20; other values are limited to that range.
    public func setSwipeTimeoutDuration(_ seconds: Int) {
        let range = UniMagSettings.swipeTimeouts
        configure { $0.swipeTimeout = min(max(seconds, range.lowerBound), range.upperBound) }
    }

    private var settings: UniMagSettings { engine.engine?.settings ?? UniMagSettings() }

    private func configure(_ change: @escaping @Sendable (inout UniMagSettings) -> Void) {
        engine.receive(.configure(change))
    }

    public override var description: String { "UniMag" }
}
