import JackdawTransport
import Synchronization

/// What the thread that plays and its owner know of each other.
final class PlaybackReport: Sendable {
    /// What happened, in its order.
    let events = EventRing<PlaybackEvent>(capacity: 256)

    private let written = Atomic<Int64>(0)
    private let played = Atomic<Int64>(0)
    private let interruptions = Atomic<Int>(0)
    private let silence = Atomic<Int64>(0)
    private let connected = Atomic(true)
    private let finishing = Atomic(false)

    /// Whether the owner wants the sound to end with its source.
    var isFinishing: Bool { finishing.load(ordering: .acquiring) }
    /// Frames that were handed over to the device.
    var framesWritten: Int64 { written.load(ordering: .relaxed) }

    /// How it gets on.
    var status: PlaybackStatus {
        PlaybackStatus(
            framesWritten: framesWritten, framesPlayed: played.load(ordering: .relaxed),
            interruptions: interruptions.load(ordering: .relaxed), silence: silence.load(ordering: .relaxed),
            isConnected: connected.load(ordering: .relaxed))
    }

    /// The sound is to end with its source.
    func askToFinish() { finishing.store(true, ordering: .releasing) }

    /// The device has taken or played frames.
    func set(written frames: Int64, played playedFrames: Int64) {
        written.store(frames, ordering: .relaxed)
        played.store(playedFrames, ordering: .relaxed)
    }

    /// The sound broke off.
    func count(_ gap: PlaybackGap) {
        interruptions.wrappingAdd(1, ordering: .relaxed)
        silence.wrappingAdd(gap.silence, ordering: .relaxed)
    }

    /// The device has gone, or is back.
    func set(isConnected: Bool) { connected.store(isConnected, ordering: .relaxed) }
}
