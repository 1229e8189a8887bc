import JackdawDSP

/// Counts the swipes of tracks that the user did not select.
struct OtherTracks: Sendable {
    private var counts: [TrackNumber: Int] = [:]

    mutating func add(_ track: TrackNumber) { counts[track, default: 0] += 1 }

    mutating func add(_ others: OtherTracks) { counts.merge(others.counts) { $0 + $1 } }

    /// The number of swipes that were left out; nil without any.
    var message: String? {
        guard !counts.isEmpty else { return nil }
        let parts = TrackNumber.allCases.compactMap { track in
            counts[track].map { "\(counted($0, "swipe")) of track \(track.rawValue)" }
        }
        return "left out: \(parts.joined(separator: ", "))"
    }
}
