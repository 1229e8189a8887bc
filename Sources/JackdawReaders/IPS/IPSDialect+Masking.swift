extension IPSDialect {
    /// Hides the tracks, the name and the expiry; of the number no more is there than may be shown.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        guard let layout = try? IPSSwipe(frame.span) else { return .masked([frame]) }
        // Of a short number that would be all of it.
        if frame[4] < 13 { CardHiding.clear(&frame, 5..<8) }
        CardHiding.clear(&frame, layout.encrypted)
        CardHiding.clear(&frame, layout.expiry)
        CardHiding.clear(&frame, layout.name, UInt8(ascii: "X"))
        return (try? IPSFormat.frame(Array(frame.dropLast()))).map { .masked([$0]) } ?? .unknown
    }
}
