/// What a person can do about the sound of a reader, in plain words.
public enum CaptureAdvice: Sendable, Hashable, CustomStringConvertible {
    /// What was wrong is over.
    case good
    /// Swipes are too weak, and nothing here can raise the gain.
    case tooQuiet
    /// Swipes are too weak with the gain at its highest.
    case tooQuietAtMostGain
    /// Swipes clip, and nothing here can lower the gain.
    case clipping
    /// Swipes clip with the gain at its lowest.
    case clippingAtLeastGain
    /// Some swipes clip and others are too weak, whatever the gain.
    case uneven
    /// Hum stands this far over the signal, in dB.
    case hum(decibels: Int)
    /// The signal is hardly above a noise that is loud itself, so that another gain does not help.
    case noise

    /// One line for a person.
    public var description: String {
        switch self {
        case .good: "the level is good now"
        case .tooQuiet: "too quiet: raise the capture gain"
        case .tooQuietAtMostGain: "too quiet, and the capture gain is at its highest: swipe faster, or clean the head"
        case .clipping: "clipping: lower the capture gain"
        case .clippingAtLeastGain:
            "clipping, and the capture gain is at its lowest: turn boosts off, or use a line input"
        case .uneven: "some swipes clip and others are too quiet: swipe at an even speed"
        case .hum(let decibels): "hum \(decibels) dB over the signal: check the ground"
        case .noise: "noise covers the signal, and another gain does not help: check cable and plug"
        }
    }
}

/// A change of the capture gain.
public struct CaptureGainStep: Sendable, Hashable, CustomStringConvertible {
    /// Why the gain is changed.
    public enum Reason: Sendable, Hashable {
        /// The last swipe was too weak.
        case tooQuiet
        /// The last swipe clipped.
        case clipping
    }

    /// Why the gain is changed.
    public let reason: Reason
    /// What it is to be, in dB.
    public let decibels: Double
    /// By how much that is more than before, in dB.
    public let change: Double

    /// One line for a person.
    public var description: String {
        let size = Int(change.magnitude.rounded())
        return switch reason {
        case .tooQuiet: "too quiet: raising the capture gain by \(size) dB"
        case .clipping: "clipping: lowering the capture gain by \(size) dB"
        }
    }
}

/// What ``CaptureGainControl`` wants.
public enum CaptureGainOutput: Sendable, Hashable {
    /// The capture gain is to be changed. Whoever does it says what became of it:
    /// ``CaptureGainControl/gainChanged(to:)``.
    case step(CaptureGainStep)
    /// A person is to be told.
    case advice(CaptureAdvice)
}
