import JackdawBytes
public import JackdawTransport

/// Masks transcripts of a family's readers so that they can be replayed: cuts received bytes into frames and masks the
/// card data in them, with correct check sums. Sent bytes, and bytes that are not a frame, are masked as `CardDataMask`
/// does.
public struct ReaderMask: TranscriptMask {
    private var dialect: any ReaderDialect
    private var usual = CardDataMask()
    /// The last request that was sent, which received frames may answer.
    private var request: ReaderRequest?
    /// Received bytes that are not a whole frame yet.
    private var pending: [UInt8] = []
    /// The frames of an incomplete message.
    private var frames: [[UInt8]] = []
    /// Whether the bytes before were not a frame. A frame without checks may be a part of them, and is not accepted.
    private var isSkipping = false
    private var credit = ResyncBudget()

    /// The most frames of a message; more than any message has.
    private static let maxFrames = 512

    /// Creates a mask for the beginning of a link.
    /// - Parameter dialect: the protocol of the reader family.
    public init(_ dialect: any ReaderDialect) { self.dialect = dialect }

    /// Masks bytes that are not a message by themselves.
    public mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] { usual.mask(bytes, isSent: isSent) }

    /// Masks whole frames; returns the rest later.
    public mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        guard !isSent else {
            request = ReaderRequest("", bytes)
            // The next bytes may answer the request, as the mask does not see the silence before them.
            if pending.isEmpty { isSkipping = false }
            return usual.mask(bytes, isSent: true)
        }
        pending.growWiping(toHold: pending.count + bytes.count)
        pending += bytes
        return cut(isOver: false)
    }

    /// Masks the remaining bytes of a direction, which are not a whole frame.
    public mutating func finish(isSent: Bool) -> [UInt8?] {
        guard !isSent else { return [] }
        let kept = cut(isOver: true)
        return kept + giveUp()
    }

    private mutating func cut(isOver: Bool) -> [UInt8?] {
        let format = dialect.format(awaiting: request)
        var kept: [UInt8?] = []
        var next = 0
        while next < pending.count {
            var skipped = 1
            switch format.measure(pending.span.extracting(next...)) {
            case .unchecked where isSkipping: break
            case .whole(let size), .unchecked(let size):
                isSkipping = false
                frames.append(Array(pending[next..<next + size]))
                kept += maskFrames(format)
                next += size
                credit.earn(size)
                continue
            case .padding(let count):
                kept += giveUp()
                kept += Array(pending[next..<next + count])
                next += count
                credit.earn(count)
                continue
            case .partial(let least):
                guard isOver || least > format.greatestSize else {
                    keepPending(from: next)
                    return kept
                }
            case .fault(let fault, let count):
                skipped = min(credit.skip(count, for: fault, sizes: format.greatestSize), pending.count - next)
            }
            let after = next + skipped
            let count = skipped + (format.start(in: pending.span.extracting(after...)) ?? pending.count - after)
            credit.earn(count)
            isSkipping = true
            var noFrame = Array(pending[next..<next + count])
            kept += giveUp()
            kept += usual.mask(noFrame, isSent: false)
            noFrame.wipe()
            next += count
        }
        keepPending(from: next)
        return kept
    }

    /// Keeps the bytes of a partial frame.
    private mutating func keepPending(from start: Int) {
        guard start > 0 else { return }
        let rest = Array(pending[start...])
        pending.wipe()
        pending = rest
    }

    /// Masks the last frame, with those before it of the same message; returns nothing while the message is incomplete.
    private mutating func maskFrames(_ format: any FrameFormat) -> [UInt8?] {
        guard frames.count <= Self.maxFrames else { return giveUp() }
        switch dialect.masking(frames) {
        case .more: return []
        case .unknown: return giveUp()
        case .masked(let masked):
            // Masked frames that would be parsed differently are of no use.
            let isRight =
                masked.map(\.count) == frames.map(\.count)
                && masked.allSatisfy { (try? format.check($0.span)) != nil }
            guard isRight else { return giveUp() }
            forgetFrames()
            return masked.flatMap(\.self)
        }
    }

    /// Masks frames as plain bytes, as it is not known which of them are card data.
    private mutating func giveUp() -> [UInt8?] {
        var bytes = frames.flatMap(\.self)
        forgetFrames()
        defer { bytes.wipe() }
        return bytes.isEmpty ? [] : usual.mask(bytes, isSent: false)
    }

    private mutating func forgetFrames() {
        for index in frames.indices { frames[index].wipe() }
        frames = []
    }
}

extension ReaderFamily {
    /// Creates a mask for transcripts of the family's readers, so that they can be replayed.
    /// - Parameter profile: overrides values of the family's own ``profile``.
    /// - Returns: a mask for the beginning of a link.
    /// - Throws: ``ReaderError`` as ``makeDialect(_:)`` does.
    public func makeMask(_ profile: ReaderProfile? = nil) throws(ReaderError) -> ReaderMask {
        ReaderMask(try makeDialect(profile))
    }
}
