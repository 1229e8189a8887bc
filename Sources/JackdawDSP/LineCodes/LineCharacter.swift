/// A character off the line. Its value never shows in `description` or reflection: it may be card data.
public struct LineCharacter: Sendable, Hashable, BitwiseCopyable, CustomStringConvertible, CustomReflectable {
    /// The data bits, 5 to 9 of them, the first bit of the line at the place that the framing says.
    public let value: UInt16
    /// Sample at which the character begins, counted from the first one received since the last reset; between two samples
    /// where the bits are.
    public let startSample: Double
    /// The probability that its least certain bit is right, as far as the noise tells: 0.5, a coin toss, to 1.
    public let confidence: Float
    /// Whether start, stop and parity bits are as they should be.
    public let isFramed: Bool
    /// Bits that a check of the whole frame turned over.
    public let repairedBits: UInt8
    /// The tier that decided it.
    public let tier: DecoderTier
    /// Log-likelihood ratio (nats) of each data bit against its opposite, 0 to 25.5 in tenths; bit 0 of `value` first.
    let reliabilities: SIMD16<UInt8>

    init(
        value: UInt16, startSample: Double, confidence: Float, isFramed: Bool = true, repairedBits: UInt8 = 0,
        tier: DecoderTier, reliabilities: SIMD16<UInt8> = .init(repeating: 255)
    ) {
        self.value = value
        self.startSample = startSample
        self.confidence = confidence
        self.isFramed = isFramed
        self.repairedBits = repairedBits
        self.tier = tier
        self.reliabilities = reliabilities
    }

    /// Everything but the value.
    public var description: String { "character at sample \(startSample), \(tier.rawValue) tier" }

    /// Reflection shows nothing of the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["startSample": startSample, "confidence": confidence], displayStyle: .struct)
    }
}
