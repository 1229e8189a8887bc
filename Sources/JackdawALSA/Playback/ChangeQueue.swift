import JackdawTransport
import Synchronization
import JackdawSystem

/// Changes of a source on their way to the thread that plays it, in their order, any number of them.
///
/// That thread neither locks nor allocates nor frees: who sends owns what is sent, and gives it back when it sends again,
/// with the sound that the source needs no longer.
/// Senders wait for each other.
@safe final class ChangeQueue<Source: SoundSource>: Sendable {
    @safe private final class Entry: Sendable {
        let body: @Sendable (inout Source) -> Void
        let change = PlaybackChange()
        let next = unsafe Atomic<Unmanaged<Entry>?>(nil)

        init(_ body: @escaping @Sendable (inout Source) -> Void) { self.body = body }
    }

    /// All that the thread may still touch, oldest first; the first one is behind it.
    private let entries: SystemLock<[Entry]>
    /// The last one that was made, which the thread alone knows.
    nonisolated(unsafe) private var last: Unmanaged<Entry>
    /// Sound that the source needs no longer.
    private let finished = EventRing<[Float]>(capacity: 32)

    init() {
        let start = Entry { _ in }
        entries = SystemLock([start])
        unsafe last = .passUnretained(start)
    }

    /// Sends a change; from any thread.
    /// - Parameters:
    ///   - position: what was made before this frame is given back.
    ///   - body: the change.
    /// - Returns: tells when it was made.
    @discardableResult
    func send(freeingBefore position: Int64, _ body: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        let entry = Entry(body)
        var sounds: [[Float]] = []
        let freed = entries.withLock { entries in
            entries.append(entry)
            unsafe entries[entries.count - 2].next.store(.passUnretained(entry), ordering: .releasing)
            // One whose successor was made is not touched again.
            var count = 0
            while count + 1 < entries.count, let moment = entries[count + 1].change.beginning,
                moment.position < position
            {
                count += 1
            }
            defer { entries.removeFirst(count) }
            while let sound = finished.next() { sounds.append(sound) }
            return Array(entries[..<count])
        }
        // What is captured in there may run code of its own when it goes: not while others wait.
        _ = consume freed
        _ = consume sounds
        return entry.change
    }

    /// Makes all changes that wait; for the thread that plays.
    func run(on source: inout Source, at moment: PlaybackMoment) {
        while let next = unsafe last._withUnsafeGuaranteedRef({ unsafe $0.next.load(ordering: .acquiring) }) {
            unsafe next._withUnsafeGuaranteedRef { entry in
                entry.body(&source)
                entry.change.begin(at: moment)
            }
            unsafe last = next
        }
    }

    /// Takes what a source needs no longer, to be given back by who sends next; for the thread that plays.
    func takeFinished(from source: inout Source) {
        while finished.hasRoom, let sound = source.takeFinished() { finished.write(consume sound) }
    }
}
