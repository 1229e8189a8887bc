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
