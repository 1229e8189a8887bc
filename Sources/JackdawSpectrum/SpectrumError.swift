/// Why a spectrum or a survey could not be made.
public struct SpectrumError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unsupportedSampleRate, unsupportedLength, outOfMemory }
        private let kind: Kind
        /// The sample rate is not over 0 Hz, or outside ``RecordingSurvey/sampleRates`` for a survey.
        public static let unsupportedSampleRate = Code(kind: .unsupportedSampleRate)
        /// No transform has so many samples: see ``RealTransform/init(count:)``.
        public static let unsupportedLength = Code(kind: .unsupportedLength)
        /// FFTW got no memory for a transform.
        public static let outOfMemory = Code(kind: .outOfMemory)
    }

    /// What went wrong.
    public let code: Code
    /// One line for a person.
    public let description: String
}
