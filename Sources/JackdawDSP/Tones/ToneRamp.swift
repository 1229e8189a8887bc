/// How a tone comes, goes and changes without a click.
public struct ToneRamp: Sendable, Hashable {
    /// The course of the level.
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        /// The amplitude grows by the same amount every frame.
        case linear
        /// The amplitude grows as (1 - cos) / 2, without a kink at either end.
        case raisedCosine
    }

    /// The course of the level.
    public var shape: Shape
    /// How long it takes in seconds, 0 to 60.
    public var seconds: Double

    /// A ramp.
    /// - Parameters:
    ///   - shape: the course of the level.
    ///   - seconds: how long it takes, 0 to 60.
    public init(_ shape: Shape, seconds: Double) {
        self.shape = shape
        self.seconds = seconds
    }

    /// At once.
    public static let none = ToneRamp(.linear, seconds: 0)
    /// A raised cosine of 5 ms: short, and no click.
    public static let soft = ToneRamp(.raisedCosine, seconds: 0.005)
}

extension ToneRamp {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) { try LineCodeError.check("ramp", seconds, 0...60, "s") }

    /// How far the ramp has come.
    /// - Parameter progress: share of its time that has passed, 0 to 1.
    /// - Returns: 0 to 1.
    func weight(at progress: Double) -> Double {
        switch shape {
        case .linear: progress
        case .raisedCosine: 0.5 - 0.5 * Numerics.sineAndCosine(turns: progress / 2).cosine
        }
    }
}

/// A ramp under way.
struct RampClock: Sendable {
    private let ramp: ToneRamp
    private let frames: Double
    private var frame = 0.0

    /// A ramp at its first frame.
    init(_ ramp: ToneRamp, sampleRate: Double) {
        self.ramp = ramp
        frames = (ramp.seconds * sampleRate).rounded()
    }

    /// Whether it has come to its end.
    var isOver: Bool { frame >= frames }

    /// How far it has come, 0 to 1.
    var weight: Double { isOver ? 1 : ramp.weight(at: frame / frames) }

    /// Goes on to the next frame.
    mutating func advance() { frame += 1 }
}
