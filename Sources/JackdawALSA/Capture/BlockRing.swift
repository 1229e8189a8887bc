import Synchronization

/// Sound on its way from the thread of a sound card to whoever decodes it, block by block: one thread writes, one reads, and
/// neither ever waits for the other, locks or allocates.
///
/// Nothing is dropped silently: where the reader is so late that no block is free, the frames that find none are counted, and
/// the next block that is written says how many were lost before it. A block is overwritten once it was read.
@safe final class BlockRing: Sendable {
    /// What a block is.
    enum Kind: Sendable, Hashable {
        case sound
        /// The device has gone; without samples.
        case disconnected
        /// The device is back; without samples.
        case reconnected
    }

    /// What is known of a block beside its samples.
    struct Header: Sendable, Hashable {
        /// What it is.
        var kind = Kind.sound
        /// Frames in it: samples of each channel.
        var frames = 0
        /// Frames of the recording before its first one, those that were lost included.
        var position: Int64 = 0
        /// Frames that were lost right before it.
        var lost: Int64 = 0
        /// When its first frame was recorded, in nanoseconds of the monotonic clock.
        var time: Int64 = 0
    }

    /// Samples a frame.
    let channels: Int
    /// Frames that a block holds, at most.
    let framesPerBlock: Int

    private let mask: Int
    nonisolated(unsafe) private let headers: UnsafeMutableBufferPointer<Header>
    nonisolated(unsafe) private let samples: UnsafeMutableBufferPointer<Float>
    /// Blocks that were written and read since the beginning; either is changed by one thread alone.
    private let blocksWritten = Atomic<Int>(0)
    private let blocksRead = Atomic<Int>(0)

    /// - Parameters:
    ///   - blocks: blocks that fit in; rounded up to a power of two.
    ///   - framesPerBlock: frames that a block holds, at most.
    ///   - channels: samples a frame.
    init(blocks: Int, framesPerBlock: Int, channels: Int) {
        precondition(blocks > 0 && framesPerBlock > 0 && channels > 0, "a ring holds something")
        var count = 1
        while count < blocks { count *= 2 }
        mask = count - 1
        self.framesPerBlock = framesPerBlock
        self.channels = channels
        unsafe headers = .allocate(capacity: count)
        unsafe headers.initialize(repeating: Header())
        unsafe samples = .allocate(capacity: count * framesPerBlock * channels)
        unsafe samples.initialize(repeating: 0)
    }

    deinit {
        unsafe wipe(UnsafeMutableRawBufferPointer(samples))
        unsafe samples.deallocate()
        unsafe headers.deallocate()
    }

    /// Blocks that were written and not yet read; of either thread's view.
    var count: Int { blocksWritten.load(ordering: .acquiring) - blocksRead.load(ordering: .acquiring) }

    /// Writes a block; for the writing thread alone.
    /// - Parameters:
    ///   - header: what is known of it.
    ///   - fill: puts its samples into a buffer of so many frames times ``channels``.
    /// - Returns: false where no block is free, and nothing was written.
    func write(_ header: Header, _ fill: (inout MutableSpan<Float>) -> Void) -> Bool {
        precondition(header.frames <= framesPerBlock, "a block holds no more")
        let place = blocksWritten.load(ordering: .relaxed)
        guard place - blocksRead.load(ordering: .acquiring) <= mask else { return false }
        let slot = place & mask
        let start = slot * framesPerBlock * channels
        let block = unsafe UnsafeMutableBufferPointer(rebasing: samples[start..<start + header.frames * channels])
        var span = unsafe block.mutableSpan
        fill(&span)
        unsafe headers[slot] = header
        blocksWritten.store(place + 1, ordering: .releasing)
        return true
    }

    /// Reads the oldest block and overwrites it; for the reading thread alone.
    /// - Parameter take: gets what is known of it and its samples, channel by channel within a frame.
    /// - Returns: false where there is none.
    func read(_ take: (Header, Span<Float>) -> Void) -> Bool {
        let place = blocksRead.load(ordering: .relaxed)
        guard place < blocksWritten.load(ordering: .acquiring) else { return false }
        let slot = place & mask
        let start = slot * framesPerBlock * channels
        let header = unsafe headers[slot]
        let block = unsafe UnsafeMutableBufferPointer(rebasing: samples[start..<start + header.frames * channels])
        unsafe take(header, block.span)
        unsafe block.update(repeating: 0)
        blocksRead.store(place + 1, ordering: .releasing)
        return true
    }
}

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
