/// Why a line code cannot be encoded or decoded as asked.
public struct LineCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case outOfRange, unknownMode }
        private let kind: Kind
        /// A value out of its range.
        public static let outOfRange = Code(kind: .outOfRange)
        /// No mode has this name.
        public static let unknownMode = Code(kind: .unknownMode)
    }

    /// What went wrong.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    /// The message.
    public var description: String { message }
}

extension LineCodeError {
    static func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(LineCodeError) {
        // NaN lies in no range.
        guard !range.contains(value) else { return }
        throw LineCodeError(
            code: .outOfRange,
            message: "\(name) \(value) is out of range: \(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}
