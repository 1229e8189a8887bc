import JackdawBytes
import Synchronization

/// A ring of blocks of sound from the thread of a sound card to the thread that decodes: one thread writes, one reads,
/// and neither waits for the other, locks or allocates.
///
/// No loss is silent: if the reader is so late that no block is free, the writer counts the frames that it drops, and
/// the next block that it writes has their number. A block is wiped after it was read.
@safe final class BlockRing: Sendable {
    /// The kind of a block.
    enum Kind: Sendable, Hashable {
        case sound
        /// The device was disconnected; the block has no samples.
        case disconnected
        /// The device is back; the block has no samples.
        case reconnected
    }

    /// The properties of a block apart from its samples.
    struct Header: Sendable, Hashable {
        var kind = Kind.sound
        /// Frames in the block: samples of each channel.
        var frames = 0
        /// Frames of the recording before the block's first one, lost ones included.
        var position: Int64 = 0
        /// Frames that were lost right before the block.
        var lost: Int64 = 0
        /// When the block's first frame was recorded, in nanoseconds of the monotonic clock.
        var time: Int64 = 0
    }

    /// Samples of a frame, one per channel.
    let channels: Int
    /// The most frames that a block holds.
    let framesPerBlock: Int

    private let mask: Int
    nonisolated(unsafe) private let headers: UnsafeMutableBufferPointer<Header>
    private let samples: SecretBuffer<Float>
    /// Blocks that were written and read since the start; each counter is changed by one thread alone.
    private let blocksWritten = Atomic<Int>(0)
    private let blocksRead = Atomic<Int>(0)

    /// - Parameters:
    ///   - blocks: number of blocks; rounded up to a power of two.
    ///   - framesPerBlock: the most frames that a block holds.
    ///   - channels: samples of a frame.
    init(blocks: Int, framesPerBlock: Int, channels: Int) {
        precondition(blocks > 0 && framesPerBlock > 0 && channels > 0, "blocks, frames and channels must be 1 or more")
        var count = 1
        while count < blocks { count *= 2 }
        mask = count - 1
        self.framesPerBlock = framesPerBlock
        self.channels = channels
        unsafe headers = .allocate(capacity: count)
        unsafe headers.initialize(repeating: Header())
        samples = SecretBuffer(zeroed: count * framesPerBlock * channels)
    }

    deinit {
        unsafe headers.deallocate()
    }

    /// Blocks that were written and not yet read; either thread may call it.
    var count: Int { blocksWritten.load(ordering: .acquiring) - blocksRead.load(ordering: .acquiring) }

    /// Writes a block; for the writing thread alone.
    /// - Parameters:
    ///   - header: the properties of the block.
    ///   - fill: writes the samples into a buffer of `header.frames` times ``channels``.
    /// - Returns: false if no block is free, and nothing was written.
    func write(_ header: Header, _ fill: (inout MutableSpan<Float>) -> Void) -> Bool {
        precondition(header.frames <= framesPerBlock, "more frames than a block holds")
        let place = blocksWritten.load(ordering: .relaxed)
        guard place - blocksRead.load(ordering: .acquiring) <= mask else { return false }
        let slot = place & mask
        let start = slot * framesPerBlock * channels
        let end = start + header.frames * channels
        let block = unsafe UnsafeMutableBufferPointer(rebasing: samples.elements[start..<end])
        var span = unsafe block.mutableSpan
        fill(&span)
        unsafe headers[slot] = header
        blocksWritten.store(place + 1, ordering: .releasing)
        return true
    }

    /// Reads the oldest block and wipes it; for the reading thread alone.
    /// - Parameter take: receives the block's properties and samples, channels interleaved.
    /// - Returns: false if the ring is empty.
    func read(_ take: (Header, Span<Float>) -> Void) -> Bool {
        let place = blocksRead.load(ordering: .relaxed)
        guard place < blocksWritten.load(ordering: .acquiring) else { return false }
        let slot = place & mask
        let start = slot * framesPerBlock * channels
        let header = unsafe headers[slot]
        let end = start + header.frames * channels
        let block = unsafe UnsafeMutableBufferPointer(rebasing: samples.elements[start..<end])
        unsafe take(header, block.span)
        unsafe block.update(repeating: 0)
        blocksRead.store(place + 1, ordering: .releasing)
        return true
    }
}

/// Writes captured sound into a ring, and counts the frames that are lost on the way.
struct BlockWriter {
    let ring: BlockRing
    /// Frames since the start, lost ones included.
    private(set) var position: Int64 = 0
    /// Frames that were lost since the last block that was written.
    private(set) var lost: Int64 = 0

    /// Events that are not yet written to the ring: the disconnect, then the reconnect.
    private var isDisconnectPending = false
    private var hasNews = false
    private var isReconnectPending = false

    /// - Parameter ring: receives the blocks.
    init(_ ring: BlockRing) { self.ring = ring }

    /// Counts frames that were lost before the program could read them from the sound card.
    /// - Parameter frames: their number, as exact as the card reports it.
    mutating func lose(_ frames: Int64) {
        lost += frames
        position += frames
    }

    /// Writes a block; if no block of the ring is free, its frames are lost.
    /// - Parameters:
    ///   - frames: number of frames.
    ///   - time: when the first frame was recorded, in nanoseconds of the monotonic clock.
    ///   - fill: writes the samples into a buffer.
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

    /// Reports that the device was disconnected.
    /// - Parameter time: when, in nanoseconds of the monotonic clock.
    mutating func disconnect(at time: Int64) {
        // The reconnect was never reported, so the two cancel out.
        if isReconnectPending { isReconnectPending = false } else { isDisconnectPending = true }
        _ = tellOfDevice(at: time)
    }

    /// Reports that the device is back.
    /// - Parameter time: when, in nanoseconds of the monotonic clock.
    mutating func reconnect(at time: Int64) {
        // Reported with the first block: a device that opens but delivers no audio is not back.
        isReconnectPending = true
    }

    /// Reports a disconnect again for which the ring had no room.
    mutating func remind(at time: Int64) { if !isReconnectPending { _ = tellOfDevice(at: time) } }

    /// Whether a block or event was written since the last call.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Writes the pending events.
    /// - Returns: false if the ring has no room for them: the next block tries again.
    private mutating func tellOfDevice(at time: Int64) -> Bool {
        if isDisconnectPending {
            isDisconnectPending = !write(.disconnected, at: time)
        }
        if isReconnectPending, !isDisconnectPending {
            isReconnectPending = !write(.reconnected, at: time)
        }
        return !isDisconnectPending && !isReconnectPending
    }

    private mutating func write(_ kind: BlockRing.Kind, at time: Int64) -> Bool {
        guard ring.write(BlockRing.Header(kind: kind, position: position, time: time), { _ in }) else { return false }
        hasNews = true
        return true
    }
}
