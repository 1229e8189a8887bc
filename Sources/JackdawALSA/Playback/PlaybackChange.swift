public import JackdawTransport
import Synchronization

/// A change that was asked of the source of a stream.
public final class PlaybackChange: Sendable {
    private static let waiting: Int64 = -1

    private let position = Atomic<Int64>(waiting)
    private let time = Atomic<Int64>(0)

    init() {}

    /// The first frame that was made after it; nil as long as the change waits.
    public var beginning: PlaybackMoment? {
        let position = position.load(ordering: .acquiring)
        guard position != Self.waiting else { return nil }
        return PlaybackMoment(position: position, time: time.load(ordering: .relaxed))
    }

    /// It was made.
    func begin(at moment: PlaybackMoment) {
        time.store(moment.time, ordering: .relaxed)
        position.store(moment.position, ordering: .releasing)
    }
}
