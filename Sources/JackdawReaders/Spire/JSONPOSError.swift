/// Why a JSONPOS terminal did not do what it was asked.
///
/// Source: the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
public struct JSONPOSError: NamedNumber {
    /// Its number.
    public let rawValue: Int

    /// Of a number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// There is no such method.
    public static let methodNotFound = JSONPOSError(rawValue: -32601)

    /// What the published numbers mean.
    public static let names: [Int: String] = [
        -32700: "JSONRPC_PARSE_ERROR", -32600: "INVALID_REQUEST", -32601: "METHOD_NOT_FOUND", -32602: "INVALID_PARAMS",
        -32603: "INTERNAL_ERROR", -32000: "KEEPALIVE", 1: "UNKNOWN",
    ]

    /// Number and meaning.
    public var description: String { "\(rawValue) \(Self.names[rawValue] ?? "unknown")" }
}
