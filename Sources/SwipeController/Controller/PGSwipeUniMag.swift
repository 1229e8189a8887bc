/// ID TECH's UniMag and Shuttle for the audio jack. With its defaults it powers up and becomes ready for swipes when it is
/// attached and a person has agreed.
public final class PGSwipeUniMag: PGSwipeDevice, @unchecked Sendable {
    /// How it deals with the person in front of it.
    public var messageOptions: PGSwipeUniMagMessageOptions {
        get { settings.options }
        set { configure { $0.options = newValue } }
    }
    /// Whether it is powered up when something is attached, headphones included. True unless set.
    public var activateReaderOnAttach: Bool {
        get { settings.activateReaderOnAttach }
        set { configure { $0.activateReaderOnAttach = newValue } }
    }
    /// Whether the volume is turned to its most before each power-up, and back behind it. True unless set: the reader needs it.
    public var automaticallySetVolumeToMaxOnActivate: Bool {
        get { settings.automaticallySetVolumeToMaxOnActivate }
        set { configure { $0.automaticallySetVolumeToMaxOnActivate = newValue } }
    }
    /// Whether a swipe is requested at once, and again whenever a request has ended. True unless set.
    public var alwaysAcceptSwipe: Bool {
        get { settings.alwaysAcceptSwipe }
        set { configure { $0.alwaysAcceptSwipe = newValue } }
    }

    /// Powers it up, or gives a power-up up. To be used while ``activateReaderOnAttach`` is false, or to answer for the person
    /// who is asked.
    /// - Parameter isWanted: whether it is to have power.
    public func powerUpDevice(_ isWanted: Bool) { engine.perform(.powerUp(isWanted)) }

    /// Powers it down. It is told as disconnected and connected again, and so powered up anew where ``activateReaderOnAttach`` is
    /// true.
    public func powerDown() { engine.perform(.powerDown) }

    /// Begins to wait for a swipe, and returns at once; ``nextSwipe()`` returns its card. A request that comes while the last one
    /// still ends, as inside of ``PGSwipeDelegate/deviceBecameUnreadyForSwipe(_:reason:)`` or right after
    /// ``cancelSwipeRequest()``, begins when it has ended. Not to be used while ``alwaysAcceptSwipe`` is true.
    public func requestSwipe() { engine.perform(.requestSwipe) }

    /// Waits for a swipe, and returns its card. While ``alwaysAcceptSwipe`` is true it is the next one that comes; else it is
    /// requested as by ``requestSwipe()``, and that is cancelled with the task.
    /// - Returns: the card.
    /// - Throws: ``PGSwipeError``: why none came, or that it could not be read.
    @discardableResult
    public func nextSwipe() async throws(PGSwipeError) -> PGSwipedCard {
        guard let engine = engine.engine else { throw PGSwipeError(.shutDown, "the controller was shut down") }
        let events = engine.teller.laterEvents(takesCards: true)
        let isRequested = !alwaysAcceptSwipe
        // When its end is known and still to be delivered, the later events do not have it.
        guard isActivated, engine.isActivated(.uniMag) else {
            throw PGSwipeError(.notReady, "no reader is activated: wait for deviceActivationFinished")
        }
        if isRequested { engine.perform(.requestSwipe) }
        // What comes before the reader waits is about the request before, except for why it will not wait.
        var isWaiting = !isRequested
        for await event in events {
            if case .deviceBecameReadyForSwipe(let device) = event, device === self { isWaiting = true }
            let result = isWaiting ? outcome(of: event) : refusal(of: event)
            if let result { return try result.get() }
        }
        guard Task.isCancelled else { throw PGSwipeError(.shutDown, "the controller was shut down") }
        if isRequested { engine.perform(.cancelSwipeRequest) }
        throw PGSwipeError(.canceled, "nobody waits for the swipe any more")
    }

    /// What an event means for who waits for a swipe; nil for nothing.
    private func outcome(of event: PGSwipeEvent) -> Result<PGSwipedCard, PGSwipeError>? {
        switch event {
        case .didSwipeCard(let card?, let device) where device === self: return .success(card)
        case .didSwipeCard(nil, let device) where device === self:
            return .failure(PGSwipeError(.unreadable, "the card could not be read: swipe it again"))
        case .deviceBecameUnreadyForSwipe(let device, let reason) where device === self:
            switch reason {
            case .disconnected: return .failure(PGSwipeError(.disconnected, "the reader has gone"))
            case .timedOut: return .failure(PGSwipeError(.timedOut, "no card came in time"))
            case .canceled: return .failure(PGSwipeError(.canceled, "the request was cancelled"))
            case .refreshing, .swipeDone: return nil
            }
        case .deviceDeactivated(let device) where device === self,
            .deviceDisconnected(let device) where device === self:
            return .failure(PGSwipeError(.disconnected, "the reader has gone"))
        case .warning(let warning) where warning.device === self && warning.code == .readerRefuses:
            return .failure(PGSwipeError(.notReady, warning.message))
        default: return nil
        }
    }

    /// What an event means for who has requested a swipe that is not waited for yet; nil for nothing.
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

    /// Ends what `requestSwipe()` has begun. Not to be used while ``alwaysAcceptSwipe`` is true.
    public func cancelSwipeRequest() { engine.perform(.cancelSwipeRequest) }

    /// Sets how long a request lasts; the next one does.
    /// - Parameter seconds: 3 to 20, which it is unless set; what is less or more is taken for the least or the most.
    public func setSwipeTimeoutDuration(_ seconds: Int) {
        let range = UniMagSettings.swipeTimeouts
        configure { $0.swipeTimeout = min(max(seconds, range.lowerBound), range.upperBound) }
    }

    private var settings: UniMagSettings { engine.engine?.settings ?? UniMagSettings() }

    private func configure(_ change: @escaping @Sendable (inout UniMagSettings) -> Void) {
        engine.perform(.configure(change))
    }

    /// What kind of reader it is.
    public override var description: String { "UniMag" }
}
