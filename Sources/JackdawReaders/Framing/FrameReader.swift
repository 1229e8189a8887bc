/// Cuts a stream of bytes into the frames of a protocol, however the bytes come.
///
/// Frames that come whole are handed over in place, without a copy. Bytes that are no frame are skipped up to the next byte
/// that begins one, and told of; what looked like a frame's beginning and was none is looked through again. What is kept of a
/// frame that has only begun is overwritten when it is done.
///
/// ```swift
/// var reader = FrameReader(MiuraFormat(.answer))
/// reader.receive(bytes) { event, frame in
///     if case .frame = event { handle(frame) }
/// }
/// ```
public struct FrameReader<Format: FrameFormat>: ~Copyable {
    /// Bytes of a frame that has begun.
    private var kept: FrameBuffer
    /// Bytes that it has at least.
    private var needed = 0
    /// Bytes of the stream before those that are kept.
    private var position = 0
    /// Where the bytes begin that are no frame; nil behind a frame.
    private var skippedFrom: Int?
    /// Where padding begins that was not reported; nil if there is none, or if it is among bytes that are no frame.
    private var paddedFrom: Int?
    private var credit = SkippingCredit()
    /// How frames are told from others; may change between two calls, such as when another answer is awaited. The last property:
    /// the others are then where they are for every format, and need not be looked for.
    public var format: Format

    /// - Parameter format: how frames are told from others.
    public init(_ format: Format) {
        self.format = format
        kept = FrameBuffer()
    }

    /// Bytes of a frame that has begun and is not whole.
    public var pendingCount: Int { kept.count }

    /// Takes bytes in.
    /// - Parameters:
    ///   - bytes: the next ones of the stream.
    ///   - take: gets each event in its order, with the frame's bytes where it is a frame, which are gone after the call.
    public mutating func receive(_ bytes: Span<UInt8>, _ take: (FrameEvent, Span<UInt8>) -> Void) {
        var next = 0
        while kept.count > 0 {
            guard next < bytes.count else { return }
            let count = min(bytes.count - next, awaited)
            kept.append(bytes.extracting(next..<next + count))
            next += count
            guard kept.count >= needed else { return }
            advanceKept(isOver: false, take)
            // What follows the frame is still where it came from.
            guard kept.count <= count else { continue }
            next -= kept.count
            kept.removeAll()
        }
        let rest = bytes.extracting(next...)
        let left = cut(rest, isOver: false, take)
        if left > 0 { kept.append(rest.extracting(last: left)) }
    }

    /// Ends the frame that has begun, because nothing more came in time: it is no frame, and neither may what follows its first
    /// byte be lost.
    /// - Parameter take: gets what is found in it.
    public mutating func finish(_ take: (FrameEvent, Span<UInt8>) -> Void) {
        if kept.count > 0 { advanceKept(isOver: true, take) }
        endSkipping(take)
    }

    /// Forgets everything, as at the start of a stream.
    public mutating func reset() {
        kept.removeAll()
        needed = 0
        position = 0
        skippedFrom = nil
        paddedFrom = nil
        credit = SkippingCredit()
    }

    /// Bytes to take in next: what the frame is known to have; of one that does not tell its length twice as much each time,
    /// lest it be measured again for each byte.
    private var awaited: Int {
        let least = needed - kept.count
        return least > 1 ? least : max(1, min(kept.count, format.greatestSize - kept.count))
    }

    /// Cuts what is kept as far as it goes.
    private mutating func advanceKept(isOver: Bool, _ take: (FrameEvent, Span<UInt8>) -> Void) {
        var buffer = FrameBuffer()
        swap(&buffer, &kept)
        let left = buffer.withBytes { cut($0, isOver: isOver, take) }
        buffer.removeFirst(buffer.count - left)
        swap(&buffer, &kept)
    }

    /// Cuts bytes into frames.
    /// - Parameters:
    ///   - bytes: from where a frame begins on.
    ///   - isOver: whether no more will come.
    ///   - take: gets what is found.
    /// - Returns: bytes at the end that belong to a frame that is not whole.
    private mutating func cut(
        _ bytes: Span<UInt8>, isOver: Bool, _ take: (FrameEvent, Span<UInt8>) -> Void
    ) -> Int {
        var next = 0
        while next < bytes.count {
            let rest = bytes.extracting(next...)
            let fault: FrameFault
            var skipped = 1
            switch format.measure(rest) {
            case .unchecked where skippedFrom != nil: fault = FrameFault(.start, at: 0, "nothing to check it by")
            case .whole(let count), .unchecked(let count):
                precondition(count > 0 && count <= rest.count, "a frame has the bytes that were measured")
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
                        .truncated, at: rest.count, "\(rest.count) bytes, where the frame has at least \(count)")
            case .padding(let count):
                if skippedFrom == nil, paddedFrom == nil { paddedFrom = position }
                next += count
                advance(by: count)
                continue
            case .fault(let found, let count):
                fault = found
                skipped = min(credit.skip(count, for: found, sizes: format.greatestSize), rest.count)
            }
            if skippedFrom == nil {
                endSkipping(take)
                skippedFrom = position
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
        guard let first = skippedFrom ?? paddedFrom else { return }
        skippedFrom = nil
        paddedFrom = nil
        take(.skipped(first..<position), Span())
    }
}

/// What a stream turned out to hold.
public enum FrameEvent: Sendable, Hashable {
    /// A frame, whose first byte is this one of the stream.
    case frame(at: Int)
    /// Here begin bytes that are no frame, and why. Told at once, and once for all that follow each other.
    case fault(FrameFault, at: Int)
    /// Those bytes, reported when a frame follows or ``FrameReader/finish(_:)`` ends them. Without a fault before it:
    /// padding, which is no error.
    case skipped(Range<Int>)
}

/// How much may still be spent on bytes that turn out to be no frame: each byte of the stream pays for some.
struct SkippingCredit: Sendable {
    /// Steps that were spent, less what the stream has earned since.
    private var spent = 0

    /// Steps that each byte of the stream earns.
    private static var earnedByByte: Int { 64 }
    /// Steps that can be saved up: for so many frames of the greatest size, one inside the other and each wrong at its end.
    private static var savedFrames: Int { 16 }

    /// Takes that the stream goes on.
    mutating func earn(_ count: Int) { spent = max(0, spent - Self.earnedByByte * count) }

    /// Takes that no frame begins where one might have.
    /// - Parameters:
    ///   - count: bytes that it takes with it.
    ///   - fault: why; so far it was looked at.
    ///   - greatestSize: the most bytes of a frame.
    /// - Returns: bytes to leave out, 1 or more.
    mutating func skip(_ count: Int, for fault: FrameFault, sizes greatestSize: Int) -> Int {
        spent += fault.offset
        // Nobody but who means harm sends so many beginnings inside one another: they are left out together.
        let isOverdrawn = spent > Self.savedFrames * greatestSize
        return max(1, isOverdrawn ? max(count, fault.offset) : count)
    }
}
