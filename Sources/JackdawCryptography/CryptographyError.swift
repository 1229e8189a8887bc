public import JackdawReaders

/// The reason why a calculation with keys failed: a code, a message without card data or keys, and the cause.
public struct CryptographyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key, a serial number or a ciphertext has an invalid length.
        public static let length = Code(rawValue: "length")
        /// A character is not a hexadecimal digit.
        public static let digit = Code(rawValue: "digit")
        /// The transaction counter is invalid: 0, or with too many one bits.
        public static let counter = Code(rawValue: "counter")
        /// The reader has used its last counter, so it has no key left.
        public static let exhausted = Code(rawValue: "exhausted")
        /// The key is not for this algorithm.
        public static let algorithm = Code(rawValue: "algorithm")
        /// The working key would be stronger than the key that it is derived from.
        public static let strength = Code(rawValue: "strength")
        /// The key is a published test key, but the mode is live cards.
        public static let publishedKey = Code(rawValue: "publishedKey")
        /// The key is not a published test key, but only test cards are swiped.
        public static let notPublished = Code(rawValue: "notPublished")
        /// The bytes are not a swipe of the reader.
        public static let frame = Code(rawValue: "frame")
        /// The swipe is not encrypted.
        public static let notEncrypted = Code(rawValue: "notEncrypted")
        /// It is not published by which key this reader encrypts, or how this card protects commands.
        public static let unknownScheme = Code(rawValue: "unknownScheme")
        /// The hash of a track differs from the hash in the frame.
        public static let hash = Code(rawValue: "hash")
        /// The bytes after a track are not its padding.
        public static let padding = Code(rawValue: "padding")
        /// A track has no sentinels, or characters that no track has.
        public static let text = Code(rawValue: "text")
        /// A track contradicts the frame's data in clear.
        public static let mismatch = Code(rawValue: "mismatch")
        /// An account number does not have 1 to 19 digits.
        public static let account = Code(rawValue: "account")
        /// A PIN does not have 4 to 12 digits.
        public static let pin = Code(rawValue: "pin")
        /// The bytes are not a PIN block of the format.
        public static let pinBlock = Code(rawValue: "pinBlock")
        /// A value is out of its range, or not one that the card's scheme has.
        public static let value = Code(rawValue: "value")
        /// A file of CA keys has an error; the message has its place.
        public static let keyFile = Code(rawValue: "keyFile")
        /// The checksum of a CA key does not match the key.
        public static let checksum = Code(rawValue: "checksum")
        /// Encrypted bytes were changed, or belong to another key or to other data.
        public static let authentication = Code(rawValue: "authentication")
        /// libcrypto reported an error.
        public static let library = Code(rawValue: "library")
    }

    /// The kind of failure, for programs that handle the error.
    public let code: Code
    /// The error and, if there is one, its remedy.
    public let message: String
    /// The error message of the call of libcrypto that failed; nil for other failures, or if
    /// libcrypto reported no error.
    public let underlying: String?
    /// The place and the reason why the bytes are not a frame; nil for codes other than `frame`.
    public let fault: FrameFault?

    init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
        fault = nil
    }

    init(_ fault: FrameFault) {
        code = .frame
        message = "not a swipe of this reader: \(fault)"
        underlying = nil
        self.fault = fault
    }

    /// Message and cause in one line.
    public var description: String { message + (underlying.map { " (\($0))" } ?? "") }
}
