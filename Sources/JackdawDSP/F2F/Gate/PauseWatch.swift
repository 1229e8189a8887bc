/// Tells where a segment falls silent, long before the gate is sure that it is over: a swipe that is whole there can be
/// answered for at once.
struct PauseWatch {
    /// Hops since the last pause in the segment; nil where there was none.
    private(set) var hopsSincePause: Int?

    /// Hops that must be quiet: 17 ms, in which a hand of 3 in/s passes four transitions of a zero.
    private static let quietHops = 3
    /// Hops before them that they are compared with.
    private static let comparedHops = 4
    /// Share of those hops' mean energy that each quiet one stays below.
    private static let share: Float = 0.5

    /// Energies of the last hops since the pause.
    private var recent: [Float] = []

    /// A segment begins.
    mutating func begin() {
        hopsSincePause = nil
        recent.removeAll(keepingCapacity: true)
    }

    /// Takes the energy of the next hop.
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
