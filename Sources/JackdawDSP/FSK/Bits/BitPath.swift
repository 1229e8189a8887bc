/// What a path of bits through a stretch sees on its way.
struct BitPath: Sendable, Wipeable {
    /// A bit on the path.
    struct Bit: Sendable {
        let value: Int
        /// Grid steps of its beginning and its end.
        let start: Int
        let end: Int
        /// What it has of the carrier as the bits before it tell the phase.
        let gain: Float
        /// How much more of the carrier it has than its opposite would have.
        let lead: Float
        /// What it has of its own tone and of the other one, whatever the phase.
        let own: Float
        let other: Float
        /// What it has of the carrier as the bits behind it tell the phase: where a carrier begins, nothing before it does.
        var gainFromBehind: Float = 0
    }

    private(set) var bits: [Bit] = []
    /// How much of the sound the path accounts for.
    private(set) var strength = CarrierStrength()
    /// The carrier at the beginning of each bit, and behind the last one.
    private(set) var carriers: [Carrier] = []

    /// Follows what a search found.
    /// - Parameters:
    ///   - found: the bits.
    ///   - windows: the stretch.
    ///   - carrier: what is known of the carrier at the beginning.
    mutating func follow(_ found: [BitTrellis.Found], _ windows: BitWindows, from carrier: Carrier) {
        bits.growWiping(toHold: found.count)
        carriers.growWiping(toHold: found.count + 1)
        bits.removeAll(keepingCapacity: true)
        carriers.removeAll(keepingCapacity: true)
        strength.restart(isCoherent: carrier.isCoherent, capacity: windows.tones.count + 1)
        carriers.append(carrier)
        guard let first = found.first else { return }
        if first.start > 0 { strength.add(0, steps: first.start) }
        var carrier = carrier
        for item in found {
            let seen = windows.seen(item.bit, from: item.start, length: item.length)
            let opposite = windows.seen(1 - item.bit, from: item.start, length: item.length)
            let otherGain = carrier.gain(opposite)
            let gain = carrier.follow(seen, bits: Self.bits(item), windows.turn(item.bit, length: item.length))
            strength.add(gain, steps: item.length)
            carriers.append(carrier)
            bits.append(
                Bit(
                    value: item.bit, start: item.start, end: item.start + item.length, gain: gain,
                    lead: gain - otherGain, own: Carrier.size(of: seen), other: Carrier.size(of: opposite)))
        }
        followBack(found, windows, Carrier(isCoherent: carrier.isCoherent))
    }

    mutating func wipe() {
        bits.wipeCapacity()
        carriers.wipeCapacity()
        strength.wipe()
    }

    private mutating func followBack(_ found: [BitTrellis.Found], _ windows: BitWindows, _ unknown: Carrier) {
        var carrier = unknown
        for index in found.indices.reversed() {
            let item = found[index]
            // Back to where the bit before opens, the carrier turns the other way.
            let before = index > 0 ? found[index - 1] : item
            let turn = windows.turn(before.bit, length: before.length)
            bits[index].gainFromBehind = carrier.follow(
                windows.seen(item.bit, from: item.start, length: item.length), bits: Self.bits(item),
                SIMD2(turn.x, -turn.y))
        }
    }

    private static func bits(_ item: BitTrellis.Found) -> Float {
        Float(item.length) / Float(ToneCorrelations.stepsPerBit)
    }

    /// The carrier and the noise in some bits.
    func evidence(in range: Range<Int>, _ tones: ToneCorrelations) -> CarrierStrength.Evidence {
        let range = range.clamped(to: bits.indices)
        guard let last = range.last else { return .none }
        return strength.evidence(in: bits[range.lowerBound].start..<bits[last].end, tones)
    }
}
