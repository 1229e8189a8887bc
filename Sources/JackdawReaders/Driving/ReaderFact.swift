import JackdawCards
public import JackdawTransport

/// Something that a reader tells about itself.
public enum ReaderFact: Sendable, Hashable, CustomStringConvertible {
    /// What kind of reader it is.
    case model(String)
    /// What software runs in it.
    case firmware(String)
    /// Its own number.
    case serialNumber(String)
    /// The serial number of the key that encrypts the next swipe (KSN), 8 to 12 bytes.
    case keySerialNumber([UInt8])
    /// Its battery.
    case battery(BatteryReport)
    /// Something that it can do, in the words of its protocol, with a value if it has one.
    case capability(String)
    /// How it is set up.
    case setting(ReaderSetting)
    /// What it does, in the words of its protocol.
    case status(String)
    /// Bytes whose meaning nobody has published, or that have none of their own; they may be card data.
    case bytes(ReaderBytes)

    /// Name and value.
    public var description: String {
        switch self {
        case .model: "model \(text ?? "")"
        case .firmware: "firmware \(text ?? "")"
        case .serialNumber: "serial number \(text ?? "")"
        case .keySerialNumber(let bytes): "key serial number \(bytes.span.hexadecimal())"
        case .battery(let report):
            "battery \(report.percent.map { "\($0) %" } ?? "unknown")\(report.isCharging == true ? ", charging" : "")"
        case .capability: "capability \(text ?? "")"
        case .setting(let setting): "setting \(setting.number) of \(setting.value.count) bytes"
        case .status: "status \(text ?? "")"
        case .bytes(let bytes): bytes.description
        }
    }

    /// What it tells in words, without what may be an account number; nil where it is none.
    package var text: String? {
        switch self {
        case .model(let text), .firmware(let text), .serialNumber(let text), .capability(let text), .status(let text):
            CardHiding.shown(text)
        case .keySerialNumber, .battery, .setting, .bytes: nil
        }
    }
}

/// Who a reader is, as far as it has told.
public struct ReaderIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The name of its family.
    public let family: String
    /// What it has told, in that order.
    public let facts: [ReaderFact]

    /// - Parameters:
    ///   - family: the name of its family.
    ///   - facts: what it has told.
    public init(family: String, facts: [ReaderFact]) {
        self.family = family
        self.facts = facts
    }

    /// Family and facts.
    public var description: String { ([family] + facts.map { "\($0)" }).joined(separator: ", ") }
}
