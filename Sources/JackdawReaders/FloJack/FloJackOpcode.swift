/// What a message of FloJack readers is about.
///
/// Source: Flomio's drivers for iOS, in a public repository.
public struct FloJackOpcode: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the reader is and how it does.
    public static let status = FloJackOpcode(rawValue: 1)
    /// Kinds of tags that are looked for.
    public static let protocols = FloJackOpcode(rawValue: 2)
    /// Whether tags are looked for.
    public static let polling = FloJackOpcode(rawValue: 3)
    /// How often tags are looked for, in steps of 25 ms.
    public static let pollingRate = FloJackOpcode(rawValue: 4)
    /// A tag that was found.
    public static let tag = FloJackOpcode(rawValue: 5)
    /// What became of a message.
    public static let acknowledgement = FloJackOpcode(rawValue: 6)
    /// How the line is used.
    public static let communication = FloJackOpcode(rawValue: 12)
    /// Whether the other side is there.
    public static let ping = FloJackOpcode(rawValue: 13)
    /// What is done with tags.
    public static let operationMode = FloJackOpcode(rawValue: 14)

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        1: "status", 2: "protocols", 3: "polling", 4: "polling rate", 5: "tag", 6: "acknowledgement", 7: "standalone",
        8: "standalone timeout", 9: "dump log", 10: "LED", 11: "host command", 12: "communication", 13: "ping",
        14: "operation mode", 15: "block read or write", 16: "tag write",
    ]
}
