extension IPSDialect {
    /// Hides the tracks, the name and the expiry; of the number no more is there than may be shown. Of an answer stays what it
    /// is known by.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        guard let swipe = try? IPSSwipe(frame.span, layout) else {
            if frame.count == IPSFormat.failureSize, frame[0] == layout.failure { return .masked([frame]) }
            // A part of a swipe may look like one.
            guard let answer, answer.isAnswer(frame.span) else { return .unknown }
            CardHiding.clear(&frame, 2..<frame.count)
            return .masked([frame])
        }
        // Of a short number that would be all of it.
        if swipe.accountNumberCount < 13 { CardHiding.clear(&frame, swipe.issuer) }
        CardHiding.clear(&frame, swipe.encrypted)
        CardHiding.clear(&frame, swipe.expiry)
        CardHiding.clear(&frame, swipe.name, UInt8(ascii: "X"))
        return (try? IPSFormat.frame(Array(frame.dropLast()), layout)).map { .masked([$0]) } ?? .unknown
    }
}
