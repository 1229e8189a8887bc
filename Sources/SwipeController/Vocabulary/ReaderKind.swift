/// The kinds of readers that a controller supports, one reader of each.
enum ReaderKind: Sendable, Hashable, CaseIterable {
    case ipsEnterprise
    case ips
    case uniMag
    /// Has a connector of its own; always enabled.
    case iDynamo

    /// The reader that a type enables; nil if the type enables no reader.
    init?(_ type: AudioJackReaderType) {
        switch type {
        case .unimag: self = .uniMag
        case .ips: self = .ips
        case .ipsEnterprise: self = .ipsEnterprise
        case .none, .autodetectOnConnect: return nil
        }
    }

    /// The type that enables the reader; nil if the reader is not on the audio jack.
    var type: AudioJackReaderType? {
        switch self {
        case .ipsEnterprise: .ipsEnterprise
        case .ips: .ips
        case .uniMag: .unimag
        case .iDynamo: nil
        }
    }

    /// The reader family of the driver.
    var family: String {
        switch self {
        case .ipsEnterprise: "ipsenterprise"
        case .ips: "ips"
        case .uniMag: "unimag"
        case .iDynamo: "magtek"
        }
    }

    /// The result of autodetection for this reader.
    var result: CardReaderAutodetectResult {
        switch self {
        case .ipsEnterprise: .ipsEnterprise
        case .ips: .ips
        case .uniMag: .uniMag
        case .iDynamo: .fail
        }
    }
}

/// The state of a reader as its public properties show it.
struct DeviceFlags: Sendable, Hashable {
    var isConnected = false
    var isActivated = false
    var isReadyForSwipe = false
}
