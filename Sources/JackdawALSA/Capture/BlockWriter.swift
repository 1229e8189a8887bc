/// Writes what was recorded into a ring, and counts what was lost on the way.
struct BlockWriter {
    let ring: BlockRing
    /// Frames since the beginning, those that were lost included.
    private(set) var position: Int64 = 0
    /// Frames that were lost since the last block that was written.
    private(set) var lost: Int64 = 0

    /// Whether the reader has to be told that the device has gone, or is back; in this order.
    private var owesDisconnected = false
    private var hasNews = false
    private var owesReconnected = false

    /// - Parameter ring: where blocks go.
    init(_ ring: BlockRing) { self.ring = ring }

    /// Frames were lost before they could be read from the sound card.
    /// - Parameter frames: how many there were; as near as the card tells.
    mutating func lose(_ frames: Int64) {
        lost += frames
        position += frames
    }

    /// Writes a block; where no block of the ring is free, its frames are lost.
    /// - Parameters:
    ///   - frames: how many frames it has.
    ///   - time: when its first frame was recorded, in nanoseconds of the monotonic clock.
    ///   - fill: puts its samples into a buffer.
    /// - Returns: whether it was written.
    @discardableResult
    mutating func write(frames: Int, time: Int64, _ fill: (inout MutableSpan<Float>) -> Void) -> Bool {
        let header = BlockRing.Header(frames: frames, position: position, lost: lost, time: time)
        guard tellOfDevice(at: time), ring.write(header, fill) else {
            lose(Int64(frames))
            return false
        }
        position += Int64(frames)
        lost = 0
        hasNews = true
        return true
    }

    /// The device has gone.
    /// - Parameter time: when, in nanoseconds of the monotonic clock.
    mutating func disconnect(at time: Int64) {
        // One that has come and gone before anybody could be told was never there.
        if owesReconnected { owesReconnected = false } else { owesDisconnected = true }
        _ = tellOfDevice(at: time)
    }

    /// The device is back.
    /// - Parameter time: when, in nanoseconds of the monotonic clock.
    mutating func reconnect(at time: Int64) {
        // Told with its first sound: one that opens, but gives none, is not back.
        owesReconnected = true
    }

    /// Tells that the device has gone where there was no room for that.
    mutating func remind(at time: Int64) { if !owesReconnected { _ = tellOfDevice(at: time) } }

    /// Whether something was written since this was asked last.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Tells what is owed.
    /// - Returns: false where there is no room for it: it is tried again with the next block.
    private mutating func tellOfDevice(at time: Int64) -> Bool {
        if owesDisconnected {
            owesDisconnected = !write(.disconnected, at: time)
        }
        if owesReconnected, !owesDisconnected {
            owesReconnected = !write(.reconnected, at: time)
        }
        return !owesDisconnected && !owesReconnected
    }

    private mutating func write(_ kind: BlockRing.Kind, at time: Int64) -> Bool {
        guard ring.write(BlockRing.Header(kind: kind, position: position, time: time), { _ in }) else { return false }
        hasNews = true
        return true
    }
}
