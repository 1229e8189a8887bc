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

/// MagTek's iDynamo: nothing to be set. It is active and ready for swipes while it is attached.
public final class PGSwipeIDynamo: PGSwipeDevice, @unchecked Sendable {
    /// What kind of reader it is.
    public override var description: String { "iDynamo" }
}

/// IPS's encrypted reader for the audio jack.
public final class PGSwipeIps: PGSwipeDevice, @unchecked Sendable {
    private let tests = CommunicationTests()

    /// Finds out whether the attached reader is one of this kind, by loud tones, in 5 s at most. The reader that is enabled is
    /// let go for that, and told as connected again behind it.
    /// - Parameter communicationTestDelegate: who is told what came of it; not kept alive.
    public func beginTestCommunication(_ communicationTestDelegate: any PGSwipeIpsCommunicationTestDelegate) {
        tests.add { [weak communicationTestDelegate] success in
            communicationTestDelegate?.ipsCommunicationTestComplete(withResult: success)
        }
        engine.perform(.test(.ips))
    }

    override func finishTest(_ success: Bool) { tests.finish(success) }

    /// What kind of reader it is.
    public override var description: String { "IPS" }
}

/// IPS Enterprise's encrypted reader for the audio jack.
public final class PGSwipeIpsEnterprise: PGSwipeDevice, @unchecked Sendable {
    private let tests = CommunicationTests()

    /// Finds out whether the attached reader is one of this kind, by loud tones, in 5 s at most. The reader that is enabled is
    /// let go for that, and told as connected again behind it.
    /// - Parameter delegate: who is told what came of it; not kept alive.
    public func beginTestCommunication(_ delegate: any PGSwipeIpsEnterpriseCommunicationTestDelegate) {
        tests.add { [weak delegate] success in
            delegate?.ipsEnterpriseCommunicationTestComplete(withResult: success)
        }
        engine.perform(.test(.ipsEnterprise))
    }

    override func finishTest(_ success: Bool) { tests.finish(success) }

    /// What kind of reader it is.
    public override var description: String { "IPS Enterprise" }
}

/// Who is told what came of ``PGSwipeIps/beginTestCommunication(_:)``, on the controller's executor.
public protocol PGSwipeIpsCommunicationTestDelegate: AnyObject, Sendable {
    /// The test has ended.
    /// - Parameter success: whether the reader has answered.
    func ipsCommunicationTestComplete(withResult success: Bool)
}

/// Who is told what came of ``PGSwipeIpsEnterprise/beginTestCommunication(_:)``, on the controller's executor.
public protocol PGSwipeIpsEnterpriseCommunicationTestDelegate: AnyObject, Sendable {
    /// The test has ended.
    /// - Parameter success: whether the reader has answered.
    func ipsEnterpriseCommunicationTestComplete(withResult success: Bool)
}

/// Who waits for what comes of a reader's communication test.
final class CommunicationTests: Sendable {
    private let waiting = SystemLock<[@Sendable (Bool) -> Void]>([])

    func add(_ tell: @escaping @Sendable (Bool) -> Void) { waiting.withLock { $0.append(tell) } }

    /// Tells all of them.
    func finish(_ success: Bool) {
        let tells = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for tell in tells { tell(success) }
    }
}
