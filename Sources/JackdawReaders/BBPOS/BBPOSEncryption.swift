/// How a reader is to encrypt data of the program, by the names of the vendor's SDK: one of each is in public samples.
public struct BBPOSEncryption: Sendable, Hashable {
    /// The method, such as `MAC_METHOD_1`.
    public var method: String
    /// Where the key is from, such as `BY_SERVER_16_BYTES_WORKING_KEY`.
    public var keySource: String
    /// What makes the data long enough, such as `ZERO_PADDING`.
    public var padding: String
    /// What the key is for, such as `TAK`.
    public var usage: String
    /// The working key, encrypted, where it is the program's to give.
    public var workingKey: ReaderBytes?

    /// As the samples have it, unless other names are given.
    /// - Parameters:
    ///   - method: the method.
    ///   - keySource: where the key is from.
    ///   - padding: what makes the data long enough.
    ///   - usage: what the key is for.
    ///   - workingKey: the working key, encrypted.
    public init(
        method: String = "MAC_METHOD_1", keySource: String = "BY_SERVER_16_BYTES_WORKING_KEY",
        padding: String = "ZERO_PADDING", usage: String = "TAK", workingKey: ReaderBytes? = nil
    ) {
        self.method = method
        self.keySource = keySource
        self.padding = padding
        self.usage = usage
        self.workingKey = workingKey
    }
}
