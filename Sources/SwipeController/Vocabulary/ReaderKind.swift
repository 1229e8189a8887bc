/// The kinds of readers that a controller supports, one reader of each.
enum ReaderKind: Sendable, Hashable, CaseIterable {
    case ipsEnterprise
    case ips
    case uniMag
    /// Has a connector of its own; always enabled.
    case iDynamo

    /// The names of the reader: by the program's type, by the result of autodetection, and by the driver.
    private var names: (type: AudioJackReaderType?, result: CardReaderAutodetectResult, family: String) {
        switch self {
        case .ipsEnterprise: (.ipsEnterprise, .ipsEnterprise, "ipsenterprise")
        case .ips: (.ips, .ips, "ips")
        case .uniMag: (.unimag, .uniMag, "unimag")
        case .iDynamo: (nil, .fail, "magtek")
        }
    }

    /// The reader that a type enables; nil if the type enables no reader.
    init?(_ type: AudioJackReaderType) {
        guard let reader = Self.allCases.first(where: { $0.type == type }) else { return nil }
        self = reader
    }

    /// The type that enables the reader; nil if the reader is not on the audio jack.
    var type: AudioJackReaderType? { names.type }
    /// The result of autodetection for this reader; `fail` if the reader is not on the audio jack.
    var result: CardReaderAutodetectResult { names.result }
    /// The reader family of the driver.
    var family: String { names.family }
}

/// The state of a reader as its public properties show it.
struct DeviceFlags: Sendable, Hashable {
    var isConnected = false
    var isActivated = false
    var isReadyForSwipe = false
}
