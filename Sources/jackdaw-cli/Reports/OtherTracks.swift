import JackdawDSP

/// Counts swipes of other tracks than the one that the user wants.
struct OtherTracks {
    private var counts: [TrackNumber: Int] = [:]

    mutating func add(_ track: TrackNumber) { counts[track, default: 0] += 1 }

    /// How many were left out; nil without any.
    var message: String? {
        guard !counts.isEmpty else { return nil }
        let parts = TrackNumber.allCases.compactMap { track in
            counts[track].map { "\(counted($0, "swipe")) of track \(track.rawValue)" }
        }
        return "left out: \(parts.joined(separator: ", "))"
    }
}
