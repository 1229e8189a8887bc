/// MagTek's iDynamo: nothing to be set. It is active and ready for swipes while it is attached.
public final class PGSwipeIDynamo: PGSwipeDevice, @unchecked Sendable {
    /// What kind of reader it is.
    public override var description: String { "iDynamo" }
}

/// IPS's encrypted reader for the audio jack.
public final class PGSwipeIps: PGSwipeDevice, @unchecked Sendable {
    /// What kind of reader it is.
    public override var description: String { "IPS" }
}

/// IPS Enterprise's encrypted reader for the audio jack.
public final class PGSwipeIpsEnterprise: PGSwipeDevice, @unchecked Sendable {
    /// What kind of reader it is.
    public override var description: String { "IPS Enterprise" }
}
