internal import JackdawTransport

/// Reports whether an object is in the audio jack, for any object and any enabled type of reader. The vendor's SDK has
/// one for the phone's only jack; here each controller has one for its own jack
/// (``PGSwipeController/connectionDetector``).
public final class PGAudioJackConnectionDetector: Sendable {
    private struct Listener { weak var delegate: (any PGAudioJackConnectionDetectorDelegate)? }

    private struct State {
        var isPlugged = false
        var listeners: [Listener] = []
    }

    private let state = Lock(State())

    init() {}

    /// Whether an object is in the jack, as of the last report to the delegates.
    public var isObjectPluggedIn: Bool { state.withLock { $0.isPlugged } }

    /// Adds a delegate, which receives all later reports.
    /// - Parameter delegate: the delegate, not retained. A delegate that was added before is not added a second time.
    public func addDelegate(_ delegate: any PGAudioJackConnectionDetectorDelegate) {
        state.withLock { state in
            state.listeners.removeAll { $0.delegate == nil || $0.delegate === delegate }
            state.listeners.append(Listener(delegate: delegate))
        }
    }

    /// Removes a delegate, which receives no later reports.
    /// - Parameter delegate: the delegate to remove.
    public func removeDelegate(_ delegate: any PGAudioJackConnectionDetectorDelegate) {
        state.withLock { state in state.listeners.removeAll { $0.delegate == nil || $0.delegate === delegate } }
    }

    func change(_ isPlugged: Bool) {
        let delegates = state.withLock { state in
            state.isPlugged = isPlugged
            return state.listeners.compactMap(\.delegate)
        }
        for delegate in delegates {
            isPlugged ? delegate.audioJackObjectAttached() : delegate.audioJackObjectDetached()
        }
    }
}

/// Receives the connection events of the audio jack, on the controller's executor. All methods are optional.
public protocol PGAudioJackConnectionDetectorDelegate: AnyObject, Sendable {
    /// An object was put into the jack: a reader, or headphones.
    func audioJackObjectAttached()
    /// The object in the jack was removed.
    func audioJackObjectDetached()
}

extension PGAudioJackConnectionDetectorDelegate {
    /// Default: ignores the event.
    public func audioJackObjectAttached() {}
    /// Default: ignores the event.
    public func audioJackObjectDetached() {}
}
