/// Decides from the energy of successive short hops of sound at which times a swipe may begin and end.
///
/// The floor is the least smoothed energy of the last 1.5 seconds (minimum statistics). It thus follows steady noise
/// and hum at any level, and never a swipe.
struct ActivityGate {
    /// The result of a hop.
    enum Decision: Equatable {
        /// There is no activity.
        case quiet
        /// A segment began: keep the sound from `preRollHops` hops before this one.
        case opened
        /// The segment continues with this hop.
        case active
        /// The segment ended `quietHops` hops ago.
        case closed
        /// The segment is too long for one swipe: cut it, and keep its second half as the start of the next segment.
        case overlong
    }

    /// Hops kept before the one that opened the segment.
    let preRollHops: Int
    /// Quiet hops that end a segment.
    let quietHops: Int
    /// Hops after which a segment is cut.
    let maxHops: Int

    private let openRatio: Float
    private let closeRatio: Float
    private let absoluteFloor: Float

    /// Energies of the last hops.
    private var recent = SIMD4<Float>.zero
    private var hop = 0
    private var blockMinima: [Float]
    /// The least energy of those blocks.
    private var floorOfBlocks = Float.infinity
    private var blockMinimum: Float = .infinity
    private let hopsPerBlock: Int
    private var blocks = 0
    private(set) var isOpen = false
    private var openHops = 0
    private var quietRun = 0
    private var peak: Float = 0

    /// Hops over which energy is smoothed.
    private static let smoothing = SIMD4<Float>.scalarCount
    /// Blocks over which the floor is the minimum.
    private static let floorBlocks = 6
    private static let floorSeconds = 1.5
    private static let quietSeconds = 0.08
    private static let preRollSeconds = 0.06
    private static let maxSeconds = 3.0
    /// Before a floor is known, a segment ends when its energy falls to this share of its peak.
    private static let fallShare: Float = 0.25

    /// - Parameters:
    ///   - hopSeconds: length of a hop in seconds.
    ///   - hopSamples: samples per hop; with fewer samples, the energy scatters more.
    ///   - leastEnergy: energy of a hop of digital silence with its rounding noise.
    init(hopSeconds: Double, hopSamples: Int, leastEnergy: Float) {
        hopsPerBlock = max(1, Int((Self.floorSeconds / Double(Self.floorBlocks) / hopSeconds).rounded()))
        quietHops = max(2, Int((Self.quietSeconds / hopSeconds).rounded(.up)))
        preRollHops = max(1, Int((Self.preRollSeconds / hopSeconds).rounded(.up))) + Self.smoothing
        maxHops = Int(Self.maxSeconds / hopSeconds)
        let scatter = (2 / Float(hopSamples * Self.smoothing)).squareRoot()
        openRatio = 1.25 + 8 * scatter
        closeRatio = 1.15 + 4 * scatter
        absoluteFloor = leastEnergy
        blockMinima = .init(repeating: .infinity, count: Self.floorBlocks)
    }

    /// Processes the energy of the next hop.
    mutating func receive(energy: Float) -> Decision {
        recent[hop % Self.smoothing] = energy
        hop += 1
        let smoothed = recent.sum() / Float(min(hop, Self.smoothing))
        let isFloorKnown = blocks >= 1
        let floor = max(min(floorOfBlocks, blockMinimum), absoluteFloor)
        track(smoothed)
        guard isOpen else {
            let isActive = isFloorKnown ? smoothed > floor * openRatio : smoothed > absoluteFloor
            guard isActive else { return .quiet }
            isOpen = true
            openHops = 0
            quietRun = 0
            peak = smoothed
            return .opened
        }
        openHops += 1
        peak = max(peak, smoothed)
        let isQuiet = smoothed < floor * closeRatio && (blocks >= Self.floorBlocks || smoothed < peak * Self.fallShare)
        quietRun = isQuiet ? quietRun + 1 : 0
        if quietRun >= quietHops {
            isOpen = false
            return .closed
        }
        if openHops >= maxHops {
            openHops = maxHops / 2
            return .overlong
        }
        return .active
    }

    private mutating func track(_ smoothed: Float) {
        guard hop >= Self.smoothing else { return }
        blockMinimum = min(blockMinimum, smoothed)
        guard hop.isMultiple(of: hopsPerBlock) else { return }
        blockMinima[blocks % Self.floorBlocks] = blockMinimum
        floorOfBlocks = blockMinima.reduce(.infinity, min)
        blockMinimum = .infinity
        blocks += 1
    }
}

/// Detects a pause in a segment long before the gate is sure of the segment's end. A swipe that is complete at the
/// pause can be reported at once.
struct PauseWatch {
    /// Hops since the last pause in the segment; nil if there was no pause.
    private(set) var hopsSincePause: Int?

    /// Hops that must be quiet: 17 ms, in which a card at 3 in/s passes four transitions of a zero.
    private static let quietHops = 3
    /// Hops before the quiet ones, with which they are compared.
    private static let comparedHops = 4
    /// The share of those hops' mean energy below which each quiet hop must stay.
    private static let share: Float = 0.5

    /// Energies of the last hops since the pause.
    private var recent: [Float] = []

    /// Starts a new segment.
    mutating func begin() {
        hopsSincePause = nil
        recent.removeAll(keepingCapacity: true)
    }

    /// Processes the energy of the next hop.
    /// - Returns: whether a pause has begun with it.
    mutating func receive(energy: Float) -> Bool {
        hopsSincePause = hopsSincePause.map { $0 + 1 }
        if recent.count == Self.quietHops + Self.comparedHops { recent.removeFirst() }
        recent.append(energy)
        guard recent.count == Self.quietHops + Self.comparedHops else { return false }
        let mean = recent.prefix(Self.comparedHops).reduce(0, +) / Float(Self.comparedHops)
        guard recent.suffix(Self.quietHops).allSatisfy({ $0 < Self.share * mean }) else { return false }
        begin()
        hopsSincePause = 0
        return true
    }
}
