extension UniMagDialect {
    /// Hides what ID TECH's other readers have hidden, and tracks as text. What tells of power stays.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var burst = frames.first, frames.count == 1 else { return .unknown }
        if swipeInClear(burst.span) != nil {
            CardHiding.hideTracks(&burst, 1..<burst.count - 1)
            return .masked([burst])
        }
        if isPowerUp(burst.span) {
            CardHiding.hideNumbers(&burst, burst.indices)
            return .masked([burst])
        }
        // A byte of flags may be before a swipe.
        let start = Self.starts.contains(burst[0]) ? 0 : 1
        let frame = Array(burst[start...])
        guard IDTechDialect.isOneFrame(frame), let masked = IDTechDialect.masked(frame) else { return .unknown }
        return .masked([burst[..<start] + masked])
    }
}
