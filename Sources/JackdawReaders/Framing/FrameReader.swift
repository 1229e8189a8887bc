/// Cuts a stream of bytes into the frames of a protocol, independent of the blocks in which the bytes are received.
///
/// Frames that are whole in a block are passed on in place, without a copy. Bytes that are not a frame are skipped up
/// to the next byte that begins one, and reported; if the beginning of a frame proves wrong, the bytes after it are
/// searched again. The stored bytes of a partial frame are overwritten when it is complete.
///
/// ```swift
/// var reader = FrameReader(LayoutFormat(layout))
/// reader.receive(bytes) { event, frame in
///     if case .frame = event { handle(frame) }
/// }
/// ```
public struct FrameReader<Format: FrameFormat>: ~Copyable {
    /// The bytes of a partial frame.
    private var kept: FrameBuffer
    /// The least number of bytes that the partial frame has.
    private var needed = 0
    /// The number of bytes of the stream before `kept`.
    private var position = 0
    /// The position of the first byte after a frame that is not part of one: padding, or bytes that are not a frame; nil
    /// after a frame.
    private var skippedFrom: Int?
    /// Whether the bytes from `skippedFrom` on have a fault that was reported; false if they are padding.
    private var isFaulty = false
    private var credit = ResyncBudget()
    /// The format of the frames; may change between two calls, for example for another request's answer. The last
    /// property, so that the offsets of the others do not depend on the format's type.
    public var format: Format

    /// - Parameter format: the format of the frames.
    public init(_ format: Format) {
        self.format = format
        kept = FrameBuffer()
    }

    /// Moves the reader out of its owner, which the events of a call may then change. An empty one of the same format
    /// takes its place until the owner puts this one back.
    /// - Returns: the reader.
    package mutating func moveOut() -> FrameReader {
        var reader = FrameReader(format)
        swap(&reader, &self)
        return reader
    }

    /// The number of bytes of a partial frame.
    public var pendingCount: Int { kept.count }

    /// Cuts the next bytes of the stream into frames.
    /// - Parameters:
    ///   - bytes: the next bytes of the stream.
    ///   - take: receives each event in order, with the bytes if it is a frame. The bytes are invalid after the call.
    public mutating func receive(_ bytes: Span<UInt8>, _ take: (FrameEvent, Span<UInt8>) -> Void) {
        var next = 0
        while kept.count > 0 {
            guard next < bytes.count else { return }
            let count = min(bytes.count - next, awaited)
            kept.append(bytes.extracting(next..<next + count))
            next += count
            guard kept.count >= needed else { return }
            advanceKept(isOver: false, take)
            // The bytes after the frame are still in `bytes`.
            guard kept.count <= count else { continue }
            next -= kept.count
            kept.removeAll()
        }
        let rest = bytes.extracting(next...)
        let left = cut(rest, isOver: false, take)
        if left > 0 { kept.append(rest.extracting(last: left)) }
    }

    /// Ends the partial frame, as no more bytes were received in time. It is not a frame, but a frame may begin after
    /// its first byte.
    /// - Parameter take: receives the events.
    public mutating func finish(_ take: (FrameEvent, Span<UInt8>) -> Void) {
        if kept.count > 0 { advanceKept(isOver: true, take) }
        endSkipping(take)
    }

    /// Discards all state, as at the start of a stream.
    public mutating func reset() {
        kept.removeAll()
        needed = 0
        position = 0
        skippedFrom = nil
        isFaulty = false
        credit = ResyncBudget()
    }

    /// The number of bytes to add next: the known rest of the frame. If the frame has no length field, the number
    /// doubles each time, so that the frame is not measured again for each byte.
    private var awaited: Int {
        let least = needed - kept.count
        return least > 1 ? least : max(1, min(kept.count, format.greatestSize - kept.count))
    }

    /// Cuts the stored bytes into frames, as far as possible.
    private mutating func advanceKept(isOver: Bool, _ take: (FrameEvent, Span<UInt8>) -> Void) {
        var buffer = FrameBuffer()
        swap(&buffer, &kept)
        let left = buffer.withBytes { cut($0, isOver: isOver, take) }
        buffer.removeFirst(buffer.count - left)
        swap(&buffer, &kept)
    }

