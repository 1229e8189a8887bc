/// Why a decoder could not be made.
public struct SwipeDecoderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unsupportedSampleRate }
        private let kind: Kind
        /// The sample rate is outside ``SwipeDecoder/sampleRates``.
        public static let unsupportedSampleRate = Code(kind: .unsupportedSampleRate)
    }

    /// What went wrong.
    public let code: Code
    /// One line for a person.
    public let description: String

    init(unsupportedSampleRate rate: Double) {
        code = .unsupportedSampleRate
        description = "the sample rate is \(rate) Hz; swipes are decoded from 8000 to 192000 Hz"
    }
}
