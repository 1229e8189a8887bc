import JackdawDSP
public import JackdawTransport

/// Masks transcripts of a family's readers so that they can be played back: what readers send is cut into frames, and what is of
/// a card is hidden inside them, check sums and all. What makes no frame, and what is sent, is masked as `CardDataMask` does.
///
/// ```swift
/// let secrecy = TranscriptSecrecy.masked(ReaderMask(dialect))
/// ```
public struct ReaderMask: TranscriptMask {
    private var dialect: any ReaderDialect
    private var usual = CardDataMask()
    /// What was sent last, which an answer is awaited to.
    private var request: ReaderRequest?
    /// Received bytes that no frame was made of yet.
    private var pending: [UInt8] = []
    /// Frames of a message that goes on.
    private var frames: [[UInt8]] = []
    /// Whether the bytes before were no frame: what has no checks may be a part of them, and is not taken for one.
    private var isSkipping = false
    private var credit = SkippingCredit()

    /// More than any message has.
    private static let mostFrames = 512

    /// A mask at the beginning of a link.
    /// - Parameter dialect: how the family of readers speaks.
    public init(_ dialect: any ReaderDialect) { self.dialect = dialect }

    /// Masks bytes that are no message by themselves.
    public mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] { usual.mask(bytes, isSent: isSent) }

    /// Masks frames that are whole; the others come later.
    public mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        guard !isSent else {
            request = ReaderRequest("", bytes)
            // What comes next may answer it, after a silence that is not seen here.
            if pending.isEmpty { isSkipping = false }
            return usual.mask(bytes, isSent: true)
        }
        pending.growWiping(toHold: pending.count + bytes.count)
        pending += bytes
        return cut(isOver: false)
    }

    /// Masks what is left of a direction, which is no whole frame.
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

    /// Keeps the bytes of a frame that is not whole.
    private mutating func keepPending(from start: Int) {
        guard start > 0 else { return }
        let rest = Array(pending[start...])
        pending.wipe()
        pending = rest
    }

    /// The last frame, with those before it that belong to the same message; nothing while the message goes on.
    private mutating func maskFrames(_ format: any FrameFormat) -> [UInt8?] {
        guard frames.count <= Self.mostFrames else { return giveUp() }
        switch dialect.masking(frames) {
        case .more: return []
        case .unknown: return giveUp()
        case .masked(let masked):
            // What would be read otherwise is of no use.
            let isRight =
                masked.map(\.count) == frames.map(\.count)
                && masked.allSatisfy { (try? format.check($0.span)) != nil }
            guard isRight else { return giveUp() }
            forgetFrames()
            return masked.flatMap(\.self)
        }
    }

    /// Masks frames of which nobody knows what is of a card.
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
    /// Masks transcripts of the family's readers so that they can be played back.
    /// - Parameter profile: values in the place of those of the family's own ``profile``.
    /// - Returns: a mask at the beginning of a link.
    /// - Throws: ``ReaderError`` as ``makeDialect(_:)`` does.
    public func makeMask(_ profile: ReaderProfile? = nil) throws(ReaderError) -> ReaderMask {
        ReaderMask(try makeDialect(profile))
    }
}
