internal import JackdawSystem

/// Tells whether something is in the audio jack, whatever it is and whichever type of reader is enabled. The vendor's has one
/// for the phone's only jack; here each controller has one for its own (``PGSwipeController/connectionDetector``).
public final class PGAudioJackConnectionDetector: Sendable {
    private struct Listener { weak var delegate: (any PGAudioJackConnectionDetectorDelegate)? }

    private struct State {
        var isPlugged = false
        var listeners: [Listener] = []
    }

    private let state = SystemLock(State())

    init() {}

    /// Whether something is in the jack, as far as delegates were told.
    public var isObjectPluggedIn: Bool { state.withLock { $0.isPlugged } }

    /// Tells somebody from now on.
    /// - Parameter delegate: who; not kept alive. One that is there already is not told twice.
    public func addDelegate(_ delegate: any PGAudioJackConnectionDetectorDelegate) {
        state.withLock { state in
            state.listeners.removeAll { $0.delegate == nil || $0.delegate === delegate }
            state.listeners.append(Listener(delegate: delegate))
        }
    }

    /// Tells somebody no more.
    /// - Parameter delegate: who.
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

/// Who is told what comes into the audio jack and goes, on the controller's executor. Each method may be left out.
public protocol PGAudioJackConnectionDetectorDelegate: AnyObject, Sendable {
    /// Something was put into the jack: a reader, or headphones.
    func audioJackObjectAttached()
    /// What was in the jack was pulled out.
    func audioJackObjectDetached()
}

extension PGAudioJackConnectionDetectorDelegate {
    /// Does nothing.
    public func audioJackObjectAttached() {}
    /// Does nothing.
    public func audioJackObjectDetached() {}
}
