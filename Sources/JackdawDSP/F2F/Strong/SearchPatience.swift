/// Counts the searches that find nothing, and decides which segments are searched thoroughly.
///
/// Music and speech continue for hours and look like swipes. After some consecutive segments without a message, only
/// one in as many is searched thoroughly, and the others at the likeliest rates only, until a swipe is decoded.
struct SearchPatience: Sendable {
    /// A search of a stretch of sound, for another decoder that takes its result.
    struct Search: Sendable {
        enum Outcome: Sendable {
            /// A message was decoded.
            case message
            /// The sound looked like a swipe, and no message was decoded.
            case nothing
            /// The sound did not look like a swipe.
            case noise
        }

        let wasPatient: Bool
        let outcome: Outcome
    }

    /// Consecutive stretches of sound that looked like a swipe and were not decoded.
    private(set) var fruitlessSearches = 0
    /// The searches since ``begin()``, and the count at that time.
    private(set) var searches: [Search] = []
    private var countBefore = 0

    private static let limit = 8

    /// Whether the next stretch is searched thoroughly.
    var isPatient: Bool { fruitlessSearches < Self.limit || fruitlessSearches.isMultiple(of: Self.limit) }

    /// Begins the record of the searches of a segment.
    mutating func begin() {
        searches.removeAll(keepingCapacity: true)
        countBefore = fruitlessSearches
    }

    /// Takes back the count of the searches since ``begin()``, because the segment will be decoded again.
    mutating func takeBack() {
        fruitlessSearches = countBefore
    }

    /// Counts a search of a stretch of sound.
    mutating func note(_ outcome: Search.Outcome) {
        searches.append(Search(wasPatient: isPatient, outcome: outcome))
        switch outcome {
        case .message: fruitlessSearches = 0
        case .nothing: fruitlessSearches += 1
        case .noise: break
        }
    }

    /// The state after searches that another decoder made; nil if one of them would have been another one here.
    func repeating(_ searches: [Search]) -> SearchPatience? {
        var after = self
        after.begin()
        for search in searches {
            guard search.wasPatient == after.isPatient else { return nil }
            after.note(search.outcome)
        }
        return after
    }

    /// The likely state some segments later: sound that has exhausted the patience goes on.
    func expected(after segments: Int) -> SearchPatience {
        var later = self
        if fruitlessSearches >= Self.limit { later.fruitlessSearches += segments }
        return later
    }
}
