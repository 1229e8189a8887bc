public import JackdawReaders

/// Why something was not decrypted, or no key derived: a code, words without card data or keys, and the cause.
public struct DecryptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. A struct, so that codes can be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// Its name.
        public let rawValue: String

        /// Of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key, a serial number or a ciphertext has a length that none has.
        public static let length = Code(rawValue: "length")
        /// A character that is no hexadecimal digit.
        public static let digit = Code(rawValue: "digit")
        /// A counter that no transaction has: 0, or with more ones than are allowed.
        public static let counter = Code(rawValue: "counter")
        /// No counter is left, and so no key.
        public static let exhausted = Code(rawValue: "exhausted")
        /// A key that is not for this algorithm.
        public static let algorithm = Code(rawValue: "algorithm")
        /// A working key that were stronger than the key that it comes from.
        public static let strength = Code(rawValue: "strength")
        /// A key that everybody knows, where live cards are read.
        public static let publishedKey = Code(rawValue: "publishedKey")
        /// A key that not everybody knows, where only test cards are swiped.
        public static let notPublished = Code(rawValue: "notPublished")
        /// The bytes are no swipe of the reader.
        public static let frame = Code(rawValue: "frame")
        /// The swipe is not encrypted.
        public static let notEncrypted = Code(rawValue: "notEncrypted")
        /// Nobody has published by which key this reader encrypts.
        public static let unknownScheme = Code(rawValue: "unknownScheme")
        /// The hash of a track is another than the frame's.
        public static let hash = Code(rawValue: "hash")
        /// Behind a track is something else than its padding.
        public static let padding = Code(rawValue: "padding")
        /// A track without its sentinels, or with characters that a track does not have.
        public static let text = Code(rawValue: "text")
        /// A track says something else than the frame says of it in clear.
        public static let mismatch = Code(rawValue: "mismatch")
        /// libcrypto failed.
        public static let library = Code(rawValue: "library")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and, where there is a remedy, what to do.
    public let message: String
    /// libcrypto's own words, where it failed.
    public let underlying: String?
    /// Where and why the bytes are no frame; of the code `frame`.
    public let fault: FrameFault?

    init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
        fault = nil
    }

    init(_ fault: FrameFault) {
        code = .frame
        message = "no swipe of this reader: \(fault)"
        underlying = nil
        self.fault = fault
    }

    /// Message and cause in one line.
    public var description: String { message + (underlying.map { " (\($0))" } ?? "") }
}
