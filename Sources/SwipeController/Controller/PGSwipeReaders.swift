internal import JackdawTransport

/// The common base of all readers. Only ``PGSwipeController`` creates readers; each event has its reader, which a
/// program casts to the reader's own class.
public class PGSwipeDevice: CustomStringConvertible, @unchecked Sendable {
    private let flags = Lock(DeviceFlags())
    let engine: SwipeEngineReference

    init(_ engine: SwipeEngineReference) { self.engine = engine }

    /// Whether an object is attached at the reader's connector, as of the last event.
    public final var isConnected: Bool { flags.withLock { $0.isConnected } }
    /// Whether the reader is powered up, as of the last event.
    public final var isActivated: Bool { flags.withLock { $0.isActivated } }
    /// The same as ``isActivated``, under another name in the vendor's text.
    @available(*, deprecated, renamed: "isActivated")
    public final var isActive: Bool { isActivated }
    /// Whether the reader accepts swipes, as of the last event.
    public final var isReadyForSwipe: Bool { flags.withLock { $0.isReadyForSwipe } }
    /// The receiver of the events: the controller's ``PGSwipeController/delegate``; it cannot be set here.
    public final var delegate: (any PGSwipeDelegate)? { engine.engine?.teller.delegate }

    /// Passes the result of a communication test to the callers that began it.
    func finishTest(_ success: Bool) {}

    final func set(_ flags: DeviceFlags) { self.flags.withLock { $0 = flags } }

    /// The kind of reader, for a person.
    public var description: String { "reader" }
}

/// MagTek's iDynamo, which has no settings. It is active and ready for swipes while it is attached.
public final class PGSwipeIDynamo: PGSwipeDevice, @unchecked Sendable {
    public override var description: String { "iDynamo" }
}

/// IPS's encrypted reader for the audio jack.
public final class PGSwipeIps: PGSwipeDevice, @unchecked Sendable {
    private let tests = CommunicationTests()

    /// Tests whether the attached reader is of this kind, with loud tones, in 5 s at most. The controller releases the
    /// enabled reader for the test, and reports it as connected again afterwards.
    /// - Parameter communicationTestDelegate: receives the result; not retained.
    public func beginTestCommunication(_ communicationTestDelegate: any PGSwipeIpsCommunicationTestDelegate) {
        tests.add { [weak communicationTestDelegate] success in
            communicationTestDelegate?.ipsCommunicationTestComplete(withResult: success)
        }
        engine.receive(.test(.ips))
    }

    override func finishTest(_ success: Bool) { tests.finish(success) }

    public override var description: String { "IPS" }
}

/// IPS Enterprise's encrypted reader for the audio jack.
public final class PGSwipeIpsEnterprise: PGSwipeDevice, @unchecked Sendable {
    private let tests = CommunicationTests()

    /// Tests whether the attached reader is of this kind, with loud tones, in 5 s at most. The controller releases the
    /// enabled reader for the test, and reports it as connected again afterwards.
    /// - Parameter delegate: receives the result; not retained.
    public func beginTestCommunication(_ delegate: any PGSwipeIpsEnterpriseCommunicationTestDelegate) {
        tests.add { [weak delegate] success in
            delegate?.ipsEnterpriseCommunicationTestComplete(withResult: success)
        }
        engine.receive(.test(.ipsEnterprise))
    }

    override func finishTest(_ success: Bool) { tests.finish(success) }

    public override var description: String { "IPS Enterprise" }
}

/// Receives the result of ``PGSwipeIps/beginTestCommunication(_:)``, on the controller's executor.
public protocol PGSwipeIpsCommunicationTestDelegate: AnyObject, Sendable {
    /// The communication test has ended.
    /// - Parameter success: whether the reader answered.
    func ipsCommunicationTestComplete(withResult success: Bool)
}

/// Receives the result of ``PGSwipeIpsEnterprise/beginTestCommunication(_:)``, on the controller's executor.
public protocol PGSwipeIpsEnterpriseCommunicationTestDelegate: AnyObject, Sendable {
    /// The communication test has ended.
    /// - Parameter success: whether the reader answered.
    func ipsEnterpriseCommunicationTestComplete(withResult success: Bool)
}

/// The callers that wait for the result of a reader's communication test.
final class CommunicationTests: Sendable {
    private let waiting = Lock<[@Sendable (Bool) -> Void]>([])

    func add(_ tell: @escaping @Sendable (Bool) -> Void) { waiting.withLock { $0.append(tell) } }

    /// Passes the result to all waiting callers.
    func finish(_ success: Bool) {
        let tells = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for tell in tells { tell(success) }
    }
}
