/// The readers that a controller has.
enum ReaderKind: Sendable, Hashable, CaseIterable {
    case ipsEnterprise
    case ips
    case uniMag
    /// On a connector of its own, always enabled.
    case iDynamo

    /// The reader that a type enables; nil where it enables none.
    init?(_ type: AudioJackReaderType) {
        switch type {
        case .unimag: self = .uniMag
        case .ips: self = .ips
        case .ipsEnterprise: self = .ipsEnterprise
        case .none, .autodetectOnConnect: return nil
        }
    }

    /// The type that enables it; nil for what is not on the audio jack.
    var type: AudioJackReaderType? {
        switch self {
        case .ipsEnterprise: .ipsEnterprise
        case .ips: .ips
        case .uniMag: .unimag
        case .iDynamo: nil
        }
    }

    /// The family of readers that its driver is for.
    var family: String {
        switch self {
        case .ipsEnterprise: "ipsenterprise"
        case .ips: "ips"
        case .uniMag: "unimag"
        case .iDynamo: "magtek"
        }
    }

    /// What autodetection says that it is.
    var result: CardReaderAutodetectResult {
        switch self {
        case .ipsEnterprise: .ipsEnterprise
        case .ips: .ips
        case .uniMag: .uniMag
        case .iDynamo: .fail
        }
    }
}

/// What is true of a reader at some moment.
struct DeviceFlags: Sendable, Hashable {
    var isConnected = false
    var isActivated = false
    var isReadyForSwipe = false
}
