internal import JackdawSystem

/// What readers of all types have in common. Made by ``PGSwipeController`` alone; it comes with every event, to be cast to the
/// reader's own class.
public class PGSwipeDevice: CustomStringConvertible, @unchecked Sendable {
    private let flags = SystemLock(DeviceFlags())
    let engine: SwipeEngineReference

    init(_ engine: SwipeEngineReference) { self.engine = engine }

    /// Whether it is attached, as far as the last event has told.
    public final var isConnected: Bool { flags.withLock { $0.isConnected } }
    /// Whether it is powered up, as far as the last event has told.
    public final var isActivated: Bool { flags.withLock { $0.isActivated } }
    /// The same as ``isActivated``, as the vendor's text calls it in places.
    @available(*, deprecated, renamed: "isActivated")
    public final var isActive: Bool { isActivated }
    /// Whether it accepts swipes, as far as the last event has told.
    public final var isReadyForSwipe: Bool { flags.withLock { $0.isReadyForSwipe } }
    /// Who is told what happens: the controller's ``PGSwipeController/delegate``, and not to be set here.
    public final var delegate: (any PGSwipeDelegate)? { engine.engine?.teller.delegate }

    /// Tells who has begun a communication test what came of it.
    func finishTest(_ success: Bool) {}

    final func set(_ flags: DeviceFlags) { self.flags.withLock { $0 = flags } }

    /// What kind of reader it is.
    public var description: String { "reader" }
}
