/// Writes what was recorded into a ring, and counts what was lost on the way.
struct BlockWriter {
    private let ring: BlockRing
    /// Frames since the beginning, those that were lost included.
    private(set) var position: Int64 = 0
    /// Frames that were lost since the last block that was written.
    private(set) var lost: Int64 = 0

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
        guard ring.write(header, fill) else {
            lose(Int64(frames))
            return false
        }
        position += Int64(frames)
        lost = 0
        return true
    }
}