    /// Cuts bytes into frames.
    /// - Parameters:
    ///   - bytes: the bytes from the beginning of a frame.
    ///   - isOver: whether no more bytes follow.
    ///   - take: receives the events.
    /// - Returns: the number of bytes at the end that belong to a partial frame.
    private mutating func cut(
        _ bytes: Span<UInt8>, isOver: Bool, _ take: (FrameEvent, Span<UInt8>) -> Void
    ) -> Int {
        var next = 0
        while next < bytes.count {
            let rest = bytes.extracting(next...)
            let fault: FrameFault
            var skipped = 1
            switch format.measure(rest) {
            case .unchecked where isFaulty: fault = FrameFault(.start, at: 0, "the frame has no check")
            case .whole(let count), .unchecked(let count):
                precondition(count > 0 && count <= rest.count, "a frame has 1 byte or more, all of them received")
                endSkipping(take)
                take(.frame(at: position), rest.extracting(first: count))
                next += count
                advance(by: count)
                continue
            case .partial(let count):
                let least = max(count, rest.count + 1)
                guard isOver || least > format.greatestSize else {
                    needed = least
                    return rest.count
                }
                fault =
                    least > format.greatestSize
                    ? FrameFault(.length, at: 0, "more than \(format.greatestSize) bytes")
                    : FrameFault(
                        .truncated, at: rest.count, "\(rest.count) bytes; the frame has at least \(count)")
            case .padding(let count):
                if skippedFrom == nil { skippedFrom = position }
                next += count
                advance(by: count)
                continue
            case .fault(let found, let count):
                fault = found
                skipped = min(credit.skip(count, for: found, sizes: format.greatestSize), rest.count)
            }
            if !isFaulty {
                endSkipping(take)
                skippedFrom = position
                isFaulty = true
                take(.fault(fault, at: position), Span())
            }
            let after = rest.extracting(skipped...)
            let count = skipped + (format.start(in: after) ?? after.count)
            next += count
            advance(by: count)
        }
        return 0
    }

    private mutating func advance(by count: Int) {
        position += count
        credit.earn(count)
    }

    private mutating func endSkipping(_ take: (FrameEvent, Span<UInt8>) -> Void) {
        guard let first = skippedFrom else { return }
        skippedFrom = nil
        isFaulty = false
        take(.skipped(first..<position), Span())
    }
}

/// An event of a stream that is cut into frames.
public enum FrameEvent: Sendable, Hashable {
    /// A frame, and the position of its first byte in the stream.
    case frame(at: Int)
    /// Bytes that are not a frame begin here, with this fault. Reported at once, and once for all such bytes in
    /// sequence.
    case fault(FrameFault, at: Int)
    /// The range of those bytes, reported when a frame follows or ``FrameReader/finish(_:)`` ends them. Without a fault
    /// before it: padding, which is not an error.
    case skipped(Range<Int>)
}

/// Limits the work on bytes that are not a frame: each byte of the stream pays for a number of steps.
struct ResyncBudget: Sendable {
    /// The steps spent, less those that the stream has earned since.
    private var spent = 0

    /// The steps that each byte of the stream earns.
    private static var earnedByByte: Int { 64 }
    /// The credit limit: the steps for this many nested frames of the greatest size, each with an error at its end.
    private static var savedFrames: Int { 16 }

    /// Earns credit for bytes of the stream.
    mutating func earn(_ count: Int) { spent = max(0, spent - Self.earnedByByte * count) }

    /// Spends credit on a frame that proved wrong.
    /// - Parameters:
    ///   - count: the number of bytes to skip.
    ///   - fault: the fault; its offset is the number of bytes examined.
    ///   - greatestSize: the most bytes of a frame.
    /// - Returns: the number of bytes to skip, 1 or more.
    mutating func skip(_ count: Int, for fault: FrameFault, sizes greatestSize: Int) -> Int {
        spent += fault.offset
        // Only an attacker sends so many nested frame beginnings; they are skipped together.
        let isOverdrawn = spent > Self.savedFrames * greatestSize
        return max(1, isOverdrawn ? max(count, fault.offset) : count)
    }
}
