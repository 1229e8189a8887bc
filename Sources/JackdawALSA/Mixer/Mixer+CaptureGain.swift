public import JackdawTransport

/// The gain of a card's input as a whole: its capture volume, and a boost before it where there is one.
public struct CaptureGain: Sendable, Hashable {
    /// Where it stands, in dB.
    public let decibels: Double
    /// From the least to the most that the card can do, in dB.
    public let range: ClosedRange<Double>
    /// Whether the card tells no dB, and its range is taken for ``nominalRange``.
    public let isNominal: Bool

    /// What a range without dB is taken for, in dB: those of sound cards that do tell are 20 to 45 dB wide.
    public static let nominalRange = 0.0...30.0

    /// A gain.
    /// - Parameters:
    ///   - decibels: where it stands, in dB.
    ///   - range: from the least to the most, in dB.
    ///   - isNominal: whether the card tells no dB.
    public init(decibels: Double, range: ClosedRange<Double>, isNominal: Bool = false) {
        self.decibels = decibels
        self.range = range
        self.isNominal = isNominal
    }
}

extension Mixer {
    /// Where the capture gain stands.
    /// - Returns: the gain, or nil where the card has no capture volume.
    /// - Throws: `LinkError`.
    public func captureGain() throws(LinkError) -> CaptureGain? {
        try locked { session throws(LinkError) in try session.captureGain() }
    }

    /// Sets the capture gain, with as little boost as will do: what clips in the boost, before the volume, no volume brings
    /// back.
    /// - Parameter decibels: the gain in dB; beyond the card's range, the nearest of it.
    /// - Returns: where it stands now, rounded to the card's steps, or nil where the card has no capture volume.
    /// - Throws: `LinkError`; code `busy` where another process holds the levels.
    @discardableResult
    public func setCaptureGain(_ decibels: Double) throws(LinkError) -> CaptureGain? {
        try locked { session throws(LinkError) in
            try session.setCaptureGain(decibels)
            return try session.captureGain()
        }
    }
}

extension MixerSession {
    /// No boost has as many steps; what has is a volume.
    private static let mostBoostSteps = 64

    private var captureVolume: MixerControl? { controls.first { $0.role == .captureLevel && $0.isVolume } }

    /// The boost of the input that is captured: the one of its name where there is a choice, otherwise the likeliest.
    private func captureBoost() throws(LinkError) -> MixerControl? {
        let boosts = controls.filter { $0.role == .captureBoost && $0.decibels != nil }
        guard !boosts.isEmpty, let source = controls.first(where: { $0.role == .captureSource }),
            let items = source.items
        else { return boosts.first }
        let item = try value(source)
        return items.indices.contains(item) ? boosts.first { $0.name == "\(items[item]) Boost" } : nil
    }

    func captureGain() throws(LinkError) -> CaptureGain? {
        guard let volume = captureVolume else { return nil }
        let stand = try self.volume(of: volume)
        guard let range = volume.decibels, let decibels = stand.decibels else {
            let nominal = CaptureGain.nominalRange
            return CaptureGain(
                decibels: nominal.lowerBound + stand.share * (nominal.upperBound - nominal.lowerBound), range: nominal,
                isNominal: true)
        }
        guard let boost = try captureBoost(), let boostRange = boost.decibels,
            let boostDecibels = try self.volume(of: boost).decibels
        else { return CaptureGain(decibels: decibels, range: range) }
        return CaptureGain(
            decibels: decibels + boostDecibels,
            range: range.lowerBound + boostRange.lowerBound...range.upperBound + boostRange.upperBound)
    }

    func setCaptureGain(_ decibels: Double) throws(LinkError) {
        guard let volume = captureVolume else { return }
        guard let range = volume.decibels else {
            let nominal = CaptureGain.nominalRange
            let share = (decibels - nominal.lowerBound) / (nominal.upperBound - nominal.lowerBound)
            return try set(volume, share: share)
        }
        var rest = decibels
        if let boost = try captureBoost() {
            let steps = try self.range(boost)
            var chosen = steps.upperBound
            for step in steps.prefix(Self.mostBoostSteps)
            where try self.decibels(boost, of: step) + range.upperBound >= decibels {
                chosen = step
                break
            }
            try set(boost, to: chosen)
            rest -= try self.decibels(boost, of: chosen)
        }
        try set(volume, to: try self.volume(nearest: rest, volume))
    }
}
